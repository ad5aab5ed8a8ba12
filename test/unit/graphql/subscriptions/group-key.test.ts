import { expect, test } from '@jest/globals';
import { getOperationAST, parse } from 'graphql';
import { groupKey } from '../../../../src/graphql/subscriptions/group-key.ts';

const key = (query: string, variables?: Record<string, unknown>, name?: string, scope = ''): string => {
  const document = parse(query);
  return groupKey({ document, hash: query, operation: getOperationAST(document, name)!, variables }, scope);
};

const RESUMING = 'subscription ($of: ID, $after: String) { logs(of: $of, after: $after) { id } }';

test.each([
  ['the place to go on from', RESUMING, { of: 1, after: 'a' }, { of: 1, after: 'b' }],
  ['the place, or none', RESUMING, { of: 1, after: 'a' }, { of: 1 }],
  ['the order of the variables', RESUMING, { of: 1, after: 'a' }, { after: 'a', of: 1 }],
  ['a variable that there is not', RESUMING, { of: 1, x: 1 }, { of: 1 }],
  [
    'the place, in fragments',
    'subscription ($after: ID) { ...A ...A } fragment A on Subscription { ... { logs(after: $after) { id } } }',
    { after: 1 },
    { after: 2 },
  ],
])('operations that differ in %s are equal', (_case, query, one, other) => {
  expect(key(query, one)).toBe(key(query, other));
});

test.each([
  ['another variable', RESUMING, { of: 1, after: 'a' }, { of: 2, after: 'a' }],
  ['a variable that is null, and none', RESUMING, { of: null }, {}],
  ['an `after` deeper down', 'subscription ($after: ID) { logs { next(after: $after) } }', { after: 1 }, { after: 2 }],
  [
    'an `after` that says something else as well',
    'subscription ($after: ID) { logs(after: $after) { next(id: $after) } }',
    { after: 1 },
    { after: 2 },
  ],
  ['what is skipped', 'subscription ($after: Boolean!) { logs { id @skip(if: $after) } }', { after: true }, { after: false }],
])('operations that differ in %s are not', (_case, query, one, other) => {
  expect(key(query, one)).not.toBe(key(query, other));
});

test('another document, another operation of it, and another scope make another key', () => {
  const two = 'subscription A { logs { id } } subscription B { logs { id } }';
  const keys = [key('subscription { logs { id } }'), key(two, {}, 'A'), key(two, {}, 'B'), key(two, {}, 'A', 'me')];
  expect(new Set(keys).size).toBe(4);
});
