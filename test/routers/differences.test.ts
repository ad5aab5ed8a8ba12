import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { APOLLO_GATEWAY, composeSupergraph, HIVE_GATEWAY, type Router, startRouter } from './router-processes.ts';
import { readDevnet, startSubgraphs, upstreamSettings, urlsOf } from './split-graph.ts';

/**
 * The differences of docs/routers.md, a test for each. A test that fails after an update of a router shows that a difference is gone:
 * remove its row, and its exception in same-answers.test.ts.
 */
let graph: GraphProcess;
let hive: Router;
let apollo: Router;
let token: string;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' });
  const devnet = await readDevnet(graph);
  token = devnet.contracts[0]!.address;
  const subgraphs = await startSubgraphs({ ...upstreamSettings(devnet), LOG_LEVEL: 'error' });
  const supergraph = await composeSupergraph(urlsOf(subgraphs));
  hive = await startRouter(HIVE_GATEWAY, supergraph);
  apollo = await startRouter(APOLLO_GATEWAY, supergraph);
});

interface Response {
  readonly data?: any;
  readonly errors?: readonly { readonly path?: (string | number)[]; readonly extensions: any }[];
}

/** `<code> at <path>` of each error. */
const errorsOf = ({ errors = [] }: Response): string[] =>
  errors.map(({ extensions, path = [] }) => `${extensions.code} at ${path.join('.')}`);

describe('Hive Gateway', () => {
  test('merges equal fields with different conditions, and the first condition wins', async () => {
    const query = '{ network { listening @include(if: false) listening networkID } }';
    expect((await graph.execute(query)).data.network.listening).toBe(true);
    expect((await hive.execute(query)).data.network.listening).toBeNull();
  });

  test('fails for an object with __typename alone, in a fragment', async () => {
    const query = '{ duels { pageInfo { ... on PageInfo { __typename } } } }';
    expect((await graph.execute(query)).data).toEqual({ duels: { pageInfo: { __typename: 'PageInfo' } } });
    expect(errorsOf(await hive.execute(query))).toEqual(['undefined at duels']);
  });

  test('leaves list indexes out of the path of an entity', async () => {
    const query = '{ blocks(from: 1, to: 2) { duelsStarted(after: "none") { totalCount } } }';
    const paths = ['blocks.0.duelsStarted', 'blocks.1.duelsStarted'];
    expect(errorsOf(await graph.execute(query))).toEqual(paths.map((path) => `BAD_USER_INPUT at ${path}`));
    expect(new Set(errorsOf(await hive.execute(query)))).toEqual(new Set(['BAD_USER_INPUT at blocks.duelsStarted']));
  });

  test('reports the errors of equal entities at the path of the first one', async () => {
    const query = '{ block(number: 20) { transactions { from { wizards(after: "none") { totalCount } } } } }';
    const paths = (response: Response) => new Set(errorsOf(response));
    expect(paths(await graph.execute(query)).size).toBeGreaterThan(20);
    expect(paths(await hive.execute(query)).size).toBeLessThan(20);
  });

  test('replaces the error of a field by INTERNAL_SERVER_ERROR of another field if their object is null', async () => {
    const query = '{ gasPrice blocks(from: null) { hash } }';
    expect(errorsOf(await graph.execute(query))).toEqual(['BAD_USER_INPUT at blocks']);
    expect(errorsOf(await hive.execute(query))).toEqual(['INTERNAL_SERVER_ERROR at gasPrice']);
  });

  test('rounds integers above 2^53 in a document', async () => {
    const query = '{ wizards(filter: { minPower: 9007199254740993 }) { totalCount } }';
    expect(errorsOf(await graph.execute(query))).toEqual([]);
    expect(errorsOf(await hive.execute(query))).toEqual(['BAD_USER_INPUT at wizards']);
    expect(errorsOf(await hive.execute(query.replace(/\d+/, '"$&"')))).toEqual([]);
  });

  test('adds the key of a block beside the nullable field of its interface', async () => {
    const query = '{ block(number: 16) { ... on Header { number } duelsStarted { totalCount } } }';
    expect(errorsOf(await graph.execute(query))).toEqual([]);
    expect(errorsOf(await hive.execute(query))).toEqual(['GRAPHQL_VALIDATION_FAILED at block']);
    expect(errorsOf(await hive.execute(query.replace('number }', 'height: number }')))).toEqual([]);
  });

  test('responds to an invalid document with status 200', async () => {
    expect(await graph.execute('{ nothing }')).toMatchObject({ status: 400 });
    expect(await hive.execute('{ nothing }')).toMatchObject({ status: 200 });
  });
});

