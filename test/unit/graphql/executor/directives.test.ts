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
  ['a field that is skipped is left out', '{ a @skip(if: true) b }', '{"b":2}'],
  ['a field that is not skipped stays', '{ a @skip(if: false) b }', '{"a":1,"b":2}'],
  ['a field that is included stays', '{ a @include(if: true) b }', '{"a":1,"b":2}'],
  ['a field that is not included is left out', '{ a @include(if: false) b }', '{"b":2}'],
  ['a field both included and skipped is left out', '{ a @include(if: true) @skip(if: true) b }', '{"b":2}'],
  ['a field neither included nor skipped is left out', '{ a @include(if: false) @skip(if: false) b }', '{"b":2}'],
  ['a field left out in one place stays in another', '{ a @skip(if: true) b a }', '{"b":2,"a":1}'],
  [
    'what is left out of one place below a field stays in another',
    '{ self { a } self @skip(if: true) { b } }',
    '{"self":{"a":1}}',
  ],
  ['an answer may be empty', '{ a @skip(if: true) ... @include(if: false) { b } }', '{}'],
  ['an object may be empty', '{ self { a @skip(if: true) } list { a @skip(if: true) } }', '{"self":{},"list":[{},{}]}'],
  ['a spread that is skipped adds nothing', '{ ...F @skip(if: true) b } fragment F on Query { a }', '{"b":2}'],
  ['a spread that is skipped once adds later', '{ ...F @skip(if: true) b ...F } fragment F on Query { a }', '{"b":2,"a":1}'],
  ['an inline fragment that is not included adds nothing', '{ ... on Query @include(if: false) { a } b }', '{"b":2}'],
  ['a directive within a fragment is obeyed', '{ ...F } fragment F on Query { a @skip(if: true) b }', '{"b":2}'],
])('%s', async (_case, source, expected) => {
  expect((await executeWithBoth(schema, source)).text).toBe(expected);
});

test.each<[string, Record<string, unknown>, string]>([
  ['true', { is: true }, '{"a":1,"self":{"b":2}}'],
  ['false', { is: false }, '{"self":{"a":1,"b":2}}'],
  ['absent, so that its default holds,', {}, '{"self":{"a":1,"b":2}}'],
  ['of another name', { IS: true }, '{"self":{"a":1,"b":2}}'],
])('a variable that is %s decides', async (_case, variables, expected) => {
  const source = 'query ($is: Boolean! = false) { a @include(if: $is) self { ...F @skip(if: $is) b } } fragment F on Query { a }';
  expect((await executeWithBoth(schema, source, { variables })).text).toBe(expected);
});

test('null for a condition of a fragment that has been added already decides nothing', async () => {
  const source = 'query ($is: Boolean = true) { ...F ...F @skip(if: $is) } fragment F on Query { a }';
  expect(await executeWithBoth(schema, source, { variables: { is: null } })).toEqual({ text: '{"a":1}', errors: [] });
});

test.each<[string, string, string]>([
  ['at the top is an error of the whole', '{ a @skip(if: $is) b }', 'null'],
  ['below a field is an error of that', '{ b self { a @include(if: $is) } }', '{"b":2,"self":null}'],
  ['in a list is an error of each item', '{ list { ... @skip(if: $is) { a } } }', '{"list":[null,null]}'],
])('null for a condition %s', async (_case, selection, expected) => {
  // What validation lets through: a default would stand for an absent value, but null is not absent.
  const { text, errors } = await executeWithBoth(schema, `query ($is: Boolean = true) ${selection}`, { variables: { is: null } });
  expect(text).toBe(expected);
  expect(errors[0]!.message).toBe('Argument "if" of non-null type "Boolean!" must not be null.');
});

/** More than are kept: the others are made when they are asked for, and are right as well. */
test('each of 128 combinations of conditions has its own answer, in whatever order they come', async () => {
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
    const answer = await executeWithGrimoire(schema, document, { variables });
    expect(answer).toEqual(await executeWithGraphqlJs(schema, document, { variables }));
    seen.add(answer.text);
  }
  expect(seen.size).toBeGreaterThan(64);
});

test('what other directives are told decides nothing, however it is spelt', async () => {
  const document = parseValid(
    schema,
    `query ($s: String, $is: Boolean!, $t: String, $l: [Boolean]) {
      a @about(what: $s) @include(if: $is) b @about(what: $t, whose: $l)
    }`,
  );
  const ask = async (variables: Record<string, unknown>) => (await executeWithGrimoire(schema, document, { variables })).text;
  expect(await ask({ s: 'x,true', is: false, t: 'y' })).toBe('{"b":2}');
  expect(await ask({ s: 'x', is: true, t: 'false,y' })).toBe('{"a":1,"b":2}');
  expect(await ask({ s: 'x', is: false, t: 'y', l: [true] })).toBe('{"b":2}');
});
