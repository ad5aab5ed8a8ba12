import { describe, expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { chainWeights } from '../../../../../src/domains/chain/costs.ts';
import { composeSchema } from '../../../../../src/graphql/federation/compose.ts';
import { createOperationPricer } from '../../../../../src/graphql/pipeline/cost/operation-cost.ts';
import { documentLimitError } from '../../../../../src/graphql/pipeline/limits/document-limits.ts';
import { domains } from '../../../../../src/serve.ts';

const schema = composeSchema(domains);
const LIMITS = {
  MAX_TOKENS: 1_000,
  MAX_DEPTH: 4,
  MAX_ALIASES: 2,
  MAX_DIRECTIVES: 2,
  MAX_ROOT_FIELDS: 3,
  MAX_FRAGMENTS: 2,
};

describe('a document at its limit passes, and one beyond is told by how much:', () => {
  test.each([
    ['{ block { parent { parent { hash } } } }', '{ block { parent { parent { parent { hash } } } } }', 'MAX_DEPTH', 5],
    ['{ a: chainID b: chainID }', '{ a: chainID b: __typename c: chainID }', 'MAX_ALIASES', 3],
    ['{ a @skip(if: false) @include(if: true) }', '{ a @b c @d e @f }', 'MAX_DIRECTIVES', 3],
    ['{ a b c }', '{ a b ...F } fragment F on Query { c d }', 'MAX_ROOT_FIELDS', 4],
    [
      '{ a } fragment A on B { c } fragment D on E { f }',
      '{ a } fragment A on B { c } fragment D on E { f } fragment G on H { i }',
      'MAX_FRAGMENTS',
      3,
    ],
    ['{ ...F ...F } fragment F on Q { a: b }', '{ ...F ...F ...F } fragment F on Q { a: b }', 'MAX_ALIASES', 3],
  ])('%s', (within, beyond, setting, actual) => {
    expect(documentLimitError(parse(within), LIMITS)).toBeUndefined();
    const failure = documentLimitError(parse(beyond), LIMITS)!;
    expect(failure.message).toContain(`(${setting})`);
    expect(failure.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', actual, limit: actual - 1 });
  });
});

test('introspection has a depth of its own, also in fragments', () => {
  const query = '{ __schema { types { ...T } } } fragment T on __Type { fields { type { ofType { name } } } }';
  expect(documentLimitError(parse(query), LIMITS)).toBeUndefined();
});

test('fragments in a ring end the count', () => {
  expect(documentLimitError(parse('{ ...A } fragment A on Q { ...B } fragment B on Q { ...A }'), LIMITS)).toBeUndefined();
});

/** What an operation is estimated to cost while nothing is known of the chain. */
const cost = (query: string, variables: Record<string, unknown> = {}): number => {
  const document = parse(query);
  const priced = { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables };
  return createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, chainWeights).estimate(priced);
};

describe('the cost of', () => {
  const ADDRESS = `"0x${'1'.repeat(40)}"`;
  test.each<[string, string, number, Record<string, unknown>?]>([
    ['an account by its address', `{ account(address: ${ADDRESS}) { address } }`, 1],
    ['three values of an account', `{ account(address: ${ADDRESS}) { balance code transactionCount } }`, 4],
    ['a block', '{ block { number hash } }', 2],
    ['ten blocks', '{ blocks(from: 1, to: 10) { number } }', 11],
    ['blocks by variables', 'query ($a: Long, $b: Long) { blocks(from: $a, to: $b) { number } }', 21, { a: '0x1', b: 20 }],
    ['blocks to the head', '{ blocks(from: 1) { number } }', 102],
    ['blocks upside down', '{ blocks(from: 9, to: 3) { number } }', 0],
    ['hashes of a block of transactions', '{ block { transactions { hash } } }', 6],
    ['whole transactions', '{ block { transactions { value } } }', 26],
    ['whole transactions, asked twice', '{ block { a: transactions { value } b: transactions { gas nonce } } }', 32],
    ['what receipts tell', '{ block { transactions { status gasUsed } receipts { status } } }', 32],
    ['the number of the parent', '{ block { parent { number } } }', 2],
    ['more of the parent', '{ block { parent { timestamp } } }', 3],
    ['the way back to the block', '{ block { transactions { block { timestamp } } } }', 8],
    ['the balances of senders', '{ block { transactions { from { balance } } } }', 228],
    ['logs of two blocks with their blocks', '{ logs(filter: { fromBlock: 1, toBlock: 2 }) { block { size } } }', 34],
    ['logs with their transactions', '{ logs(filter: {}) { transaction { value } } }', 535],
    ['a header as it is announced', 'subscription { newHeads { number hash timestamp } }', 1],
    ['the receipts of each block', 'subscription { newHeads { block { receipts { status } } } }', 26],
    ['each log, and its block', 'subscription { logs { data block { timestamp } } }', 2],
    ['each log, and its whole transaction', 'subscription { logs { transaction { value nonce } } }', 2],
    ['pending transactions', 'subscription { pendingTransactions { hash value from { balance } } }', 3],
    [
      'a watched transaction with its receipt',
      `subscription { transactionStatus(hash: "0x${'1'.repeat(64)}") { status receipt { gasUsed } } }`,
      3,
    ],
    [
      'the blocks of a reorg',
      'subscription { reorgs { commonAncestor { number } dropped { block { size } } added { hash } } }',
      3,
    ],
    ['what is left out', 'query ($no: Boolean!) { chainID block @include(if: $no) { hash } }', 2, { no: false }],
  ])('%s', (_name, query, expected, variables = {}) => {
    expect(cost(query, variables)).toBe(expected);
  });
});
