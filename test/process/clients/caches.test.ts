import { readFileSync } from 'node:fs';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { beforeAll, expect, test } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { Client, cacheExchange, fetchExchange, gql as urqlGql } from '@urql/core';
import { cacheExchange as graphcache } from '@urql/exchange-graphcache';
import { buildSchema, isIntrospectionType, isObjectType } from 'graphql';
import { createGraphLink, possibleTypes, typePolicies } from '../../../clients/js/src/apollo.ts';
import { createEventStreamClient } from '../../../clients/js/src/index.ts';
import { headQuery } from '../../../clients/js/src/react-query.ts';
import { graphSubscriptionExchange, keys } from '../../../clients/js/src/urql.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import type { DataOf } from '../../support/graph/results.ts';
import { startCuttingProxy } from '../../support/proxies/tcp-proxy.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Real clients with their caches against the built server over the embedded chain. */
let setup: DevnetSetup;
let url: string;
let address: string;

beforeAll(async () => {
  setup = await startDevnetSetup();
  await setup.rpc('evm_setAutomine', false);
  url = `${setup.graph.url}/graphql`;
  address = setup.devnet.description.accounts[0]!.address;
});

const AT_TWO_BLOCKS = `query ($address: Address!) {
  now: account(address: $address) { __typename id address balance transactionCount }
  past: block(number: 3) { __typename id account(address: $address) { __typename id address balance transactionCount } }
  first: block(number: 1) { __typename id account(address: $address) { __typename id address balance } }
}`;
const ONE_BLOCK = `query ($address: Address!) {
  past: block(number: 3) { __typename id account(address: $address) { __typename id address balance } }
}`;

/** The values of the node at the head and at the blocks 3 and 1. */
async function expectedBalances(): Promise<string[]> {
  const values = await Promise.all(['latest', '0x3', '0x1'].map((at) => setup.rpc('eth_getBalance', address, at)));
  expect(new Set(values).size).toBe(3);
  return values;
}

const balancesOf = ({ now, past, first }: DataOf<typeof AT_TWO_BLOCKS>) => [
  now.balance,
  past.account.balance,
  first.account.balance,
];

test.each([
  ['default', () => new InMemoryCache()],
  ['configured', () => new InMemoryCache({ typePolicies })],
])('the %s cache of Apollo Client has the right account at each block', async (_name, createCache) => {
  const client = new ApolloClient({ link: createGraphLink({ url }), cache: createCache() });
  const variables = { address };
  const balances = await expectedBalances();
  await client.query({ query: gql(ONE_BLOCK), variables });
  await client.query({ query: gql(AT_TWO_BLOCKS), variables });
  expect(balancesOf(client.readQuery<DataOf<typeof AT_TWO_BLOCKS>>({ query: gql(AT_TWO_BLOCKS), variables })!)).toEqual(balances);
  const block = client.readQuery<DataOf<typeof ONE_BLOCK>>({ query: gql(ONE_BLOCK), variables });
  expect(block!.past.account.balance).toBe(balances[1]);
  expect(Object.keys(client.cache.extract() as object).filter((key) => key.startsWith('Account:'))).toHaveLength(3);
  client.stop();
});

test('type policies of Apollo Client read a block and a transaction by hash from the cache, and keep null', async () => {
  const hash = setup.devnet.description.landmarks.tokenTransfer;
  const client = new ApolloClient({ link: createGraphLink({ url }), cache: new InMemoryCache({ typePolicies }) });
  const list = gql(
    'query ($h: Bytes32!) { receipt(hash: $h) { transactionHash gasUsed transaction { id hash value block { id hash } } } }',
  );
  const { data } = await client.query<any>({ query: list, variables: { h: hash } });
  const { block, value } = data.receipt.transaction;
  const byHash = gql('query ($h: Bytes32!, $b: Bytes32!) { transaction(hash: $h) { id value } block(hash: $b) { id hash } }');
  const read = await client.query({ query: byHash, variables: { h: hash, b: block.hash }, fetchPolicy: 'cache-only' });
  expect(read.data).toMatchObject({ transaction: { value }, block: { hash: block.hash } });
  expect(Object.keys(client.cache.extract() as object)).toContain(`Receipt:${hash}`);
  const unknown = { h: `0x${'12'.repeat(32)}`, b: `0x${'34'.repeat(32)}` };
  for (let i = 0; i < 2; i++) {
    const { data: none } = await client.query({ query: byHash, variables: unknown });
    expect(none).toEqual({ transaction: null, block: null });
  }
  client.stop();
});

