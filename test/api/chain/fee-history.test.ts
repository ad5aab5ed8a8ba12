import { expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import { block, hashOf, rpcError, type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

let graph: StubbedGraph;

const HEAD = 0x10;
const hex = (n: number) => `0x${n.toString(16)}`;

/** The fees of blocks as geth sends them: the base fee of a block is 0x64 plus its distance to the head. */
const feeHistory = (blockCount: string, newest: string, percentiles: readonly number[]) => {
  const last = Number(newest);
  const rows = Math.min(Number(blockCount), last + 1);
  const heights = Array.from({ length: rows }, (_, i) => last - rows + 1 + i);
  const feeOf = (height: number) => hex(0x64 + HEAD - height);
  return {
    oldestBlock: hex(heights[0]!),
    baseFeePerGas: [...heights.map(feeOf), '0x5'],
    gasUsedRatio: heights.map(() => 0.25),
    baseFeePerBlobGas: [...heights.map(() => '0x1'), '0x2'],
    blobGasUsedRatio: heights.map(() => 0.5),
    ...(percentiles.length > 0 && { reward: heights.map((height) => percentiles.map((p) => hex(height + Math.floor(p)))) }),
  };
};

const blockByNumber = (ref: string) => {
  const number = ref === 'latest' ? HEAD : Number(ref);
  const gas = { gasLimit: '0x64', gasUsed: '0x19' };
  return block({ number: hex(number), hash: hashOf(0xb00 + number), baseFeePerGas: hex(0x64 + HEAD - number), ...gas });
};

const start = async (fees: unknown = feeHistory) => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: blockByNumber, eth_feeHistory: fees });
};

const ROWS = 'blocks { number baseFeePerGas gasUsedRatio baseFeePerBlobGas blobGasUsedRatio rewards }';

test('feeHistory reads the fees up to the head with one call, and one for the head', async () => {
  await start();
  const data = await dataOf(
    graph.execute(
      `{ feeHistory(blockCount: 2, rewardPercentiles: [10, 50.5]) { ${ROWS} nextBaseFeePerGas nextBaseFeePerBlobGas } }`,
    ),
  );
  const shared = { gasUsedRatio: 0.25, baseFeePerBlobGas: '0x1', blobGasUsedRatio: 0.5 };
  expect(data.feeHistory.blocks).toEqual([
    { number: '0xf', baseFeePerGas: '0x65', rewards: [hex(0xf + 10), hex(0xf + 50)], ...shared },
    { number: '0x10', baseFeePerGas: '0x64', rewards: [hex(0x10 + 10), hex(0x10 + 50)], ...shared },
  ]);
  expect(data.feeHistory).toMatchObject({ nextBaseFeePerGas: '0x5', nextBaseFeePerBlobGas: '0x2' });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_feeHistory: 1 });
});

test('equal feeHistory fields are one call', async () => {
  await start();
  await graph.execute(`{ a: feeHistory(blockCount: 2) { ${ROWS} } b: feeHistory(blockCount: 2, newestBlock: 16) { ${ROWS} } }`);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_feeHistory: 1 });
});

test('the blocks of feeHistory link to Block without a call for their number', async () => {
  await start();
  const { data } = await graph.execute(
    '{ feeHistory(blockCount: 2, newestBlock: 5) { blocks { block { number } } } other: feeHistory(newestBlock: 5, blockCount: 1) { blocks { block { hash } } } }',
  );
  expect(data.feeHistory.blocks).toEqual([{ block: { number: '0x4' } }, { block: { number: '0x5' } }]);
  expect(data.other.blocks).toEqual([{ block: { hash: hashOf(0xb05) } }]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_feeHistory: 2 });
});

test('nextBaseFeePerGas below the head is the base fee of the next block', async () => {
  await start();
  const { data } = await graph.execute('{ feeHistory(blockCount: 2, newestBlock: 5) { nextBaseFeePerGas } }');
  expect(data.feeHistory).toEqual({ nextBaseFeePerGas: hex(0x64 + HEAD - 6) });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_feeHistory: 1 });
});

test('feeHistory is null above the head and on a node without the method', async () => {
  await start();
  expect((await graph.execute('{ feeHistory(newestBlock: 17) { blocks { number } } }')).data).toEqual({ feeHistory: null });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1 });
  graph = await startStubbedGraph({ eth_getBlockByNumber: blockByNumber });
  const query = '{ feeHistory { blocks { number } } }';
  expect((await graph.execute(query)).data).toEqual({ feeHistory: null });
  expect((await graph.execute(query)).data).toEqual({ feeHistory: null });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_feeHistory: 1 });
});

test('feeHistory without optional lists has null fees', async () => {
  await start((count: string, newest: string) => {
    const { oldestBlock, gasUsedRatio } = feeHistory(count, newest, []);
    return { oldestBlock, gasUsedRatio, reward: [] };
  });
  const data = await dataOf(graph.execute(`{ feeHistory(blockCount: 1) { ${ROWS} nextBaseFeePerGas nextBaseFeePerBlobGas } }`));
  const unknown = { baseFeePerGas: null, baseFeePerBlobGas: null, blobGasUsedRatio: null, rewards: null };
  expect(data.feeHistory).toEqual({
    blocks: [{ number: '0x10', gasUsedRatio: 0.25, ...unknown }],
    nextBaseFeePerGas: null,
    nextBaseFeePerBlobGas: null,
  });
});

