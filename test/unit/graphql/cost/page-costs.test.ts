import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { type ChainFacts, NO_CHAIN_FACTS } from '../../../../src/graphql/cost/field-cost.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';

const schema = composeSchema(domains);
const weights = Object.assign({}, ...domains.map((domain) => domain.weights));

/** The estimate of an operation, rounded up. */
function estimate(query: string, variables: Record<string, unknown> = {}, facts: ChainFacts = NO_CHAIN_FACTS): number {
  const document = parse(query);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, weights, () => facts);
  return pricer.estimate({ schema, document, operation, variables });
}

test.each<[string, string, number, object?]>([
  ['a page of heights: the values', '{ blocksConnection(first: 10) { nodes { number } } }', 1],
  ['a page of blocks: a call for each', '{ blocksConnection(first: 10) { nodes { gasUsed } } }', 11],
  ['a page from the end by a variable', 'query ($n: Int) { blocksConnection(last: $n) { nodes { gasUsed } } }', 11, { n: 10 }],
  ['a page of the default size', '{ blocksConnection { edges { node { gasUsed } } } }', 52],
  ['a page above the limit: the limit', '{ blocksConnection(first: 100000) { nodes { gasUsed } } }', 103],
  ['a page of full blocks', '{ blocksConnection(first: 10) { nodes { transactions { value } } } }', 251],
  ['the last blocks', '{ blocks(last: 10) { gasUsed } }', 11],
  ['the last blocks above the limit: the limit', '{ blocks(last: 500) { gasUsed } }', 102],
  ['a block by time: a search', '{ block(timestamp: 0) { gasUsed } }', 27],
  ['a block by an absent time: one call', 'query ($t: Long) { block(timestamp: $t) { gasUsed } }', 2],
  ["a page of a block's hashes", '{ block { transactionsConnection(first: 100) { nodes { hash } } } }', 4],
  ["a page of a block's transactions", '{ block { transactionsConnection(first: 100) { nodes { value } } } }', 24],
  ["a filtered page of a block's hashes", '{ block { transactionsConnection(first: 1, filter: {}) { totalCount } } }', 22],
  ['a page of transactions: a search and a full block', '{ transactionsConnection(first: 100) { nodes { value } } }', 43],
])('the estimate of %s', (_case, query, cost, variables = {}) => {
  expect(estimate(query, { ...variables })).toBe(cost);
});

test('the last blocks at a known head cost what their transactions do', () => {
  const facts = { ...NO_CHAIN_FACTS, head: 50, transactionsAt: (height: number) => (height > 45 ? 2 : 100) };
  const query = (count: number) => `{ blocks(last: ${count}) { transactions { hash } } }`;
  expect([query(5), query(6)].map((text) => estimate(text, {}, facts))).toEqual([6, 9]);
});
