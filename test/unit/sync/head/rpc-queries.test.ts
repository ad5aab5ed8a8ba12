import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { asTransientError, errorLogFields } from '../../../../src/sync/head/rpc-queries.ts';

test.each(['UPSTREAM_AUTH', 'UPSTREAM_CHAIN_CHANGED'] as const)('%s goes on, as it ends the following', (code) => {
  const error = new GraphError(code, 'no');
  expect(() => asTransientError(error)).toThrow(error);
});

test('any other failure is taken for one that passes', () => {
  const error = new GraphError('UPSTREAM_TIMEOUT', 'slow');
  expect(asTransientError(error)).toBe(error);
});

test('a fault of our own passes as well, and the log is told all of it', () => {
  const cause = new TypeError('oops');
  const error = asTransientError(cause);
  expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', cause });
  expect(errorLogFields(error)).toEqual({ code: error.code, reason: error.message, err: error });
  expect(errorLogFields(new GraphError('UPSTREAM_TIMEOUT', 'slow'))).toEqual({ code: 'UPSTREAM_TIMEOUT', reason: 'slow' });
});
