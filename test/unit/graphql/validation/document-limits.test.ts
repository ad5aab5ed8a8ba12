import { describe, expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { chainWeights } from '../../../../src/domains/chain/cost.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
import { documentLimitError } from '../../../../src/graphql/validation/document-limits.ts';
import { NO_BUDGET_LIMITS } from '../../../../src/lib/operation-budget.ts';
import { OperationPreparer } from '../../../../src/operation/prepare.ts';

const schema = composeSchema(domains);
const LIMITS = {
  MAX_TOKENS: 1_000,
  MAX_DEPTH: 4,
  MAX_ALIASES: 2,
  MAX_DIRECTIVES: 2,
  MAX_ROOT_FIELDS: 3,
  MAX_FRAGMENTS: 2,
};

describe('document limits', () => {
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
  ])('document limits accept %s and reject %s by %s with actual %i', (within, beyond, setting, actual) => {
    expect(documentLimitError(parse(within), LIMITS)).toBeUndefined();
    const failure = documentLimitError(parse(beyond), LIMITS)!;
    expect(failure.message).toContain(`(${setting})`);
    expect(failure.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', actual, limit: actual - 1 });
  });
});

test('MAX_DEPTH does not apply to introspection fields, also in fragments', () => {
  const query = '{ __schema { types { ...T } } } fragment T on __Type { fields { type { ofType { name } } } }';
  expect(documentLimitError(parse(query), LIMITS)).toBeUndefined();
});

test('document limits accept a cycle of fragments without looping', () => {
  expect(documentLimitError(parse('{ ...A } fragment A on Q { ...B } fragment B on Q { ...A }'), LIMITS)).toBeUndefined();
});

// A deep stack overflows at fewer levels, so the parser alone would report the one or the other error.
test.each([
  [100_000, 'The document has 120000 tokens and the limit is 100000 (MAX_TOKENS).'],
  [200_000, expect.stringContaining('nested too deeply')],
])('a document that overflows the parser is rejected by its tokens first: MAX_TOKENS %i', (MAX_TOKENS, message) => {
  const limits = { ...NO_BUDGET_LIMITS, ...LIMITS, MAX_TOKENS, MAX_COST: 5_000, MAX_BLOCKS: 100, INTROSPECTION: 'on' as const };
  const origin = { transport: 'http', receivedAt: 0, trace: undefined } as const;
  let rejection: unknown;
  try {
    new OperationPreparer({ schema, limits, weights: chainWeights }).prepare(
      { query: '{ a '.repeat(60_000) },
      { requestId: 'test', origin },
    );
  } catch (error) {
    rejection = error;
  }
  expect(rejection).toMatchObject({ message, code: 'QUERY_TOO_COMPLEX' });
});

/** Returns the estimated cost of an operation without any facts about the chain. */
const cost = (query: string, variables: Record<string, unknown> = {}): number => {
  const document = parse(query);
  const priced = { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables };
  return createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, chainWeights).estimate(priced);
};

describe('estimated cost', () => {
  const ADDRESS = `"0x${'1'.repeat(40)}"`;
  test.each<[string, string, number, Record<string, unknown>?]>([
    ['an account by its address', `{ account(address: ${ADDRESS}) { address } }`, 1],
    ['three state fields of an account', `{ account(address: ${ADDRESS}) { balance code transactionCount } }`, 5],
    ['a bloom filter, by its length', '{ block { logsBloom } }', 2],
    [
      'two hundred bloom filters of one block',
      `{ block { ${Array.from({ length: 200 }, (_, i) => `a${i}: logsBloom`).join(' ')} } }`,
      18,
    ],
    ['a block', '{ block { number hash } }', 2],
    ['ten blocks', '{ blocks(from: 1, to: 10) { number } }', 11],
    ['blocks by variables', 'query ($a: Long, $b: Long) { blocks(from: $a, to: $b) { number } }', 21, { a: '0x1', b: 20 }],
    ['blocks with an open range', '{ blocks(from: 1) { number } }', 102],
    ['blocks with an inverted range', '{ blocks(from: 9, to: 3) { number } }', 0],
    ['the transaction hashes of a block', '{ block { transactions { hash } } }', 6],
    ['the transactions of a block', '{ block { transactions { value } } }', 26],
    [
      'the transactions of a block under two aliases',
      '{ block { a: transactions { value } b: transactions { gas nonce } } }',
      32,
    ],
    ['receipt fields of the transactions of a block', '{ block { transactions { status gasUsed } receipts { status } } }', 32],
    ['the number of the parent', '{ block { parent { number } } }', 2],
    ['the timestamp of the parent', '{ block { parent { timestamp } } }', 3],
    ['the block of each transaction', '{ block { transactions { block { timestamp } } } }', 8],
    ['the balances of senders', '{ block { transactions { from { balance } } } }', 228],
    ['logs of two blocks with their blocks', '{ logs(filter: { fromBlock: 1, toBlock: 2 }) { block { size } } }', 34],
    ['logs with their transactions', '{ logs(filter: {}) { transaction { value } } }', 535],
    ['newHeads with header fields', 'subscription { newHeads { number hash timestamp } }', 1],
    ['newHeads with the receipts of each block', 'subscription { newHeads { block { receipts { status } } } }', 26],
    ['a log subscription with the block of each log', 'subscription { logs { data block { timestamp } } }', 2],
    ['a log subscription with the transaction of each log', 'subscription { logs { transaction { value nonce } } }', 2],
    ['pending transactions', 'subscription { pendingTransactions { hash value from { balance } } }', 3],
    [
      'a watched transaction with its receipt',
      `subscription { transactionStatus(hash: "0x${'1'.repeat(64)}") { status receipt { gasUsed } } }`,
      3,
    ],
    [
      'reorgs with their blocks',
      'subscription { reorgs { commonAncestor { number } dropped { block { size } } added { hash } } }',
      3,
    ],
    [
      'an operation with an excluded field',
      'query ($no: Boolean!) { chainID block @include(if: $no) { hash } }',
      2,
      { no: false },
    ],
  ])('operation pricer estimates the cost of %s', (_name, query, expected, variables = {}) => {
    expect(cost(query, variables)).toBe(expected);
  });
});
