import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { asPassing, factsOf } from '../../../../src/sync/head/rpc-queries.ts';

test.each(['UPSTREAM_AUTH', 'UPSTREAM_CHAIN_CHANGED'] as const)('%s goes on, as it ends the following', (code) => {
  const error = new GraphError(code, 'no');
  expect(() => asPassing(error)).toThrow(error);
});

test('any other failure is taken for one that passes', () => {
  const error = new GraphError('UPSTREAM_TIMEOUT', 'slow');
  expect(asPassing(error)).toBe(error);
});

test('a fault of our own passes as well, and the log is told all of it', () => {
  const cause = new TypeError('oops');
  const error = asPassing(cause);
  expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', cause });
  expect(factsOf(error)).toEqual({ code: error.code, reason: error.message, err: error });
  expect(factsOf(new GraphError('UPSTREAM_TIMEOUT', 'slow'))).toEqual({ code: 'UPSTREAM_TIMEOUT', reason: 'slow' });
});
