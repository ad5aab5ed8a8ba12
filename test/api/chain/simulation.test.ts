import { expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
} from '../../support/graph/stubbed-graph.ts';
import { createLongChain, followerOf } from '../../support/upstream/long-chain.ts';

let graph: StubbedGraph;

const ERROR_PAYLOAD = `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['too small']).slice(2)}`;
const revertError = rpcError(3, 'execution reverted', ERROR_PAYLOAD);
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const NATIVE = `0x${'ee'.repeat(20)}`;
const log = (address: string, topics: readonly string[], data: string) => logFixture({ address, topics, data });
const tokenTransfer = log(addressOf(0xc), [TRANSFER_TOPIC, hashOf(0xa), hashOf(0xb)], hashOf(9));

/** The results of two calls as geth sends them: a success with a log and a native transfer, and a revert. */
const CALLS = [
  {
    returnData: '0xabcd',
    logs: [log(NATIVE, [TRANSFER_TOPIC, hashOf(0xa), hashOf(0xb)], hashOf(7)), tokenTransfer],
    gasUsed: '0x5208',
    status: '0x1',
  },
  {
    returnData: '0x',
    logs: [],
    gasUsed: '0x6000',
    status: '0x0',
    error: { code: 3, message: 'execution reverted: too small', data: ERROR_PAYLOAD },
  },
];

const start = async (simulation: unknown = [{ number: '0x11', calls: CALLS }], more: Record<string, unknown> = {}) => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: block(),
    eth_getBlockByHash: block(),
    eth_simulateV1: simulation,
    ...more,
  });
};

const RESULT = `calls { status data gasUsed revertReason logs { account { address } topics data }
  transfers { from { address } to { address } value } }`;
const TWO_CALLS = `calls: [{ from: "${addressOf(0xa)}", to: "${addressOf(0xb)}", value: 7 }, { to: "${addressOf(0xc)}", data: "0x01" }]`;

test('simulate returns the result, logs and native transfers of each call with one call at the block hash', async () => {
  await start();
  const data = await dataOf(graph.execute(`{ simulate(${TWO_CALLS}) { block { number } ${RESULT} } }`));
  expect(data.simulate).toEqual({
    block: { number: '0x10' },
    calls: [
      {
        status: '0x1',
        data: '0xabcd',
        gasUsed: '0x5208',
        revertReason: null,
        logs: [{ account: { address: addressOf(0xc) }, topics: tokenTransfer.topics, data: tokenTransfer.data }],
        transfers: [{ from: { address: addressOf(0xa) }, to: { address: addressOf(0xb) }, value: '0x7' }],
      },
      { status: '0x0', data: ERROR_PAYLOAD, gasUsed: '0x6000', revertReason: 'too small', logs: [], transfers: [] },
    ],
  });
  const calls = [
    { from: addressOf(0xa), to: addressOf(0xb), value: '0x7' },
    { to: addressOf(0xc), data: '0x01' },
  ];
  const simulation = { blockStateCalls: [{ calls }], traceTransfers: true };
  expect(graph.requested).toContainEqual(['eth_simulateV1', simulation, { blockHash: hashOf(0xb10) }]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_simulateV1: 1 });
});

test('equal simulations are one call, and simulations of one operation one POST', async () => {
  await start([{ calls: [CALLS[0]] }], { eth_createAccessList: { accessList: [], gasUsed: '0x1' } });
  const one = `calls: [{ to: "${addressOf(1)}" }]`;
  const other = `calls: [{ to: "${addressOf(2)}" }]`;
  const { errors } = await graph.execute(
    `{ a: simulate(${one}) { ${RESULT} } b: simulate(${one}) { block { number } } c: simulate(${other}) { ${RESULT} }
       d: createAccessList(data: { to: "${addressOf(1)}" }) { gasUsed } e: createAccessList(data: { to: "${addressOf(1)}" }) { status } }`,
  );
  expect(errors).toBeUndefined();
  expect(graph.node.takeCounts()).toMatchObject({
    http: 2,
    methods: { eth_getBlockByNumber: 1, eth_simulateV1: 2, eth_createAccessList: 1 },
  });
});

