import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { chooseFork } from '../../../../src/sync/chain/fork-choice.ts';
import { createFollowerView } from '../../../../src/sync/head/follower-view.ts';
import { HeadState } from '../../../../src/sync/head/head-state.ts';
import { headMetrics, headStatus } from '../../../../src/sync/head/head-status.ts';
import { createMirroredFollower } from '../../../../src/sync/head/mirrored-follower.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { log } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { createForkChoiceDriver } from '../../../support/simulator/fork-choice-driver.ts';

const source = { send: async () => [] };
const connection = { ...source, label: 'node' } as never;
const slow = new GraphError('UPSTREAM_TIMEOUT', 'The node took too long.');
const otherChain = new GraphError('UPSTREAM_CHAIN_CHANGED', 'The node has an endpoint of chain 5 instead of chain 1.');
const close = jest.fn(async () => undefined);

let chain: SimChain;
let headState: HeadState;
let follower: ReturnType<typeof createFollowerView>;

beforeEach(() => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(1_000);
  chain = new SimChain({ seed: 1, blocks: 60 });
  headState = new HeadState(log, FOLLOWER_TIMING);
  close.mockClear();
  follower = createFollowerView(headState, () => 'websocket', close);
});
afterEach(() => void jest.useRealTimers());

const observe = (freshMs: number) => {
  const steps = chooseFork(headState.forkChoiceState, { kind: 'latest', reporter: 'headSource', isOverdue: false });
  headState.applyResult(createForkChoiceDriver(chain).run(steps), source, freshMs);
};
const readBlocks = () => {
  const { head, oldest, settledBelow } = follower;
  const [{ hash }, byHash] = [chain.main.at(50)!, follower.headerOf(`0x${chain.main.at(50)!.hash.slice(2).toUpperCase()}`)];
  return [head?.height, oldest?.height, settledBelow, follower.hashAt('0x32') === hash, byHash?.height];
};
const metricsOf = () => Object.fromEntries(headMetrics(follower).map(({ name, value }) => [name, value()]));

test('blocks of the follower are known while its head is fresh, and its window and history after that', () => {
  expect([...readBlocks(), follower.window]).toEqual([undefined, undefined, 0, false, undefined, undefined]);
  observe(5_000);
  expect([...readBlocks(), follower.window?.length]).toEqual([60, 28, 28, true, 50, 33]);
  expect([follower.hashAt('0x1b'), follower.headerOf(chain.main.at(27)!.hash)]).toEqual([undefined, undefined]);
  jest.advanceTimersByTime(5_001);
  expect(readBlocks()).toEqual([undefined, undefined, 0, false, undefined]);
  expect([follower.window?.length, follower.history.canonical?.length]).toEqual([33, 33]);
  observe(5_000);
  headState.stop();
  expect([...readBlocks(), follower.window?.length]).toEqual([undefined, undefined, 0, false, undefined, 33]);
});

test('the status is connecting, live, waiting and fatal, with the ages of the head and the last failure', () => {
  headState.expireHeadSoon(slow);
  jest.advanceTimersByTime(700);
  const status = { transport: 'websocket', chainId: undefined, reorgs: 0, gaps: 0, reconnects: 0, behind: 0, malformed: 0 };
  expect(follower.status).toMatchObject({ ...status, state: 'connecting', error: slow, unknownMs: 700, unconfirmed: 0 });
  expect(follower.status.headAgeMs).toBeUndefined();
  expect(headStatus(follower)).toEqual({ number: null, ageMs: null, state: 'connecting', transport: 'websocket' });
  expect(metricsOf()).toMatchObject({ head_unknown_seconds: 0.7, heads_unconfirmed_total: 0, reorgs_total: 0, gaps_total: 0 });
  expect([metricsOf().head_age_seconds, metricsOf().head_number]).toEqual([undefined, undefined]);

  observe(2_000);
  headState.chainId = '0x1';
  headState.lastError = slow;
  jest.advanceTimersByTime(500);
  expect(follower.status).toMatchObject({ state: 'live', chainId: '0x1', headAgeMs: 500, freshMs: 1_500 });
  expect([follower.status.error, follower.status.unknownMs]).toEqual([undefined, undefined]);
  expect(headStatus(follower)).toEqual({ number: '0x3c', ageMs: 500, state: 'live', transport: 'websocket' });
  expect(metricsOf()).toMatchObject({
    head_age_seconds: 0.5,
    head_unknown_seconds: 0,
    head_number: 60,
    node_reconnects_total: 0,
  });
  expect(new Set(headMetrics(follower).map(({ aggregator }) => aggregator))).toEqual(new Set(['max']));

  jest.advanceTimersByTime(2_500);
  expect(follower.status).toMatchObject({ state: 'waiting', error: slow, headAgeMs: 3_000, unknownMs: 1_000, freshMs: -1_000 });
  headState.fail(otherChain);
  headState.fail(slow);
  expect(follower.status).toMatchObject({ state: 'fatal', error: otherChain });
});

