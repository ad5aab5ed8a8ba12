import { expect, test } from '@jest/globals';
import { NO_STREAMS } from '../../../../support/graph/no-streams.ts';
import { subscribingOperation } from '../../../../support/subscriptions/live-streams.ts';

test('named streams of a server without a database fail with STREAMS_NOT_CONFIGURED', async () => {
  const operation = subscribingOperation({ caller: { app: 'shop' } });
  const failure = expect.objectContaining({ code: 'STREAMS_NOT_CONFIGURED', message: expect.stringContaining('DATABASE_URL') });
  await expect(NO_STREAMS.list(operation)).rejects.toEqual(failure);
  await expect(NO_STREAMS.acknowledge(operation, 'orders', 'cursor')).rejects.toEqual(failure);
  await expect(NO_STREAMS.delete(operation, 'orders')).rejects.toEqual(failure);
  await expect(NO_STREAMS.claim(operation, 'orders', 'logs', {})).rejects.toEqual(failure);
});

test('named streams need a caller', () => {
  expect(() => NO_STREAMS.list(subscribingOperation())).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
});
