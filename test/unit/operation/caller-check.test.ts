import { expect, test } from '@jest/globals';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { findAuthenticatedField, missingCallerError } from '../../../src/operation/request-checks.ts';

const schema = buildSchema(`
  type Query { events: Int, block: Block }
  type Mutation { send: Int }
  type Subscription { events: Int, heads(stream: String): Int }
  type Block { events: Int }
`);
const authenticatedFields = new Set(['Query.events', 'Subscription.events']);

const fieldIn = (text: string, operationName?: string, variables: Record<string, unknown> = {}): string | undefined => {
  const document = parse(text);
  const operation = getOperationAST(document, operationName)!;
  return findAuthenticatedField({ schema, document, operation, variables }, authenticatedFields);
};

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['heads(stream: "shop")', {}, 'The argument stream of Subscription.heads'],
  ['heads(stream: $s)', { s: 'shop' }, 'The argument stream of Subscription.heads'],
  ['heads(stream: $s)', { s: null }, undefined],
  ['heads(stream: $s)', {}, undefined],
  ['heads(stream: null)', {}, undefined],
  ['heads(stream: $default)', {}, 'The argument stream of Subscription.heads'],
  ['heads(stream: $default)', { default: null }, undefined],
])('a named stream needs a caller: %s with %j', (field, variables, expected) => {
  expect(fieldIn(`subscription ($s: String, $default: String = "shop") { ${field} }`, undefined, variables)).toBe(expected);
});

test.each([
  ['selected', '{ events }'],
  ['selected after another', '{ block { events } events }'],
  ['renamed', '{ block: events }'],
  ['in an inline fragment', '{ ... { ... on Query { events } } }'],
  ['in a fragment', 'query A { ...F } fragment F on Query { ...G } fragment G on Query { block { events } events }'],
  ['in a fragment that occurs twice', '{ ...F ...F } fragment F on Query { events }'],
  // Variables would have to be known for the exact answer.
  ['skipped', '{ events @skip(if: true) }'],
  ['not included', 'query ($no: Boolean!) { ... @include(if: $no) { events } }'],
])('an authenticated field that is %s needs a caller', (_case, text) => {
  expect(fieldIn(text)).toBe('Query.events');
});

test.each([
  ['a field of this name below the root', '{ block { events } }'],
  ['another field that is renamed to it', '{ events: block { events } }'],
  ['the name of the type', '{ __typename __schema { queryType { name } } }'],
  ['a fragment that is not used', '{ block { events } } fragment F on Query { events }'],
  ['another field of a subscription', 'subscription { heads }'],
  ['a mutation', 'mutation { send }'],
])('%s needs no caller', (_case, text) => {
  expect(fieldIn(text)).toBeUndefined();
});

test('only the operation that is executed counts', () => {
  const text = 'query A { block { events } } query B { events } subscription C { events }';
  expect(['A', 'B', 'C', 'A', 'B'].map((name) => fieldIn(text, name))).toEqual([
    undefined,
    'Query.events',
    'Subscription.events',
    undefined,
    'Query.events',
  ]);
});

test('the error names the field and how to send a key', () => {
  expect(missingCallerError('Query.events')).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(missingCallerError('Query.events').message).toMatch(/^Query\.events needs a caller\. .*x-api-key/);
});
