import { beforeAll, expect, test } from '@jest/globals';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** Live queries of the built server over the embedded chain, with real WebSockets. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup();
  await setup.rpc('evm_setAutomine', false);
});

const account = (i: number) => setup.devnet.description.accounts[i]!.address;

/** Sends ether if `to` is given, mines a block, and resolves when the graph has it. */
async function mine(to?: string): Promise<string> {
  const transfer = { from: account(0), to, value: '0x1', gas: '0x5208' };
  if (to) await setup.rpc('eth_sendTransaction', transfer);
  await setup.rpc('evm_mine');
  const { hash, number } = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  for (let at = ''; at !== hash; ) at = (await setup.graph.execute('{ block { hash } }')).data.block.hash;
  return number;
}

test('a live query has the first result, and a new one only after a head at which its data has changed', async () => {
  const client = createSubscriptionClient(setup.graph.url);
  const balance = client.subscribe(`query @live { account(address: "${account(5)}") { balance } }`);
  const head = client.subscribe('query @live { block { number } }');
  const [first] = await balance.waitForEvents(1);
  await head.waitForEvents(1);
  await mine();
  const number = await mine(account(5));
  // The head is a result of each block, so that the other query has been executed at these blocks, too.
  await head.waitUntil(({ block }) => block.number === number);
  const [, second] = await balance.waitForEvents(2);
  expect(BigInt(second!.account.balance)).toBe(BigInt(first!.account.balance) + 1n);
  expect(balance.events).toHaveLength(2);
  expect(head.events.map(({ data }) => Number(data.block.number))).toEqual([-2, -1, 0].map((before) => Number(number) + before));
  expect(balance.events[1]!.extensions!.block).toMatchObject({ number });
  client.close();
});

test('equal live queries execute once at a head, and all live queries of a head share one request', async () => {
  const clients = Array.from({ length: 5 }, () => createSubscriptionClient(setup.graph.url));
  const queries = Array.from(
    { length: 100 },
    (_none, i) =>
      `query @live { block { number account(address: "0x${(4_096 + i).toString(16).padStart(40, '0')}") { balance } } }`,
  );
  const subscriptions = clients.flatMap((client) => queries.map((query) => client.subscribe(query)));
  await Promise.all(subscriptions.map((one) => one.waitForEvents(1)));
  for (let i = 2; i < 5; i++) {
    setup.proxy.takeCounts();
    await mine();
    await Promise.all(subscriptions.map((one) => one.waitForEvents(i)));
    expect(setup.proxy.takeCounts()).toMatchObject({ http: 1, methods: { eth_getBalance: 100 } });
  }
  for (const client of clients) client.close();
});

test('a live query whose code the request chooses shares no request with others', async () => {
  const client = createSubscriptionClient(setup.graph.url);
  const balance = client.subscribe(`query @live { block { number account(address: "${account(5)}") { balance } } }`);
  const call = client.subscribe(`query @live { block { number call(data: { to: "${account(4)}" }) { status } } }`);
  await Promise.all([balance.waitForEvents(1), call.waitForEvents(1)]);
  setup.proxy.takeCounts();
  await mine();
  await Promise.all([balance.waitForEvents(2), call.waitForEvents(2)]);
  expect(setup.proxy.takeCounts()).toMatchObject({ http: 2, methods: { eth_getBalance: 1, eth_call: 1 } });
  client.close();
});

test('a live query over plain HTTP is executed once', async () => {
  expect((await setup.graph.execute('query @live { block { number } }')).data).toEqual({ block: { number: expect.any(String) } });
});

test('a live query can be completed, and rejects invalid documents as others do', async () => {
  const client = createSubscriptionClient(setup.graph.url);
  const head = client.subscribe('query @live { block { number } }');
  await head.waitForEvents(1);
  head.stop();
  await mine();
  const invalid = client.subscribe('query @live { nothing }' as string);
  expect(await invalid.ended).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  const misplaced = client.subscribe('subscription @live { newHeads { number } }' as string);
  expect(await misplaced.ended).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  expect(head.events).toHaveLength(1);
  client.close();
});
