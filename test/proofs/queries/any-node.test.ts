import { expect, test } from '@jest/globals';
import { bloomOf } from '../../support/ethereum/logs-bloom.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** Nodes differ in their methods and formats; the response does not. */
let graph: StubbedGraph;

const two = [transactionFixture(), transactionFixture({ hash: hashOf(0x72), transactionIndex: '0x1' })];
const receipts = [receiptFixture(), receiptFixture({ transactionHash: hashOf(0x72), transactionIndex: '0x1', status: '0x0' })];
const STATUSES = '{ block(number: 16) { transactions { hash status } } }';

test('receipts without eth_getBlockReceipts are read one by one in one request, and the method is not tried again', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: two.map(({ hash }) => hash) }),
    eth_getTransactionReceipt: (hash: string) => receipts.find(({ transactionHash }) => transactionHash === hash),
  });
  for (const tries of [1, 0]) {
    const data = await dataOf(graph.execute(STATUSES));
    expect(data.block.transactions.map(field('status'))).toEqual(['0x1', '0x0']);
    const { http, methods } = graph.node.takeCounts();
    const tried = tries > 0 ? { eth_getBlockReceipts: tries } : {};
    expect({ http, methods }).toEqual({ http: 2, methods: { eth_getBlockByNumber: 1, eth_getTransactionReceipt: 2, ...tried } });
  }
});

test('receipts of another block of the same height are requested again by hash', async () => {
  const other = receipts.map((one) => ({ ...one, blockHash: hashOf(0xbad), status: '0x0' }));
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: two }),
    eth_getBlockReceipts: (ref: string) => (ref === hashOf(0xb10) ? receipts : other),
  });
  const data = await dataOf(graph.execute(STATUSES));
  expect(data.block.transactions.map(field('status'))).toEqual(['0x1', '0x0']);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_getBlockReceipts: 2 });
});

test('receipts that do not belong to the block are an error', async () => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block({ transactions: two }), eth_getBlockReceipts: [receipts[0]] });
  const { data, errors } = await graph.execute(STATUSES);
  expect(data.block.transactions[0]!.status).toBeNull();
  expect(errors![0].extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: true });
});

test('logs are requested separately when the receipts fail', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }),
    eth_getBlockReceipts: rpcError(-32603, 'internal error'),
    eth_getLogs: [logFixture()],
  });
  const { data, errors } = await graph.execute('{ block(number: 16) { number receipts { status } logs(filter: {}) { index } } }');
  expect(data.block).toEqual({ number: '0x10', receipts: null, logs: [{ index: '0x0' }] });
  expect(errors!.map(({ path }) => path)).toEqual([['block', 'receipts']]);
});

test('counts without a count method are read from the block, and the method is not tried again', async () => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }) });
  const query = '{ block(number: 16) { transactionCount ommerCount } }';
  for (const _turn of [1, 2])
    expect((await graph.execute(query)).data.block).toEqual({ transactionCount: '0x1', ommerCount: '0x0' });
  expect(graph.node.takeCounts().calls).toBe(2 + 1 + 1);
});

test('logs of another block of the same height are requested again by hash', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }),
    eth_getLogs: ({ blockHash }: { blockHash?: string }) => [
      logFixture(blockHash ? { data: '0x01' } : { blockHash: hashOf(0xbad) }),
    ],
  });
  const { data } = await graph.execute('{ block(number: 16) { number logs(filter: {}) { data } } }');
  expect(data.block.logs).toEqual([{ data: '0x01' }]);
  expect(graph.node.takeCounts().methods.eth_getLogs).toBe(2);
});

test.each([
  ['shows some', bloomOf([logFixture()])],
  ['is full, as on chains that do not compute it', `0x${'f'.repeat(512)}`],
  ['is empty, as on chains that do not fill it', `0x${'0'.repeat(512)}`],
])('an empty list of logs is confirmed when the block has transactions and its bloom %s', async (_case, logsBloom) => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ logsBloom, transactions: [hashOf(0x71)] }),
    eth_getLogs: ({ blockHash }: { blockHash?: string }) => (blockHash ? [logFixture()] : []),
  });
  const { data } = await graph.execute('{ block(number: 16) { number logs(filter: {}) { index } } }');
  expect(data.block.logs).toEqual([{ index: '0x0' }]);
});

