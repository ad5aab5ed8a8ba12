import { beforeAll, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';

/** The setting INTROSPECTION. `test/api/transports.test.ts` compares the errors of the transports. */
let openGraph: RunningGraph;
let closedGraph: RunningGraph;

beforeAll(async () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine();
  const node = await startSimNode({ chain });
  // With WIZARDS_URL, so that the graph has every domain; no test reads the tournament.
  const settings = { RPC_URL: node.url, RPC_WS_URL: node.wsUrl, WIZARDS_URL: node.url };
  openGraph = await serveGraph(settings);
  closedGraph = await serveGraph({ ...settings, INTROSPECTION: 'off' });
});

const MISSPELLED: [string, string, Record<string, unknown> | undefined, string][] = [
  ['a field', '{ blok { hash } }', undefined, 'block'],
  ['an argument', '{ block(nmber: 1) { hash } }', undefined, 'number'],
  ['a type', 'query ($t: BlokTag) { block(tag: $t) { hash } }', undefined, 'BlockTag'],
  ['a field of an input', '{ logs(filter: {fromBlok: 1}) { data } }', undefined, 'fromBlock'],
  ['an enum value', '{ block(tag: LATST) { hash } }', undefined, 'LATEST'],
  ['an enum value in a variable', 'query ($t: BlockTag) { block(tag: $t) { hash } }', { t: 'LATST' }, 'LATEST'],
  [
    'a field of an input in a variable',
    'query ($f: BlockFilterCriteria!) { block { logs(filter: $f) { data } } }',
    { f: { adresses: [] } },
    'addresses',
  ],
];

test('introspection is allowed by default', async () => {
  const { data } = await openGraph.execute(getIntrospectionQuery());
  expect(buildClientSchema(data).getQueryType()!.name).toBe('Query');
});

test.each(['{ __schema { queryType { name } } }', '{ a: __type(name: "Block") { name } }'])(
  'INTROSPECTION=off rejects %s and names the setting',
  async (query) => {
    const { data, errors } = await closedGraph.execute(query);
    expect(data).toBeUndefined();
    expect(errors!.map(({ message }) => message)).toContain('Introspection is off on this server (INTROSPECTION).');
    expect(errors![0]!.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  },
);

test('INTROSPECTION=off allows __typename', async () => {
  const { data } = await closedGraph.execute('{ __typename block(number: 1) { __typename } }');
  expect(data).toEqual({ __typename: 'Query', block: { __typename: 'Block' } });
});

test.each(MISSPELLED)(
  'a misspelled %s returns a suggestion, and none with INTROSPECTION=off',
  async (...[, query, variables, name]) => {
    const [helped, refused] = await Promise.all([openGraph.execute(query, variables), closedGraph.execute(query, variables)]);
    expect(helped.errors![0]!.message).toMatch(new RegExp(` Did you mean .*"${name}".*\\?$`));
    expect(refused.errors![0]!.message).not.toMatch(new RegExp(`Did you mean|\\b${name}\\b`));
  },
);

test('an unknown argument lists the accepted ones, and none with INTROSPECTION=off', async () => {
  const query = '{ block(height: 1) { hash } }';
  const [helped, refused] = await Promise.all([openGraph.execute(query), closedGraph.execute(query)]);
  expect(helped.errors![0]!.message).toBe(`${refused.errors![0]!.message} Accepted: number, hash, tag, timestamp, offset.`);
});

test('a document with more than 9 errors returns the first 9 and a note', async () => {
  const { errors } = await openGraph.execute(`{ ${Array.from({ length: 40 }, (_, i) => `unknown${i}`).join(' ')} }`);
  expect(errors).toHaveLength(10);
  expect(errors![9]).toMatchObject({
    message: 'The document has more than 9 errors; only the first 9 are listed.',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', limit: 9, retryable: false },
  });
});

test('variables with more than 9 errors return the first 9 and a note', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `$v${i}: Long!`);
  const { errors } = await openGraph.execute(
    `query (${names.join()}) { ${names.map((_, i) => `a${i}: block(number: $v${i}) { hash }`).join(' ')} }`,
    {},
  );
  expect(errors).toHaveLength(10);
  expect(errors![9]).toMatchObject({
    message: 'The variables have more than 9 errors; only the first 9 are listed.',
    extensions: { code: 'BAD_USER_INPUT', limit: 9 },
  });
});
