import { expect, test } from '@jest/globals';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/** Live queries of many clients while blocks are mined and reorgs remove some: each result is the state at the block that it names. */
const SEED = readSeed();
const CLIENTS = runSize(300, 10_000);
const QUERIES = runSize(20, 100);
const CHANGES = runSize(25, 1_200);
const SOCKETS = runSize(6, 50);

test(`each result of ${QUERIES} live queries of ${CLIENTS} clients is the state of its block, across ${CHANGES} changes of the chain (SEED=${SEED})`, async () => {
  const setup = await startDevnetSetup({
    MAX_SUBSCRIPTIONS: '1000',
    MAX_CLIENT_SUBSCRIPTION_COST: '1000000',
    MAX_SUBSCRIPTION_COST: '1000000',
  });
  await setup.rpc('evm_setAutomine', false);
  const draw = random(SEED);
  const accounts = setup.devnet.description.accounts.map(({ address }) => address);
  const addressOf = (query: number) =>
    query < accounts.length ? accounts[query]! : `0x${(4_096 + query).toString(16).padStart(40, '0')}`;
  const clients = Array.from({ length: SOCKETS }, () => createSubscriptionClient(setup.graph.url));
  const subscriptions = Array.from({ length: CLIENTS }, (_none, i) => ({
    query: i % QUERIES,
    results: clients[i % SOCKETS]!.subscribe(`query @live { account(address: "${addressOf(i % QUERIES)}") { balance } }`),
  }));
  await Promise.all(subscriptions.map(({ results }) => results.waitForEvents(1)));
  /** The balances at each block that the node had, by its hash. */
  const balances = new Map<string, string[]>();
  const record = async (): Promise<string> => {
    const { hash } = await setup.rpc('eth_getBlockByNumber', 'latest', false);
    const all = Array.from({ length: QUERIES }, (_none, query) =>
      setup.rpc('eth_getBalance', addressOf(query), { blockHash: hash }),
    );
    if (!balances.has(hash)) balances.set(hash, await Promise.all(all));
    return hash;
  };
  await record();
  let head = '';
  for (let change = 0; change < CHANGES; change++) {
    if (draw() < 0.25) {
      const depth = 1 + Math.floor(draw() * 3);
      const body = JSON.stringify({ reorg: { depth, transactions: [] } });
      await fetch(setup.devnet.description.nodeService.control, { method: 'POST', body });
    } else {
      const to = addressOf(Math.floor(draw() * QUERIES));
      if (draw() < 0.7) await setup.rpc('eth_sendTransaction', { from: accounts[0], to, value: '0x1', gas: '0x5208' });
      await setup.rpc('evm_mine');
    }
    head = await record();
    for (let at = ''; at !== head; ) at = (await setup.graph.execute('{ block { hash } }')).data.block.hash;
  }
  // The last results are those of the head.
  const last = balances.get(head)!;
  await Promise.all(
    subscriptions.map(({ query, results }) => results.waitUntil(() => balanceOf(results.events.at(-1)) === last[query])),
  );
  let compared = 0;
  for (const { query, results } of subscriptions) {
    let previous: string | undefined;
    for (const event of results.events) {
      const { hash } = event.extensions!.block as { hash: string };
      // A block in the middle of a reorg is not recorded.
      const expected = balances.get(hash)?.[query];
      if (expected !== undefined) expect(balanceOf(event)).toBe(expected);
      compared += Number(expected !== undefined);
      expect(balanceOf(event)).not.toBe(previous);
      previous = balanceOf(event);
    }
  }
  process.stdout.write(`live queries: ${compared} results compared with the node\n`);
  expect(compared).toBeGreaterThan(CLIENTS);
  for (const client of clients) client.close();
});

function balanceOf({ data, errors }: any): string {
  if (errors) throw new Error(`a result has errors: ${JSON.stringify(errors)}`);
  return data.account.balance;
}
