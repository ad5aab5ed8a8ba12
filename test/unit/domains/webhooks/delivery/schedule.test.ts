import { expect, test } from '@jest/globals';
import { MAX_DELAYS_MS, outcomeOf } from '../../../../../src/domains/webhooks/delivery/attempt-recorder.ts';
import { random, readSeed } from '../../../../support/random-tests.ts';

const HOUR_MS = 3_600_000;
const failed = (statusCode?: number, retryAfterMs?: number) => ({
  durationMs: 1,
  ...(statusCode !== undefined && { statusCode }),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** The time from the first to the last attempt of a delivery that fails, and the number of attempts. */
function failUntilDead(next: () => number): { readonly ms: number; readonly attempts: number } {
  let ms = 0;
  for (let step = 0; ; step++) {
    const { status, delayMs } = outcomeOf(failed(500), step, next);
    if (status === 'DEAD') return { ms, attempts: step + 1 };
    ms += delayMs!;
  }
}

test('a delivery that fails is attempted twelve times over three days on average', () => {
  const seed = readSeed();
  const next = random(seed);
  const runs = Array.from({ length: 5_000 }, () => failUntilDead(next));
  const meanHours = runs.reduce((sum, { ms }) => sum + ms, 0) / runs.length / HOUR_MS;
  expect({ seed, attempts: new Set(runs.map(({ attempts }) => attempts)) }).toEqual({ seed, attempts: new Set([12]) });
  expect({ seed, isNear: Math.abs(meanHours - 72) < 2 }).toEqual({ seed, isNear: true });
});

test('the delays of a delivery never add up to more than 144 hours', () => {
  expect(MAX_DELAYS_MS.reduce((sum, ms) => sum + ms, 0)).toBe(144 * HOUR_MS);
  expect(failUntilDead(() => 1 - Number.EPSILON).ms).toBeLessThanOrEqual(144 * HOUR_MS);
});

test.each([200, 201, 204, 299])('status %i accepts a delivery', (status) => {
  expect(outcomeOf(failed(status), 0, () => 0.5)).toEqual({ status: 'DELIVERED', deactivates: false });
});

test.each([undefined, 100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503])('status %s is retried', (status) => {
  expect(outcomeOf(failed(status), 0, () => 0.5)).toEqual({ status: 'RETRYING', delayMs: 5_000, deactivates: false });
});

test('status 410 ends the delivery and deactivates the registration', () => {
  expect(outcomeOf(failed(410), 0, () => 0.5)).toEqual({ status: 'DEAD', deactivates: true });
});

test.each([429, 503])('Retry-After of status %i is a minimum of at most one day', (status) => {
  expect(outcomeOf(failed(status, 60_000), 0, () => 0.5).delayMs).toBe(60_000);
  expect(outcomeOf(failed(status, 1_000), 0, () => 0.5).delayMs).toBe(5_000);
  expect(outcomeOf(failed(status, 1_000 * HOUR_MS), 0, () => 0.5).delayMs).toBe(24 * HOUR_MS);
});

test('Retry-After of other statuses is ignored', () => {
  expect(outcomeOf(failed(500, 60_000), 0, () => 0.5).delayMs).toBe(5_000);
});
