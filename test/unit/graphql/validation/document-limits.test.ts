import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { chainWeights } from '../../../../src/domains/chain/cost.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
import { documentLimitError } from '../../../../src/graphql/validation/document-limits.ts';
import { validateDocument } from '../../../../src/graphql/validation/validate-document.ts';
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
    expect(failure.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', actual, limit: actual - 1, setting });
  });
});

test('the depth limit of an operation with introspection is at least 16', () => {
  const nested = (levels: number) =>
    `{ __schema { types { ...T } } } fragment T on __Type { ${'ofType { '.repeat(levels)} name ${'}'.repeat(levels + 1)}`;
  expect(documentLimitError(parse(nested(13)), LIMITS)).toBeUndefined();
  expect(documentLimitError(parse(nested(14)), LIMITS)?.extensions).toMatchObject({ limit: 16, actual: 17 });
});

test.each([
  ['{ block(number: "abc") { hash } }', /^Argument "number": Long takes an integer .* "42" or "0x2a"\.$/],
  ['{ wizards(orderBy: POWER) { nodes { id } } }', /^Argument "orderBy": Value "POWER" does not exist .* Accepted: [A-Z_, ]+\.$/],
  [
    '{ duels(status: ENDED) { nodes { id } } }',
    /^Unknown argument "status" on field "Query\.duels"\. Accepted: filter, orderBy, first, after\.$/,
  ],
])('the validation of %s names the argument, or the accepted ones', (query, message) => {
  expect(validateDocument(schema, parse(query), LIMITS, 9).map((error) => error.message)).toEqual([
    expect.stringMatching(message),
  ]);
});

test('document limits accept a cycle of fragments without looping', () => {
  expect(documentLimitError(parse('{ ...A } fragment A on Q { ...B } fragment B on Q { ...A }'), LIMITS)).toBeUndefined();
});

test.each([
  ['{ a b c d e f g h i j }', 10, 'The document has more than 10 tokens (MAX_TOKENS).'],
  ['{ a '.repeat(60_000), 200_000, expect.stringContaining('nested too deeply')],
])('the parser rejects a document beyond its limits: %#', (query, MAX_TOKENS, message) => {
  const limits = { ...NO_BUDGET_LIMITS, ...LIMITS, MAX_TOKENS, MAX_COST: 5_000, MAX_BLOCKS: 100, INTROSPECTION: 'on' as const };
  const origin = { transport: 'http', receivedAt: 0, trace: undefined } as const;
  const preparer = new OperationPreparer({ schema, limits, weights: chainWeights });
  expect(() => preparer.prepare({ query }, { requestId: 'test', origin })).toThrow(
    expect.objectContaining({ message, code: 'QUERY_TOO_COMPLEX' }) as never,
  );
});

test('a document whose fragments graphql-js does not follow to the end is too complex', () => {
  const operations = Array.from({ length: 50 }, (_, i) => `query Q${i}($a: Address!) { ...F }`).join(' ');
  const addresses = '$a '.repeat(1_001);
  const document = parse(`${operations} fragment F on Query { logs(filter: { addresses: [${addresses}] }) { data } }`);
  expect(() => validateDocument(schema, document, LIMITS, 9)).toThrow(
    expect.objectContaining({ code: 'QUERY_TOO_COMPLEX', message: expect.stringContaining('50000 uses') }),
  );
});

test.each(['constructor', 'toString', '__proto__'])('a spread of the unknown fragment %s is an error of validation', (name) => {
  const document = parse(`{ ...${name} }`);
  expect(validateDocument(schema, document, LIMITS, 9).map(({ message }) => message)).toEqual([`Unknown fragment "${name}".`]);
});
