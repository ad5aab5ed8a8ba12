import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import { subgraphSchema } from '../../../../src/graphql/federation/subgraph.ts';
import { addressOf, hashOf } from '../../../support/upstream/rpc-fixtures.ts';

const schema = subgraphSchema(domains);
const weights = Object.assign({}, ...domains.map((domain) => domain.weights));

const priced = (selection: string, all: unknown) => {
  const document = parse(`query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} } }`);
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables: { all } };
};
const pricer = (MAX_COST = 5_000) => createOperationPricer({ MAX_COST, MAX_BLOCKS: 100 }, weights);
const estimate = (selection: string, all: unknown): number => pricer().estimate(priced(selection, all));

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 100 }, (_none, i) => make(i + 1));
const accounts = many((i) => ({ __typename: 'Account', address: addressOf(i) }));
const blocks = many((i) => ({ __typename: 'Block', number: `0x${i.toString(16)}` }));

test.each<[string, string, unknown, number]>([
  ['100 balances', '... on Account { balance }', accounts, 102],
  ['100 addresses', '... on Account { address }', accounts, 2],
  ['100 blocks by their keys', '... on Block { number }', blocks, 2],
  ['100 blocks', '... on Block { number hash }', blocks, 103],
  ['100 blocks with their receipts', '... on Block { receipts { gasUsed } }', blocks, 100 + 100 * 20 + 1 + 100 * 200 * 0.02],
  [
    '100 transaction receipts',
    '... on Receipt { gasUsed }',
    many((i) => ({ __typename: 'Receipt', transactionHash: hashOf(i) })),
    102,
  ],
  ['100 transactions', '... on Transaction { value }', many((i) => ({ __typename: 'Transaction', hash: hashOf(i) })), 102],
  ['100 tokens', '... on Token { symbol }', many((i) => ({ __typename: 'Token', address: addressOf(i) })), 302],
  ['100 wizards', '... on Wizard { power }', many((i) => ({ __typename: 'Wizard', id: String(i) })), 12],
  ['100 unknown entities', '... on Account { balance }', many(() => ({ __typename: 'Nothing' })), 1],
  ['a value that is not a list', '... on Account { balance }', 'Account', 0],
])('operation pricer prices %s by the selection of their type', (_case, selection, all, expected) => {
  expect(estimate(selection, all)).toBe(Math.ceil(Number(expected.toFixed(6))));
});

test('operation pricer prices entities of several types each by its own fragments', () => {
  const selection = '... on Account { balance } ... on Block { hash }';
  const both = [...accounts, ...blocks];
  expect(estimate(selection, both)).toBe(
    estimate('... on Account { balance }', accounts) + estimate('... on Block { hash }', blocks),
  );
  expect(estimate('... on _Entity { ... on Account { balance } } ... on Header { hash }', accounts)).toBe(
    estimate('... on Account { balance }', accounts),
  );
});

test('operation pricer rejects representations above MAX_COST with the path of the most expensive field', () => {
  expect(() => pricer(100).check(priced('... on Account { balance }', accounts))).toThrow(
    expect.objectContaining({
      code: 'QUERY_TOO_COMPLEX',
      extensions: expect.objectContaining({ limit: 100, actual: 102, mostExpensivePath: '_entities.balance' }),
    }),
  );
  expect(() => pricer(102).check(priced('... on Account { balance }', accounts))).not.toThrow();
});
