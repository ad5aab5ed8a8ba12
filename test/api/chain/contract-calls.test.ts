import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  type StubResponses,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** Contract calls at a block: values, counts and errors, over nodes that differ in their methods and errors. */
let graph: StubbedGraph;

const TO = addressOf(0xc);
const AT_HASH = { blockHash: hashOf(0xb10) };
const CALL = `call(data: { to: "${TO}", data: "0x01" })`;
const ESTIMATE = `estimateGas(data: { to: "${TO}", data: "0x01" })`;

const errors = new Interface(['error Error(string)', 'error Panic(uint256)', 'error Denied(address)']);
const TEXT_PAYLOAD = errors.encodeErrorResult('Error', ['too late']);
const CUSTOM_PAYLOAD = errors.encodeErrorResult('Denied', [TO]);

const start = async (table: StubResponses) => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block(), ...table });
};

test('Block.call sends eth_call at the hash of the block', async () => {
  await start({ eth_call: '0x2A' });
  const data = `{ from: "${addressOf(1)}", to: "${TO}", gas: 100000, maxFeePerGas: "7", maxPriorityFeePerGas: 1, value: 2, data: "0xAB" }`;
  const response = await graph.execute(`{ block { call(data: ${data}) { data status revertReason } } }`);
  expect(response.errors).toBeUndefined();
  expect(response.data.block.call).toEqual({ data: '0x2a', status: '0x1', revertReason: null });
  const fees = { gas: '0x186a0', maxFeePerGas: '0x7', maxPriorityFeePerGas: '0x1' };
  const call = { from: addressOf(1), to: TO, ...fees, value: '0x2', data: '0xab' };
  expect(graph.requested).toContainEqual(['eth_call', call, AT_HASH]);
});

test('state and calls of one block share a request, and equal calls are sent once', async () => {
  await start({ eth_getBalance: '0x5', eth_call: '0x01', eth_estimateGas: '0x5208' });
  const data = await dataOf(
    graph.execute(`{ block {
    account(address: "${TO}") { balance }
    ${CALL} { data } second: ${CALL} { status } other: call(data: { to: "${TO}" }) { data }
    ${ESTIMATE} again: ${ESTIMATE}
  } }`),
  );
  expect(data.block).toMatchObject({ call: { data: '0x01' }, second: { status: '0x1' }, again: '0x5208' });
  const { http, methods } = graph.node.takeCounts();
  expect({ http, methods }).toEqual({
    http: 2,
    methods: { eth_getBlockByNumber: 1, eth_getBalance: 1, eth_call: 2, eth_estimateGas: 1 },
  });
});

describe('a reverted call', () => {
  test.each<[string, Error, unknown]>([
    ['with a text', rpcError(3, 'execution reverted: too late', TEXT_PAYLOAD), { data: TEXT_PAYLOAD, revertReason: 'too late' }],
    ['with a custom error', rpcError(3, 'execution reverted', CUSTOM_PAYLOAD), { data: CUSTOM_PAYLOAD, revertReason: null }],
    ['without a payload', rpcError(-32000, 'out of gas'), { data: '0x', revertReason: null }],
  ])('a call that reverts %s is a result with status 0', async (_case, failure, result) => {
    await start({ eth_call: () => failure });
    const response = await graph.execute(`{ block { number ${CALL} { data status revertReason } } }`);
    expect(response.errors).toBeUndefined();
    expect(response.data.block).toEqual({ number: '0x10', call: { ...(result as object), status: '0x0' } });
  });

  test('a custom error that an ABI describes is the reason of a failed estimate, access list and simulated call', async () => {
    const payload = new Interface(['error ERC20InvalidSender(address sender)']).encodeErrorResult('ERC20InvalidSender', [TO]);
    const reason = `ERC20InvalidSender(sender: ${TO})`;
    const failure = () => rpcError(3, 'execution reverted', payload);
    const failed = { status: '0x0', returnData: payload, gasUsed: '0x1', logs: [] };
    await start({
      eth_estimateGas: failure,
      eth_createAccessList: failure,
      eth_simulateV1: [block({ calls: [failed] })],
    });
    const { data, errors } = await graph.execute(
      `{ block { ${ESTIMATE} } createAccessList(data: { to: "${TO}" }) { gasUsed } simulate(calls: [{ to: "${TO}" }]) { calls { revertReason } } }`,
    );
    expect(data.simulate.calls).toEqual([{ revertReason: reason }]);
    const revert = { code: 'EXECUTION_REVERTED', data: payload, reason };
    expect(errors).toMatchObject([{ extensions: revert }, { extensions: revert }]);
  });

  test('a payload above 4 KiB is complete in the result of a call', async () => {
    const payload = errors.encodeErrorResult('Error', ['x'.repeat(10_000)]);
    await start({ eth_call: () => rpcError(3, 'execution reverted', payload) });
    const { data } = await graph.execute(`{ block { ${CALL} { data revertReason } } }`);
    expect(data.block.call).toEqual({ data: payload, revertReason: 'x'.repeat(10_000) });
  });
});

