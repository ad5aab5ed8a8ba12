import { expect, test } from '@jest/globals';
import { block, hashOf, rpcError, startStubbedGraph, transactionFixture } from '../../support/graph/stubbed-graph.ts';
import { vectorsOf } from '../../support/vectors/read-vectors.ts';

/** The recorded responses of the methods `debug_trace…` as the graph serves them. */
const STEPS =
  'structLogs { pc op gas gasCost depth refund stack memory storage { slot value } returnData error } gas failed returnValue';

interface Execution {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly Readonly<Record<string, any>>[];
}

const hex = (value: number) => `0x${value.toString(16)}`;

/** The data of STEPS for a recorded execution. */
const expectedExecution = ({ gas, failed, returnValue, structLogs }: Execution) => ({
  gas: hex(gas),
  failed,
  returnValue,
  structLogs: structLogs.map(({ pc, op, gas: left, gasCost, depth, stack, memory = null, storage, ...others }) => {
    expect(others).toEqual({});
    const slots = storage ? Object.entries(storage).map(([slot, value]) => ({ slot, value })) : null;
    const unset = { refund: null, returnData: null, error: null };
    return { pc: hex(pc), op, gas: hex(left), gasCost: hex(gasCost), depth, stack, memory, storage: slots, ...unset };
  }),
});

const ERROR_CODES: Record<string, string> = {
  'trace-block-not-found': 'BLOCK_NOT_AVAILABLE',
  'trace-genesis': 'UPSTREAM_ERROR',
  'trace-block-invalid-number': 'UPSTREAM_PROTOCOL_ERROR',
  'trace-unknown-tx': 'BLOCK_NOT_AVAILABLE',
};

const exchanges = ['debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceTransaction'].flatMap((method) =>
  vectorsOf(method).map((vector) => [method, vector.name, vector] as const),
);

test('the recorded traces are 13 vectors, one of them with two calls', () => {
  expect([exchanges.length, new Set(exchanges.map(([method, name]) => method + name)).size]).toEqual([14, 13]);
});

test.each(exchanges)('%s/%s is served with the recorded parameters and values', async (method, name, vector) => {
  const { params, result, error } = vector;
  const [ref, ...options] = params;
  const isTransaction = method === 'debug_traceTransaction';
  const traces: { txHash: string; result: Execution }[] = Array.isArray(result)
    ? result
    : [{ txHash: isTransaction ? ref : hashOf(0x71), result }];
  // The server names a block by its hash, so that a reorg cannot put another block in its place.
  const isHash = method === 'debug_traceBlockByHash';
  const blockHash = isHash ? ref : hashOf(0xb10);
  const transactions = traces.map(({ txHash }) => txHash);
  const found = block({ hash: blockHash, number: isHash || isTransaction ? '0x10' : hex(Number(ref)), transactions });
  const sentMethod = isTransaction ? method : 'debug_traceBlockByHash';
  const graph = await startStubbedGraph({
    eth_getBlockByHash: found,
    eth_getBlockByNumber: found,
    eth_getTransactionByHash: transactionFixture({ hash: ref }),
    [sentMethod]: error ? () => rpcError(error.code, error.message) : result,
  });
  const given = Object.entries(options[0] ?? {}).map(([option, value]) => `${option}: ${value}`);
  const args = given.length > 0 ? `(${given.join()})` : '';
  const { data, errors } = await graph.execute<string, any>(
    isTransaction
      ? `{ transaction(hash: "${ref}") { executionTrace${args} { transaction { hash } ${STEPS} } } }`
      : `{ block(${isHash ? 'hash' : 'number'}: "${ref}") { executionTraces${args} { transaction { hash } ${STEPS} } } }`,
  );
  const sent = graph.requested.filter(([called]) => called.startsWith('debug_'));
  expect(sent).toEqual([[sentMethod, isTransaction ? ref : blockHash, ...options]]);
  if (error) {
    expect(errors).toMatchObject([{ extensions: { code: ERROR_CODES[name], rpcCode: error.code, source: 'node' } }]);
    expect(JSON.stringify(errors)).not.toContain(error.message);
    return;
  }
  expect(errors).toBeUndefined();
  const expected = traces.map(({ txHash, result: execution }) => ({
    transaction: { hash: txHash },
    ...expectedExecution(execution),
  }));
  expect(isTransaction ? data.transaction.executionTrace : data.block.executionTraces).toEqual(
    isTransaction ? expected[0] : expected,
  );
});