test.each([
  ['blockCount: 0', 'BAD_USER_INPUT'],
  ['blockCount: -1', 'BAD_USER_INPUT'],
  ['blockCount: 1025', 'RESULT_TOO_LARGE'],
  ['rewardPercentiles: [50, 10]', 'BAD_USER_INPUT'],
  ['rewardPercentiles: [10, 10]', 'BAD_USER_INPUT'],
  ['rewardPercentiles: [-1]', 'BAD_USER_INPUT'],
  ['rewardPercentiles: [100.5]', 'BAD_USER_INPUT'],
])('feeHistory rejects %s with %s before any call', async (args, code) => {
  await start();
  const { data, errors } = await graph.execute(`{ feeHistory(${args}) { blocks { number } } }`);
  expect(data).toEqual({ feeHistory: null });
  expect(errors).toMatchObject([{ extensions: { code } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test.each<[string, Record<string, unknown>]>([
  ['other blocks', { oldestBlock: '0xe' }],
  ['fewer blocks', { gasUsedRatio: [0.5] }],
  ['a base fee too few', { baseFeePerGas: ['0x1', '0x2'] }],
  ['a blob fee too few', { baseFeePerBlobGas: ['0x1', '0x2'] }],
  ['a blob ratio too many', { blobGasUsedRatio: [0, 0, 0] }],
  ['rewards of one block alone', { reward: [['0x1']] }],
  ['too many rewards of a block', { reward: [['0x1', '0x2'], ['0x1']] }],
  ['a ratio that is no number', { gasUsedRatio: ['0x1', '0x2'] }],
  ['a fee that is no number', { baseFeePerGas: ['0x1', 'x', '0x2'] }],
])('feeHistory rejects a result with %s', async (_case, changes) => {
  await start((count: string, newest: string, percentiles: number[]) => ({
    ...feeHistory(count, newest, percentiles),
    ...changes,
  }));
  const { errors } = await graph.execute(`{ feeHistory(blockCount: 2, rewardPercentiles: [10]) { ${ROWS} } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'eth_feeHistory' } }]);
});

test('feeHistory rejects the fees of another block than the head', async () => {
  await start((count: string, newest: string) => ({ ...feeHistory(count, newest, []), baseFeePerGas: ['0x1', '0x2'] }));
  const { errors } = await graph.execute(`{ feeHistory(blockCount: 1) { ${ROWS} } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable: true } }]);
});

test('feeHistory waits for a backend that lags behind the head', async () => {
  let lagging = 3;
  graph = await startStubbedGraph({
    eth_getBlockByNumber: blockByNumber,
    eth_getBlockByHash: (hash: string) => ({ ...blockByNumber('latest'), hash }),
    eth_feeHistory: (count: string, newest: string) =>
      --lagging > 0 ? rpcError(-32000, 'request beyond head block: requested 16, head 15') : feeHistory(count, newest, []),
  });
  const data = await dataOf(graph.execute('{ feeHistory(blockCount: 1) { blocks { number } } }'));
  expect(data.feeHistory).toEqual({ blocks: [{ number: hex(HEAD) }] });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_getBlockByHash: 1, eth_feeHistory: 3 });
});

test.each([
  ['rejects the fees of a sibling block with the same base fee', 0xfff, 'BLOCK_NOT_AVAILABLE'],
  ['accepts another ratio of used gas than the header if the block is canonical', 0xb10, undefined],
])('feeHistory %s', async (_case, hashAtHeight, code) => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => ({
      ...blockByNumber(ref),
      hash: hashOf(ref === 'latest' ? 0xb10 : hashAtHeight),
    }),
    eth_feeHistory: (count: string, newest: string) => ({ ...feeHistory(count, newest, []), gasUsedRatio: [0.75] }),
  });
  const { data, errors } = await graph.execute('{ feeHistory(blockCount: 1) { blocks { gasUsedRatio } } }');
  if (code) expect(errors).toMatchObject([{ extensions: { code, retryable: true } }]);
  else expect(data.feeHistory.blocks).toEqual([{ gasUsedRatio: 0.75 }]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_feeHistory: 1 });
});

test('the next base fee of a block is the same when the request names this block, whose child anvil does not consult', async () => {
  const feeOf = (height: number) => hex(0x64 + HEAD - height);
  const ofHead = (...args: Parameters<typeof feeHistory>) => ({
    ...feeHistory(...args),
    baseFeePerGas: [feeOf(4), feeOf(5), '0x5'],
  });
  const parentHash = (number: number) => hashOf(0xb00 + number - 1);
  const blockAt = (number: number) => ({ ...blockByNumber(hex(number)), parentHash: parentHash(number) });
  const other = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => blockAt(ref === 'latest' ? HEAD : Number(ref)),
    eth_getBlockByHash: (hash: string) => blockAt(Number(BigInt(hash) & 0xffn)),
    eth_feeHistory: ofHead,
  });
  const query = '{ block(number: 5) { nextBaseFeePerGas } feeHistory(blockCount: 2, newestBlock: 5) { nextBaseFeePerGas } }';
  const expected = { block: { nextBaseFeePerGas: feeOf(6) }, feeHistory: { nextBaseFeePerGas: feeOf(6) } };
  expect(await dataOf(other.execute(query))).toEqual(expected);
  expect(await dataOf(other.execute(query, undefined, '0x5'))).toEqual(expected);
});

test('the priority fee above the base fee is the same when the request names an older block', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: blockByNumber,
    eth_getBlockByHash: (hash: string) => blockByNumber(hex(Number(BigInt(hash) & 0xffn))),
    eth_gasPrice: hex(0x67),
  });
  for (const block of [undefined, '0x5'])
    expect(await dataOf(graph.execute('{ maxPriorityFeePerGas }', {}, block))).toEqual({ maxPriorityFeePerGas: '0x3' });
});
