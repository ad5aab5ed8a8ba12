import { beforeAll, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { bodyOf } from '../../support/graph/results.ts';

/** A cached response equals the response that an execution would return. */
let setup: DevnetSetup;
let alice: string;

beforeAll(async () => {
  setup = await startDevnetSetup();
  alice = setup.devnet.description.accounts[0]!.address;
});

const MANY_TRANSACTIONS = 'block(number: 20) { transactions { hash value status } }';

/** Mines a block and resolves when the graph has it. */
async function mine() {
  await setup.rpc('evm_mine');
  const { hash } = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  while ((await setup.graph.execute('{ block { hash } }')).data.block.hash !== hash);
}

const executeOverHttp = async (query: string) => bodyOf(await postJson(`${setup.graph.url}/graphql`, { query }));

test('a repeated query returns the cached response with the same block', async () => {
  const query = `{ account(address: "${alice}") { balance } ${MANY_TRANSACTIONS} }`;
  const first = await executeOverHttp(query);
  setup.proxy.takeCounts();
  expect(await executeOverHttp(query)).toEqual(first);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 0, calls: 0 });
});

test('a verified response is cached apart from others', async () => {
  const query = `{ ${MANY_TRANSACTIONS} }`;
  const execute = async (verify: string) =>
    bodyOf(await postJson(`${setup.graph.url}/graphql`, { query }, { 'x-graph-verify': verify }));
  for (const verify of ['', 'report', 'logs']) {
    const first = await execute(verify);
    setup.proxy.takeCounts();
    expect(await execute(verify)).toEqual(first);
    expect(setup.proxy.takeCounts()).toMatchObject({ http: 0, calls: 0 });
    expect(first.extensions.trust?.level).toBe(verify === '' ? undefined : 'CONSISTENT');
  }
});

test('a new block evicts cached responses', async () => {
  const query = `{ account(address: "${alice}") { balance transactionCount } ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  const before = await executeOverHttp(query);
  await setup.rpc('anvil_setBalance', alice, '0x123456');
  await mine();
  const after = await executeOverHttp(query);
  expect(after.data.account.balance).toBe('0x123456');
  expect(Number(after.extensions.block.number)).toBe(Number(before.extensions.block.number) + 1);
  expect(after.data.block).toEqual(before.data.block);
});

test('values that do not depend on the block are requested each time', async () => {
  const query = `{ gasPrice ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  setup.proxy.takeCounts();
  await executeOverHttp(query);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 1, calls: 1, methods: { eth_gasPrice: 1 } });
});

test('an unknown transaction is requested each time', async () => {
  const query = `{ transaction(hash: "0x${'1'.repeat(64)}") { nonce } ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  setup.proxy.takeCounts();
  expect((await executeOverHttp(query)).data.transaction).toBeNull();
  // The second call travels with a check of the head, since a lagging node would return null as well.
  expect(setup.proxy.takeCounts()).toMatchObject({ methods: { eth_getTransactionByHash: 2, eth_getBlockByHash: 1 } });
});

test('a pinned query is executed at its block, not served from the cache of another', async () => {
  const query = `{ account(address: "${alice}") { balance } ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  const response = await postJson(`${setup.graph.url}/graphql`, { query }, { 'x-graph-block': '5' });
  const { data, extensions } = await bodyOf(response);
  expect(extensions.block.number).toBe('0x5');
  expect(data.account.balance).toBe(await setup.rpc('eth_getBalance', alice, '0x5'));
});

test('a request with a minimum block gets a cached response of the head, never of an older head', async () => {
  const query = `{ head: block { number } ${MANY_TRANSACTIONS} }`;
  const executeWithMinimum = async (minBlock: number) =>
    bodyOf(await postJson(`${setup.graph.url}/graphql`, { query }, { 'x-graph-min-block': String(minBlock) }));
  await executeOverHttp(query);
  const cached = await executeOverHttp(query);
  const height = Number(cached.data.head.number);
  setup.proxy.takeCounts();
  const { data, extensions } = await executeWithMinimum(height);
  expect({ data, extensions }).toEqual({ data: cached.data, extensions: cached.extensions });
  expect(setup.proxy.takeCounts().calls).toBe(0);
  const later = executeWithMinimum(height + 1);
  await setup.rpc('evm_mine');
  expect((await later).data.head.number).toBe(`0x${(height + 1).toString(16)}`);
});
