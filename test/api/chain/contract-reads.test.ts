import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { createAbiRegistry } from '../../../src/ethereum/abi/registry.ts';
import { abiOf } from '../../support/abi-fixtures.ts';
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

/** Reads of contracts by the signature or the name of a function, and decoded errors of failed calls. */
let graph: StubbedGraph;

const [TOKEN, VAULT, ALICE] = [addressOf(0xc), addressOf(0xd), addressOf(0xa)] as const;
const AT_HASH = { blockHash: hashOf(0xb10) };
const vault = new Interface([
  'function positions(address owner, (uint8 kind, bytes32[] ids)[] filter) view returns ((address owner, uint256[] amounts)[] found, int24)',
  'error Locked(address by, uint256 until)',
]);
const LOCKED = vault.encodeErrorResult('Locked', [ALICE, 7]);
const solidity = new Interface(['error Error(string)', 'error Panic(uint256)']);
const TEXT = solidity.encodeErrorResult('Error', ['x'.repeat(4_000)]);
const PANIC = solidity.encodeErrorResult('Panic', [17]);
const abis = createAbiRegistry([abiOf(VAULT, ...vault.format())]);
const word = (value: number) => value.toString(16).padStart(64, '0');

const start = async (table: StubResponses) => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: block(), ...table }, { abis });
};
const DECODED = 'name type indexed value account { address }';
const ERROR = 'revertError { name signature selector standard arguments { name type indexed value account { address } } }';
const output = (name: string | null, type: string, value: string) => ({ name, type, indexed: null, value, account: null });
const LOCKED_ERROR = {
  name: 'Locked',
  signature: 'Locked(address,uint256)',
  selector: LOCKED.slice(0, 10),
  standard: null,
  arguments: [{ ...output('by', 'address', ALICE), account: { address: ALICE } }, output('until', 'uint256', '7')],
};

test('Account.read encodes the arguments, calls at the block of the account and decodes the outputs', async () => {
  const filter = [
    [1, [hashOf(1), hashOf(2)]],
    [255, []],
  ] as const;
  const found = [[ALICE, ['1', `${2n ** 255n}`]]];
  await start({ eth_call: vault.encodeFunctionResult('positions', [found, -5]) });
  const data = await dataOf(
    graph.execute(
      `query ($filter: AbiValue!) { block { account(address: "${VAULT}") {
        read(function: "positions", args: ["${ALICE}", $filter], from: "${ALICE}", value: 3) { signature status results { ${DECODED} } ${ERROR} }
        literal: read(function: "positions(address,(uint8,bytes32[])[])", args: ["${ALICE}", [[1, ["${hashOf(1)}", "${hashOf(2)}"]], ["0xff", []]]],
          from: "${ALICE}", value: 3) { data } }
        call(data: { from: "${ALICE}", to: "${VAULT}", value: 3, data: "${vault.encodeFunctionData('positions', [ALICE, filter])}" }) { data }
      } }`,
      { filter },
    ),
  );
  expect(data.block.account.read).toEqual({
    signature: 'positions(address,(uint8,bytes32[])[])',
    status: '0x1',
    results: [
      output('found', '(address,uint256[])[]', `[{"owner":"${ALICE}","amounts":["1","${2n ** 255n}"]}]`),
      output(null, 'int24', '-5'),
    ],
    revertError: null,
  });
  const call = { from: ALICE, to: VAULT, value: '0x3', data: vault.encodeFunctionData('positions', [ALICE, filter]) };
  expect(graph.requested).toContainEqual(['eth_call', call, AT_HASH]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1, eth_call: 1 });
});

test('reads are at the head for Query.account, at a height for Transaction.from, and pending below Query.pending', async () => {
  await start({ eth_call: '0x', eth_getTransactionByHash: transactionFixture() });
  const READ = 'read(function: "f()()") { status results { value } }';
  await dataOf(
    graph.execute(`{ account(address: "${TOKEN}") { ${READ} } pending { account(address: "${TOKEN}") { ${READ} } }
      transaction(hash: "${hashOf(0x71)}") { from(block: 3) { ${READ} } } }`),
  );
  const blocks = graph.requested.flatMap(([method, , at]) => (method === 'eth_call' ? [at] : []));
  expect(blocks).toEqual(expect.arrayContaining([AT_HASH, 'pending', '0x3']));
});

