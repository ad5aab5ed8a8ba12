import { expect, test } from '@jest/globals';
import { decodeLogCursor, encodeLogCursor } from '../../../../../src/domains/chain/log/cursor.ts';
import type { LogFilter } from '../../../../../src/ethereum/log-filters.ts';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { random, readSeed, runSize } from '../../../../support/random-tests.ts';
import { blockOf } from '../../../../support/simulator/rpc-simulator.ts';
import type { SimBlock } from '../../../../support/simulator/view.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import {
  addedLogLabels,
  blocksAfter,
  logLabel,
  receivedLogLabels,
  removedLogLabels,
  startLiveStreams,
  subscribingOperation,
} from '../../../../support/subscriptions/live-streams.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

/** Subscriptions that begin in the past, over a real follower and feed, with a simulated node of 400 blocks. */
const SEED = readSeed();
const BLOCKS = 400;
const ADDRESS = `0x${'0'.repeat(39)}2`;

const startAt = (seed: number) => startLiveStreams(seed, { blocks: BLOCKS });
type Setup = Awaited<ReturnType<typeof startAt>>;
const hex = (height: number) => `0x${height.toString(16)}`;
const endOf = ({ height, hash }: SimBlock) => encodeLogCursor({ height, hash, index: 2 ** 32 - 1, removed: false });
const all = ({ chain }: Setup, from: number): SimBlock[] =>
  from === 0 ? [chain.main.at(0)!, ...all({ chain } as Setup, 1)] : blocksAfter(chain.main.at(from - 1)!, chain.head);

test.each([0, 1, 200, BLOCKS - 1, BLOCKS])('logs from block %i deliver each log once, then live logs', async (from) => {
  const setup = await startAt(SEED);
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { fromBlock: hex(from) }));
  const past = addedLogLabels(all(setup, from));
  await client.waitForEvents(past.length);
  const { added } = await setup.move(0, 5);
  const expected = [...past, ...addedLogLabels(added)];
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test('logs from the next block deliver live logs alone', async () => {
  const { live, move, waitForLogs } = await startAt(SEED);
  const client = subscribeToStream(live.logs(subscribingOperation(), { fromBlock: hex(BLOCKS + 1) }));
  const { added } = await move(0, 5);
  await waitForLogs();
  await client.waitForEvents(addedLogLabels(added).length);
  expect(receivedLogLabels(client)).toEqual(addedLogLabels(added));
});

test('logs after a block whose logs the feed has not read yet wait for them, without a removal', async () => {
  // Without blooms the feed passes no block without a search for its logs.
  const setup = await startLiveStreams(SEED, { blocks: BLOCKS, bloom: 'zero' });
  const { live, move, node } = setup;
  subscribeToStream(live.logs(subscribingOperation(), {}));
  const { added } = await move(0, 3);
  await setup.waitForLogs();
  let isHeld = true;
  node.intercept = (method) => (isHeld && method === 'eth_getLogs' ? { error: { code: -32000, message: 'busy' } } : undefined);
  const next = (await move(0, 3)).added;
  expect(setup.feed.logsHead?.hash).toBe(added.at(-1)!.hash);
  const client = subscribeToStream(live.logs(subscribingOperation(), { after: endOf(next[1]!) }));
  isHeld = false;
  const expected = addedLogLabels([next[2]!, ...(await move(0, 3)).added]);
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test('logs of a filter from a block cost searches over many blocks', async () => {
  const setup = await startAt(SEED);
  const filter = { addresses: [ADDRESS] };
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { filter, fromBlock: '0x0' }));
  const expected = addedLogLabels(all(setup, 0), filter);
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
  expect(setup.node.callCounts.get('eth_getLogs')!).toBeLessThan(40);
});

