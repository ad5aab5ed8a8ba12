import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type BlockName,
  errorCodesOf,
  executeAtBlock,
  executeQuery,
  nameOf,
  waitForGraphHead,
} from '../../support/graph/consistent-reads.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** One operation reads one block: the head, or the block of the header x-graph-block. */
const hex = (n: number): string => `0x${n.toString(16)}`;

let setup: DevnetSetup;
let graph: RunningGraph;
let alice: string;
let bob: string;

beforeAll(async () => {
  setup = await startDevnetSetup({ CACHE_BYTES: '0', CORS_ORIGINS: 'https://game.example' });
  graph = setup.graph;
  [alice, bob] = setup.devnet.description.accounts.map(({ address }) => address) as [string, string];
});

beforeEach(() => {
  setup.proxy.takeCounts();
});

const blockAt = (number: number | string) =>
  setup.rpc('eth_getBlockByNumber', typeof number === 'string' ? number : hex(number), false);
/** Executes an operation without errors, and counts its upstream calls. */
async function cost(query: string) {
  const { data, errors, extensions } = await executeQuery(graph, query);
  expect(errors).toBeUndefined();
  return { data, extensions, ...setup.proxy.takeCounts() };
}

test.each<[string, (block: BlockName) => string]>([
  ['a hash', ({ hash }) => hash],
  ['a hash in capitals', ({ hash }) => `0x${hash.slice(2).toUpperCase()}`],
  ['a decimal number', ({ number }) => String(Number(number))],
  ['a hex number', ({ number }) => number],
  ['a hex number with leading zeros', ({ number }) => `0x00${number.slice(2).toUpperCase()}`],
])('x-graph-block with %s pins every field to that block', async (_form, named) => {
  const block = await blockAt(20);
  const at = { blockHash: block.hash };
  const query = `{
    block { number hash confirmations }
    account(address: "${alice}") { balance transactionCount }
    blocks(from: 18) { number confirmations }
    cut: blocks(from: 20, to: 25) { number }
    below: block(number: 15) { number confirmations }
    above: block(number: 25) { number confirmations }
    logs(filter: { fromBlock: 19 }) { blockNumber }
    last: logs(filter: {}) { blockNumber data }
  }`;
  const { status, data, errors, extensions } = await executeAtBlock(graph.url, named(block), query);
  expect({ status, errors, extensions }).toEqual({ status: 200, errors: undefined, extensions: { block: nameOf(block) } });
  expect(data).toMatchObject({
    block: { number: '0x14', hash: block.hash, confirmations: '0x1' },
    account: {
      balance: await setup.rpc('eth_getBalance', alice, at),
      transactionCount: await setup.rpc('eth_getTransactionCount', alice, at),
    },
    blocks: [
      { number: '0x12', confirmations: '0x3' },
      { number: '0x13', confirmations: '0x2' },
      { number: '0x14', confirmations: '0x1' },
    ],
    cut: [{ number: '0x14' }],
    below: { number: '0xf', confirmations: '0x6' },
    above: { number: '0x19', confirmations: null },
  });
  const logs = await setup.rpc('eth_getLogs', { fromBlock: '0x13', toBlock: '0x14' });
  expect(data.logs.map((log: { blockNumber: string }) => log.blockNumber)).toEqual(
    logs.map((log: { blockNumber: string }) => log.blockNumber),
  );
  const last = await setup.rpc('eth_getLogs', { blockHash: block.hash });
  expect(data.last.map((log: { data: string }) => log.data)).toEqual(last.map((log: { data: string }) => log.data));
  expect(setup.proxy.takeCounts().methods.eth_getBlockByNumber).toBeUndefined();
});