test('listeners hear changes, fresh heads and connections until they unsubscribe', () => {
  const heard: unknown[] = [];
  const unsubscribes = [
    follower.subscribe(({ added }, from) => heard.push([added.map(({ height }) => height), from === source])),
    follower.onFreshHead(() => heard.push('fresh')),
    follower.onConnection((opened) => heard.push(opened === connection)),
  ];
  observe(1_000);
  observe(1_000);
  headState.setConnection(connection);
  expect(heard).toEqual([[[60], true], 'fresh', 'fresh', true]);
  expect([follower.source === source, follower.connection === connection]).toEqual([true, true]);
  headState.removeSource(source);
  expect([follower.source, follower.connection === connection]).toEqual([undefined, true]);
  headState.removeSource(connection);
  expect(follower.connection).toBeUndefined();
  for (const unsubscribe of unsubscribes) unsubscribe();
  chain.mine();
  observe(1_000);
  headState.setConnection(connection);
  expect(heard).toHaveLength(4);
});

test('ready waits for the first head, and rejects with the error of the follower or the reason of its caller', async () => {
  const never = new AbortController().signal;
  const [waiting, cancelled] = [follower.ready(never), new AbortController()];
  const rejected = follower.ready(cancelled.signal);
  cancelled.abort(slow);
  await expect(rejected).rejects.toBe(slow);
  observe(1_000);
  await expect(waiting).resolves.toBeUndefined();
  await expect(follower.ready(never)).resolves.toBeUndefined();
  await expect(follower.ready(cancelled.signal)).rejects.toBe(slow);
  await follower.stop();
  expect(close).toHaveBeenCalledTimes(1);
  await expect(follower.ready(never)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  const failed = new HeadState(log, FOLLOWER_TIMING);
  const view = createFollowerView(failed, () => 'polling');
  failed.fail(otherChain);
  await expect(view.ended).resolves.toBe(otherChain);
  await view.stop();
  await expect(view.ready(never)).rejects.toBe(otherChain);
});

test('a mirrored follower takes over the status, the chain and the fatal error, and holds operations until the next change', async () => {
  const mirror = createMirroredFollower(source, log);
  observe(60_000);
  Object.assign(headState.counts, { reorgs: 1, gaps: 2, reconnects: 3, behind: 4, malformed: 5, unconfirmed: 6 });
  headState.chainId = '0x1';
  const fresh: string[] = [];
  mirror.follower.onFreshHead(() => fresh.push(mirror.follower.head!.number));
  expect(mirror.follower.status).toMatchObject({ state: 'connecting', transport: 'polling' });
  mirror.hold();
  const held = mirror.follower.pendingHead;
  mirror.hold();
  expect(mirror.follower.pendingHead).toBe(held);
  jest.advanceTimersByTime(200);
  const change = { added: [follower.head!], removed: [], hasGap: true };
  mirror.update(follower.status, { change, history: follower.history });
  await held;
  expect(mirror.follower.pendingHead).toBeUndefined();
  expect(mirror.follower.status).toEqual(follower.status);
  expect(mirror.follower.window).toBe(follower.window);
  const removed = chain.reorg(2, 3).removed.length;
  const changes: unknown[] = [];
  follower.subscribe((next) => mirror.update(follower.status, { change: next }));
  mirror.follower.subscribe((next, from) => changes.push([next.removed.length, next.added.length, from === source]));
  observe(60_000);
  expect([removed, changes]).toEqual([2, [[2, 3, true]]]);
  expect(mirror.follower.history).toEqual(follower.history);
  expect(fresh).toEqual(['0x3c', '0x3d']);
  mirror.update({ ...follower.status, headAgeMs: undefined, freshMs: -5, error: slow });
  expect(mirror.follower.status).toMatchObject({ state: 'waiting', headAgeMs: undefined, freshMs: -5, error: slow });
  expect(fresh).toHaveLength(2);
  mirror.update({ ...follower.status, state: 'fatal', error: otherChain });
  await expect(mirror.follower.ended).resolves.toBe(otherChain);
});