test('a pending log may lack its block, its positions and its transaction hash', async () => {
  const nowhere = { blockHash: null, blockNumber: null, transactionHash: null, transactionIndex: null, logIndex: null };
  graph = await startStubbedGraph({ eth_getLogs: [logFixture({ ...nowhere, data: '0x07' })] });
  const data = await dataOf(graph.execute('{ logs(filter: { fromBlock: 16, toPending: true }) { data blockHash removed } }'));
  expect(data.logs).toEqual([{ data: '0x07', blockHash: null, removed: false }]);
});

test('a block without logs is accepted under a full bloom, as on chains that do not compute blooms', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ logsBloom: `0x${'f'.repeat(512)}`, transactions: [hashOf(0x71)] }),
    eth_getLogs: [],
  });
  const data = await dataOf(graph.execute('{ block(number: 16) { number logs(filter: {}) { index } } }'));
  expect(data.block.logs).toEqual([]);
});

test('logs are requested separately when receipts number them within their transaction', async () => {
  const found = [logFixture(), logFixture({ transactionHash: hashOf(0x72), transactionIndex: '0x1', logIndex: '0x1' })];
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: two }),
    eth_getTransactionReceipt: (hash: string) => {
      const own = receipts.find(({ transactionHash }) => transactionHash === hash);
      return { ...own, logs: [{ ...found.find(({ transactionHash }) => transactionHash === hash), logIndex: '0x0' }] };
    },
    eth_getLogs: found,
  });
  const data = await dataOf(graph.execute('{ block(number: 16) { receipts { status } logs(filter: {}) { index } } }'));
  expect(data.block.logs).toEqual([{ index: '0x0' }, { index: '0x1' }]);
});

const ACCOUNT = addressOf(0xa);
const BALANCE = `{ block(number: 16) { account(address: "${ACCOUNT}") { balance } } }`;

/** Starts a node with balances that the test decides. */
async function startBalances(balanceAt: (at: unknown) => unknown) {
  const node = { eth_getBlockByNumber: block(), eth_getBalance: (_address: string, at: unknown) => balanceAt(at) };
  graph = await startStubbedGraph(node);
}

/** The blocks at which the graph has read balances. */
const balanceRefs = () => graph.requested.filter(([method]) => method === 'eth_getBalance').map(([, , at]) => at);

test.each([
  ['-32700 Cannot wrap a "object" as a json-rpc type, as Ganache', rpcError(-32700, 'Cannot wrap a "object" as a json-rpc type')],
  ['-32600', rpcError(-32600, 'invalid request')],
  ['-32000 with an unknown message', rpcError(-32000, 'invalid JSON input')],
  ['-32000 header not found', rpcError(-32000, 'header not found')],
  ['-32001', rpcError(-32001, '[object Object] could not be found')],
  ['-32004', rpcError(-32004, 'unsupported parameter')],
  ['an unknown number', rpcError(-39999, 'no')],
])(
  'state that a node does not read by hash is read by height, directly from the second read on: %s',
  async (_case, rejection) => {
    await startBalances((at) => (typeof at === 'string' ? '0x5' : rejection));
    for (const _turn of [1, 2, 3, 4]) expect((await graph.execute(BALANCE)).data.block.account).toEqual({ balance: '0x5' });
    const refs = balanceRefs();
    const byHash = refs.filter((at) => typeof at === 'object').length;
    expect(refs.slice(-2)).toEqual(['0x10', '0x10']);
    expect(refs.length - byHash).toBe(4);
    expect(byHash).toBe(1);
  },
);

test('state that is null by hash is read by height', async () => {
  await startBalances((at) => (typeof at === 'string' ? '0x5' : null));
  for (const _turn of [1, 2, 3]) expect((await graph.execute(BALANCE)).data.block.account).toEqual({ balance: '0x5' });
  expect(balanceRefs().filter((at) => typeof at === 'string')).toHaveLength(3);
});

test.each([
  ['a rate limit', rpcError(-32005, 'rate limit exceeded'), 'UPSTREAM_RATE_LIMITED'],
  ['a timeout', rpcError(-32002, 'request timed out'), 'UPSTREAM_UNAVAILABLE'],
  ['a quota', rpcError(-32000, 'monthly capacity limit exceeded'), 'UPSTREAM_QUOTA_EXCEEDED'],
  ['pruned state', rpcError(-32000, 'missing trie node 1234'), 'HISTORY_PRUNED'],
])('%s in a read by hash is not retried by height', async (_case, error, code) => {
  await startBalances(() => error);
  const { errors } = await graph.execute(BALANCE);
  expect(errors!.map(({ extensions }) => extensions.code)).toEqual([code]);
  expect(balanceRefs().filter((at) => typeof at === 'string')).toEqual([]);
});

