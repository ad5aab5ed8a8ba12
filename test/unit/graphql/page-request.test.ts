import { expect, test } from '@jest/globals';
import { type BidirectionalPageArgs, type PageRequest, pageRequestOf } from '../../../src/graphql/connections.ts';

const LIMIT = { maxSize: 100, setting: 'MAX_LOGS' };

test.each<[string, BidirectionalPageArgs, Partial<PageRequest>]>([
  ['no argument is a forward page of 50', {}, { size: 50, isBackward: false, after: undefined, before: undefined }],
  ['nulls are a forward page of 50', { first: null, last: null, after: null, before: null }, { size: 50, isBackward: false }],
  ['`first` is a forward page', { first: 7, after: 'a' }, { size: 7, isBackward: false, after: 'a' }],
  ['`last` is a backward page', { last: 7, before: 'b' }, { size: 7, isBackward: true, before: 'b' }],
  ['`last` overrides the default of `first`', { first: 50, last: 7 }, { size: 7, isBackward: true }],
  ['`before` without `last` is a forward page', { first: 3, before: 'b' }, { size: 3, isBackward: false, before: 'b' }],
  ['a page of size 0 is accepted', { first: 0 }, { size: 0 }],
  ['a page of the maximum size is accepted', { last: 100 }, { size: 100 }],
])('page arguments: %s', (_case, args, expected) => {
  expect(pageRequestOf(args, LIMIT)).toMatchObject(expected);
});

test.each([
  ['first', -1],
  ['first', 101],
  ['last', -1],
  ['last', 101],
])('page arguments reject %s: %i', (name, actual) => {
  const message = `Invalid \`${name}\`. Pass a number from 0 to 100 (MAX_LOGS).`;
  expect(() => pageRequestOf({ [name]: actual }, LIMIT)).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      message,
      extensions: expect.objectContaining({ limit: 100, actual, setting: 'MAX_LOGS' }),
    }),
  );
});

test('a limit without a setting names none', () => {
  expect(() => pageRequestOf({ first: 501 }, { maxSize: 500 })).toThrow('Invalid `first`. Pass a number from 0 to 500.');
});
