import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { asTransientError, errorLogFields } from '../../../../src/sync/head/rpc-queries.ts';

test.each(['UPSTREAM_AUTH', 'UPSTREAM_CHAIN_CHANGED'] as const)('asTransientError rethrows the fatal error %s', (code) => {
  const error = new GraphError(code, 'no');
  expect(() => asTransientError(error)).toThrow(error);
});

test('asTransientError returns other upstream errors', () => {
  const error = new GraphError('UPSTREAM_TIMEOUT', 'slow');
  expect(asTransientError(error)).toBe(error);
});

test('asTransientError wraps an unexpected error, which is logged with its stack', () => {
  const cause = new TypeError('oops');
  const error = asTransientError(cause);
  expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', cause });
  expect(errorLogFields(error)).toEqual({ code: error.code, reason: error.message, err: error });
  expect(errorLogFields(new GraphError('UPSTREAM_TIMEOUT', 'slow'))).toEqual({ code: 'UPSTREAM_TIMEOUT', reason: 'slow' });
});
