import { expect, test } from '@jest/globals';
import { dataOf, field } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** Guarantees to clients: nulls, links between objects, bounds. */

const HASH = { h: hashOf(0x71) };

test('a pending transaction has no block, no receipt and no receipt fields', async () => {
  const pending = transactionFixture({ blockHash: null, blockNumber: null, transactionIndex: null });
  const graph = await startStubbedGraph({ eth_getTransactionByHash: pending, eth_getTransactionReceipt: null });
  const data = await dataOf(
    graph.execute(
      `query ($h: Bytes32!) { transaction(hash: $h) {
      value index blockNumber blockHash block { number } status gasUsed cumulativeGasUsed effectiveGasPrice effectiveTip
      createdContract { address } logs { index } receipt { status } revertReason confirmations
    } }`,
      HASH,
    ),
  );
  const { value, ...rest } = data.transaction;
  expect(value).toBe('0x1');
  expect(new Set(Object.values(rest))).toEqual(new Set([null]));
});

test('a pending transaction selected with its status alone is not null', async () => {
  const pending = transactionFixture({ blockHash: null, blockNumber: null, transactionIndex: null });
  const graph = await startStubbedGraph({ eth_getTransactionByHash: pending, eth_getTransactionReceipt: null });
  const { data } = await graph.execute('query ($h: Bytes32!) { transaction(hash: $h) { hash status } }', HASH);
  expect(data.transaction).toEqual({ hash: hashOf(0x71), status: null });
});

test('an unknown block, transaction and receipt are null without an error', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: null,
    eth_getBlockByHash: null,
    eth_getTransactionByHash: null,
    eth_getTransactionReceipt: null,
  });
  const answer = await graph.execute(
    'query ($h: Bytes32!) { a: block(number: 5) { hash } b: block(hash: $h) { number } transaction(hash: $h) { value } receipt(hash: $h) { status } }',
    HASH,
  );
  expect(answer).toEqual({ data: { a: null, b: null, transaction: null, receipt: null } });
});

test('ommers have all block fields except transactions and their count', async () => {
  const ommer = block({ number: '0xf', hash: hashOf(0x0e), transactions: [] });
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ uncles: [hashOf(0x0e), hashOf(0x0f)] }),
    eth_getUncleByBlockHashAndIndex: (_hash: string, index: string) => (index === '0x0' ? ommer : null),
  });
  const data = await dataOf(
    graph.execute(`{ block(number: 16) {
    ommerCount ommerHashes
    ommers { hash number transactions { hash } transactionHashes transactionCount receipts { status } }
    first: ommerAt(index: 0) { hash } beyond: ommerAt(index: 2) { hash }
  } }`),
  );
  expect(data.block).toEqual({
    ommerCount: '0x2',
    ommerHashes: [hashOf(0x0e), hashOf(0x0f)],
    ommers: [
      { hash: hashOf(0x0e), number: '0xf', transactions: null, transactionHashes: null, transactionCount: null, receipts: null },
      null,
    ],
    first: { hash: hashOf(0x0e) },
    beyond: null,
  });
  expect(graph.node.takeCounts().methods.eth_getUncleByBlockHashAndIndex).toBe(2);
});

test('nextBaseFeePerGas is the base fee of the next block, and at the head the prediction of the node', async () => {
  const head = block({ number: '0x11', hash: hashOf(0xb11), parentHash: hashOf(0xb10), baseFeePerGas: '0x58' });
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => ({ '0x10': block(), '0x11': head })[ref] ?? null,
    eth_feeHistory: { oldestBlock: '0x11', baseFeePerGas: ['0x58', '0x4d'] },
  });
  const { data } = await graph.execute(
    '{ a: block(number: 16) { nextBaseFeePerGas } b: block(number: 17) { nextBaseFeePerGas } }',
  );
  expect(data).toEqual({ a: { nextBaseFeePerGas: '0x58' }, b: { nextBaseFeePerGas: '0x4d' } });
});

test('nextBaseFeePerGas is null for a non-canonical block', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByHash: block({ hash: hashOf(0xdead) }),
    eth_getBlockByNumber: block({ number: '0x11', parentHash: hashOf(0xb10) }),
  });
  const { data, errors } = await graph.execute(`{ block(hash: "${hashOf(0xdead)}") { nextBaseFeePerGas } }`);
  expect({ data, errors }).toEqual({ data: { block: { nextBaseFeePerGas: null } }, errors: undefined });
});

test.each([
  ['an address', 'query ($v: Address = "0x0000000000000000000000000000000000000001") { account(address: $v) { balance } }'],
  ['a filter', 'query ($v: BlockFilterCriteria = {}) { block(number: 16) { logs(filter: $v) { index } } }'],
  ['a condition', 'query ($v: Boolean = true) { chainID @skip(if: $v) }'],
  ['a nested condition', 'query ($v: Boolean = true) { block(number: 16) { hash @include(if: $v) } }'],
])('null for %s with a default fails with BAD_USER_INPUT, not INTERNAL_SERVER_ERROR', async (_case, query) => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block(), eth_chainId: '0x1' });
  const { errors } = await graph.execute(query, { v: null });
  expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
});

test('removed is false for a log without it, and the hash of its transaction needs no call', async () => {
  const graph = await startStubbedGraph({ eth_getLogs: [logFixture(), logFixture({ logIndex: '0x1', removed: undefined })] });
  const { data } = await graph.execute('{ logs(filter: { fromBlock: 16, toBlock: 16 }) { removed transaction { hash } } }');
  expect(data.logs.map(field('removed'))).toEqual([false, false]);
  expect(graph.node.takeCounts().calls).toBe(1);
});

