import { expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers';
import { logsOfCall, transfersOfCall } from '../../../src/domains/chain/call/simulate.ts';
import { OperationBudget } from '../../../src/lib/operation-budget.ts';
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

/** The result of one block with these calls. */
const simulated = (calls?: unknown) => block({ number: '0x11', hash: hashOf(0xb11), parentHash: hashOf(0xb10), calls });

const start = async (simulation: unknown = [simulated(CALLS)], more: Record<string, unknown> = {}) => {
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

test.each([
  ['calls { status logs { index } }', {}],
  ['calls { transfers { value } }', { traceTransfers: true }],
  ['blocks { calls { transfers { index } } }', { traceTransfers: true }],
  ['blocks { transactionHashes transactions { hash index blockTimestamp } }', {}],
  ['blocks { transactions { nonce } }', { returnFullTransactions: true }],
])('the selection %s of a simulation requests the options %j', async (selection, options) => {
  await start([simulated(CALLS)]);
  await graph.execute(`{ simulate(${TWO_CALLS}) { ${selection} } }`);
  expect(graph.requested.filter(([method]) => method === 'eth_simulateV1')).toEqual(
    Array.from({ length: graph.node.takeCounts().methods.eth_simulateV1! }, () => [
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [expect.anything(), expect.anything()] }], ...options },
      { blockHash: hashOf(0xb10) },
    ]),
  );
});

const CELL = `address: "${addressOf(0xc)}"`;
const SLOT = `{ slot: "${hashOf(1)}", value: "${hashOf(2)}" }`;

test.each([
  ['neither calls nor blocks', '', 'Pass either `calls` or `blocks`'],
  ['calls and blocks', 'calls: [{}], blocks: [{}]', 'Pass either `calls` or `blocks`'],
  ['no calls', 'calls: []', 'The list `calls` is empty'],
  ['no blocks', 'blocks: []', 'The list `blocks` is empty'],
  ['an account twice', `blocks: [{}, { stateOverrides: [{ ${CELL} }, { ${CELL} }] }]`, '`blocks[1].stateOverrides[1]` repeats'],
  [
    'a slot twice',
    `blocks: [{ stateOverrides: [{ ${CELL}, state: [${SLOT}, ${SLOT}] }] }]`,
    '`blocks[0].stateOverrides[0].state[1]` repeats',
  ],
  [
    'the whole storage and slots',
    `blocks: [{ stateOverrides: [{ ${CELL}, state: [], stateDiff: [${SLOT}] }] }]`,
    '`blocks[0].stateOverrides[0]` has `state` and `stateDiff`',
  ],
  ['less gas in a block than a call takes', 'blocks: [{ blockOverrides: { gasLimit: 20999 }, calls: [{}] }]', 'below 21000'],
  ['contradicting fees', 'blocks: [{ calls: [{ gasPrice: 1, maxFeePerGas: 1 }] }]', 'The call has a gas price and EIP-1559 fees'],
])('simulate rejects %s before any call', async (_case, args, message) => {
  await start();
  const { errors } = await graph.execute(`{ simulate(${args}${args && ', '}validation: true) { calls { status } } }`);
  expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().calls).toBe(0);
});

