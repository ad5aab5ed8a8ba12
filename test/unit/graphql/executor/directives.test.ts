import { expect, test } from '@jest/globals';
import {
  executeWithBoth,
  executeWithGraphqlJs,
  executeWithGrimoire,
  parseValid,
  schemaOf,
} from '../../../support/executor/differential-execution.ts';

const schema = schemaOf(
  `
    directive @about(what: String, whose: [Boolean]) on FIELD
    type Query { a: Int, b: Int, self: Query, list: [Query] }
  `,
  { Query: { a: () => 1, b: () => 2, self: () => ({}), list: () => [{}, {}] } },
);

test.each<[string, string, string]>([
  ['a skipped field is excluded', '{ a @skip(if: true) b }', '{"b":2}'],
  ['a field with @skip(if: false) is included', '{ a @skip(if: false) b }', '{"a":1,"b":2}'],
  ['a field with @include(if: true) is included', '{ a @include(if: true) b }', '{"a":1,"b":2}'],
  ['a field with @include(if: false) is excluded', '{ a @include(if: false) b }', '{"b":2}'],
  ['a field both included and skipped is excluded', '{ a @include(if: true) @skip(if: true) b }', '{"b":2}'],
  ['a field neither included nor skipped is excluded', '{ a @include(if: false) @skip(if: false) b }', '{"b":2}'],
  ['a field excluded at one node is included by another', '{ a @skip(if: true) b a }', '{"b":2,"a":1}'],
  ['a selection excluded at one node is included by another', '{ self { a } self @skip(if: true) { b } }', '{"self":{"a":1}}'],
  ['a result may be empty', '{ a @skip(if: true) ... @include(if: false) { b } }', '{}'],
  ['an object may be empty', '{ self { a @skip(if: true) } list { a @skip(if: true) } }', '{"self":{},"list":[{},{}]}'],
  ['a skipped spread adds no fields', '{ ...F @skip(if: true) b } fragment F on Query { a }', '{"b":2}'],
  [
    'a spread may add its fields after a skipped one',
    '{ ...F @skip(if: true) b ...F } fragment F on Query { a }',
    '{"b":2,"a":1}',
  ],
  ['an excluded inline fragment adds no fields', '{ ... on Query @include(if: false) { a } b }', '{"b":2}'],
  ['a directive within a fragment is applied', '{ ...F } fragment F on Query { a @skip(if: true) b }', '{"b":2}'],
])('%s', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

test.each<[string, Record<string, unknown>, string]>([
  ['true', { is: true }, '{"a":1,"self":{"b":2}}'],
  ['false', { is: false }, '{"self":{"a":1,"b":2}}'],
  ['absent, with a default,', {}, '{"self":{"a":1,"b":2}}'],
  ['of another name', { IS: true }, '{"self":{"a":1,"b":2}}'],
])('skip and include apply a variable that is %s', async (_case, variables, expected) => {
  const source = 'query ($is: Boolean! = false) { a @include(if: $is) self { ...F @skip(if: $is) b } } fragment F on Query { a }';
  expect((await executeWithBoth(schema, source, { variables })).text).toBe(expected);
});

test('a null condition of a repeated fragment is ignored', async () => {
  const source = 'query ($is: Boolean = true) { ...F ...F @skip(if: $is) } fragment F on Query { a }';
  expect(await executeWithBoth(schema, source, { variables: { is: null } })).toEqual({ text: '{"a":1}', errors: [] });
});

test.each<[string, string, string]>([
  ['at the root fails the operation', '{ a @skip(if: $is) b }', 'null'],
  ['below a field fails the field', '{ b self { a @include(if: $is) } }', '{"b":2,"self":null}'],
  ['in a list fails each item', '{ list { ... @skip(if: $is) { a } } }', '{"list":[null,null]}'],
])('null for a condition %s', async (_case, selection, expected) => {
  // Validation accepts this: a default replaces an absent value, but not null.
  const { text, errors } = await executeWithBoth(schema, `query ($is: Boolean = true) ${selection}`, { variables: { is: null } });
  expect(text).toBe(expected);
  expect(errors[0]!.message).toBe('Argument "if" of non-null type "Boolean!" must not be null.');
});

/** More combinations than the executor caches. */
test('executor returns the right result for each of 128 combinations of conditions in any order', async () => {
  const names = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
  const document = parseValid(
    schema,
    `query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) {
      a @skip(if: $c0) ...F @include(if: $c1) self { b @include(if: $c2) ...F @skip(if: $c3) list { a @include(if: $c4) b @skip(if: $c5) } }
    }
    fragment F on Query { it: b list @include(if: $c6) { __typename } }`,
  );
  const seen = new Set<string>();
  for (let i = 0; i < 256; i++) {
    const bits = (i * 37) % 128;
    const variables = Object.fromEntries(names.map((name, bit) => [name, (bits & (1 << bit)) !== 0]));
    const result = await executeWithGrimoire(schema, document, { variables });
    expect(result).toEqual(await executeWithGraphqlJs(schema, document, { variables }));
    seen.add(result.text);
  }
  expect(seen.size).toBeGreaterThan(64);
});

test('variables of other directives do not affect the conditions', async () => {
  const document = parseValid(
    schema,
    `query ($s: String, $is: Boolean!, $t: String, $l: [Boolean]) {
      a @about(what: $s) @include(if: $is) b @about(what: $t, whose: $l)
    }`,
  );
  const textFor = async (variables: Record<string, unknown>) => (await executeWithGrimoire(schema, document, { variables })).text;
  expect(await textFor({ s: 'x,true', is: false, t: 'y' })).toBe('{"b":2}');
  expect(await textFor({ s: 'x', is: true, t: 'false,y' })).toBe('{"a":1,"b":2}');
  expect(await textFor({ s: 'x', is: false, t: 'y', l: [true] })).toBe('{"b":2}');
});