test('a read by height is discarded when the block of the height changed, even for a revert', async () => {
  let other = false;
  const token = addressOf(0xc);
  graph = await startStubbedGraph({
    eth_getBlockByNumber: () => block(other ? { hash: hashOf(0xdead) } : {}),
    eth_getBlockByHash: block(),
    eth_call: (_call: unknown, at: unknown) => {
      if (typeof at !== 'string') return rpcError(-32700, 'Cannot wrap a "object" as a json-rpc type');
      other = true;
      return rpcError(-32000, 'VM Exception while processing transaction: revert');
    },
  });
  const { errors } = await graph.execute(
    `{ block(number: 16) { account(address: "${ACCOUNT}") { tokenBalance(contract: "${token}") { balance { raw } } } } }`,
  );
  expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['BLOCK_NOT_AVAILABLE']);
});

const TOKEN_BALANCES = `{ block(number: 16) { account(address: "${ACCOUNT}") {
  tokenBalances(contracts: ["${addressOf(0xc)}", "${addressOf(0xd)}"]) { tokenBalance error }
} } }`;

test('token balances are read by height on a node without reads by hash, and a revert stays a revert', async () => {
  const refs: unknown[] = [];
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block(),
    eth_getBlockByHash: block(),
    eth_call: ({ to }: { to: string }, at: unknown) => {
      refs.push(at);
      if (typeof at !== 'string') return rpcError(-32700, 'Cannot wrap a "object" as a json-rpc type');
      if (to === addressOf(0xc)) return hashOf(7);
      return to === addressOf(0xd) ? rpcError(-32000, 'VM Exception while processing transaction: revert') : '0x';
    },
  });
  for (const _turn of [1, 2, 3]) {
    const data = await dataOf(graph.execute(TOKEN_BALANCES));
    const [first, second] = data.block.account.tokenBalances;
    expect([first.tokenBalance, second.tokenBalance]).toEqual([hashOf(7), null]);
  }
  // Per operation: one call of Multicall3 and one per contract.
  expect(refs.slice(-3)).toEqual(['0x10', '0x10', '0x10']);
});

test('maxPriorityFeePerGas without the method is the gas price minus the base fee', async () => {
  graph = await startStubbedGraph({ eth_gasPrice: '0x96', eth_getBlockByNumber: block() });
  expect((await graph.execute('{ maxPriorityFeePerGas }')).data).toEqual({ maxPriorityFeePerGas: '0x32' });
});

test('a network field without its method is null with an error', async () => {
  graph = await startStubbedGraph({ net_version: '1', net_listening: true, eth_accounts: [] });
  const { data, errors } = await graph.execute('{ network { networkID listening accounts protocolVersion } }');
  expect(data.network).toEqual({ networkID: '1', listening: true, accounts: [], protocolVersion: null });
  expect(errors).toHaveLength(1);
  expect(errors![0]).toMatchObject({
    path: ['network', 'protocolVersion'],
    extensions: { code: 'METHOD_NOT_SUPPORTED', method: 'eth_protocolVersion', rpcCode: -32601 },
  });
});

test.each([
  ['-32001', rpcError(-32001, 'Resource not found')],
  ['header not found', rpcError(-32000, 'header not found')],
  ['block out of range', rpcError(-32602, 'BlockOutOfRangeError: block height is 1 but requested was 16')],
])('an unknown block is null on a node that reports it as an error: %s', async (_case, error) => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: error, eth_getBlockTransactionCountByNumber: error });
  expect(await graph.execute('{ block(number: 16) { hash } }')).toEqual({ data: { block: null } });
  expect(await graph.execute('{ block(number: 16) { transactionCount } }')).toEqual({ data: { block: null } });
});

test('a log range past the head is cut at the head for a node that rejects it', async () => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block(),
    eth_getLogs: ({ toBlock }: { toBlock: string }) =>
      Number(toBlock) > 16 ? rpcError(-32602, 'BlockOutOfRangeError') : [logFixture()],
  });
  expect((await graph.execute('{ logs(filter: { fromBlock: 1, toBlock: 99 }) { index } }')).data.logs).toHaveLength(1);
  expect((await graph.execute('{ logs(filter: { fromBlock: 50, toBlock: 99 }) { index } }')).data.logs).toEqual([]);
});