test.each<[string, string, string]>([
  ['an account without code', '0x', 'f()(uint256)'],
  ['data behind the outputs', `0x${word(1)}00`, 'f()(uint256)'],
  ['an array that claims 2^48 items', `0x${word(32)}${word(2 ** 48)}`, 'f()(uint8[][])'],
  ['a value outside the range of its type', `0x${word(256)}`, 'f()(uint8)'],
  ['an array of 8 dimensions without data', `0x${word(32)}${word(99)}`, `f()(uint8${'[]'.repeat(8)})`],
])('results are null for %s', async (_case, returned, signature) => {
  await start({ eth_call: returned });
  const data = await dataOf(
    graph.execute(
      `{ account(address: "${TOKEN}") { read(function: "${signature}") { data status results { value } ${ERROR} } } }`,
    ),
  );
  expect(data.account.read).toEqual({ data: returned, status: '0x1', results: null, revertError: null });
});

test.each([
  ['read(function: "f(uint8,bool[])()", args: [1, [true, "x"]])', 'Invalid `args[1][1]`. Pass true or false for bool.'],
  ['read(function: "f(uint8")', 'Invalid `function`: it is no signature.'],
  ['read(function: "missing")', 'Invalid `function`: no ABI has missing.'],
])('%s is rejected without a call', async (read, message) => {
  await start({ eth_call: '0x' });
  const { data, errors } = await graph.execute(`{ block { number account(address: "${TOKEN}") { ${read} { status } } } }`);
  expect(data.block).toEqual({ number: '0x10', account: { read: null } });
  expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByNumber: 1 });
});

describe('revertError', () => {
  test.each<[string, string, unknown]>([
    ['a custom error', LOCKED, LOCKED_ERROR],
    ['a text', TEXT, { name: 'Error', standard: null, arguments: [output(null, 'string', 'x'.repeat(4_000))] }],
    ['a panic', PANIC, { name: 'Panic', standard: null, arguments: [output(null, 'uint256', '17')] }],
    ['an unknown error', '0x12345678', null],
    ['no payload', '0x', null],
  ])(
    'revertError decodes %s of a read, a call, a simulated call, an access list and a transaction',
    async (_case, payload, expected) => {
      await start({
        eth_call: () => rpcError(3, 'execution reverted', payload),
        eth_simulateV1: [{ ...block(), calls: [{ status: '0x0', returnData: payload, gasUsed: '0x1', logs: [] }] }],
        eth_createAccessList: { accessList: [], gasUsed: '0x1', error: 'execution reverted' },
        eth_getTransactionByHash: transactionFixture(),
        eth_getTransactionReceipt: receiptFixture({ status: '0x0', to: VAULT }),
        debug_traceTransaction: { from: addressOf(0xa), error: 'execution reverted', output: payload },
      });
      const data = await dataOf(
        graph.execute(`{
        account(address: "${VAULT}") { read(function: "f()()") { status data results { value } ${ERROR} } }
        block { call(data: { to: "${VAULT}" }) { revertReason ${ERROR} } }
        simulate(calls: [{ to: "${VAULT}" }]) { calls { ${ERROR} } }
        createAccessList(data: { to: "${VAULT}" }) { revertReason ${ERROR} }
        transaction(hash: "${hashOf(0x71)}") { revertReason ${ERROR} }
      }`),
      );
      const error = expected === null ? null : expect.objectContaining(expected as object);
      expect(data.account.read).toEqual({ status: '0x0', data: payload, results: null, revertError: error });
      for (const call of [data.block.call, ...data.simulate.calls, data.createAccessList])
        expect(call.revertError).toEqual(error);
      expect(data.transaction).toEqual({ revertReason: payload, revertError: error });
      expect(graph.node.takeCounts().methods).toMatchObject({ eth_createAccessList: 1, debug_traceTransaction: 1 });
    },
  );

  test('a failed estimate has the decoded error beside its reason, unless the payload is above 2 KiB', async () => {
    let payload = LOCKED;
    await start({ eth_estimateGas: () => rpcError(3, 'execution reverted', payload) });
    const estimate = async () =>
      (await graph.execute(`{ block { estimateGas(data: { to: "${VAULT}" }) } }`)).errors![0].extensions;
    const revertError = {
      ...LOCKED_ERROR,
      arguments: LOCKED_ERROR.arguments.map(({ name, type, value }) => ({ name, type, value })),
    };
    expect(await estimate()).toMatchObject({ data: LOCKED, reason: `Locked(by: ${ALICE}, until: 7)`, revertError });
    payload = TEXT;
    expect(await estimate()).not.toHaveProperty('revertError');
  });
});
