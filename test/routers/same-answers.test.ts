import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { domains } from '../../src/installed-domains.ts';
import { readChainData } from '../simulation/fuzz/chain-data.ts';
import { createOperationGenerator } from '../simulation/fuzz/operations.ts';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { collectTestDocuments, type TestDocument } from '../support/graph/test-documents.ts';
import { createRandomChoices } from '../support/random-choices.ts';
import { readSeed, runSize } from '../support/random-tests.ts';
import { outcomeDifference } from './outcomes.ts';
import { APOLLO_GATEWAY, composeSupergraph, HIVE_GATEWAY, type Router, startRouter } from './router-processes.ts';
import { readDevnet, startSubgraphs, upstreamSettings, urlsOf } from './split-graph.ts';

/** The one graph and the subgraphs behind a router, over a chain that does not move, return equal responses. */
const schema = composeSchema(domains);
const SEED = readSeed();
const GENERATED = runSize(300, 10_000);
const CONCURRENCY = 4;

let graph: GraphProcess;
const routers: Record<string, Router> = {};

beforeAll(async () => {
  // Routers send parts of an operation, which cost less than the whole.
  const limits = { MAX_COST: '1000000', LOG_LEVEL: 'error' };
  graph = await startGraph({ DEVNET_LIFE: 'off', ...limits });
  const subgraphs = await startSubgraphs({ ...upstreamSettings(await readDevnet(graph)), ...limits });
  const supergraph = await composeSupergraph(urlsOf(subgraphs));
  for (const kind of [HIVE_GATEWAY, APOLLO_GATEWAY]) routers[kind.name] = await startRouter(kind, supergraph);
});

/** The differences between the one graph and a router, one line for each operation. */
async function differences(router: Router, operations: readonly TestDocument[]): Promise<string[]> {
  const found: string[] = [];
  let next = 0;
  const compareNext = async (): Promise<void> => {
    for (let i = next++; i < operations.length; i = next++) {
      const { query, variables } = operations[i]!;
      const [expected, received] = await Promise.all([graph.execute(query, variables), router.execute(query, variables)]);
      const difference = outcomeDifference(expected, received);
      if (difference) found.push(`${difference}\n${query}\n${JSON.stringify(variables)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, compareNext));
  return found;
}

describe.each([HIVE_GATEWAY.name, APOLLO_GATEWAY.name])('%s', (name) => {
  test('queries of examples/ return the response of the one graph', async () => {
    const folder = new URL('../../examples/', import.meta.url);
    const queries = readdirSync(folder)
      .filter((file) => file.endsWith('.graphql'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      .filter((text) => !/^subscription /m.test(text))
      .map((query) => ({ query, variables: {} }));
    expect(queries.length).toBeGreaterThan(5);
    expect(await differences(routers[name]!, queries)).toEqual([]);
  });

  test('queries of the tests of plans and values return the response of the one graph', async () => {
    const { accounts, landmarks } = await readDevnet(graph);
    const alice = accounts[0]!.address;
    const documents = collectTestDocuments(['e2e/upstream', 'e2e/queries', 'graph'], schema, {
      expressions: { alice },
      variables: { Long: landmarks.crowdedBlock, Bytes32: landmarks.tokenTransfer, Address: alice, Boolean: true },
    });
    expect(documents.length).toBeGreaterThan(150);
    expect(await differences(routers[name]!, documents)).toEqual([]);
  });

  test(`${GENERATED} generated queries return the response of the one graph (SEED=${SEED})`, async () => {
    const generate = createOperationGenerator(schema, await readChainData(graph));
    const operations: TestDocument[] = [];
    for (let i = 0; operations.length < GENERATED; i++) {
      const { query, variables, isWellFormed } = generate(createRandomChoices(Math.imul(SEED + i, 0x9e3779b1)));
      if (isWellFormed && !/\bmutation\b|__schema/.test(query)) operations.push({ query, variables: JSON.parse(variables) });
    }
    expect(await differences(routers[name]!, operations)).toEqual([]);
  });
});
