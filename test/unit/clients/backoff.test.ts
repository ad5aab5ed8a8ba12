import { expect, test } from '@jest/globals';
import { delay, delayBefore } from '../../../clients/js/src/backoff.ts';

test('delays are distributed between 0 and a limit that doubles up to its maximum', () => {
  const limits = [0, 1, 2, 6, 60].map((attempt) => delayBefore(attempt, {}, () => 1));
  expect(limits).toEqual([250, 500, 1000, 10_000, 10_000]);
  expect(delayBefore(3, { firstMs: 10, maxMs: 1000 }, () => 0)).toBe(0);
  expect(delayBefore(3, { firstMs: 10, maxMs: 1000 }, () => 0.5)).toBe(40);
});

test('a delay ends with its signal', async () => {
  const control = new AbortController();
  const waiting = delay(1e8, control.signal);
  control.abort();
  await waiting;
  await delay(1e8, control.signal);
  await delay(1, new AbortController().signal);
});