test('simulate sends overrides and all fields of a call under the names of the execution API', async () => {
  await start([simulated([CALLS[0]])]);
  const list = [{ address: addressOf(1), storageKeys: [hashOf(1)] }];
  const signed = { address: addressOf(2), nonce: 1, yParity: 1, r: 2, s: 3 };
  const withdrawal = { index: 1, address: addressOf(3), amount: 5 };
  const variables = {
    blocks: [
      {
        blockOverrides: { timestamp: 9, parentBeaconBlockRoot: hashOf(9), withdrawals: [{ ...withdrawal, validator: 7 }] },
        stateOverrides: [{ address: addressOf(1), nonce: 3, movePrecompileTo: addressOf(0xe) }],
        calls: [
          {
            nonce: 4,
            maxFeePerBlobGas: 5,
            blobVersionedHashes: [hashOf(6)],
            accessList: list,
            authorizationList: [{ ...signed, chainID: 31337 }],
          },
        ],
      },
    ],
  };
  await dataOf(
    graph.execute(
      'query ($blocks: [SimulatedBlockInput!]) { simulate(blocks: $blocks, validation: true) { calls { status } } }',
      variables,
    ),
  );
  const authorization = { ...signed, chainId: '0x7a69', nonce: '0x1', yParity: '0x1', r: '0x2', s: '0x3' };
  expect(graph.requested.at(-1)![1]).toEqual({
    blockStateCalls: [
      {
        blockOverrides: {
          time: '0x9',
          beaconRoot: hashOf(9),
          withdrawals: [{ index: '0x1', validatorIndex: '0x7', address: addressOf(3), amount: '0x5' }],
        },
        stateOverrides: { [addressOf(1)]: { nonce: '0x3', movePrecompileToAddress: addressOf(0xe) } },
        calls: [
          {
            nonce: '0x4',
            maxFeePerBlobGas: '0x5',
            blobVersionedHashes: [hashOf(6)],
            accessList: list,
            authorizationList: [authorization],
          },
        ],
      },
    ],
    validation: true,
  });
});

const ETHER_LOG = log(`0x${'f'.repeat(39)}e`, [TRANSFER_TOPIC, hashOf(0xa), hashOf(0xb)], hashOf(7));
const traced = CALLS[0]!.logs[0]!;

test.each([
  ['traced and logged (EIP-7708)', [traced, ETHER_LOG, tokenTransfer]],
  ['logged only', [ETHER_LOG, tokenTransfer]],
])('a movement of ether that is %s is one transfer, and the log of EIP-7708 stays a log', async (_case, logs) => {
  await start([simulated([{ ...CALLS[0], logs }, CALLS[1]])]);
  const { simulate } = await dataOf(
    graph.execute(`{ simulate(${TWO_CALLS}) { calls { logs { account { address } } transfers { value } } } }`),
  );
  const accounts = [ETHER_LOG, tokenTransfer].map(({ address }) => ({ account: { address } }));
  expect(simulate.calls[0]).toEqual({ logs: accounts, transfers: [{ value: '0x7' }] });
});

test.each([
  [
    { code: 3, message: 'secret', data: ERROR_PAYLOAD },
    { code: 3, message: 'execution reverted: too small', data: ERROR_PAYLOAD },
  ],
  [
    { code: -32015, message: 'https://node/secret: Out of gas: secret' },
    { code: -32015, message: 'out of gas', data: null },
  ],
  [
    { code: 'secret', message: { secret: 1 } },
    { code: null, message: 'execution failed', data: null },
  ],
  [undefined, { code: null, message: 'execution failed', data: null }],
])('the error of a failed call is stated in words of the server: %j', async (error, expected) => {
  await start([simulated([CALLS[0], { ...CALLS[1], error }])]);
  const { simulate } = await dataOf(graph.execute(`{ simulate(${TWO_CALLS}) { calls { error { code message data } } } }`));
  expect(simulate.calls).toEqual([{ error: null }, { error: expected }]);
});

test('a simulation with 130,000 logs is decoded in many turns, between which other work runs', async () => {
  const logs = Array.from({ length: 130_000 }, (_, i) => (i % 2 === 0 ? traced : tokenTransfer));
  const collected = { base: 'latest', logs } as never;
  const budget = new OperationBudget();
  let turns = 0;
  const countTurn = (): void => {
    turns += 1;
    timer = setImmediate(countTurn);
  };
  let timer = setImmediate(countTurn);
  const [own, transfers] = await Promise.all([logsOfCall(collected, budget), transfersOfCall(collected, budget)]);
  clearImmediate(timer);
  expect([own.length, transfers.length]).toEqual([65_000, 65_000]);
  expect(turns).toBeGreaterThan(5);
});

