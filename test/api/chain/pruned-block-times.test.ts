import { expect, test } from '@jest/globals';
import { type StubbedGraph, startLongChainGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain } from '../../support/upstream/long-chain.ts';

/** Blocks by time from a node that has pruned the blocks between genesis and `earliest`. */
const GENESIS_TIME = 1_438_269_973;
const timeOf = (height: number) => GENESIS_TIME + 12 * height;
const PRUNED = { error: { code: 4444, message: 'pruned history unavailable' } };
const NULL = { result: null };
let graph: StubbedGraph;

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

const startGraph = async ({ head, earliest, followedBlocks = 0, isReported, hasGenesis = true, pruned = PRUNED }: PrunedNode) => {
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
  await startGraph({ head: 20_000_000, earliest: 15_537_394, pruned });
  for (const height of [15_537_394, 17_000_000, 19_999_999]) {
    const { reads, ...found } = await find(timeOf(height));
    expect(found).toEqual({ height, errors: undefined });
    expect(reads).toBeLessThanOrEqual(26);
  }
});

test('a time of a pruned block is BLOCK_NOT_AVAILABLE where the node returns null for pruned blocks', async () => {
  await startGraph({ head: 60, earliest: 50, pruned: NULL });
  expect((await find(timeOf(49))).errors).toMatchObject([{ path: ['block'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a time before genesis is null where the node returns null for pruned blocks', async () => {
  await startGraph({ head: 60, earliest: 50, pruned: NULL });
  expect(await find(GENESIS_TIME - 1)).toMatchObject({ height: null, errors: undefined });
});

test('a block below the known headers and at the earliest available block is found by its time', async () => {
  await startGraph({ head: 1_000, earliest: 50, followedBlocks: 64 });
  expect(await find(timeOf(50))).toMatchObject({ height: 50, errors: undefined });
});

test.each([1, 49])('a time of the pruned block %i is HISTORY_PRUNED with the highest pruned block', async (height) => {
  await startGraph({ head: 60, earliest: 50, isReported: true });
  const { errors } = await find(timeOf(height));
  expect(errors).toMatchObject([
    { path: ['block'], extensions: { code: 'HISTORY_PRUNED', retryable: false, requested: '0x31', earliest: '0x32' } },
  ]);
});

test.each([
  ['is null where the node has retained it', true, []],
  ['is HISTORY_PRUNED where the node has pruned it too', false, ['HISTORY_PRUNED']],
])('a time before genesis %s', async (_case, hasGenesis, codes) => {
  await startGraph({ head: 60, earliest: 50, hasGenesis });
  const { height, errors = [] } = await find(GENESIS_TIME - 1);
  expect(height).toBeNull();
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(codes);
});