test.each([
  ['two block arguments', '{ block(number: 1, tag: LATEST) { hash } }', 'block'],
  ['a range without a first height', '{ blocks(to: 5) { hash } }', 'blocks'],
  ['a range of blocks whose end precedes its start', '{ blocks(from: 9, to: 3) { hash } }', 'blocks'],
  ['a range and a number of blocks', '{ blocks(from: 9, last: 3) { hash } }', 'blocks'],
  ['a negative number of blocks', '{ blocks(last: -1) { hash } }', 'blocks'],
  ['a hash and a height', `{ logs(filter: { blockHash: "${hashOf(1)}", fromBlock: 1 }) { index } }`, 'logs'],
  ['a height and a tag', '{ logs(filter: { fromBlock: 1, fromBlockTag: SAFE }) { index } }', 'logs'],
  ['two upper bounds', '{ logs(filter: { toBlock: 1, toPending: true }) { index } }', 'logs'],
  ['a log range whose end precedes its start', '{ logs(filter: { fromBlock: 9, toBlock: 3 }) { index } }', 'logs'],
  ['five topic positions', '{ logs(filter: { topics: [[], [], [], [], []] }) { index } }', 'logs'],
])('%s fails with BAD_USER_INPUT on the field, without an upstream call', async (_case, query, field) => {
  const graph = await startStubbedGraph({});
  const { errors } = await graph.execute(query);
  expect(errors).toEqual([
    expect.objectContaining({ path: [field], extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', source: 'graph' }) }),
  ]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('five topic positions of Block.logs fail with BAD_USER_INPUT, and only the block is requested', async () => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block() });
  const { data, errors } = await graph.execute(
    '{ block(number: 16) { number logs(filter: { topics: [[], [], [], [], []] }) { index } } }',
  );
  expect(data).toEqual({ block: null });
  expect(errors![0]).toMatchObject({ path: ['block', 'logs'], extensions: { code: 'BAD_USER_INPUT' } });
  expect(graph.node.takeCounts().calls).toBe(1);
});

test('blocks ends at the head, and a missing block below it is an error', async () => {
  const at = (ref: string) => block({ number: ref, hash: hashOf(Number(ref)), parentHash: hashOf(Number(ref) - 1) });
  let missing = '0x6';
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => (ref === missing || Number(ref) > 6 ? null : at(ref)),
  });
  expect((await graph.execute('{ blocks(from: 4, to: 9) { hash } }')).data.blocks).toHaveLength(2);
  missing = '0x5';
  const { errors } = await graph.execute('{ blocks(from: 4, to: 9) { hash } }');
  expect(errors![0].extensions.code).toBe('BLOCK_NOT_AVAILABLE');
});

test.each([
  ['blocks', '{ blocks(from: 1, to: 9) { hash } }', { limit: 5, actual: 9 }],
  ['logs', '{ logs(filter: { fromBlock: 1, toBlock: 9 }) { index } }', { limit: 2, actual: 3 }],
])('more %s than allowed fail with RESULT_TOO_LARGE with the limit and the count', async (_case, query, detail) => {
  const graph = await startStubbedGraph(
    { eth_getBlockByNumber: block(), eth_getLogs: [0, 1, 2].map((n) => logFixture({ blockNumber: '0x5', logIndex: `0x${n}` })) },
    { maxBlocks: 5, maxLogs: 2 },
  );
  const { errors } = await graph.execute(query);
  expect(errors![0].extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', retryable: false, ...detail });
});

test('a range past the head is limited by its length up to the head', async () => {
  const graph = await startStubbedGraph(
    { eth_getBlockByNumber: (ref: string) => block({ number: ref === 'latest' ? '0x3' : ref }) },
    { maxBlocks: 5 },
  );
  expect((await graph.execute('{ blocks(from: 1, to: 999999) { number } }')).data.blocks).toHaveLength(3);
});

test('accounts are read at the requested height, by default at the most recent block', async () => {
  const node = { eth_getTransactionByHash: transactionFixture(), eth_getBlockByNumber: block(), eth_getBalance: '0x1' };
  const graph = await startStubbedGraph(node);
  await graph.execute('query ($h: Bytes32!) { transaction(hash: $h) { from { balance } to(block: 7) { balance } } }', HASH);
  const reads = graph.requested.filter(([method]) => method === 'eth_getBalance');
  expect(reads.map(([, , at]) => at)).toEqual(['0x7', { blockHash: hashOf(0xb10) }]);
});

test('storage that a node shortens is padded to 32 bytes', async () => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block(), eth_getStorageAt: '0x2a' });
  const { data } = await graph.execute(`{ account(address: "${addressOf(1)}") { storage(slot: "${hashOf(0)}") } }`);
  expect(data.account.storage).toBe(hashOf(0x2a));
});

test('syncing is null on a synchronised node, else its progress', async () => {
  const progress = { startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x3' };
  let syncing: unknown = false;
  const graph = await startStubbedGraph({ eth_syncing: () => syncing });
  expect((await graph.execute('{ syncing { currentBlock } }')).data).toEqual({ syncing: null });
  syncing = progress;
  expect((await graph.execute('{ syncing { startingBlock currentBlock highestBlock } }')).data).toEqual({ syncing: progress });
});