describe('Apollo Gateway', () => {
  test('executes an excluded fragment in an object that is included by a condition', async () => {
    const query = `query ($yes: Boolean!) { wizards(first: 1) @include(if: $yes) { edges { cursor } ...Duels @skip(if: true) } }
      fragment Duels on WizardConnection { edges { node { duels(after: "none") { totalCount } } } }`;
    expect(errorsOf(await graph.execute(query, { yes: true }))).toEqual([]);
    expect(errorsOf(await apollo.execute(query, { yes: true }))).toEqual(['BAD_USER_INPUT at wizards.edges.0.node.duels']);
  });

  test('reports INVALID_GRAPHQL with status 500 for several operations without a name', async () => {
    const query = 'query A { chainID } query B { chainID }';
    expect(errorsOf(await graph.execute(query))).toEqual(['OPERATION_RESOLUTION_FAILURE at ']);
    expect(errorsOf(await hive.execute(query))).toEqual(['OPERATION_RESOLUTION_FAILURE at ']);
    const response = await apollo.execute(query);
    expect([response.status, ...errorsOf(response)]).toEqual([500, 'INVALID_GRAPHQL at ']);
  });

  test('sends equal entities several times, so that a request can exceed the maximum size', async () => {
    const query = `{ logs(filter: { fromBlock: 21, toBlock: 21 }) {
      block { parent { receipts { from { tokenBalance(contract: "${token}") { tokenBalance } } } } } } }`;
    expect(errorsOf(await graph.execute(query))).toEqual([]);
    expect(errorsOf(await hive.execute(query))).toEqual([]);
    expect(errorsOf(await apollo.execute(query))).toEqual(['PAYLOAD_TOO_LARGE at ']);
  });
});

describe.each([
  ['Hive Gateway', () => hive, 'block'],
  ['Apollo Gateway', () => apollo, ''],
])('%s', (_name, router, path) => {
  test('passes an invalid variable on, and returns the fields of other subgraphs', async () => {
    const query = 'query ($n: Long) { block(number: $n) { hash } wizards(first: 1) { totalCount } }';
    const rejected = await graph.execute(query, { n: 'x' });
    expect([rejected.status, rejected.data, errorsOf(rejected)]).toEqual([400, undefined, ['BAD_USER_INPUT at ']]);
    const response = await router().execute(query, { n: 'x' });
    expect([response.status, response.data.block]).toEqual([200, null]);
    expect(response.data.wizards.totalCount).toBeGreaterThan(0);
    expect(errorsOf(response)).toEqual([`BAD_USER_INPUT at ${path}`]);
  });

  test('limits the cost of each subgraph request, not of the operation', async () => {
    const blocks =
      'blocks(from: 0, to: 29) { miner { balance code transactionCount } transactions { value } receipts { status } }';
    const query = `{ a: ${blocks} b: ${blocks} c: ${blocks}
      wizards(first: 500) { nodes { duels { nodes { id } } owner { wizards { nodes { duels { nodes { id } } } } } } } }`;
    const rejected = await graph.execute(query);
    expect([rejected.data, errorsOf(rejected)]).toEqual([undefined, ['QUERY_TOO_COMPLEX at ']]);
    const response = await router().execute(query);
    expect([response.data.a, response.data.c].map(({ length }) => length)).toEqual([30, 30]);
  });

  test('does not return the extensions of responses', async () => {
    const request = ['{ block { number } }', {}, { 'x-graph-cost': '1' }] as const;
    const response = await router().execute(...request);
    expect(response).toEqual({ status: 200, data: { block: { number: expect.any(String) } } });
  });
});
