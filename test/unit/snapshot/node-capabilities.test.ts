import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { requireMethod, type WithNodeCapabilities, withFallback } from '../../../src/snapshot/node-capabilities.ts';

/** A session that moves from its first endpoint to the second one while a call is in flight. */
function movingSession() {
  const [first, second] = [new Set<string>(), new Set<string>()];
  let current = first;
  const session = {
    get capabilities() {
      return { unsupportedMethods: current };
    },
  } as unknown as WithNodeCapabilities;
  const failAtSecond = async (): Promise<never> => {
    current = second;
    throw new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support this method.');
  };
  return { session, first, second, failAtSecond };
}

test('withFallback records a missing method for the endpoint that responded, not for the one that was preferred', async () => {
  const { session, first, second, failAtSecond } = movingSession();
  expect(await withFallback(session, 'eth_x', failAtSecond, async () => 'computed')).toBe('computed');
  expect([[...first], [...second]]).toEqual([[], ['eth_x']]);
  const unused = () => Promise.reject(new Error('the missing method was called'));
  expect(await withFallback<string>(session, 'eth_x', unused, async () => 'again')).toBe('again');
});

test('requireMethod records a missing method for the endpoint that responded, and rejects the next call without a request', async () => {
  const { session, first, second, failAtSecond } = movingSession();
  await expect(requireMethod(session, 'eth_x', failAtSecond)).rejects.toMatchObject({ code: 'METHOD_NOT_SUPPORTED' });
  expect([[...first], [...second]]).toEqual([[], ['eth_x']]);
  const unused = () => Promise.reject(new Error('the missing method was called'));
  await expect(requireMethod(session, 'eth_x', unused)).rejects.toMatchObject({
    code: 'METHOD_NOT_SUPPORTED',
    extensions: { method: 'eth_x', source: 'node' },
  });
});