test('the accounts of a simulation have the state before it', async () => {
  await start(undefined, { eth_getBalance: (_address: string, at: { blockHash: string }) => (at.blockHash ? '0x5' : '0x0') });
  const data = await dataOf(
    graph.execute(`{ simulate(${TWO_CALLS}) { calls { logs { account { balance } } transfers { from { balance } } } } }`),
  );
  expect(data.simulate.calls[0]).toEqual({ logs: [{ account: { balance: '0x5' } }], transfers: [{ from: { balance: '0x5' } }] });
});

test('simulate at a height reads that block', async () => {
  await start(undefined, { eth_getBlockByNumber: (ref: string) => (ref === 'latest' ? block() : block({ number: ref })) });
  const data = await dataOf(graph.execute(`{ simulate(${TWO_CALLS}, block: 5) { block { number } calls { status } } }`));
  expect(data.simulate).toEqual({ block: { number: '0x5' }, calls: [{ status: '0x1' }, { status: '0x0' }] });
});

test.each<[string, unknown]>([
  ['no block', []],
  ['two blocks', [{ calls: CALLS }, { calls: CALLS }]],
  ['too few calls', [{ calls: CALLS.slice(1) }]],
  ['no calls', [{}]],
  ['an unknown status', [{ calls: [{ ...CALLS[0], status: '0x2' }, CALLS[1]] }]],
  ['gas that is no number', [{ calls: [{ ...CALLS[0], gasUsed: 'x' }, CALLS[1]] }]],
  ['data that are no bytes', [{ calls: [{ ...CALLS[0], returnData: 'secret' }, CALLS[1]] }]],
  ['a log without an address', [{ calls: [{ ...CALLS[0], logs: [{ topics: [], data: '0x' }] }, CALLS[1]] }]],
])('simulate rejects a result with %s', async (_case, result) => {
  await start(result);
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { ${RESULT} } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'eth_simulateV1' } }]);
});

test('simulate fails with RESULT_TOO_LARGE when a call returns more than 1 MiB', async () => {
  await start([{ calls: [{ ...CALLS[0], returnData: `0x${'00'.repeat(1_048_577)}` }, CALLS[1]] }]);
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE', limit: 1_048_576, actual: 1_048_577 } }]);
});

test('simulate fails with RESULT_TOO_LARGE when the calls emit more than 10,000 logs together', async () => {
  const logs = Array.from({ length: 5_001 }, () => tokenTransfer);
  await start([{ calls: CALLS.map((call) => ({ ...call, logs })) }]);
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE', limit: 10_000, actual: 10_002 } }]);
});

test('simulate rejects an empty list of calls before any call', async () => {
  await start();
  const { errors } = await graph.execute('{ simulate(calls: []) { calls { status } } }');
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('simulate costs as much per call as a message call', async () => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block(), eth_simulateV1: [{ calls: CALLS }] }, { maxCost: 100 });
  const { budget } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  // One for the head, and the data of a call.
  expect(budget!.spent).toBeCloseTo(21.03);
});

test.each([
  ['simulate', 'simulate(calls: [{}]) { calls { status } }', 'eth_simulateV1'],
  ['createAccessList', 'createAccessList(data: {}) { gasUsed }', 'eth_createAccessList'],
])('%s is METHOD_NOT_SUPPORTED on a node without the method, which is not requested again', async (field, selection, method) => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block() });
  for (const isFirst of [true, false]) {
    const { data, errors } = await graph.execute(`{ ${selection} }`);
    expect(data).toEqual({ [field]: null });
    expect(errors).toMatchObject([{ extensions: { code: 'METHOD_NOT_SUPPORTED', method, source: 'node' } }]);
    expect(graph.node.takeCounts().methods[method]! > 0).toBe(isFirst);
  }
});

