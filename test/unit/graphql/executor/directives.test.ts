import { expect, test } from '@jest/globals';
import {
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