test('logs resume after the cursor of a log far in the past, in the middle of its block', async () => {
  const setup = await startAt(SEED);
  const block = all(setup, 100).find(({ logs }) => logs.length > 1)!;
  const after = encodeLogCursor({
    height: block.height,
    hash: block.hash,
    index: Number(block.logs[0]!.logIndex),
    removed: false,
  });
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after }));
  const expected = addedLogLabels(all(setup, block.height)).slice(1);
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test.each([0, 1])('logs after the removal of log %i of a block that is on the chain again begin with this log', async (first) => {
  const setup = await startAt(SEED);
  const { height, hash, logs } = all(setup, 100).find((block) => block.logs.length > 1)!;
  const after = encodeLogCursor({ height, hash, index: Number(logs[first]!.logIndex), removed: true });
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after }));
  const expected = addedLogLabels(all(setup, height)).slice(first);
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test('logs after a cursor in the middle of its block lose no log when the node returns another block once', async () => {
  const setup = await startAt(SEED);
  const block = all(setup, 100).find(({ logs }) => logs.length > 1)!;
  const [first] = block.logs;
  let isOther = true;
  setup.node.intercept = (method, [filter]) => {
    if (!isOther || method !== 'eth_getLogs' || Number(filter.fromBlock) !== block.height) return undefined;
    isOther = false;
    return { result: [{ ...first!, blockHash: hashOf(5) }] };
  };
  const after = encodeLogCursor({ height: block.height, hash: block.hash, index: Number(first!.logIndex), removed: false });
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after }));
  const expected = addedLogLabels(all(setup, block.height)).slice(1);
  await client.waitForEvents(expected.length);
  expect(isOther).toBe(false);
  expect(receivedLogLabels(client)).toEqual(expected);
});

/** A chain on which a reorg has removed blocks that the feed no longer knows. */
async function startAfterReorg() {
  const setup = await startAt(SEED);
  const { removed } = await setup.move(4, 5);
  for (let i = 0; i < 15; i++) await setup.move(0, 20);
  const ancestor = removed.at(-1)!.parent!;
  expect(setup.feed.recentBlock(ancestor.hash)).toBeUndefined();
  return { setup, removed, ancestor };
}

test('logs after a block that a reorg removed long ago begin with the removal of its logs', async () => {
  const { setup, removed, ancestor } = await startAfterReorg();
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after: endOf(removed[0]!) }));
  const undone = removed.flatMap(({ logs }) => [...logs].reverse().map((log) => logLabel({ ...log, removed: true })));
  const expected = [...undone, ...addedLogLabels(blocksAfter(ancestor, setup.chain.head))];
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test.each([
  [256, true],
  [257, false],
])('removals of the logs of %i blocks below the history of the feed are sent: %p', async (depth, isRead) => {
  const setup = await startAt(SEED);
  const removed = setup.chain.mine(depth).added.toReversed();
  await pollUntil(() => setup.feed.head?.hash === setup.chain.head.hash);
  await setup.move(depth, 600);
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after: endOf(removed[0]!) }));
  if (!isRead) return expect(await client.waitForEnd()).toMatchObject({ code: 'CURSOR_EXPIRED' });
  const expected = removedLogLabels(removed);
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client).slice(0, expected.length)).toEqual(expected);
  client.stop();
});

test.each([
  ['a limit of rates', { code: -32_005, message: 'rate limit exceeded' }, 'UPSTREAM_RATE_LIMITED', 200],
  // Not retried: a retry would take longer than the test.
  ['a method that it lacks', { code: -32_601, message: 'method not found' }, 'METHOD_NOT_SUPPORTED', 600_000],
])('past logs of a node that responds with %s end with its error', async (_case, error, code, sourceTimeoutMs) => {
  const { live, node } = await startLiveStreams(SEED, { blocks: BLOCKS, timing: { sourceTimeoutMs } });
  node.intercept = (method) => (method === 'eth_getLogs' ? { error } : undefined);
  const since = performance.now();
  const client = subscribeToStream(live.logs(subscribingOperation(), { fromBlock: '0x0' }));
  expect(await client.waitForEnd()).toMatchObject({ code });
  expect(performance.now() - since > sourceTimeoutMs).toBe(code === 'UPSTREAM_RATE_LIMITED');
});

