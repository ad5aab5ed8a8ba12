import { describe, expect, test } from '@jest/globals';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import { GraphError } from '../../../src/lib/errors.ts';
import { type ClientConnection, WebSocketConnection } from '../../support/clients/connections.ts';
import type { ResponseErrors } from '../../support/graph/results.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { LogReplayChecker } from '../../support/subscriptions/replay-checker.ts';

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n } }';
const LOGS = `subscription ($filter: LogSubscriptionFilter, $after: String) {
  logs(filter: $filter, after: $after) { cursor removed index blockHash blockNumber data topics transactionHash account { address } }
}`;

let toy: ToyServer;

/** Follows with the shortest pauses and records the reason of each reconnect. */
function following(connection: Pick<ClientConnection, 'iterate'>, options: object) {
  const breaks: { readonly code: string | undefined; readonly missing: boolean }[] = [];
  const onBreak = (error: ResponseErrors, missing: boolean) => breaks.push({ code: error[0]?.extensions.code, missing });
  return { breaks, events: follow(connection, { onBreak, pauseMs: 1, ...options }) as AsyncGenerator<any> };
}

const cursorOf = ({ ticks }: { ticks: { n: number } }) => String(ticks.n);

test('follow resumes from its last cursor when its connection breaks', async () => {
  toy = await startToyServer();
  const connection = new WebSocketConnection(toy.url);
  const { breaks, events } = following(connection, { query: TICKS, after: '0', cursorOf });
  toy.state.ticker().emit(4);
  const received: number[] = [];
  for await (const { ticks } of events) {
    received.push(ticks.n);
    if (ticks.n === 2) connection.kill();
    if (ticks.n === 4) break;
  }
  expect(received).toEqual([1, 2, 3, 4]);
  expect(breaks).toEqual([{ code: undefined, missing: false }]);
});

test('follow restarts without a cursor when its cursor has expired, and reports that events may be missing', async () => {
  toy = await startToyServer();
  const connection = new WebSocketConnection(toy.url);
  const { breaks, events } = following(connection, { query: TICKS, after: '-1', cursorOf });
  const first = events.next();
  await waitUntil(() => breaks.length > 0, 'the cursor has expired');
  const ticking = setInterval(() => toy.state.ticker().emit(1), 5);
  expect((await first).value.ticks.n).toBeGreaterThan(0);
  clearInterval(ticking);
  expect(breaks).toEqual([{ code: 'CURSOR_EXPIRED', missing: true }]);
});

describe('follow with an event without data', () => {
  const LATE = 'subscription ($after: String) { ticks(after: $after) { n late } }';
  const failure = () => Promise.reject(new GraphError('BLOCK_NOT_AVAILABLE', 'The block is gone.'));

  /** Makes the field `late` fail `count` times. */
  function failTimes(count: number): void {
    let left = count;
    Object.defineProperty(toy.state, 'hold', { get: () => (left-- > 0 ? failure() : Promise.resolve()) });
  }

  test('follow rereads an event without data from the previous cursor and emits it once', async () => {
    toy = await startToyServer();
    failTimes(2);
    toy.state.ticker().emit(3);
    const { breaks, events } = following(new WebSocketConnection(toy.url), { query: LATE, after: '1', cursorOf });
    expect([(await events.next()).value, (await events.next()).value].map(({ ticks }) => ticks.n)).toEqual([2, 3]);
    expect(breaks.map(({ code }) => code)).toContain('BLOCK_NOT_AVAILABLE');
    expect(breaks.filter(({ missing }) => missing)).toEqual([]);
  });

  test('follow reports an event with its cursor after four failures and continues with the next event', async () => {
    toy = await startToyServer();
    failTimes(4);
    toy.state.ticker().emit(1);
    const failed: object[] = [];
    const onFailedEvent = (event: object) => failed.push(event);
    const connection = new WebSocketConnection(toy.url);
    const { breaks, events } = following(connection, { query: LATE, after: '0', cursorOf, onFailedEvent });
    const next = events.next();
    await waitUntil(() => failed.length > 0, 'the event is reported');
    toy.state.ticker().emit(1);
    expect((await next).value.ticks.n).toBe(2);
    expect(failed).toMatchObject([{ cursor: '1', errors: [{ extensions: { code: 'BLOCK_NOT_AVAILABLE', cursor: '1' } }] }]);
    expect(breaks).toEqual(Array(3).fill({ code: 'BLOCK_NOT_AVAILABLE', missing: false }));
  });
});

test('follow resumes from its cursor after GAP_TOO_LARGE in a reorg and misses no log', async () => {
  const chain = new SimChain({ seed: 7, bloom: 'real', maxOrphans: 0, blocks: 60 });
  // Logs of removed blocks are unavailable: the node has none and the feed caches none.
  const graph = await startLiveGraph(chain, { maxCacheBytes: 1 });
  const topicsOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_none, i) => chain.main.at(from + i)!.logs.map(({ topics }) => topics[1]!)).flat();
  const removedTopics = topicsOf(58, 61);
  expect(removedTopics).not.toEqual([]);
  const filter = { topics: [[], topicsOf(40, 58).filter((topic) => !removedTopics.includes(topic))] };
  const checker = new LogReplayChecker(chain, filter);
  const query = 'query ($filter: FilterCriteria!) { logs(filter: $filter) { cursor } }';
  const { logs: past } = await graph.execute(query, { filter: { ...filter, fromBlock: '0x0' } });
  const connection = new WebSocketConnection(graph.url);
  const [variables, after, cursorOf] = [{ filter }, past.at(-1)!.cursor, ({ logs }: { logs: { cursor: string } }) => logs.cursor];
  const { breaks, events } = following(connection, { query: LOGS, variables, after, cursorOf });
  const consuming = (async () => {
    for await (const { logs } of events) checker.apply(logs);
  })();
  await waitUntil(async () => (await graph.metric('subscriptions')) === 1, 'the stream is open');
  chain.reorg(3, 12);
  expect(checker.isComplete).toBe(false);
  await waitUntil(() => checker.isComplete, 'the checker has the logs of the chain');
  expect(checker.differences()).toEqual([]);
  expect(breaks).toEqual([{ code: 'GAP_TOO_LARGE', missing: false }]);
  connection.close();
  await consuming;
});
