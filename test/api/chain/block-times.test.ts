import { expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import { type StubbedGraph, startLongChainGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain, type LongChain } from '../../support/upstream/long-chain.ts';

/** Blocks by time, without a follower and with the cache off unless a test states it. */
const GENESIS_TIME = 1_438_269_973;
const HEAD = 20_000_000;
let graph: StubbedGraph;

const startGraph = async (changes: Partial<LongChain> = {}, head = HEAD, options: object = { followedBlocks: 0 }) => {
  const chain = createLongChain(head, { timestampOf: (height) => GENESIS_TIME + 12 * height, ...changes });
  graph = await startLongChainGraph(chain, options);
};

const blockAt = async (time: number, fields = 'number timestamp') => {
  const data = await dataOf(graph.execute(`{ block(timestamp: ${time}) { ${fields} } }`));
  return data.block;
};

test.each([0, 1, 12_345_678, 19_999_999])('block %i of 20 million is found by its time in at most 26 calls', async (height) => {
  await startGraph({ timestampOf: (at) => GENESIS_TIME + 12 * at + (at % 7) });
  expect(Number((await blockAt(GENESIS_TIME + 12 * height + (height % 7))).number)).toBe(height);
  expect(graph.node.takeCounts().calls).toBeLessThanOrEqual(26);
});

test('a time between two blocks finds the earlier one, and a time within the head the head for 1/1', async () => {
  await startGraph();
  expect(Number((await blockAt(GENESIS_TIME + 12 * 5_000_000 + 11)).number)).toBe(5_000_000);
  graph.node.takeCounts();
  expect(Number((await blockAt(GENESIS_TIME + 12 * HEAD)).number)).toBe(HEAD);
  expect(Number((await blockAt(2 ** 40)).number)).toBe(HEAD);
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 2 });
});

test('a time before the first block is null', async () => {
  await startGraph();
  expect(await blockAt(GENESIS_TIME - 1)).toBeNull();
});

test('full transactions of a block found by time cost one more call', async () => {
  await startGraph({ transactionCount: () => 1 });
  const time = GENESIS_TIME + 12 * 777;
  await blockAt(time);
  const { calls } = graph.node.takeCounts();
  expect((await blockAt(time, 'number transactions { nonce }')).transactions).toEqual([{ nonce: '0x1' }]);
  expect(graph.node.takeCounts().calls).toBe(calls + 1);
});