test('logs after a removed block far above the head of the server wait until it knows the chain', async () => {
  const { live, chain, node } = await startAt(SEED);
  [node.isMuted, node.ignoresSocketReads] = [true, true];
  const { added: old } = chain.mine(20);
  chain.reorg(3, 4);
  let reads = 0;
  node.intercept = (method, [hash]) => {
    if (method === 'eth_getBlockByHash' && hash === old[19]!.hash) reads += 1;
    return undefined;
  };
  const client = subscribeToStream(live.logs(subscribingOperation(), { after: endOf(old[19]!) }));
  await pollUntil(() => reads > 2);
  expect(client.events).toEqual([]);
  [node.isMuted, node.ignoresSocketReads] = [false, false];
  chain.mine(5);
  const expected = [...removedLogLabels(old.slice(17).reverse()), ...addedLogLabels(blocksAfter(old[16]!, chain.head))];
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

const UNKNOWN = hashOf(3);
const unknownAt = (height: number) => encodeLogCursor({ height, hash: UNKNOWN, index: 0, removed: false });

test.each([
  ['logs', 'eight blocks below the head', unknownAt(BLOCKS - 8), 3],
  ['logs', 'nine blocks below the head', unknownAt(BLOCKS - 9), 1],
  ['newHeads', 'of unknown height', UNKNOWN, 3],
] as const)('%s after an unknown block %s end with CURSOR_EXPIRED', async (stream, _where, after, reads) => {
  const { live, node } = await startAt(SEED);
  let count = 0;
  node.intercept = (method, [hash]) => {
    if (method === 'eth_getBlockByHash' && hash === UNKNOWN) count += 1;
    return undefined;
  };
  const client = subscribeToStream<unknown>(live[stream](subscribingOperation(), { after }));
  expect(await client.waitForEnd()).toMatchObject({ code: 'CURSOR_EXPIRED' });
  expect(count).toBe(reads);
});

test.each([
  [2, true],
  [9, true],
  [10, false],
])('logs from a block %i above the head end with BLOCK_NOT_AVAILABLE', async (distance, retryable) => {
  const { live } = await startAt(SEED);
  const client = subscribeToStream(live.logs(subscribingOperation(), { fromBlock: hex(BLOCKS + distance) }));
  expect(await client.waitForEnd()).toMatchObject({ code: 'BLOCK_NOT_AVAILABLE', extensions: { retryable } });
});

test('a cursor counts more than a height, so that a client resumes with the variables of its start', async () => {
  const setup = await startAt(SEED);
  const after = endOf(setup.chain.main.at(BLOCKS - 3)!);
  const client = subscribeToStream(setup.live.logs(subscribingOperation(), { after, fromBlock: '0x0' }));
  const expected = addedLogLabels(all(setup, BLOCKS - 2));
  await client.waitForEvents(expected.length);
  expect(receivedLogLabels(client)).toEqual(expected);
});

test.each([0, 1, 200, BLOCKS - 1, BLOCKS])('newHeads from block %i deliver each block once, then live blocks', async (from) => {
  const setup = await startAt(SEED);
  const client = subscribeToStream(setup.live.newHeads(subscribingOperation(), { fromBlock: hex(from) }));
  const past = all(setup, from);
  await client.waitForEvents(past.length);
  const { added } = await setup.move(0, 3);
  await client.waitForEvents(past.length + 3);
  expect(client.events.map(({ cursor }) => cursor)).toEqual([...past, ...added].map(({ hash }) => hash));
  expect(client.events[0]!.root.newHeads).toMatchObject({ number: hex(from), replaces: false });
});

test.each([1, 9])('newHeads after a block %i above the head of this server wait until it has the block', async (distance) => {
  const { live, node, chain, move } = await startLiveStreams(SEED, { blocks: BLOCKS });
  node.isMuted = true;
  const { added } = chain.mine(distance);
  const client = subscribeToStream(live.newHeads(subscribingOperation(), { after: added.at(-1)!.hash }));
  await pollUntil(() => node.callCounts.has('eth_getBlockByHash'));
  node.isMuted = false;
  const next = (await move(0, 2)).added;
  await client.waitForEvents(2);
  expect(client.events.map(({ cursor }) => cursor)).toEqual(next.map(({ hash }) => hash));
});

test('newHeads resume after a block far in the past, and after a removed one from the common ancestor', async () => {
  const { setup, removed, ancestor } = await startAfterReorg();
  for (const [after, from] of [
    [removed[0]!, ancestor],
    [setup.chain.main.at(300)!, setup.chain.main.at(300)!],
  ] as const) {
    const client = subscribeToStream(setup.live.newHeads(subscribingOperation(), { after: after.hash }));
    const expected = blocksAfter(from, setup.chain.head).map(({ hash }) => hash);
    await client.waitForEvents(expected.length);
    expect(client.events.map(({ cursor }) => cursor)).toEqual(expected);
  }
});

test('newHeads from a block repeat pages in which the node mixes two branches', async () => {
  const { setup, removed } = await startAfterReorg();
  const from = removed.at(-1)!.height - 2;
  let mixedPages = 0;
  setup.node.intercept = (method, [height]) => {
    if (mixedPages === 4 || method !== 'eth_getBlockByNumber' || Number(height) !== removed[1]!.height) return undefined;
    mixedPages += 1;
    return { result: blockOf(removed[1]!) };
  };
  const client = subscribeToStream(setup.live.newHeads(subscribingOperation(), { fromBlock: hex(from) }));
  const expected = all(setup, from).map(({ hash }) => hash);
  await client.waitForEvents(expected.length);
  expect(mixedPages).toBe(4);
  expect(client.events.map(({ cursor }) => cursor)).toEqual(expected);
});

test('logPages have the logs of logs, in pages of at most 200, and end at the position of their cursors', async () => {
  const setup = await startAt(SEED);
  const client = subscribeToStream(setup.live.logPages(subscribingOperation(), { fromBlock: '0x0' }));
  const { removed, added } = await setup.move(3, 5);
  const pages = () => client.events.map(({ root }) => root.logPages);
  const labels = () => pages().flatMap(({ nodes }) => nodes.map((log) => logLabel(log as never)));
  const last = addedLogLabels(added).at(-1)!;
  await pollUntil(() => labels().at(-1) === last);
  const held: string[] = [];
  for (const { nodes, searchedTo, cursor } of pages()) {
    expect(nodes.length).toBeLessThanOrEqual(200);
    for (const log of nodes as unknown as Parameters<typeof logLabel>[0][]) {
      if (log.removed) expect(held.pop()).toBe(logLabel({ ...log, removed: false }));
      else held.push(logLabel(log));
    }
    const { height, index } = decodeLogCursor(cursor);
    expect(Number(searchedTo)).toBe(index === 2 ** 32 - 1 ? height : height - 1);
  }
  expect(held).toEqual(addedLogLabels(all(setup, 0)));
  expect(removed.length).toBe(3);
});

test('logPages send an empty page for a past without matching logs', async () => {
  const { live, chain } = await startAt(SEED);
  const filter = { addresses: [`0x${'f'.repeat(40)}`] };
  const client = subscribeToStream(live.logPages(subscribingOperation(), { filter, fromBlock: '0x0' }));
  await pollUntil(() => client.events.some(({ root }) => Number(root.logPages.searchedTo) === BLOCKS));
  expect(client.events.every(({ root }) => root.logPages.nodes.length === 0)).toBe(true);
  expect(client.events.at(-1)!.cursor).toBe(endOf(chain.head));
});

test('a subscription that begins in the past holds the logs of the chain after reorgs at every position', async () => {
  const draw = random(SEED);
  const upTo = (n: number) => Math.floor(draw() * (n + 1));
  for (let round = 0; round < runSize(6, 300); round++) {
    const setup = await startLiveStreams(SEED + round, { blocks: 120 + upTo(150) });
    const filter: LogFilter = draw() < 0.5 ? {} : { addresses: [ADDRESS] };
    const from = upTo(setup.chain.head.height);
    const client = subscribeToStream(setup.live.logs(subscribingOperation(), { filter, fromBlock: hex(from) }));
    for (let i = upTo(8); i >= 0; i--) {
      const depth = upTo(10);
      await setup.move(Math.min(depth, setup.chain.head.height - from), depth + 1 + upTo(20));
    }
    const held: string[] = [];
    let read = 0;
    const isEqual = () => {
      for (const label of receivedLogLabels(client).slice(read)) {
        read += 1;
        if (label.startsWith('+')) held.push(label);
        else if (held.pop() !== `+${label.slice(1)}`)
          throw new Error(`seed ${SEED}, round ${round}: ${label} is not the last log`);
      }
      if (client.ended) throw client.ended;
      return held.join() === addedLogLabels(all(setup, from), filter).join();
    };
    await pollUntil(isEqual);
    client.stop();
  }
});

test.each(['busy', 'context deadline exceeded'])(
  'past pages that fail once with the code -32000 (%s) are read again',
  async (message) => {
    const setup = await startAt(SEED);
    const failOnce = (failing: string) => {
      let isFailing = true;
      setup.node.intercept = (method) => {
        if (method !== failing || !isFailing) return undefined;
        isFailing = false;
        return { error: { code: -32_000, message } };
      };
    };
    failOnce('eth_getLogs');
    const logs = subscribeToStream(setup.live.logs(subscribingOperation(), { fromBlock: '0x0' }));
    const expected = addedLogLabels(all(setup, 0));
    await logs.waitForEvents(expected.length);
    expect(receivedLogLabels(logs)).toEqual(expected);
    failOnce('eth_getBlockByNumber');
    const heads = subscribeToStream(setup.live.newHeads(subscribingOperation(), { fromBlock: '0x0' }));
    await heads.waitForEvents(BLOCKS + 1);
    expect(heads.events.map(({ cursor }) => cursor)).toEqual(all(setup, 0).map(({ hash }) => hash));
  },
);
