import { expect, test } from '@jest/globals';
import { getIntrospectionQuery, graphqlSync } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { explainType } from '../../../src/mcp/explain.ts';
import type { GraphClient } from '../../../src/mcp/graph-client.ts';
import { createSchemaSource, readOperation, validationProblems } from '../../../src/mcp/graph-schema.ts';
import { searchSchema } from '../../../src/mcp/search.ts';
import { LIMITS } from '../../support/graph/toy-server.ts';

const schema = composeSchema(domains);
const find = (text: string, limit = 10) => searchSchema(schema, text, limit).map(({ coordinate }) => coordinate);

test.each([
  ['token balances of an account', 'Account.tokenBalances'],
  ['transfers of a token', 'Token.transfers'],
  ['submit a signed transaction', 'Mutation.submitTransaction'],
  ['wizards', 'Query.wizards'],
  ['fee history', 'Query.feeHistory'],
  ['newHeads', 'Subscription.newHeads'],
  ['order of wizards by duels won', 'WizardOrder.WON_DESC'],
  ['logs filter', 'Query.logs'],
  ['WON_DESC', 'WizardOrder.WON_DESC'],
])('a search for %j finds %s among the first ten', (text, coordinate) => {
  expect(find(text)).toContain(coordinate);
});

test.each([
  ['balance of an account at a past block', 'Account.balance'],
  ['gas price trend', 'Query.feeHistory'],
  ['decode a transaction', 'Transaction.decoded'],
  ['who won the duel', 'Duel.winner'],
  ['wizard power ranking', 'Query.wizards'],
  ['wizard power ranking', 'WizardOrder.POWER_DESC'],
  ['read contract function', 'Block.call'],
  ['from', 'Transaction.from'],
])('a question such as %j finds %s among the first six', (text, coordinate) => {
  expect(find(text, 6)).toContain(coordinate);
});

test('a search for a name finds the field of that name of a type that queries return first', () => {
  expect(find('balance', 1)).toEqual(['Account.balance']);
});

test('a search finds each root field once, and the fields that return chains', () => {
  expect(find('gasPrice', 50)).toContain('Query.gasPrice');
  expect(find('gasPrice', 50)).not.toContain('Chain.gasPrice');
  expect(find('gasPrice', 50)).not.toContain('ChainFields.gasPrice');
  expect(find('several chains', 3)).toEqual(['Query.chain', 'Query.chains', 'Chain']);
});

test('a search returns at most the requested number of matches, and none for unknown words', () => {
  expect(find('block', 3)).toHaveLength(3);
  expect(find('qwertyuiop')).toEqual([]);
  expect(find('!?')).toEqual([]);
});

test('an explanation has the definition of a type and where it is used', () => {
  expect(explainType(schema, 'Duel')).toMatchObject({
    sdl: expect.stringContaining('startBlockNumber: Long!'),
    returnedBy: expect.arrayContaining(['Query.duel', 'DuelEdge.node']),
    acceptedBy: [],
  });
  expect(explainType(schema, 'Duel')).toHaveProperty('returnedBy.0', expect.stringMatching(/^(?:Query|Subscription)\./));
  expect(explainType(schema, 'DuelFilter')).toHaveProperty('acceptedBy', expect.arrayContaining(['Query.duels(filter:)']));
  expect(explainType(schema, 'WebhookEvent')).toHaveProperty('possibleTypes.1', expect.any(String));
});

test('an explanation of a field has its arguments and the types that it returns and takes', () => {
  const { sdl, related } = explainType(schema, 'Token.transfers') as { readonly sdl: string; readonly related: string[] };
  expect(sdl).toMatch(/^type Token \{\n/);
  expect(sdl).toMatch(/transfers\([^)]*First height of the range[^)]*fromBlock: Long\n/);
  expect(related.join('\n')).toContain('totalAmount: BigInt!');
});

test('an explanation of an enum value is the definition of its enum', () => {
  expect(explainType(schema, 'WizardOrder.WON_DESC')).toMatchObject({ sdl: expect.stringContaining('  WON_DESC') });
});

test.each([
  ['Acount', /Did you mean .*\bAccount\b/],
  ['Block.hashes', /Did you mean .*\bBlock\.transactionHashes\b/],
  ['WizardOrder.WON', /Did you mean .*\bWizardOrder\.WON_DESC\b/],
])('the error of an explanation of %s suggests similar names', (name, suggestion) => {
  expect(() => explainType(schema, name)).toThrow(suggestion);
});

test.each(['Nothing', 'Query.nothing', '__Schema', ''])('an explanation of %j fails with BAD_USER_INPUT', (name) => {
  expect(() => explainType(schema, name)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
});

const problemsOf = (query: string) => validationProblems(schema, readOperation(query, undefined).document, LIMITS);

const ADDRESS = '0x00000000000000000000000000000000000000aa';

test.each([
  ['1,000 equal fields', `{ block { ${'number '.repeat(1_000)} } }`],
  ['500 equal fields with selections', `{ block { ${'parent { number } '.repeat(500)} } }`],
  ['500 equal fields with arguments', `{ block { ${`account(address: "${ADDRESS}") { balance } `.repeat(500)} } }`],
])('a document with %s has no problem', (_case, query) => {
  expect(problemsOf(query)).toEqual([]);
});

test('each problem has its message, its position and its code, and at most ten are returned', () => {
  expect(problemsOf('{ block { number: hash number } }')).toEqual([
    {
      message: expect.stringContaining('"hash" and "number" are different fields'),
      locations: [
        { line: 1, column: 11 },
        { line: 1, column: 24 },
      ],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    },
  ]);
  expect(problemsOf(`{ ${'unknown '.repeat(50)} }`)).toHaveLength(10);
});

test('a document whose fragments expand to more selections than the graph accepts fails with QUERY_TOO_COMPLEX', () => {
  const levels = Array.from(
    { length: 30 },
    (_, i) => `fragment F${i} on Block { a: parent { ...F${i + 1} } b: parent { ...F${i + 1} } }`,
  );
  const query = `{ block { ...F0 } } ${levels.join(' ')} fragment F30 on Block { number }`;
  expect(() => problemsOf(query)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
});

test('a word that is a property of every object is searched as other words are', () => {
  expect(find('constructor arguments of a contract')).not.toHaveLength(0);
  expect(() => explainType(schema, 'Block.constructor')).toThrow('has no field "constructor"');
});

test('the introspection of a caller above its rate does not fail the call of another one', async () => {
  const schemaOf = createSchemaSource();
  const clientOf = (response: object) => ({ execute: async () => response }) as unknown as GraphClient;
  const limited = clientOf({ errors: [{ message: 'Too fast.', extensions: { code: 'RATE_LIMITED' } }] });
  const allowed = clientOf(graphqlSync({ schema, source: getIntrospectionQuery() }));
  const calls = [limited, allowed, limited].map((client) => schemaOf(client));
  const statuses = (await Promise.allSettled(calls)).map(({ status }) => status);
  expect(statuses.slice(0, 2)).toEqual(['rejected', 'fulfilled']);
  expect(await schemaOf(limited)).toBe(await calls[1]);
});

test('a document that is nested too deeply to be parsed is too complex, as in the graph', () => {
  expect(() => readOperation('{ a '.repeat(9_900), undefined)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
});
