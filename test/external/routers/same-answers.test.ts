import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { readChainData } from '../../proofs/fuzz/chain-data.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { collectTestDocuments, type TestDocument } from '../../support/graph/test-documents.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { sendWebhook } from '../../support/webhooks/sender.ts';
import { generateQueries } from './generated-operations.ts';
import { outcomeDifference, type RouterTolerance } from './outcomes.ts';
import {
  APOLLO_GATEWAY,
  composeSupergraph,
  HIVE_GATEWAY,
  type Router,
  type RouterKind,
  startRouter,
} from './router-processes.ts';
import {
  createDatabase,
  type ForeignSubgraph,
  readDevnet,
  startForeignSubgraph,
  startSubgraphs,
  upstreamSettings,
  urlsOf,
} from './split-graph.ts';

/**
 * The one graph, and the subgraphs behind a router, return equal responses over a chain that does not move. These tests leave out
 * only differences of a router that docs/routers.md describes.
 */
const schema = composeSchema(domains);
/** Fixed in short runs: which generated queries differ depends on the routers, not on this project. */
const SEED = runSize(1, readSeed());
const GENERATED = runSize(100, 10_000);
const CONCURRENCY = 4;
const WEBHOOK_TOKEN = 'any-token-canary-Pm43Vs';

interface ComparedRouter {
  readonly kind: RouterKind;
  readonly isComparable: (query: string) => boolean;
  readonly tolerance?: RouterTolerance;
  /** Whether a documented difference explains the difference of a generated query. */
  readonly isKnownDifference?: (difference: string) => boolean;
}

/** Whether all values of a query are the same for any settings: a subgraph has its own limits, and not the token list of the embedded network. */
const isIndependentOfSettings = (query: string): boolean =>
  !/\b(?:limits|label)\b|\btokenBalances\b(?!\(contracts: (?:\[|"))/.test(query);

const ROUTERS: readonly ComparedRouter[] = [
  {
    kind: HIVE_GATEWAY,
    // Merges conditions of equal fields, and fails for selections of `__typename` alone in a fragment.
    isComparable: (query) => !/@(skip|include)|\.\.\.( on \w+)? \{ *__typename *\}|\.\.\. on Header/.test(query),
    tolerance: {
      // Leaves the list index of an entity out of the path, or reports an error for one of several equal entities.
      pathOf: (path) => path.filter((key) => typeof key === 'string').join('.'),
      replacesErrorsBelowNull: true,
    },
    // Replaces several errors that make an item of a list null.
    isKnownDifference: (difference) => /^unexpected error INTERNAL_SERVER_ERROR at \S+: Unexpected error\.\n/.test(difference),
  },
  {
    kind: APOLLO_GATEWAY,
    // Executes fragments that a condition excludes, if their fields are selected elsewhere.
    isComparable: (query) => !/\.\.\.[\w ]*@(skip|include)/.test(query),
    // Sends equal entities several times, in requests above the limit of a body. Requests no object whose condition is a variable if a
    // literal condition excludes all its fields, and responds null.
    isKnownDifference: (difference) => /^unexpected error PAYLOAD_TOO_LARGE |^\S+ is null instead of \{\}\n/.test(difference),
  },
];

let graph: GraphProcess;
let foreign: ForeignSubgraph;
const started = new Map<ComparedRouter, Router>();

beforeAll(async () => {
  // Routers send parts of an operation, which cost less than the whole. A busy machine does not reach the times.
  const times = { RPC_TIMEOUT_MS: '100000', OPERATION_TIMEOUT_MS: '100000' };
  const limits = { MAX_COST: '1000000', LOG_LEVEL: 'error', ...times };
  const webhooks = { DATABASE_URL: await createDatabase(), WEBHOOK_AUTH_TOKENS: WEBHOOK_TOKEN };
  graph = await startGraph({ DEVNET_LIFE: 'off', ...limits, ...webhooks });
  const subgraphs = await startSubgraphs({ ...upstreamSettings(await readDevnet(graph)), ...limits, ...webhooks });
  // The one graph and the subgraph share the events.
  for (const body of Object.values(BODIES)) await sendWebhook(graph.url, WEBHOOK_TOKEN, JSON.stringify(body));
  foreign = await startForeignSubgraph();
  const supergraph = await composeSupergraph({ ...urlsOf(subgraphs), profiles: foreign.url });
  for (const compared of ROUTERS) started.set(compared, await startRouter(compared.kind, supergraph));
});

afterAll(() => foreign?.stop());

/** The differences between the one graph and a router, one line for each operation. */
async function differences(compared: ComparedRouter, operations: readonly TestDocument[]): Promise<string[]> {
  const found: string[] = [];
  const router = started.get(compared)!;
  let next = 0;
  const compareNext = async (): Promise<void> => {
    for (let i = next++; i < operations.length; i = next++) {
      const { query, variables } = operations[i]!;
      const [expected, received] = await Promise.all([graph.execute(query, variables), router.execute(query, variables)]);
      const difference = outcomeDifference(expected, received, compared.tolerance);
      if (difference) found.push(`${difference}\n${query}\n${JSON.stringify(variables)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, compareNext));
  return found;
}

describe.each(ROUTERS)('$kind.name', (router) => {
  test('fields of a foreign subgraph, and of entities that it refers to, are in one response', async () => {
    const fields = 'power owner { address balance } createdBlock { timestamp }';
    const query = `{ favouriteWizard { story ${fields.replace('address', 'address nickname')} } }`;
    const { data } = await graph.execute(`{ wizard(id: "1") { ${fields} } }`);
    const { owner, ...wizard } = data.wizard;
    const nickname = `owner ${owner.address.slice(-4)}`;
    expect(await started.get(router)!.execute(query)).toEqual({
      status: 200,
      data: { favouriteWizard: { story: 'Wizard 1 found a grimoire.', ...wizard, owner: { ...owner, nickname } } },
    });
  });

  test('queries of examples/ return the response of the one graph', async () => {
    const folder = new URL('../../../examples/', import.meta.url);
    const queries = readdirSync(folder)
      .filter((file) => file.endsWith('.graphql'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      // Live queries are served by the one graph only.
      .filter((text) => !/^(?:subscription|mutation) |^query .*@live /m.test(text))
      .map((query) => ({ query, variables: {} }));
    expect(queries.length).toBeGreaterThan(5);
    expect(await differences(router, queries)).toEqual([]);
  });

  test('queries of the tests of plans and values return the response of the one graph', async () => {
    const { accounts, landmarks } = await readDevnet(graph);
    const alice = accounts[0]!.address;
    const documents = collectTestDocuments(['process/upstream', 'process/queries', 'api'], schema, {
      expressions: { alice },
      variables: { Long: landmarks.crowdedBlock, Bytes32: landmarks.tokenTransfer, Address: alice, Boolean: true },
    });
    const comparable = documents.filter(
      ({ query }) => router.isComparable(query) && isIndependentOfSettings(query) && !/__schema|@live/.test(query),
    );
    expect(comparable.length).toBeGreaterThan(150);
    expect(await differences(router, comparable)).toEqual([]);
  });

  test(`${GENERATED} generated queries return the response of the one graph`, async () => {
    const isComparable = (query: string) => isIndependentOfSettings(query) && router.isComparable(query);
    const operations = generateQueries(schema, await readChainData(graph), { seed: SEED, count: GENERATED }, isComparable);
    const found = await differences(router, operations);
    expect(found.filter((difference) => !router.isKnownDifference?.(difference))).toEqual([]);
  });
});
