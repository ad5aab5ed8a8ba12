import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestAnvil } from '../../support/anvil.ts';
import { createInProcessGraph, type InProcessGraph } from '../../support/graph/in-process-graph.ts';
import { dataOf } from '../../support/graph/results.ts';
import { type CallNode, rpc } from '../../support/graph/rpc.ts';
import {
  addressOf,
  block,
  hashOf,
  rpcError,
  type StubResponses,
  startGraphOver,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';

/** Traces of transactions that anvil has executed, by both dialects of traces, and of stub nodes for what anvil does not serve. */
let proxy: NodeProxy;
let graph: InProcessGraph;
let call: CallNode;
/** The methods that the node lacks. */
let lacking: RegExp;

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const [PAYER, REVERTER, DESTROYED] = [0xf001, 0xf002, 0xf003].map(addressOf);
const PAYLOAD = '0x4e487b710000000000000000000000000000000000000000000000000000000000000011';
type Name = 'payment' | 'calls' | 'failed' | 'creation' | 'outOfGas' | 'destruction';
const hashes = {} as Record<Name, string>;
/** The height of a block with three transactions. */
let crowded: string;

const to = (address: string) => `73${address.slice(2)}5a`;
/** Pays 5 wei to Bob, calls the reverter, delegates to it, makes a static call, creates an empty contract, and sets slot 0 to 7. */
const CALLS = `60006000600060006005${to(BOB)}f150 60006000600060006000${to(REVERTER!)}f150 6000600060006000${to(REVERTER!)}f450
  6000600060006000${to(REVERTER!)}fa50 600060006000f050 6007600055 00`.replace(/\s/g, '');

const isMissing = (method: string) => lacking.test(method);

/** A graph that has not learned yet which methods the node has. */
const newGraph = () => {
  graph = createInProcessGraph([proxy.url]);
};

beforeAll(async () => {
  const anvil = await startTestAnvil();
  call = (method, ...params) => rpc(anvil.url, method, params);
  proxy = await startProxy(anvil.url);
  proxy.intercept = ({ method }) => (isMissing(method) ? { error: { code: -32601, message: 'Method not found' } } : undefined);
  await call('anvil_setCode', PAYER!, `0x${CALLS}`);
  // Reverts with Panic(0x11).
  await call(
    'anvil_setCode',
    REVERTER!,
    `0x7f${PAYLOAD.slice(2, 10).padEnd(64, '0')}6000526011600452602460 00fd`.replace(' ', ''),
  );
  await call('anvil_setCode', DESTROYED!, `0x73${BOB.slice(2)}ff`);
  const send = (transaction: object) => call('eth_sendTransaction', { from: ALICE, gas: '0x100000', ...transaction });
  const calls = { to: PAYER, value: '0x64', data: '0x1234' };
  const transactions: Record<Name, object> = {
    payment: { to: BOB, value: '0x9' },
    calls,
    failed: { to: REVERTER },
    creation: { data: '0x600160005360016000f3' },
    outOfGas: { to: PAYER, gas: '0x5300' },
    destruction: { to: DESTROYED, value: '0x7' },
  };
  // Each in a block: the tracer of anvil adds the gas of the transactions before it in its block.
  for (const [name, transaction] of Object.entries(transactions)) {
    hashes[name as Name] = await send(transaction);
    await call('anvil_mine');
  }
  for (const transaction of [calls, transactions.failed, calls]) await send(transaction);
  await call('anvil_mine');
  crowded = await call('eth_blockNumber');
});

beforeEach(() => {
  lacking = /^$/;
  newGraph();
  proxy.takeCounts();
});

const FRAME =
  'type traceAddress subtraces from { address } to { address } value gas gasUsed input output error revertReason revertError { name }';
const trace = (hash: string) => `{ transaction(hash: "${hash}") { trace { ${FRAME} } } }`;
const counts = () => proxy.takeCounts().methods;

/** The calls of a transaction by one dialect. */
async function framesOf(hash: string, without: RegExp): Promise<any[]> {
  lacking = without;
  newGraph();
  return (await dataOf(graph.execute<string, any>(trace(hash)))).transaction.trace;
}

test('Transaction.trace lists calls inside the transaction with their failures', async () => {
  const [top, ...inner] = await framesOf(hashes.calls, /^$/);
  const account = (address: string) => ({ address });
  expect(top).toMatchObject({ type: 'CALL', traceAddress: [], subtraces: 5, value: '0x64', gas: '0x100000', input: '0x1234' });
  expect([top.from, top.to, top.error, top.output]).toEqual([account(ALICE), account(PAYER!), null, '0x']);
  const receipt = await call('eth_getTransactionReceipt', hashes.calls);
  expect(top.gasUsed).toBe(receipt.gasUsed);
  expect(inner.map(({ type, traceAddress, value, error }) => [type, traceAddress, value, error])).toEqual([
    ['CALL', [0], '0x5', null],
    ['CALL', [1], '0x0', 'REVERTED'],
    ['DELEGATECALL', [2], null, 'REVERTED'],
    ['STATICCALL', [3], null, 'REVERTED'],
    ['CREATE', [4], '0x0', null],
  ]);
  expect(inner[0]).toMatchObject({ from: account(PAYER!), to: account(BOB), subtraces: 0, output: '0x', revertReason: null });
  expect(inner[1]).toMatchObject({ output: PAYLOAD, revertReason: 'Panic(0x11): arithmetic overflow or underflow' });
});

test.each(['payment', 'calls', 'failed', 'creation', 'outOfGas', 'destruction'] as const)(
  'both dialects of traces give equal calls: %s',
  async (name) => {
    const tree = await framesOf(hashes[name], /^trace_/);
    expect(counts()).toEqual({ eth_getTransactionByHash: 1, debug_traceTransaction: 1 });
    const list = await framesOf(hashes[name], /^debug_/);
    expect(counts()).toEqual({
      eth_getTransactionByHash: 1,
      debug_traceTransaction: 1,
      trace_transaction: 1,
      eth_getTransactionReceipt: 1,
    });
    expect(list).toEqual(tree);
    expect(tree[0].error).toBe({ failed: 'REVERTED', outOfGas: 'OUT_OF_GAS' }[name as string] ?? null);
  },
);

test('a verified response reports traces and state diffs as unproven', async () => {
  const query = `{ transaction(hash: "${hashes.calls}") { hash trace { type } stateDiff { address } } }`;
  const { errors, extensions } = await graph.execute<string, any>(query, { verify: 'report' });
  expect(errors).toBeUndefined();
  expect(extensions).toMatchObject({ trust: { level: 'REPORTED', reported: ['transaction.trace', 'transaction.stateDiff'] } });
});

test('a node without traces is requested once by each method, then not again', async () => {
  lacking = /^(?:debug|trace)_/;
  for (const tried of [{ debug_traceTransaction: 1, trace_transaction: 1 }, {}]) {
    const { data, errors } = await graph.execute<string, any>(trace(hashes.calls));
    expect(data).toEqual({ transaction: { trace: null } });
    expect(errors).toMatchObject([
      {
        message: 'The node supports neither debug_traceTransaction nor trace_transaction.',
        extensions: { code: 'METHOD_NOT_SUPPORTED' },
      },
    ]);
    expect(counts()).toEqual({ eth_getTransactionByHash: 1, ...tried });
  }
});

test.each<[string, RegExp, string, Record<string, number>]>([
  ['the traces of a block', /^$/, `traces { transaction { hash } calls { ${FRAME} } }`, { debug_traceBlockByHash: 1 }],
  [
    'the traces of a block by trace_block',
    /^debug_/,
    `traces { transaction { hash } calls { ${FRAME} } }`,
    { debug_traceBlockByHash: 1, trace_block: 1, eth_getBlockReceipts: 1 },
  ],
  ['the traces of all transactions of a block', /^$/, 'transactions { hash trace { type } }', { debug_traceBlockByHash: 1 }],
  [
    'the trace of one of three transactions',
    /^$/,
    'transactionAt(index: 1) { hash trace { type } }',
    { debug_traceTransaction: 1 },
  ],
  [
    'traces of the block and of its transactions',
    /^$/,
    'traces { calls { type } } transactions { trace { type } }',
    { debug_traceBlockByHash: 1 },
  ],
  [
    'traces by a node that traces no blocks, of the block and of its transactions,',
    /^(?:debug_traceBlock|trace_block)/,
    `traces { transaction { hash } calls { ${FRAME} } } transactions { trace { type } }`,
    { debug_traceBlockByHash: 1, trace_block: 1, debug_traceTransaction: 3 },
  ],
  [
    'executions by a node that traces no blocks',
    /^debug_traceBlock/,
    'executionTraces { gas }',
    { debug_traceBlockByHash: 1, debug_traceTransaction: 3 },
  ],
])('%s cost one trace, or one of each transaction', async (_case, without, fields, methods) => {
  lacking = without;
  const data = await dataOf(graph.execute<string, any>(`{ block(number: "${crowded}") { ${fields} } }`));
  const { eth_getTransactionByBlockHashAndIndex: _one, ...sent } = counts();
  expect(sent).toEqual({ eth_getBlockByNumber: 1, ...methods });
  for (const { transaction, calls } of data.block.traces ?? []) {
    const gasUsed = expect.stringMatching(/^0x/);
    if (transaction)
      expect(calls).toMatchObject((await framesOf(transaction.hash, /^trace_/)).map((one) => ({ ...one, gasUsed })));
  }
});

test('Transaction.stateDiff has the changed values of each account alone', async () => {
  const query = `{ transaction(hash: "${hashes.calls}") { stateDiff {
    address account { address } balanceBefore balanceAfter nonceBefore nonceAfter codeBefore codeAfter storage { slot before after } } } }`;
  const { transaction } = await dataOf(graph.execute<string, any>(query));
  expect(counts()).toEqual({ eth_getTransactionByHash: 1, debug_traceTransaction: 1 });
  const of = (address: string) => transaction.stateDiff.find((diff: { address: string }) => diff.address === address);
  const unchanged = { codeBefore: null, codeAfter: null };
  expect(of(PAYER!)).toEqual({
    ...{ address: PAYER, account: { address: PAYER }, balanceBefore: '0x0', balanceAfter: '0x5f', ...unchanged },
    ...{ nonceBefore: '0x0', nonceAfter: '0x1', storage: [{ slot: hashOf(0), before: hashOf(0), after: hashOf(7) }] },
  });
  expect(of(ALICE)).toMatchObject({ ...unchanged, nonceBefore: '0x1', nonceAfter: '0x2', storage: [] });
  expect(of(REVERTER!)).toBeUndefined();
});

/** A stub node that has the transaction of the fixtures and these methods. */
const startTraced = (table: StubResponses, changes: Record<string, unknown> = {}) =>
  startStubbedGraph({ eth_getTransactionByHash: transactionFixture(changes), eth_getBlockByNumber: block(), ...table });
const STATE_DIFF = `{ transaction(hash: "${hashOf(0x71)}") { stateDiff { address balanceBefore balanceAfter nonceBefore nonceAfter
  codeBefore codeAfter storage { slot before after } } } }`;

test('a state diff has changed, created and deleted accounts', async () => {
  const [sender, created, deleted] = [addressOf(0xa), addressOf(0xc), addressOf(0xd)];
  const prestate = {
    pre: {
      [sender]: { balance: '0x9', nonce: 1, storage: { [hashOf(1)]: hashOf(5), [hashOf(3)]: hashOf(4) } },
      [deleted]: { balance: '0x3', code: '0x01', nonce: 1, storage: { [hashOf(2)]: hashOf(2) } },
    },
    post: { [sender]: { nonce: 2, storage: { [hashOf(3)]: hashOf(6) } }, [created]: { balance: '0x2', nonce: 1, code: '0x02' } },
  };
  const stub = await startTraced({ debug_traceTransaction: prestate });
  const { transaction } = await dataOf(stub.execute<string, any>(STATE_DIFF));
  expect(transaction.stateDiff).toMatchObject([
    { address: sender, balanceBefore: null, balanceAfter: null, nonceBefore: '0x1', nonceAfter: '0x2' },
    { address: created, balanceBefore: '0x0', balanceAfter: '0x2', codeBefore: '0x', codeAfter: '0x02', storage: [] },
    {
      address: deleted,
      balanceBefore: '0x3',
      balanceAfter: '0x0',
      codeAfter: '0x',
      storage: [{ before: hashOf(2), after: hashOf(0) }],
    },
  ]);
});

const OWN = { type: 'CALL', from: addressOf(0xa), to: addressOf(0xb), value: '0x1', gas: '0x1', gasUsed: '0x1', input: '0x' };
/** A call with calls inside each other. */
const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((inner) => ({ ...OWN, calls: [inner] }), OWN);
const TRACE = `{ transaction(hash: "${hashOf(0x71)}") { trace { type error } } }`;
const ENTRY = {
  ...{ type: 'call', action: { callType: 'call', ...OWN }, result: {}, subtraces: 0, traceAddress: [] },
  ...{ transactionHash: hashOf(0x71), blockHash: hashOf(0xb10) },
};

test.each<[string, StubResponses]>([
  ['of another sender', { debug_traceTransaction: { ...OWN, from: addressOf(1) } }],
  ['of another recipient', { debug_traceTransaction: { ...OWN, to: addressOf(1) } }],
  ['of another value', { debug_traceTransaction: { ...OWN, value: '0x2' } }],
  ['of a creation', { debug_traceTransaction: { ...OWN, type: 'CREATE' } }],
  ['with calls below 1,024 levels', { debug_traceTransaction: nested(1_025) }],
  ['with a call of an unknown type', { debug_traceTransaction: { ...OWN, calls: [{ ...OWN, type: 'PAY' }] } }],
  ['in another block', { trace_transaction: [{ ...ENTRY, blockHash: hashOf(1) }] }],
  ['of another transaction', { trace_transaction: [{ ...ENTRY, transactionHash: hashOf(1) }] }],
])('a trace %s is rejected', async (_case, table) => {
  const { data, errors } = await (await startTraced(table)).execute<string, any>(TRACE);
  expect(data).toEqual({ transaction: { trace: null } });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test.each<[string, unknown]>([
  ['with a missing entry', []],
  ['of other transactions', [{ txHash: hashOf(1), result: OWN }]],
  ['of another sender', [{ txHash: hashOf(0x71), result: { ...OWN, from: addressOf(1) } }]],
])('the traces of a block %s are rejected', async (_case, traces) => {
  const found = block({ transactions: [transactionFixture()] });
  const stub = await startStubbedGraph({ eth_getBlockByNumber: found, debug_traceBlockByHash: traces });
  const { errors } = await stub.execute('{ block { traces { calls { type } } } }');
  expect(errors).toMatchObject([{ path: ['block', 'traces'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

const DIFF = { pre: { [addressOf(0xa)]: { nonce: 1 } }, post: { [addressOf(0xa)]: { nonce: 2 } } };

test.each<[string, string, unknown, unknown]>([
  ['a trace with a call that is no object', 'trace { type }', { ...OWN, calls: [null] }, OWN],
  ['a trace with calls that are no list', 'trace { type }', { ...OWN, calls: 'none' }, OWN],
  ['the state diff of another transaction', 'stateDiff { address }', { ...DIFF, pre: { [addressOf(0xa)]: { nonce: 7 } } }, DIFF],
])('another endpoint replaces %s', async (_case, fields, wrong, right) => {
  const tableOf = (debug_traceTransaction: unknown): StubResponses => ({
    eth_getTransactionByHash: transactionFixture(),
    eth_getBlockByNumber: block(),
    debug_traceTransaction,
  });
  const { graph: over } = await startGraphOver([tableOf(wrong), tableOf(right)]);
  const { transaction } = await dataOf(over.execute<string, any>(`{ transaction(hash: "${hashOf(0x71)}") { ${fields} } }`));
  expect(Object.values(transaction)).toEqual([[fields.startsWith('trace') ? { type: 'CALL' } : { address: addressOf(0xa) }]]);
});

test('words without 0x on the stack and in the memory of a step are served with it', async () => {
  const word = hashOf(0x1f).slice(2);
  const step = { pc: 1, op: 'STOP', gas: 1, gasCost: 0, depth: 1, stack: [word], memory: [word] };
  const stub = await startTraced({ debug_traceTransaction: { gas: 1, failed: false, returnValue: '', structLogs: [step] } });
  const query = `{ transaction(hash: "${hashOf(0x71)}") { executionTrace { structLogs { stack memory } } } }`;
  const { transaction } = await dataOf(stub.execute<string, any>(query));
  expect(transaction.executionTrace.structLogs).toEqual([{ stack: ['0x1f'], memory: [hashOf(0x1f)] }]);
});

test('the memory of a step that is no list is rejected', async () => {
  const step = { pc: 1, op: 'STOP', gas: 1, gasCost: 0, depth: 1, memory: {} };
  const stub = await startTraced({ debug_traceTransaction: { gas: 1, failed: false, returnValue: '', structLogs: [step] } });
  const { errors } = await stub.execute(`{ transaction(hash: "${hashOf(0x71)}") { executionTrace { structLogs { memory } } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('the text of a failure is a value of ExecutionFailure and is not passed on', async () => {
  const texts = ['out of gas', 'Reverted', 'NotActivated', 'max call depth exceeded', 'insufficient balance for transfer'];
  const calls = [...texts, 'write protection', 'Out of stack', 'invalid jump destination', 'key=secret'].map((error) => ({
    ...OWN,
    error,
  }));
  const stub = await startTraced({ debug_traceTransaction: { ...OWN, calls } });
  const { transaction } = await dataOf(stub.execute<string, any>(TRACE));
  expect(transaction.trace.map(({ error }: { error: string }) => error)).toEqual([
    ...[null, 'OUT_OF_GAS', 'REVERTED', 'INVALID_OPCODE', 'CALL_DEPTH', 'INSUFFICIENT_BALANCE'],
    ...['WRITE_PROTECTION', 'INVALID_STACK', 'INVALID_JUMP', 'OTHER'],
  ]);
});

test('a pending transaction has no trace, and costs no call for it', async () => {
  const stub = await startTraced({}, { blockHash: null, blockNumber: null, transactionIndex: null });
  const query = `{ transaction(hash: "${hashOf(0x71)}") { nonce trace { type } stateDiff { address } executionTrace { gas } } }`;
  const { transaction } = await dataOf(stub.execute<string, any>(query));
  expect(transaction).toEqual({ nonce: '0x1', trace: null, stateDiff: null, executionTrace: null });
  expect(stub.node.takeCounts().methods).toEqual({ eth_getTransactionByHash: 1 });
});

test('a block without transactions has no traces, and costs no call for them', async () => {
  const stub = await startStubbedGraph({ eth_getBlockByNumber: block() });
  const data = await dataOf(stub.execute<string, any>('{ block { traces { calls { type } } executionTraces { gas } } }'));
  expect(data).toEqual({ block: { traces: [], executionTraces: [] } });
  expect(stub.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1 });
});

test('a trace of pruned state fails with HISTORY_PRUNED, and each traced transaction costs 20', async () => {
  const pruned = { debug_traceTransaction: () => rpcError(-32000, 'required historical state unavailable (reexec=128)') };
  const { errors } = await (await startTraced(pruned)).execute(TRACE);
  expect(errors).toMatchObject([{ extensions: { code: 'HISTORY_PRUNED', method: 'debug_traceTransaction' } }]);
  const found = block({ transactions: [transactionFixture()] });
  const traces = [{ txHash: hashOf(0x71), result: OWN }];
  const stub = await startStubbedGraph({ eth_getBlockByNumber: found, debug_traceBlockByHash: traces }, { maxCost: 100 });
  const { budget } = await stub.execute('{ block { traces { calls { type } } } }');
  expect(budget!.spent).toBe(20 + 20);
});

test('calls are listed to the last, and a trace above 32 MiB is requested once and fails with RESULT_TOO_LARGE', async () => {
  const calls = (count: number) => ({ ...OWN, calls: Array.from({ length: count }, () => OWN) });
  const many = await startTraced({ debug_traceTransaction: calls(50_000) });
  const query = `{ transaction(hash: "${hashOf(0x71)}") { trace { traceAddress } } }`;
  const { transaction } = await dataOf(many.execute<string, any>(query));
  expect(transaction.trace).toHaveLength(50_001);
  expect(transaction.trace[50_000]).toEqual({ traceAddress: [49_999] });
  const deep = await startTraced({ debug_traceTransaction: nested(1_024) });
  const { transaction: deepest } = await dataOf(deep.execute<string, any>(query));
  expect(deepest.trace[1_024].traceAddress).toEqual(new Array(1_024).fill(0));
  const tooMany = await startTraced({ debug_traceTransaction: calls(200_000) });
  const { errors } = await tooMany.execute(query);
  expect(errors).toMatchObject([
    { extensions: { code: 'RESULT_TOO_LARGE', method: 'debug_traceTransaction', retryable: false } },
  ]);
  expect(tooMany.node.takeCounts().methods.debug_traceTransaction).toBe(1);
});
