import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** Whole answers that are kept are those that would be given anyway. */
let setup: DevnetSetup;
let alice: string;

beforeAll(async () => {
  setup = await startDevnetSetup();
  alice = setup.devnet.description.accounts[0]!.address;
});

afterAll(() => setup?.stop());

const MANY_TRANSACTIONS = 'block(number: 20) { transactions { hash value status } }';

/** Mines a block and waits until the graph has heard of it. */
async function mine() {
  await setup.rpc('evm_mine');
  const { hash } = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  while ((await setup.graph.execute('{ block { hash } }')).data.block.hash !== hash);
}

async function executeOverHttp(query: string) {
  const response = await fetch(`${setup.graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: any; extensions?: any };
}

test('the same question is the same answer, and names the same block', async () => {
  const query = `{ account(address: "${alice}") { balance } ${MANY_TRANSACTIONS} }`;
  const first = await executeOverHttp(query);
  setup.proxy.takeCounts();
  expect(await executeOverHttp(query)).toEqual(first);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 0, calls: 0 });
});

test('a new block makes a new answer', async () => {
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

test('what the block does not decide is asked anew each time', async () => {
  const query = `{ gasPrice ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  setup.proxy.takeCounts();
  await executeOverHttp(query);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 1, calls: 1, methods: { eth_gasPrice: 1 } });
});

test('what does not exist yet is looked for each time', async () => {
  const query = `{ transaction(hash: "0x${'1'.repeat(64)}") { nonce } ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  setup.proxy.takeCounts();
  expect((await executeOverHttp(query)).data.transaction).toBeNull();
  // Once more with the head in the same request, since a node that lags does not know it either.
  expect(setup.proxy.takeCounts()).toMatchObject({ methods: { eth_getTransactionByHash: 2, eth_getBlockByHash: 1 } });
});

test('a question that names its block is answered from that one, whatever was kept', async () => {
  const query = `{ account(address: "${alice}") { balance } ${MANY_TRANSACTIONS} }`;
  await executeOverHttp(query);
  await executeOverHttp(query);
  const response = await fetch(`${setup.graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-graph-block': '5' },
    body: JSON.stringify({ query }),
  });
  const { data, extensions } = (await response.json()) as any;
  expect(extensions.block.number).toBe('0x5');
  expect(data.account.balance).toBe(await setup.rpc('eth_getBalance', alice, '0x5'));
});
