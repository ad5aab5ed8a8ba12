import { expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

let graph: StubbedGraph;

const REASON = `0x08c379a0${'00'.repeat(32)}`;
const FAILED = { from: addressOf(0xa), error: 'execution reverted', output: REASON };

const start = async (receipt: Record<string, unknown>, trace?: unknown) => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }),
    eth_getTransactionByHash: transactionFixture(receipt.blockHash === null ? { blockHash: null, blockNumber: null } : {}),
    eth_getTransactionReceipt: receipt.blockHash === null ? null : receiptFixture(receipt),
    eth_getBlockReceipts: [receiptFixture(receipt)],
    ...(trace !== undefined && { debug_traceTransaction: trace }),
  });
};

const QUERY = `{ transaction(hash: "${hashOf(0x71)}") { revertReason } }`;

test.each<[string, Record<string, unknown>, unknown, string | null, number]>([
  ['null for a success, without a trace', {}, FAILED, null, 0],
  ['null before Byzantium, without a trace', { status: undefined, root: hashOf(9) }, FAILED, null, 0],
  ['the value of the receipt, without a trace', { status: '0x0', revertReason: '0x1234' }, FAILED, '0x1234', 0],
  ['the output of the trace', { status: '0x0' }, FAILED, REASON, 1],
  ['0x for a revert without output', { status: '0x0' }, { ...FAILED, output: undefined }, '0x', 1],
  ['null for a transaction that ran out of gas', { status: '0x0' }, { ...FAILED, error: 'out of gas' }, null, 1],
])('revertReason is %s', async (_case, receipt, trace, expected, traces) => {
  await start(receipt, trace);
  const data = await dataOf(graph.execute(QUERY));
  expect(data.transaction).toEqual({ revertReason: expected });
  const { eth_getTransactionReceipt: receipts, debug_traceTransaction } = graph.node.takeCounts().methods as any;
  expect([receipts, debug_traceTransaction ?? 0]).toEqual([1, traces]);
});

test('revertReason is null while the transaction is pending', async () => {
  await start({ blockHash: null }, FAILED);
  const data = await dataOf(graph.execute(QUERY));
  expect(data.transaction).toEqual({ revertReason: null });
  expect(graph.node.takeCounts().methods).not.toHaveProperty('debug_traceTransaction');
});

test('revertReason is null on a node without traces, which is requested once', async () => {
  await start({ status: '0x0' });
  for (const expected of [1, undefined]) {
    const data = await dataOf(graph.execute(QUERY));
    expect(data.transaction).toEqual({ revertReason: null });
    expect((graph.node.takeCounts().methods as any).debug_traceTransaction).toBe(expected);
  }
});

test.each<[string, () => unknown]>([
  ['ignores the tracer', () => ({ gas: 21_000, structLogs: [] })],
  ['rejects the tracer', () => rpcError(-32602, 'only the default tracer is supported')],
])('revertReason is null on a node that %s', async (_case, trace) => {
  await start({ status: '0x0' }, trace);
  const data = await dataOf(graph.execute(QUERY));
  expect(data.transaction).toEqual({ revertReason: null });
});

test.each([
  ['of another sender', { ...FAILED, from: addressOf(1) }],
  ['of a success', { from: addressOf(0xa), output: '0x' }],
  ['with an output that is no bytes', { ...FAILED, output: 'secret' }],
  ['that is no object', 'reverted'],
])('revertReason rejects a trace %s', async (_case, trace) => {
  await start({ status: '0x0' }, trace);
  const { errors } = await graph.execute(QUERY);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'debug_traceTransaction' } }]);
});

test('equal revertReason fields below a block are one trace', async () => {
  await start({ status: '0x0' }, FAILED);
  const data = await dataOf(
    graph.execute('{ block { transactions { revertReason } } other: block { transactions { again: revertReason } } }'),
  );
  expect(data).toEqual({
    block: { transactions: [{ revertReason: REASON }] },
    other: { transactions: [{ again: REASON }] },
  });
  expect(graph.node.takeCounts().methods).toEqual({
    eth_getBlockByNumber: 1,
    eth_getBlockReceipts: 1,
    debug_traceTransaction: 1,
  });
});
