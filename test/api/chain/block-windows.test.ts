import { beforeEach, expect, test } from '@jest/globals';
import { type StubbedGraph, type StubResponses, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { block, hashOf, receiptFixture, transactionFixture } from '../../support/upstream/rpc-fixtures.ts';

/** Long ranges are read in windows. The node has 100 blocks with two transactions each; the cache is off. */
const HEAD = 100;
const hex = (n: number): string => `0x${n.toString(16)}`;
const heightOf = (ref: string): number => (ref === 'latest' ? HEAD : Number(BigInt(ref)) % 0x1000);
const blockHash = (height: number): string => hashOf(0xb000 + height);

const transactionsOf = (height: number) =>
  [0, 1].map((i) =>
    transactionFixture({
      hash: hashOf(0x10_000 + height * 2 + i),
      blockHash: blockHash(height),
      blockNumber: hex(height),
      transactionIndex: hex(i),
    }),
  );

const blockAt = (height: number, full: boolean) =>
  height > HEAD
    ? null
    : block({
        number: hex(height),
        hash: blockHash(height),
        parentHash: blockHash(height - 1),
        transactions: full ? transactionsOf(height) : transactionsOf(height).map(({ hash }) => hash),
      });

const receiptsAt = (height: number) =>
  transactionsOf(height).map(({ hash, blockHash, blockNumber, transactionIndex }) =>
    receiptFixture({ transactionHash: hash, blockHash, blockNumber, transactionIndex, logs: [] }),
  );

const receiptOf = (hash: string) =>
  receiptsAt(Math.floor((Number(BigInt(hash)) - 0x10_000) / 2)).find(({ transactionHash }) => transactionHash === hash);

let graph: StubbedGraph;
/** Replaces the block of a height. */
let replaced: Map<number, object | null>;
let blocks: StubResponses;

beforeEach(async () => {
  replaced = new Map();
  const byRef = (ref: string, full: boolean) =>
    replaced.get(heightOf(ref)) ?? (replaced.has(heightOf(ref)) ? null : blockAt(heightOf(ref), full));
  blocks = { eth_getBlockByNumber: byRef, eth_getBlockByHash: byRef };
  graph = await startStubbedGraph(
    { ...blocks, eth_getBlockReceipts: (ref: string) => receiptsAt(heightOf(ref)) },
    { maxBlocks: 100 },
  );
});

const FULL = 'number transactions { hash nonce status }';
const numbersOf = (blocks: { number: string }[]) => blocks.map(({ number }) => Number(number));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('20 full blocks with receipts cost 1/40, and 50 cost 3/100', async () => {
  // The second request costs no call for the head, because the range has an end that is below MAX_BLOCKS.
  const { data } = await graph.execute(`{ blocks(from: 1, to: 20) { ${FULL} } }`);
  expect(numbersOf(data.blocks)).toEqual(range(1, 20));
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 40 });
  const long = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} } }`);
  expect(numbersOf(long.data.blocks)).toEqual(range(1, 50));
  expect(long.data.blocks[49].transactions).toMatchObject([{ nonce: '0x1', status: '0x1' }, { nonce: '0x1' }]);
  expect(graph.node.takeCounts()).toMatchObject({ http: 3, calls: 100 });
});

test('100 blocks without full transactions cost one request', async () => {
  await graph.execute('{ blocks(from: 1, to: 99) { number timestamp transactions { hash } } }');
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 99 });
});

test('ranges that overlap read each block once', async () => {
  const { data } = await graph.execute(
    `{ a: blocks(from: 1, to: 50) { ${FULL} } b: blocks(from: 11, to: 60) { ${FULL} } one: block(number: 15) { ${FULL} } }`,
  );
  expect(numbersOf(data.a)).toEqual(range(1, 50));
  expect(numbersOf(data.b)).toEqual(range(11, 60));
  expect(data.one).toEqual(data.a[14]);
  expect(data.b.slice(0, 40)).toEqual(data.a.slice(10));
  expect(graph.node.takeCounts().calls).toBe(120);
});

test('parents in the same window cost no call', async () => {
  const { data } = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} parent { ${FULL} } } }`);
  expect(numbersOf(data.blocks.map(({ parent }: { parent: { number: string } }) => parent))).toEqual(range(0, 49));
  // The parent of the first block of each window costs two calls.
  expect(graph.node.takeCounts()).toMatchObject({ http: 6, calls: 106 });
});

test('receipts that are read one by one are released with their block', async () => {
  graph = await startStubbedGraph({ ...blocks, eth_getTransactionReceipt: receiptOf }, { maxBlocks: 100 });
  const { data } = await graph.execute(
    `{ blocks(from: 1, to: 50) { ${FULL} } one: block(number: 4) { parent { parent { transactions { status } } } } }`,
  );
  expect(data.one.parent.parent.transactions).toEqual([{ status: '0x1' }, { status: '0x1' }]);
  // Block 2 has been released when the second parent is read, so its two receipts are requested again.
  expect(graph.node.takeCounts().methods.eth_getTransactionReceipt).toBe(102);
});

test('a range in windows is null with one error when a block of a later window is missing', async () => {
  replaced.set(45, null);
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 60) { ${FULL} } }`);
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
  // The third window fails and no further one is read.
  expect(graph.node.takeCounts().methods.eth_getBlockByNumber).toBeLessThanOrEqual(60);
});

test('a reorg between two windows is detected by the parent hash', async () => {
  replaced.set(21, { ...blockAt(21, true), parentHash: hashOf(0xbad) });
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} } }`);
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['blocks'], extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
});

test('a failing field of a later window is null at the index of its block', async () => {
  replaced.set(30, { ...blockAt(30, true), baseFeePerGas: 'x' });
  const { data, errors } = await graph.execute(`{ blocks(from: 1, to: 50) { ${FULL} baseFeePerGas } }`);
  expect(errors).toMatchObject([{ path: ['blocks', 29, 'baseFeePerGas'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(data.blocks[29]).toMatchObject({ number: '0x1e', baseFeePerGas: null });
});
