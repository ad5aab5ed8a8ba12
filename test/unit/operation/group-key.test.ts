import { expect, test } from '@jest/globals';
import { getOperationAST, parse } from 'graphql';
import { groupKey } from '../../../src/operation/group-key.ts';
import type { Caller } from '../../../src/operation/operation.ts';

const key = (query: string, variables?: Record<string, unknown>, name?: string, caller?: Caller): string => {
  const document = parse(query);
  return groupKey({ document, hash: query, operation: getOperationAST(document, name)!, variables, caller });
};

const RESUMING = 'subscription ($of: ID, $after: String) { logs(of: $of, after: $after) { id } }';

test.each([
  ['the cursor to resume from', RESUMING, { of: 1, after: 'a' }, { of: 1, after: 'b' }],
  ['whether they have a cursor', RESUMING, { of: 1, after: 'a' }, { of: 1 }],
  [
    'a cursor that is used in fragments',
    'subscription ($after: ID) { ...A ...A } fragment A on Subscription { ... { logs(after: $after) { id } } }',
    { after: 1 },
    { after: 2 },
  ],
])('operations that differ only in %s have equal group keys', (_case, query, one, other) => {
  expect(key(query, one)).toBe(key(query, other));
});

test.each([
  ['a declared variable', RESUMING, { of: 1, after: 'a' }, { of: 2, after: 'a' }],
  ['a null variable versus an absent one', RESUMING, { of: null }, {}],
  ['an `after` of a nested field', 'subscription ($after: ID) { logs { next(after: $after) } }', { after: 1 }, { after: 2 }],
  [
    'a cursor variable that another argument also uses',
    'subscription ($after: ID) { logs(after: $after) { next(id: $after) } }',
    { after: 1 },
    { after: 2 },
  ],
  ['an `after` of a live query', 'query ($after: String) @live { blocks(after: $after) { id } }', { after: 'a' }, { after: 'b' }],
  [
    'a variable that controls @skip',
    'subscription ($after: Boolean!) { logs { id @skip(if: $after) } }',
    { after: true },
    { after: false },
  ],
])('operations that differ in %s have different group keys', (_case, query, one, other) => {
  expect(key(query, one)).not.toBe(key(query, other));
});

test('group key depends on the document, the operation name and the application', () => {
  const two = 'subscription A { logs { id } } subscription B { logs { id } }';
  const keys = [key('subscription { logs { id } }'), key(two, {}, 'A'), key(two, {}, 'B'), key(two, {}, 'A', { app: 'me' })];
  expect(new Set(keys).size).toBe(4);
});
