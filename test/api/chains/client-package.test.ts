import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, fetchExchange, gql as urqlGql } from '@urql/core';
import { cacheExchange as graphcache } from '@urql/exchange-graphcache';
import { createGraphLink, typePolicies } from '../../../clients/js/src/apollo.ts';
import { createEventStreamClient, follow } from '../../../clients/js/src/index.ts';
import { type SyncPage, sync } from '../../../clients/js/src/sync.ts';
import { keys } from '../../../clients/js/src/urql.ts';
import { CHAIN_IDS, startChainsGraph } from '../../support/graph/chains-graph.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import type { SimChain } from '../../support/simulator/chain.ts';

/** The client package against a server with several chains. */
let chains: readonly SimChain[];
let graph: RunningGraph;
let url: string;

beforeAll(async () => {
  ({ chains, graph } = await startChainsGraph());
  url = `${graph.url}/graphql`;
});

test('follow receives the blocks of the chain that it names', async () => {
  const client = createEventStreamClient({ url });
  const query = 'subscription ($from: Long, $chainId: ChainId) { newHeads(fromBlock: $from, chainId: $chainId) { hash } }';
  for (const [i, chain] of [undefined, 5, '0x7'].entries()) {
    const { number, hash } = chains[i]!.head.header;
    const { value } = await follow(client, { query, chain, variables: { from: number } }).next();
    expect(value).toEqual({ newHeads: { hash } });
  }
});

test('sync stores the logs of the chain that it names', async () => {
  const blockHashes: string[] = [];
  const control = new AbortController();
  const store = {
    position: async () => undefined,
    async apply({ added }: SyncPage<{ blockHash: string }>) {
      blockHashes.push(...added.map(({ blockHash }) => blockHash));
      control.abort();
    },
  };
  const client = createEventStreamClient({ url });
  await sync({ client, logs: { fields: 'blockHash' }, chain: 7, from: 0, store, signal: control.signal });
  expect(blockHashes.length).toBeGreaterThan(0);
  const { data } = await graph.execute('{ chain(id: 7) { blocks(from: 0) { hash } } }');
  expect(data.chain.blocks.map(({ hash }: { hash: string }) => hash)).toEqual(expect.arrayContaining(blockHashes));
});

const CHAIN_HEADS = '{ chains { __typename chainID block { __typename id number } } }';
const WIZARDS = `{
  five: chain(id: 5) { __typename chainID network { __typename networkID } wizard(id: "1") { __typename id chainId power } }
  seven: chain(id: 7) { __typename chainID network { __typename networkID } wizard(id: "1") { __typename id chainId power } }
}`;
const chainWithWizard = (chainId: string, power: string) => ({
  ...{ __typename: 'Chain', chainID: chainId, network: { __typename: 'Network', networkID: chainId } },
  wizard: { __typename: 'Wizard', id: '1', chainId, power },
});

test('the caches of Apollo Client and urql merge no objects of two chains', async () => {
  const cache = new InMemoryCache({ typePolicies });
  const apollo = new ApolloClient({ link: createGraphLink({ url }), cache });
  const urql = new Client({ url, exchanges: [graphcache({ keys }), fetchExchange], preferGetMethod: false });
  await apollo.query({ query: gql(CHAIN_HEADS) });
  await urql.query(urqlGql(CHAIN_HEADS), {}).toPromise();
  const { data } = await urql.query(urqlGql(CHAIN_HEADS), {}, { requestPolicy: 'cache-only' }).toPromise();
  const expected = chains.map(({ head: { header } }, i) => ({ chainID: CHAIN_IDS[i], block: { number: header.number } }));
  for (const cached of [data, apollo.readQuery<any>({ query: gql(CHAIN_HEADS) })])
    expect(cached).toMatchObject({ chains: expected });
  expect(Object.keys(cache.extract())).toEqual(expect.arrayContaining(CHAIN_IDS.map((id) => `Chain:${id}`)));
  // The key of a wizard contains the `chainId` of a server whose schema has it.
  const wizards = { five: chainWithWizard('0x5', '10'), seven: chainWithWizard('0x7', '20') };
  cache.writeQuery({ query: gql(WIZARDS), data: wizards });
  expect(cache.readQuery({ query: gql(WIZARDS) })).toEqual(wizards);
  expect(Object.values(wizards).map(({ wizard }) => keys.Wizard!(wizard))).toEqual(['0x5:1', '0x7:1']);
  apollo.stop();
});