test.each([
  ['a word', 'latest'],
  ['a negative number', '-1'],
  ['a fraction', '1.5'],
  ['a hash that is too short', `0x${'1'.repeat(63)}`],
  ['a hash that is too long', `0x${'1'.repeat(65)}`],
  ['a hash without its prefix', 'a'.repeat(64)],
  ['a number of 65 bits', '18446744073709551616'],
  ['two numbers', '1, 2'],
])('x-graph-block with %s is rejected with 400 before any call to the node', async (_form, name) => {
  const { status, errors, headers } = await executeAtBlock(graph.url, name, '{ block { number } }');
  expect(status).toBe(400);
  expect(errors).toHaveLength(1);
  expect(errors![0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', source: 'graph', retryable: false });
  expect(errors![0]!.extensions.requestId).toBe(headers.get('x-request-id'));
  expect(errors![0]!.message).toContain('x-graph-block');
  expect(setup.proxy.takeCounts().calls).toBe(0);
});

test.each([
  ['hash', `0x${'1'.repeat(64)}`, true],
  ['number', '999999', false],
])(
  'x-graph-block with an unknown %s returns BLOCK_NOT_AVAILABLE for each field that needs the block',
  async (_form, name, retryable) => {
    const query = `{ block { hash } account(address: "${alice}") { balance } below: block(number: 3) { hash } chainID }`;
    const response = await executeAtBlock(graph.url, name, query);
    expect(response.data).toEqual({ block: null, account: null, below: null, chainID: '0x7a69' });
    expect(errorCodesOf(response)).toEqual(['BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE']);
    expect(response.errors!.map(({ extensions }) => extensions.retryable)).toEqual([retryable, retryable, retryable]);
    expect(response.extensions).toBeUndefined();
  },
);

test('x-graph-block with an unknown number is ignored when no field needs the block', async () => {
  const { data, errors, extensions } = await executeAtBlock(graph.url, '999999', '{ chainID }');
  expect({ data, errors, extensions }).toEqual({ data: { chainID: '0x7a69' }, errors: undefined, extensions: undefined });
});

test.each([
  ['one block above the head', 1, true],
  ['two blocks above the head', 2, false],
])('account state %s fails with BLOCK_NOT_AVAILABLE (+%i, retryable: %s)', async (_height, above, retryable) => {
  const number = Number((await blockAt('latest')).number) + above;
  const { revertedTransaction } = setup.devnet.description.landmarks;
  const { errors } = await executeQuery(
    graph,
    `{ transaction(hash: "${revertedTransaction}") { from(block: ${number}) { balance } } }`,
  );
  expect(errors![0]!.extensions).toMatchObject({ code: 'BLOCK_NOT_AVAILABLE', retryable, method: 'eth_getBalance' });
});

test.each([
  '{ block { number } }',
  '{ block(tag: SAFE) { hash } }',
  '{ block(number: $N) { hash } }',
  '{ blocks(from: 30) { hash } }',
  '{ logs(filter: {}) { index } }',
  '{ logs(filter: { fromBlock: 1, toBlock: $N }) { index } }',
  '{ account(address: "$A") { balance } }',
  '{ block(hash: "$H") { confirmations } }',
  '{ block(hash: "$R") { finalized } }',
  '{ transaction(hash: "$S") { value } }',
])('extensions.block names the head when the response depends on it: %s', async (template) => {
  const head = await blockAt('latest');
  const { extensions } = await cost(await filled(template));
  expect(extensions).toEqual({ block: nameOf(head) });
});

test.each([
  '{ chainID gasPrice network { blockNumber } }',
  '{ block(hash: "$H") { number transactions { hash } account(address: "$A") { balance } } }',
  '{ block(tag: EARLIEST) { hash } }',
  '{ logs(filter: { blockHash: "$H" }) { index } }',
  '{ account(address: "$A") { address } }',
  '{ __typename __schema { queryType { name } } }',
])('extensions.block is absent when no value depends on the head: %s', async (template) => {
  expect((await cost(await filled(template))).extensions).toBeUndefined();
});

test.each([
  '{ block(number: 20) { hash finalized } }',
  '{ block(hash: "$H") { finalized } }',
  '{ logs(filter: { fromBlock: 1, toBlock: 2 }) { index } }',
  '{ transaction(hash: "$T") { value } }',
])('extensions.block is absent once all values are known to be final: %s', async (template) => {
  const query = await filled(template);
  await waitUntil(async () => (await cost(query)).extensions === undefined, 'the server has read the finalized block');
});

/** Fills in a template: $H and $T are a final block and transaction, $N, $R and $S the height, block and transaction of the head. */
async function filled(template: string): Promise<string> {
  const head = await blockAt('latest');
  const { hash } = await blockAt(20);
  const { approval } = setup.devnet.description.landmarks;
  const values: Record<string, string> = {
    $A: alice,
    $H: hash,
    $T: approval,
    $N: String(Number(head.number)),
    $R: head.hash,
    $S: head.transactions[0]!,
  };
  return template.replace(/\$[A-Z]/g, (name) => values[name]!);
}

test('extensions.block is present in a response with errors, and absent in a rejected one', async () => {
  const head = await blockAt('latest');
  const { errors, extensions } = await executeQuery(
    graph,
    '{ block { number } blocks(from: 0, to: 500) { hash } bad: logs(filter: { blockHash: "0x11" }) { index } }',
  );
  expect({ has: errors!.length > 0, extensions }).toEqual({ has: true, extensions: undefined });
  const partly = await executeQuery(graph, '{ block { number } transaction(hash: "0x1") { value } }');
  expect(partly.extensions).toBeUndefined();
  const failing = await executeQuery(
    graph,
    '{ block { number } account(address: "0x0000000000000000000000000000000000000001") { balance } block2: block(number: 1, tag: SAFE) { hash } }',
  );
  expect(failing.errors).toHaveLength(1);
  expect(failing.extensions).toEqual({ block: nameOf(head) });
});

beforeAll(async () => {
  // Anvil's finalized block is 64 below its head, its safe block 32.
  await setup.rpc('anvil_mine', '0x46');
  await mineOne('0x1');
  await waitForGraphHead(graph, (await blockAt('latest')).hash);
});

/** Mines a block with one transaction and returns its hash. With automine, anvil returns the hash before the block exists. */
async function mineOne(value: string): Promise<string> {
  await setup.rpc('evm_setAutomine', false);
  const hash = await setup.rpc('eth_sendTransaction', { from: alice, to: bob, value });
  await setup.rpc('evm_mine');
  await setup.rpc('evm_setAutomine', true);
  return hash;
}

test('Block.finalized is true up to the finalized block of the node', async () => {
  const final = Number((await blockAt('finalized')).number);
  await cost('{ block { finalized } }');
  const { data, ...sent } = await cost(`{
    edge: block(number: ${final}) { finalized } above: block(number: ${final + 1}) { finalized }
    old: block(number: 40) { finalized } head: block { finalized }
  }`);
  expect(data).toEqual({
    edge: { finalized: true },
    above: { finalized: false },
    old: { finalized: Number(final) >= 40 },
    head: { finalized: false },
  });
  expect(sent.calls).toBeLessThanOrEqual(2);
});
