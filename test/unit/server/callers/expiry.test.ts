import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { onExpiry } from '../../../../src/server/callers/caller-reader.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

/** Counts expiries of an identity that is valid for this time. */
function watch(validMs: number) {
  const counts = { expired: 0 };
  const cancel = onExpiry({ app: 'wallet', expiresAt: Date.now() + validMs }, () => {
    counts.expired++;
  });
  return { counts, cancel };
}

test.each([0, 1, 2_000, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 90 * DAY_MS])(
  'an identity that is valid for %d ms expires once, at that time',
  (validMs) => {
    const { counts } = watch(validMs);
    if (validMs > 0) {
      jest.advanceTimersByTime(validMs - 1);
      expect(counts.expired).toBe(0);
    }
    jest.advanceTimersByTime(1);
    expect(counts.expired).toBe(1);
    jest.advanceTimersByTime(100 * DAY_MS);
    expect(counts.expired).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  },
);

test('an identity that has expired before ends at the next turn, and the last representable time is accepted', () => {
  const { counts } = watch(-DAY_MS);
  expect(counts.expired).toBe(0);
  jest.advanceTimersByTime(1);
  expect(counts.expired).toBe(1);
  const distant = { app: 'wallet', expiresAt: 8.64e15 };
  const cancel = onExpiry(distant, () => {
    throw new Error('expired');
  });
  jest.advanceTimersByTime(60 * DAY_MS);
  cancel!();
  expect(jest.getTimerCount()).toBe(0);
});

test('a cancelled expiry leaves no timer, before and after its first wait', () => {
  const early = watch(60 * DAY_MS);
  const late = watch(60 * DAY_MS);
  early.cancel!();
  jest.advanceTimersByTime(50 * DAY_MS);
  late.cancel!();
  jest.advanceTimersByTime(50 * DAY_MS);
  expect([early.counts.expired, late.counts.expired, jest.getTimerCount()]).toEqual([0, 0, 0]);
});
