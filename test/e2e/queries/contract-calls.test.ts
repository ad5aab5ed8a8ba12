import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';

/** Contract calls and the pending state over the embedded chain, compared with the node's own values. */
let setup: DevnetSetup;
let token: string;
let holder: string;

const erc20 = new Interface(['function totalSupply()', 'function transfer(address to, uint256 value)']);
const TOTAL_SUPPLY = erc20.encodeFunctionData('totalSupply');
/** Reverts with "insufficient balance" for a sender without tokens. */
const TRANSFER = erc20.encodeFunctionData('transfer', [addressOf(1), 1n]);

beforeAll(async () => {
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0' });
  const { accounts, contracts } = setup.devnet.description;
  token = contracts[0]!.address;
  holder = accounts[0]!.address;
});

afterAll(() => setup?.stop());

beforeEach(() => {
  setup.proxy.takeCounts();
});

test('a call, a balance and an estimate at the head have the values of the node and cost 1/3', async () => {
  const { data, errors } = await setup.graph.execute(`{ block {
    account(address: "${holder}") { balance }
    call(data: { to: "${token}", data: "${TOTAL_SUPPLY}" }) { data status revertReason }
    estimateGas(data: { from: "${holder}", to: "${token}", data: "${TRANSFER}" })
  } }`);
  expect(errors).toBeUndefined();
  expect(data.block).toEqual({
    account: { balance: await setup.rpc('eth_getBalance', holder, 'latest') },
    call: {
      data: await setup.rpc('eth_call', { to: token, data: TOTAL_SUPPLY }, 'latest'),
      status: '0x1',
      revertReason: null,
    },
    estimateGas: await setup.rpc('eth_estimateGas', { from: holder, to: token, data: TRANSFER }, 'latest'),
  });
  const methods = { eth_getBalance: 1, eth_call: 1, eth_estimateGas: 1 };
  expect(setup.proxy.takeCounts()).toEqual({ http: 1, calls: 3, methods });
});

test('a call at a past block is executed with the state of that block', async () => {
  const { data } = await setup.graph.execute(
    `{ block(number: 0) { call(data: { to: "${token}", data: "${TOTAL_SUPPLY}" }) { data } } }`,
  );
  expect(data.block.call.data).toBe('0x');
});

test('the revert of a contract is the result of a call and the error of an estimate', async () => {
  const call = `(data: { from: "${addressOf(7)}", to: "${token}", data: "${TRANSFER}" })`;
  const { data, errors } = await setup.graph.execute(`{
    block { call${call} { data status revertReason } }
    estimate: block { estimateGas${call} }
  }`);
  const payload = new Interface(['error Error(string)']).encodeErrorResult('Error', ['insufficient balance']);
  expect(data).toEqual({
    block: { call: { data: payload, status: '0x0', revertReason: 'insufficient balance' } },
    estimate: null,
  });
  expect(errors).toMatchObject([
    {
      path: ['estimate', 'estimateGas'],
      extensions: { code: 'EXECUTION_REVERTED', data: payload, reason: 'insufficient balance', source: 'node' },
    },
  ]);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 1, calls: 2 });
});

test('the pending state has the values of the node, costs 1/4 and is not stored', async () => {
  const query = `{ pending {
    transactionCount
    account(address: "${holder}") { balance transactionCount }
    call(data: { to: "${token}", data: "${TOTAL_SUPPLY}" }) { data }
    block { number hash parentHash gasLimit baseFeePerGas parent { number } }
  } }`;
  const response = await fetch(`${setup.graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as any;
  expect(errors).toBeUndefined();
  const head = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  const pending = await setup.rpc('eth_getBlockByNumber', 'pending', false);
  expect(data.pending).toEqual({
    transactionCount: '0x0',
    account: {
      balance: await setup.rpc('eth_getBalance', holder, 'pending'),
      transactionCount: await setup.rpc('eth_getTransactionCount', holder, 'pending'),
    },
    call: { data: await setup.rpc('eth_call', { to: token, data: TOTAL_SUPPLY }, 'pending') },
    block: {
      number: null,
      hash: null,
      parentHash: head.hash,
      gasLimit: pending.gasLimit,
      baseFeePerGas: pending.baseFeePerGas,
      parent: { number: head.number },
    },
  });
  const methods = { eth_getBlockByNumber: 1, eth_getBalance: 1, eth_getTransactionCount: 1, eth_call: 1 };
  expect(setup.proxy.takeCounts()).toEqual({ http: 1, calls: 4, methods });
  expect(response.headers.get('cache-control')).toBe('no-store');
});