test.each([
  ['document cache', () => cacheExchange],
  ['normalized cache', () => graphcache({ keys })],
])('the %s of urql has the right account at each block', async (_name, createCache) => {
  const client = new Client({ url, exchanges: [createCache(), fetchExchange], preferGetMethod: false });
  const balances = await expectedBalances();
  await client.query(urqlGql(ONE_BLOCK), { address }).toPromise();
  const { data, error } = await client.query(urqlGql(AT_TWO_BLOCKS), { address }).toPromise();
  expect(error).toBeUndefined();
  expect(balancesOf(data)).toEqual(balances);
  const cached = await client.query(urqlGql(AT_TWO_BLOCKS), { address }, { requestPolicy: 'cache-only' }).toPromise();
  expect(balancesOf(cached.data)).toEqual(balances);
});

test('keys of urql cover every object type of the schema, so that its cache reports none', async () => {
  const roots = ['Query', 'Mutation', 'Subscription'];
  const schema = buildSchema(readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8'));
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !isIntrospectionType(type));
  expect(Object.keys(keys).sort()).toEqual(
    types
      .map(({ name }) => name)
      .filter((name) => !roots.includes(name))
      .sort(),
  );
  const warnings: unknown[] = [];
  const client = new Client({
    url,
    exchanges: [graphcache({ keys, logger: (_severity, message) => warnings.push(message) }), fetchExchange],
    preferGetMethod: false,
  });
  const { error } = await client
    .query(
      urqlGql(`{
        block(number: 20) { id receipts { transactionHash logs { id decoded { name arguments { name value } } } } withdrawals { index } }
        network { networkID } service { version limits { name } }
        wizards(first: 2) { nodes { id owner { id tokenBalances(contracts: []) { contractAddress } } } pageInfo { hasNextPage } }
        pending { transactions { id } }
      }`),
      {},
    )
    .toPromise();
  expect(error).toBeUndefined();
  expect(warnings).toEqual([]);
});

const HEADS = 'subscription ($after: Bytes32) { newHeads(after: $after) { hash number parentHash } }';
const BLOCKS = 20;

/** Mines blocks while connections are cut, and checks that a subscription after the current head receives each block once. */
async function expectEachBlockOnce(subscribe: (url: string, after: string, onHash: (hash: string) => void) => () => void) {
  const proxy = await startCuttingProxy(setup.graph.url, createRandomChoices(7));
  const first = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  const isHead = async () => (await setup.graph.execute('{ block { hash } }')).data.block.hash === first.hash;
  await waitUntil(isHead, 'the graph has the head');
  const received: string[] = [];
  const unsubscribe = subscribe(`${proxy.url}/graphql`, first.hash, (hash) => received.push(hash));
  const mined: string[] = [];
  for (let i = 0; i < BLOCKS; i++) {
    await setup.rpc('evm_mine');
    mined.push((await setup.rpc('eth_getBlockByNumber', 'latest', false)).hash);
  }
  await waitUntil(() => received.length >= BLOCKS, 'all blocks have arrived');
  unsubscribe();
  expect(received).toEqual(mined);
  expect(proxy.cuts).toBeGreaterThan(0);
}

const backoff = { firstMs: 2, maxMs: 20 };

test('a subscription of Apollo Client receives each block once through cut connections', async () => {
  let client: ApolloClient | undefined;
  await expectEachBlockOnce((proxied, after, onHash) => {
    client = new ApolloClient({ link: createGraphLink({ url: proxied, backoff }), cache: new InMemoryCache({ typePolicies }) });
    const subscription = client
      .subscribe<DataOf<typeof HEADS>>({ query: gql(HEADS), variables: { after } })
      .subscribe(({ data }) => onHash(data!.newHeads.hash));
    return () => subscription.unsubscribe();
  });
  client?.stop();
});

