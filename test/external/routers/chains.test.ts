import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { outcomeDifference } from './outcomes.ts';
import { APOLLO_GATEWAY, composeSupergraph, HIVE_GATEWAY, type Router, startRouter } from './router-processes.ts';
import { configuredChain, readDevnet, upstreamSettings } from './split-graph.ts';

/** Two chains with a tournament each, served by one graph, and by two subgraphs behind routers. */
let graph: GraphProcess;
let supergraph: string;

beforeAll(async () => {
  const shared = { MULTI_CHAIN: 'on', LOG_LEVEL: 'error' };
  graph = await startGraph({ ...shared, DEVNET_LIFE: 'off', DEVNET_CHAINS: '2' });
  const devnet = await readDevnet(graph);
  const settings = { ...shared, ...upstreamSettings(devnet), CHAINS: writeChainsFile(devnet.chains!.map(configuredChain)) };
  const [chain, wizards] = await Promise.all(['chain,tokens', 'wizards'].map((DOMAIN) => startGraph({ ...settings, DOMAIN })));
  supergraph = await composeSupergraph({ chain: chain!.url, wizards: wizards!.url });
});

const PARTS = `fragment Parts on ChainFields {
  chainID
  block { number hash transactions { hash from { address balance } receipt { gasUsed } } }
  wizards(first: 3) { nodes { chainId id power owner { chainId address balance } createdBlock { timestamp } duels { nodes { id } } } }
}`;

const QUERIES = Object.entries({
  'of one chain': `{ chain(id: 31338) { ...Parts } } ${PARTS}`,
  'of two chains': `{ main: chain(id: 31337) { ...Parts } test: chain(id: 31338) { ...Parts } } ${PARTS}`,
  'of all chains, beside one that is not served': `{ chains { ...Parts } chain(id: 1) { chainID } } ${PARTS}`,
});

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY].map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  let router: Router;
  beforeAll(async () => {
    router = await startRouter(kind, supergraph);
  });

  test.each(QUERIES)('entities %s are those of the one graph', async (_chains, query) => {
    const [expected, received] = await Promise.all([graph.execute(query), router.execute(query)]);
    expect(JSON.stringify(expected.data)).toContain('"owner":{"chainId":"0x7a6a"');
    expect(outcomeDifference(expected, received)).toBeUndefined();
  });
});