test('equal simulations are one call, and simulations of one operation one POST', async () => {
  await start([simulated([CALLS[0]])], { eth_createAccessList: { accessList: [], gasUsed: '0x1' } });
  const one = `calls: [{ to: "${addressOf(1)}" }]`;
  const other = `calls: [{ to: "${addressOf(2)}" }]`;
  const { errors } = await graph.execute(
    `{ a: simulate(${one}) { ${RESULT} } b: simulate(${one}) { ${RESULT} block { number } } c: simulate(${other}) { ${RESULT} }
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
  ['two blocks', [simulated(CALLS), simulated(CALLS)]],
  ['a block without a hash', [{ ...simulated(CALLS), hash: null }]],
  ['too few calls', [simulated(CALLS.slice(1))]],
  ['no calls', [simulated()]],
  ['an unknown status', [simulated([{ ...CALLS[0], status: '0x2' }, CALLS[1]])]],
  ['gas that is no number', [simulated([{ ...CALLS[0], gasUsed: 'x' }, CALLS[1]])]],
  ['data that are no bytes', [simulated([{ ...CALLS[0], returnData: 'secret' }, CALLS[1]])]],
  ['a log without an address', [simulated([{ ...CALLS[0], logs: [{ topics: [], data: '0x' }] }, CALLS[1]])]],
])('simulate rejects a result with %s', async (_case, result) => {
  await start(result);
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { ${RESULT} } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'eth_simulateV1' } }]);
});

test('simulate fails with RESULT_TOO_LARGE when a call returns more than 1 MiB', async () => {
  await start([simulated([{ ...CALLS[0], returnData: `0x${'00'.repeat(1_048_577)}` }, CALLS[1]])]);
  const { errors } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE', limit: 1_048_576, actual: 1_048_577 } }]);
});

test('simulate costs as much per call as a message call', async () => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block(), eth_simulateV1: [simulated(CALLS)] }, { maxCost: 100 });
  const { budget } = await graph.execute(`{ simulate(${TWO_CALLS}) { calls { status } } }`);
  // One for the head, and the data of a call.
  expect(budget!.spent).toBeCloseTo(21.03);
});

test('simulate counts the words of overrides, and blocks beyond the first that are requested or inserted', async () => {
  const inserted = [2, 3, 4].map((n) => block({ number: `0x1${n}`, calls: [] }));
  const last = block({ number: '0x15', calls: [CALLS[0]] });
  graph = await startStubbedGraph(
    { eth_getBlockByNumber: block(), eth_simulateV1: [simulated([]), ...inserted, last] },
    { maxCost: 100 },
  );
  const override = `{ ${CELL}, code: "0x${'00'.repeat(65)}", state: [${SLOT}] }`;
  const blocks = `[{ stateOverrides: [${override}] }, { blockOverrides: { number: 21 }, calls: [{}] }]`;
  const { budget, data } = await graph.execute(`{ simulate(blocks: ${blocks}) { blocks { number } } }`);
  expect(data!.simulate.blocks).toHaveLength(5);
  // One for the head, a call, four further blocks; an account, three words of code, a slot and its value.
  expect(budget!.spent).toBeCloseTo(1 + 10 + 4 + 6 * 0.03);
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
  [-38010, 'NONCE_TOO_LOW'],
  [-38011, 'NONCE_TOO_HIGH'],
  [-38012, 'FEE_TOO_LOW'],
  [-38013, 'INTRINSIC_GAS'],
  [-38020, 'BAD_USER_INPUT'],
  [-38021, 'BAD_USER_INPUT'],
  [-38022, 'BAD_USER_INPUT'],
  [-38023, 'BAD_USER_INPUT'],
  [-38024, 'BAD_USER_INPUT'],
  [-38025, 'BAD_USER_INPUT'],
  [-32016, 'EXECUTION_REVERTED'],
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
