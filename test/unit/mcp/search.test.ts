import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { explainType } from '../../../src/mcp/explain.ts';
import { searchSchema } from '../../../src/mcp/search.ts';

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
])('a search for %j finds %s among the first ten', (text, coordinate) => {
  expect(find(text)).toContain(coordinate);
});

test('a search returns at most as many matches as requested, and none for unknown words', () => {
  expect(find('block', 3)).toHaveLength(3);
  expect(find('qwertyuiop')).toEqual([]);
  expect(find('!?')).toEqual([]);
});

test('an explanation has the definition of a type and where it is used', () => {
  const { sdl, returnedBy, acceptedBy } = explainType(schema, 'Duel');
  expect(sdl).toContain('startBlockNumber: Long!');
  expect(returnedBy).toEqual(expect.arrayContaining(['Query.duel', 'DuelEdge.node']));
  expect(returnedBy[0]).toMatch(/^(?:Query|Subscription)\./);
  expect(acceptedBy).toEqual([]);
  expect(explainType(schema, 'DuelFilter').acceptedBy).toContain('Query.duels(filter:)');
  expect(explainType(schema, 'WebhookEvent').possibleTypes.length).toBeGreaterThan(1);
});

test('an explanation of a field has its arguments and the types that it returns and takes', () => {
  const { sdl, related } = explainType(schema, 'Token.transfers');
  expect(sdl).toContain('transfers(fromBlock: Long, toBlock: Long');
  expect(sdl).toContain('# fromBlock: First height of the range');
  expect(related!.join('\n')).toContain('totalAmount: BigInt!');
});

test.each(['Nothing', 'Query.nothing', '__Schema', ''])('an explanation of %j is BAD_USER_INPUT', (name) => {
  expect(() => explainType(schema, name)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
});