const LIST = [{ address: addressOf(0xc), storageKeys: [hashOf(1), hashOf(2)] }];

test.each<[string, Record<string, unknown>, string]>([
  ['a success', {}, '0x1'],
  ['a call that the node reports as failed', { error: 'execution reverted' }, '0x0'],
])('createAccessList of %s returns the list, the gas and the status', async (_case, changes, status) => {
  await start(undefined, { eth_createAccessList: { accessList: LIST, gasUsed: '0x5208', ...changes } });
  const data = await dataOf(
    graph.execute('{ createAccessList(data: { data: "0x00" }) { accessList { address storageKeys } gasUsed status } }'),
  );
  expect(data.createAccessList).toEqual({ accessList: LIST, gasUsed: '0x5208', status });
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_createAccessList: 1 });
});

test('createAccessList reads the revert reason with one call, for a failed call only', async () => {
  const list = (call: { to?: string }) => ({ accessList: [], gasUsed: '0x1', ...(call.to && { error: 'execution reverted' }) });
  await start(undefined, { eth_createAccessList: list, eth_call: () => revertError });
  const data = await dataOf(
    graph.execute(
      `{ failed: createAccessList(data: { to: "${addressOf(1)}" }) { revertReason } good: createAccessList(data: {}) { revertReason } }`,
    ),
  );
  expect(data).toEqual({ failed: { revertReason: 'too small' }, good: { revertReason: null } });
  expect(graph.node.takeCounts().methods).toMatchObject({ eth_createAccessList: 2, eth_call: 1 });
});

test.each([
  [-38014, 'INSUFFICIENT_FUNDS'],
  [-38015, 'BAD_USER_INPUT'],
  [-38025, 'BAD_USER_INPUT'],
  [-38026, 'RESULT_TOO_LARGE'],
  [-32602, 'BAD_USER_INPUT'],
])('simulate reports the error %i of the node as %s, without its text', async (rpcCode, code) => {
  await start(() => rpcError(rpcCode, 'secret text'));
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  expect(errors).toMatchObject([
    { message: expect.not.stringContaining('secret'), extensions: { code, rpcCode, method: 'eth_simulateV1' } },
  ]);
});

test.each([
  'simulate(calls: [{ gasPrice: 1, maxFeePerGas: 1 }]) { calls { status } }',
  'createAccessList(data: { gasPrice: 1, maxFeePerGas: 1 }) { status }',
])('%s rejects fees that contradict each other before any call', async (selection) => {
  await start();
  const { errors } = await graph.execute(`{ ${selection} }`);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test.each([
  ['without a list', { gasUsed: '0x1' }],
  ['without gas', { accessList: [] }],
  ['with an entry without storage keys', { accessList: [{ address: addressOf(1) }], gasUsed: '0x1' }],
])('createAccessList rejects a result %s', async (_case, result) => {
  await start(undefined, { eth_createAccessList: result });
  const { errors } = await graph.execute('{ createAccessList(data: {}) { gasUsed } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'eth_createAccessList' } }]);
});

test.each([
  ['simulate', 'eth_simulateV1', 'calls: [{}]', 'calls { status }'],
  ['createAccessList', 'eth_createAccessList', 'data: {}', 'status'],
])('%s is retryable for the block after the head, and not for one above it', async (field, method, args, selection) => {
  const follower = followerOf(createLongChain(0x10), 5);
  graph = await startStubbedGraph({ [method]: rpcError(-32000, 'header not found') }, { follower });
  for (const [height, retryable, message] of [
    [0x11, true, 'The node does not have that block.'],
    [0x12, false, 'The requested block is above the head of the chain.'],
    [99_999_999, false, 'The requested block is above the head of the chain.'],
  ]) {
    const { data, errors } = await graph.execute(`{ ${field}(block: ${height}, ${args}) { ${selection} } }`);
    expect(data[field]).toBeNull();
    expect(errors).toMatchObject([{ message, extensions: { code: 'BLOCK_NOT_AVAILABLE', retryable, method } }]);
  }
});