test('a subscription of urql receives each block once through cut connections', () =>
  expectEachBlockOnce((proxied, after, onHash) => {
    const subscriptions = graphSubscriptionExchange(createEventStreamClient({ url: proxied }), { backoff });
    const client = new Client({
      url: proxied,
      exchanges: [graphcache({ keys }), subscriptions, fetchExchange],
      preferGetMethod: false,
    });
    return client.subscription(urqlGql(HEADS), { after }).subscribe(({ data }) => onHash(data.newHeads.hash)).unsubscribe;
  }));

test('the query of React Query receives each block once through cut connections', async () => {
  const cache = new QueryClient();
  await expectEachBlockOnce((proxied, after, onHash) => {
    const options = headQuery({ client: createEventStreamClient({ url: proxied }), backoff });
    // Data in the cache, after which the subscription resumes.
    cache.setQueryData(options.queryKey, {
      value: { hash: '0x', number: '0x', timestamp: '0x' },
      cursor: after,
      hasEnded: false,
    });
    const stopEvents = cache.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'success') onHash(event.action.data.value.hash);
    });
    const unsubscribe = new QueryObserver(cache, options).subscribe(() => {});
    return () => {
      unsubscribe();
      stopEvents();
    };
  });
  cache.clear();
});

test('the cache of Apollo Client stays small on a page that shows an account at each head', async () => {
  const client = new ApolloClient({ link: createGraphLink({ url }), cache: new InMemoryCache({ typePolicies }) });
  const live = gql(`subscription ($address: Address!) {
    newHeads { block { id account(address: $address) { id balance } } }
  }`);
  let events = 0;
  const subscription = client.subscribe({ query: live, variables: { address } }).subscribe(() => {
    events += 1;
  });
  await waitUntil(async () => {
    await setup.rpc('evm_mine');
    return events > 0;
  }, 'the subscription has started');
  const heads = runSize(100, 1_000);
  while (events < heads) {
    const expected = events + 20;
    await setup.rpc('anvil_mine', '0x14');
    await waitUntil(() => events >= expected, 'the heads have arrived');
  }
  expect(Object.keys(client.cache.extract() as object).length).toBeLessThan(2 * 50 + 10);
  subscription.unsubscribe();
  client.stop();
});

test('a subscription that ends with an error passes it to the client', async () => {
  const after = `0x${'ab'.repeat(32)}`;
  const client = new ApolloClient({ link: createGraphLink({ url }), cache: new InMemoryCache() });
  const reported = new Promise((resolve) => {
    client
      .subscribe({ query: gql(HEADS), variables: { after } })
      .subscribe({ next: ({ error }) => resolve(error), error: resolve });
  });
  const subscriptions = graphSubscriptionExchange(createEventStreamClient({ url }));
  const urql = new Client({ url, exchanges: [subscriptions], preferGetMethod: false });
  const result = new Promise((resolve) => {
    urql.subscription(urqlGql(HEADS), { after }).subscribe(resolve);
  });
  // Together: the cursor expires after three reads in ten seconds.
  expect(await reported).toMatchObject({ errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] });
  expect(await result).toMatchObject({ error: { graphQLErrors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] } });
  client.stop();
});

const ON_INTERFACES = `{ ...Head block { id ...Times } } fragment Head on ChainFields { chainID } fragment Times on Header { timestamp }`;

test('the caches of Apollo Client and urql have the fields of fragments on interfaces', async () => {
  const apollo = new ApolloClient({ link: createGraphLink({ url }), cache: new InMemoryCache({ typePolicies, possibleTypes }) });
  const urql = new Client({ url, exchanges: [graphcache({ keys, possibleTypes }), fetchExchange], preferGetMethod: false });
  const all = { chainID: expect.any(String), block: { timestamp: expect.any(String) } };
  expect((await urql.query(urqlGql(ON_INTERFACES), {}).toPromise()).data).toMatchObject(all);
  expect((await apollo.query({ query: gql(ON_INTERFACES) })).data).toMatchObject(all);
  apollo.stop();
});
