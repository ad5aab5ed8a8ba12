import { expect, test } from '@jest/globals';
import { sharedOperation } from '../../../playground/shared-operation.ts';

const parameters = new URLSearchParams({ query: '{ block { number } } # a&b', variables: '{"n": 1}' });

test.each([
  ['the fragment', { hash: `#${parameters}`, search: '' }],
  ['the parameters', { hash: '', search: `?${parameters}` }],
])('the operation of a URL is read from %s', (_place, location) => {
  expect(sharedOperation(location)).toEqual({ query: '{ block { number } } # a&b', variables: '{"n": 1}' });
});

test('a URL without a query has no operation', () => {
  expect(sharedOperation({ hash: '#section', search: '?variables=%7B%7D' })).toBeUndefined();
});