test('a block that the node lacks during a search fails with BLOCK_NOT_AVAILABLE', async () => {
  await startGraph({ isMissing: (height) => height < 5 }, 9);
  const { errors } = await graph.execute(`{ block(timestamp: ${GENESIS_TIME + 24}) { number } }`);
  expect(errors).toMatchObject([{ path: ['block'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a time with a number, a hash or a tag fails with BAD_USER_INPUT without a call', async () => {
  await startGraph();
  const { errors } = await graph.execute('{ block(timestamp: 5, number: 1) { hash } }');
  expect(errors).toMatchObject([{ path: ['block'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('known headers cost no call, and bound the search for older blocks', async () => {
  await startGraph({}, 1_000, { followedBlocks: 64, isCached: true });
  const find = async (height: number) => {
    const { number } = await blockAt(GENESIS_TIME + 12 * height + 5);
    return [Number(number), graph.node.takeCounts().calls];
  };
  expect([await find(1_000), await find(999), await find(940), await find(937)]).toEqual([
    [1_000, 0],
    [999, 0],
    [940, 0],
    [937, 0],
  ]);
  const [height, calls] = await find(100);
  expect(height).toBe(100);
  expect(calls).toBeLessThanOrEqual(4);
  // The blocks below the follower's window are cached.
  expect(await find(100)).toEqual([100, 0]);
});

/** Blocks by time from a node that has pruned the blocks between genesis and `earliest`. */
const timeOf = (height: number) => GENESIS_TIME + 12 * height;
const PRUNED = { error: { code: 4444, message: 'pruned history unavailable' } };
const NULL = { result: null };
interface PrunedNode {
  readonly head: number;
  readonly earliest: number;
  readonly followedBlocks?: number;
  /** Whether the node reports its earliest block. */
  readonly isReported?: boolean;
  readonly hasGenesis?: boolean;
  /** The response for a pruned block. */
  readonly pruned?: { readonly error: { readonly code: number; readonly message: string } } | { readonly result: null };
}

const startPruned = async ({
  head,
  earliest,
  followedBlocks = 0,
  isReported,
  hasGenesis = true,
  pruned = PRUNED,
}: PrunedNode) => {
  graph = await startLongChainGraph(createLongChain(head, { timestampOf: timeOf }), { followedBlocks });
  const respond = graph.node.intercept!;
  const range = { oldestBlock: `0x${earliest.toString(16)}` };
  graph.node.intercept = (call) => {
    if (call.method === 'eth_capabilities' && isReported)
      return { result: { blocks: range, receipts: range, logs: range, state: range } };
    const height = call.method === 'eth_getBlockByNumber' ? Number(call.params[0]) : Number.NaN;
    return height < earliest && (height > 0 || !hasGenesis) ? pruned : respond(call);
  };
};

const find = async (time: number) => {
  const { data, errors } = await graph.execute(`{ block(timestamp: ${time}) { number } }`);
  const { eth_getBlockByNumber: reads = 0 } = graph.node.takeCounts().methods as { eth_getBlockByNumber?: number };
  return { height: data?.block ? Number(data.block.number) : data?.block, errors, reads };
};

test.each([
  ['null', NULL],
  ['an error for an unknown block', { error: { code: -32001, message: 'block not found' } }],
  ['an error of an unknown dialect', { error: { code: -32000, message: 'no such data' } }],
])('a block that a pruned node has is found by its time where the node returns %s for pruned blocks', async (_case, pruned) => {
  await startPruned({ head: 20_000_000, earliest: 15_537_394, pruned });
  for (const height of [15_537_394, 17_000_000, 19_999_999]) {
    const { reads, ...found } = await find(timeOf(height));
    expect(found).toEqual({ height, errors: undefined });
    expect(reads).toBeLessThanOrEqual(26);
  }
});

test('a time of a pruned block fails with BLOCK_NOT_AVAILABLE where the node returns null for it', async () => {
  await startPruned({ head: 60, earliest: 50, pruned: NULL });
  expect((await find(timeOf(49))).errors).toMatchObject([{ path: ['block'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a time before genesis is null where the node returns null for pruned blocks', async () => {
  await startPruned({ head: 60, earliest: 50, pruned: NULL });
  expect(await find(GENESIS_TIME - 1)).toMatchObject({ height: null, errors: undefined });
});

test('a block below the known headers and at the earliest available block is found by its time', async () => {
  await startPruned({ head: 1_000, earliest: 50, followedBlocks: 64 });
  expect(await find(timeOf(50))).toMatchObject({ height: 50, errors: undefined });
});

test.each([1, 49])('a time of the pruned block %i is HISTORY_PRUNED with the highest pruned block', async (height) => {
  await startPruned({ head: 60, earliest: 50, isReported: true });
  const { errors } = await find(timeOf(height));
  expect(errors).toMatchObject([
    { path: ['block'], extensions: { code: 'HISTORY_PRUNED', retryable: false, requested: '0x31', earliest: '0x32' } },
  ]);
});

test.each([
  ['is null where the node has retained it', true, []],
  ['fails with HISTORY_PRUNED where the node has pruned it too', false, ['HISTORY_PRUNED']],
])('a time before genesis %s', async (_case, hasGenesis, codes) => {
  await startPruned({ head: 60, earliest: 50, hasGenesis });
  const { height, errors = [] } = await find(GENESIS_TIME - 1);
  expect(height).toBeNull();
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(codes);
});
