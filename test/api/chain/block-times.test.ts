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

test('a block that the node lacks during a search is BLOCK_NOT_AVAILABLE', async () => {
  await startGraph({ isMissing: (height) => height < 5 }, 9);
  const { errors } = await graph.execute(`{ block(timestamp: ${GENESIS_TIME + 24}) { number } }`);
  expect(errors).toMatchObject([{ path: ['block'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a time with a number, a hash or a tag is BAD_USER_INPUT without a call', async () => {
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