describe('errors of a call', () => {
  test.each<[string, number, string]>([
    ['INSUFFICIENT_FUNDS', -32000, 'insufficient funds for gas * price + value: address 0x0 have 0 want 1'],
    ['BAD_USER_INPUT', -32602, 'invalid argument 0: want an address'],
    ['METHOD_NOT_SUPPORTED', -32601, 'the method eth_call does not exist'],
  ])('a call that cannot start is null with the error %s', async (code, rpcCode, message) => {
    await start({ eth_call: () => rpcError(rpcCode, message) });
    const { data, errors } = await graph.execute(`{ block { number ${CALL} { data } } }`);
    expect(data.block).toEqual({ number: '0x10', call: null });
    expect(errors).toMatchObject([{ path: ['block', 'call'], extensions: { code, rpcCode, method: 'eth_call' } }]);
  });

  test.each([
    ['a gas price and a maximum fee', 'gasPrice: 1, maxFeePerGas: 2'],
    ['a gas price and a priority fee', 'gasPrice: 1, maxPriorityFeePerGas: 2'],
    ['a priority fee above the maximum fee', 'maxFeePerGas: 9, maxPriorityFeePerGas: 10'],
  ])('a call with %s fails with BAD_USER_INPUT without a call', async (_case, fees) => {
    await start({ eth_call: '0x', eth_estimateGas: '0x1' });
    const { errors } = await graph.execute(`{ block { number call(data: { ${fees} }) { data } } }`);
    expect(errors).toMatchObject([{ path: ['block', 'call'], extensions: { code: 'BAD_USER_INPUT', source: 'graph' } }]);
    expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1 });
  });

  test('a call may return 1 MiB, and more fails with RESULT_TOO_LARGE', async () => {
    let size = 1_048_576;
    await start({ eth_call: () => `0x${'00'.repeat(size)}` });
    expect((await graph.execute(`{ block { ${CALL} { status } } }`)).errors).toBeUndefined();
    size += 1;
    const { errors } = await graph.execute(`{ block { ${CALL} { data } } }`);
    expect(errors![0].extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', limit: 1_048_576, actual: 1_048_577 });
  });

  test('a result of eth_call that is not bytes fails with UPSTREAM_BAD_RESPONSE', async () => {
    await start({ eth_call: { output: '0x' } });
    const { errors } = await graph.execute(`{ block { ${CALL} { data } } }`);
    expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});

describe('Block.estimateGas', () => {
  test('a failing estimate fails with EXECUTION_REVERTED with the payload and its text', async () => {
    await start({ eth_estimateGas: () => rpcError(3, 'execution reverted: too late', TEXT_PAYLOAD) });
    const { errors } = await graph.execute(`{ block { ${ESTIMATE} } }`);
    expect(errors).toMatchObject([
      {
        path: ['block', 'estimateGas'],
        extensions: { code: 'EXECUTION_REVERTED', data: TEXT_PAYLOAD, reason: 'too late', rpcCode: 3, retryable: false },
      },
    ]);
  });

  test('a failing estimate without a payload has neither data nor reason', async () => {
    await start({ eth_estimateGas: () => rpcError(-32000, 'gas required exceeds allowance (21000)') });
    const { errors } = await graph.execute(`{ block { ${ESTIMATE} } }`);
    expect(errors![0].extensions.code).toBe('EXECUTION_REVERTED');
    expect(errors![0].extensions).not.toHaveProperty('data');
    expect(errors![0].extensions).not.toHaveProperty('reason');
  });

  test('the payload and the text in an error are cut at 4 KiB', async () => {
    const payload = errors.encodeErrorResult('Error', ['x'.repeat(10_000)]);
    await start({ eth_estimateGas: () => rpcError(3, 'execution reverted', payload) });
    const [{ extensions }] = (await graph.execute(`{ block { ${ESTIMATE} } }`)).errors!;
    expect(extensions).toMatchObject({ data: payload.slice(0, 4_096), reason: 'x'.repeat(4_096) });
  });
});

describe('CallResult.gasUsed', () => {
  const simulated = [{ number: '0x11', calls: [{ returnData: '0x', gasUsed: '0x5300', status: '0x1', logs: [] }] }];
  const GAS = `{ block { ${CALL} { data gasUsed } } }`;

  test('gasUsed is sent with the call, as eth_simulateV1 at the block', async () => {
    await start({ eth_call: '0x01', eth_simulateV1: simulated });
    const data = await dataOf(graph.execute(GAS));
    expect(data.block.call).toEqual({ data: '0x01', gasUsed: '0x5300' });
    const calls = [{ to: TO, data: '0x01' }];
    expect(graph.requested).toContainEqual(['eth_simulateV1', { blockStateCalls: [{ calls }], validation: false }, AT_HASH]);
    const { http, methods } = graph.node.takeCounts();
    expect({ http, methods }).toEqual({ http: 2, methods: { eth_getBlockByNumber: 1, eth_call: 1, eth_simulateV1: 1 } });
  });

  test('gasUsed is read by debug_traceCall on a node without eth_simulateV1, which is tried once', async () => {
    await start({
      eth_call: () => rpcError(3, 'execution reverted', '0x'),
      debug_traceCall: (...[, , options]: unknown[]) =>
        (options as { tracer?: string }).tracer === 'callTracer' ? { gasUsed: '0x5301', error: 'execution reverted' } : null,
    });
    for (const tries of [1, 0]) {
      const data = await dataOf(graph.execute(`{ block { ${CALL} { status gasUsed } } }`));
      expect(data.block.call).toEqual({ status: '0x0', gasUsed: '0x5301' });
      const { http, methods } = graph.node.takeCounts();
      const tried = tries > 0 ? { eth_simulateV1: tries } : {};
      expect({ http, methods }).toEqual({
        http: 2 + tries,
        methods: { eth_getBlockByNumber: 1, eth_call: 1, debug_traceCall: 1, ...tried },
      });
    }
  });

  test('on a node without both methods gasUsed fails with METHOD_NOT_SUPPORTED, and other calls succeed', async () => {
    await start({ eth_call: '0x01' });
    for (const tries of [{ eth_simulateV1: 1, debug_traceCall: 1 }, {}]) {
      const { data, errors } = await graph.execute(`{ block { ${CALL} { data } gas: ${CALL} { gasUsed } } }`);
      expect(data.block).toEqual({ call: { data: '0x01' }, gas: null });
      expect(errors).toMatchObject([{ path: ['block', 'gas', 'gasUsed'], extensions: { code: 'METHOD_NOT_SUPPORTED' } }]);
      expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_call: 1, ...tries });
    }
  });

  test.each([
    ['no list', {}],
    ['no block', []],
    ['two blocks', [simulated[0], simulated[0]]],
    ['no call', [{ calls: [] }]],
    ['no gas', [{ calls: [{ status: '0x1' }] }]],
  ])('a simulation with %s fails with UPSTREAM_BAD_RESPONSE', async (_case, result) => {
    await start({ eth_call: '0x01', eth_simulateV1: () => result });
    const { errors } = await graph.execute(GAS);
    expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});

test('a call and its gas cost 10 each, an estimate 20, and 32 bytes of call data 0.03', async () => {
  graph = await startStubbedGraph(
    {
      eth_getBlockByNumber: block(),
      eth_call: '0x',
      eth_estimateGas: '0x5208',
      eth_simulateV1: [{ calls: [{ gasUsed: '0x5208' }] }],
    },
    { maxCost: 100 },
  );
  const data = `(data: { to: "${TO}", data: "0x${'01'.repeat(320)}" })`;
  const { errors, budget } = await graph.execute(`{ block { call${data} { status gasUsed } estimateGas${data} } }`);
  expect(errors).toBeUndefined();
  expect(budget!.spent).toBeCloseTo(1 + 10 + 10 + 20 + 3 * 10 * 0.03);
});

describe('Transaction.revertReason', () => {
  const REASON = `0x08c379a0${'00'.repeat(32)}`;
  const FAILED = { from: addressOf(0xa), error: 'execution reverted', output: REASON };

  const startReverted = async (receipt: Record<string, unknown>, trace?: unknown) => {
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
    await startReverted(receipt, trace);
    const data = await dataOf(graph.execute(QUERY));
    expect(data.transaction).toEqual({ revertReason: expected });
    const { eth_getTransactionReceipt: receipts, debug_traceTransaction } = graph.node.takeCounts().methods;
    expect([receipts, debug_traceTransaction ?? 0]).toEqual([1, traces]);
  });

  test('revertReason is null on a node without traces, which is requested once', async () => {
    await startReverted({ status: '0x0' });
    for (const expected of [1, undefined]) {
      const data = await dataOf(graph.execute(QUERY));
      expect(data.transaction).toEqual({ revertReason: null });
      expect(graph.node.takeCounts().methods.debug_traceTransaction).toBe(expected);
    }
  });

  test.each<[string, () => unknown]>([
    ['ignores the tracer', () => ({ gas: 21_000, structLogs: [] })],
    ['rejects the tracer', () => rpcError(-32602, 'only the default tracer is supported')],
  ])('revertReason is null on a node that %s', async (_case, trace) => {
    await startReverted({ status: '0x0' }, trace);
    const data = await dataOf(graph.execute(QUERY));
    expect(data.transaction).toEqual({ revertReason: null });
  });

  test.each([
    ['of another sender', { ...FAILED, from: addressOf(1) }],
    ['of a success', { from: addressOf(0xa), output: '0x' }],
    ['with an output that is no bytes', { ...FAILED, output: 'secret' }],
    ['that is no object', 'reverted'],
  ])('revertReason rejects a trace %s', async (_case, trace) => {
    await startReverted({ status: '0x0' }, trace);
    const { errors } = await graph.execute(QUERY);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'debug_traceTransaction' } }]);
  });

  test('equal revertReason fields below a block are one trace', async () => {
    await startReverted({ status: '0x0' }, FAILED);
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
});
