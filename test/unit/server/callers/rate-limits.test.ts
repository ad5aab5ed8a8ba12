import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { OperationBudget } from '../../../../src/lib/operation-budget.ts';
import {
  createRateLimits,
  createRequestLimits,
  type RateLimitOptions,
  type RateLimits,
  type RequestLimits,
} from '../../../../src/server/callers/rate-limits.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

const createLimits = (options: RateLimitOptions) => {
  const clock = { now: 1_000 };
  return { clock, limits: createRateLimits(options, () => clock.now) };
};

/** The error of a request; undefined if it is accepted. */
const rejection = (limits: RateLimits, key: string): GraphError | undefined => {
  try {
    limits.check(key);
    return undefined;
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
};

const countAccepted = (limits: RateLimits, key: string, attempts: number): number => {
  let accepted = 0;
  for (let i = 0; i < attempts; i++) if (!rejection(limits, key)) accepted++;
  return accepted;
};

test('a key may send the requests of one minute at once and then one per refilled token', () => {
  const { clock, limits } = createLimits({ requestsPerMinute: 60 });
  expect(countAccepted(limits, 'wallet', 100)).toBe(60);
  clock.now += 999;
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ retryAfterMs: 1 });
  clock.now += 1;
  expect(countAccepted(limits, 'wallet', 5)).toBe(1);
  clock.now += 10_000;
  expect(countAccepted(limits, 'wallet', 50)).toBe(10);
  clock.now += 3_600_000;
  expect(countAccepted(limits, 'wallet', 100)).toBe(60);
});

test('RATE_LIMITED has the limit, its setting and the time to wait', () => {
  const { limits } = createLimits({ requestsPerMinute: 7 });
  countAccepted(limits, 'wallet', 7);
  const error = rejection(limits, 'wallet');
  expect(error?.extensions).toEqual({
    code: 'RATE_LIMITED',
    retryable: true,
    source: 'graph',
    limit: 7,
    setting: 'RATE_LIMIT_REQUESTS',
    retryAfterMs: 8_572,
  });
  expect(error?.message).toBe(
    'The rate exceeds 7 requests per minute (RATE_LIMIT_REQUESTS). Send the request again after 8572 ms.',
  );
});

test('an operation that costs more than is left makes later requests wait', () => {
  const { clock, limits } = createLimits({ costPerMinute: 600 });
  limits.check('wallet');
  limits.charge('wallet', 1_800);
  const expected = { limit: 600, setting: 'RATE_LIMIT_COST', retryAfterMs: 120_100 };
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject(expected);
  clock.now += 120_099;
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ retryAfterMs: 1 });
  clock.now += 1;
  expect(rejection(limits, 'wallet')).toBeUndefined();
});

test('concurrent operations may exceed the cost together, which later requests pay', () => {
  const { limits } = createLimits({ costPerMinute: 600 });
  for (let i = 0; i < 3; i++) limits.check('wallet');
  for (let i = 0; i < 3; i++) limits.charge('wallet', 500);
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ retryAfterMs: 90_100 });
});

test('a request above both limits reports the one with the longer wait', () => {
  const { clock, limits } = createLimits({ requestsPerMinute: 2, costPerMinute: 600 });
  countAccepted(limits, 'wallet', 2);
  limits.charge('wallet', 800);
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ setting: 'RATE_LIMIT_REQUESTS', retryAfterMs: 30_000 });
  limits.charge('wallet', 200);
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ setting: 'RATE_LIMIT_COST', retryAfterMs: 40_100 });
  clock.now += 40_100;
  expect(countAccepted(limits, 'wallet', 5)).toBe(1);
});

test('the limits of one key do not apply to another', () => {
  const { limits } = createLimits({ requestsPerMinute: 3 });
  expect(countAccepted(limits, 'wallet', 10)).toBe(3);
  expect(countAccepted(limits, '198.51.100.4', 10)).toBe(3);
});

test('limits that are not set reject nothing and hold no bucket', () => {
  const { limits } = createLimits({});
  limits.charge('wallet', 1e9);
  expect(countAccepted(limits, 'wallet', 10_000)).toBe(10_000);
  expect(limits.bucketCount).toBe(0);
});

test('limits use the clock of the process by default', () => {
  const limits = createRateLimits({ requestsPerMinute: 2 });
  expect(countAccepted(limits, 'wallet', 5)).toBe(2);
  expect(rejection(limits, 'wallet')?.extensions.retryAfterMs).toBeLessThanOrEqual(30_000);
});

test('full buckets are removed', () => {
  const { clock, limits } = createLimits({ requestsPerMinute: 60, costPerMinute: 60 });
  for (let i = 0; i < 5_000; i++) limits.check(`early ${i}`);
  limits.charge('debtor', 240);
  expect(limits.bucketCount).toBe(5_001);
  clock.now += 60_000;
  for (let i = 0; i < 5_000; i++) limits.check(`late ${i}`);
  expect(limits.bucketCount).toBeLessThanOrEqual(5_001);
  expect(rejection(limits, 'debtor')?.extensions).toMatchObject({ setting: 'RATE_LIMIT_COST', retryAfterMs: 121_000 });
});

test('a quarter of a million keys hold at most 100,000 buckets, and a key in use keeps its own', () => {
  const { limits } = createLimits({ requestsPerMinute: 60 });
  expect(countAccepted(limits, 'wallet', 100)).toBe(60);
  let accepted = 0;
  for (let i = 0; i < 250_000; i++) {
    limits.check(`key ${i}`);
    if (i % 50_000 === 0) accepted += countAccepted(limits, 'wallet', 1);
  }
  expect({ accepted, buckets: limits.bucketCount }).toEqual({ accepted: 0, buckets: 100_000 });
});

/** The time at which each balance of a key is full; an account of the same limits without buckets that are removed. */
type FullAt = { requests: number; cost: number };

test('random requests get the decisions of a model that never removes a bucket', () => {
  const seed = readSeed();
  const draw = createRandomChoices(seed);
  const counts = { accepted: 0, rejected: 0 };
  for (let run = 0; run < runSize(60, 2_000); run++) {
    const [requests, cost] = [draw.pick([1, 7, 60, 1_000, 60_000]), draw.pick([1, 13, 600, 100_000])];
    const { clock, limits } = createLimits({ requestsPerMinute: requests, costPerMinute: cost });
    const accounts = new Map<string, FullAt>();
    for (let step = 0; step < 500; step++) {
      clock.now += draw.weighted([
        [6, 0],
        [3, draw.below(50)],
        [2, draw.below(5_000)],
        [1, draw.below(200_000)],
      ]);
      const key = `key ${draw.below(4)}`;
      const account = accounts.get(key) ?? { requests: 0, cost: 0 };
      accounts.set(key, account);
      const take = (name: keyof FullAt, ms: number) => {
        account[name] = Math.max(account[name], clock.now) + ms;
      };
      if (draw.chance(0.2)) {
        const charged = draw.below(cost);
        limits.charge(key, charged);
        take('cost', (charged * 60_000) / cost);
        continue;
      }
      const waits = { requests: 60_000 / requests, cost: 60_000 / cost };
      const wait = Math.max(
        ...(['requests', 'cost'] as const).map((name) => Math.max(account[name] - clock.now, 0) + waits[name] - 60_000),
      );
      const error = rejection(limits, key);
      const retryAfterMs = Number(error?.extensions.retryAfterMs ?? 0);
      counts[error ? 'rejected' : 'accepted']++;
      // A wait is rounded up to whole milliseconds, and rounding may decide at the boundary itself.
      const isExpected = Math.abs(wait) < 0.1 || (wait > 0 ? Math.abs(retryAfterMs - wait) < 1.1 : !error);
      if (!isExpected) throw new Error(`seed ${seed}: run ${run}, step ${step}: waits ${retryAfterMs} ms instead of ${wait}`);
      if (!error) take('requests', waits.requests);
    }
  }
  expect({ seed, ...counts }).toEqual({ seed, accepted: expect.any(Number), rejected: expect.any(Number) });
  expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(1_000);
});

test('retryAfterMs is long enough, and too long by one millisecond at most', () => {
  const seed = readSeed();
  const draw = createRandomChoices(seed);
  for (let run = 0; run < runSize(60, 2_000); run++) {
    const { clock, limits } = createLimits({ requestsPerMinute: 1 + draw.below(2_000), costPerMinute: 1 + draw.below(5_000) });
    clock.now += draw.below(1e9) + draw.below(1_000) / 1_000;
    limits.check('wallet');
    limits.charge('wallet', draw.below(10_000) + draw.below(1_000) / 1_000);
    while (!rejection(limits, 'wallet')) clock.now += draw.below(3);
    const retryAfterMs = Number(rejection(limits, 'wallet')?.extensions.retryAfterMs);
    // The wait is rounded up, and a millionth of a token is too little to wait for: 0.06 ms with one token per minute.
    clock.now += retryAfterMs - 1.07;
    const isEarlyRejected = rejection(limits, 'wallet') !== undefined;
    clock.now += 1.07;
    expect({ seed, run, isEarlyRejected, late: rejection(limits, 'wallet') }).toEqual({
      seed,
      run,
      isEarlyRejected: true,
      late: undefined,
    });
  }
});

const accepts = (limits: RequestLimits, ...request: Parameters<RequestLimits['check']>): boolean => {
  try {
    limits.check(...request);
    return true;
  } catch {
    return false;
  }
};

/** Reports the end of an operation to the limits. */
const end = ({ observer }: RequestLimits, rateLimitKey: string | undefined, budget: OperationBudget | undefined): void => {
  const operation = budget && { requestId: 'r', budget };
  const observed = { requestId: 'r', origin: { transport: 'http', receivedAt: 0, rateLimitKey }, operation };
  observer.end({ observed, durationMs: 1, codes: [], responseBytes: 0 } as any);
};

test('limits that are not set return no key and reject nothing', () => {
  const limits = createRequestLimits({});
  for (let i = 0; i < 1_000; i++) expect(limits.check({ app: 'shop' }, '192.0.2.1')).toBeUndefined();
});

test('an application has one limit at all addresses, and a client without one a limit for its address', () => {
  const limits = createRequestLimits({ requestsPerMinute: 2 });
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => accepts(limits, { app: 'shop' }, address))).toEqual([
    true,
    true,
    false,
  ]);
  expect(accepts(limits, { app: 'farm' }, '192.0.2.1')).toBe(true);
  expect([1, 2, 3].map(() => accepts(limits, undefined, '192.0.2.1'))).toEqual([true, true, false]);
  expect(accepts(limits, undefined, '192.0.2.2')).toBe(true);
});

test('a local caller has the limit of its address', () => {
  const limits = createRequestLimits({ requestsPerMinute: 1 });
  expect(accepts(limits, { app: undefined }, 'loopback')).toBe(true);
  expect(accepts(limits, undefined, 'loopback')).toBe(false);
});

test('an application with the name of an address has its own limit', () => {
  const limits = createRequestLimits({ requestsPerMinute: 1 });
  const keys = [limits.check({ app: '192.0.2.1' }, '192.0.2.9'), limits.check(undefined, '192.0.2.1')];
  expect(new Set(keys).size).toBe(2);
  expect(limits.check({ app: 'address:192.0.2.7' }, '192.0.2.9')).not.toBe(limits.check(undefined, '192.0.2.7'));
});

test('the cost of an operation is charged to its client when it ends', () => {
  const limits = createRequestLimits({ costPerMinute: 60 });
  const key = limits.check({ app: 'shop' }, '192.0.2.1');
  const budget = new OperationBudget();
  budget.addCost(100);
  end(limits, key, budget);
  expect(accepts(limits, { app: 'shop' }, '192.0.2.1')).toBe(false);
  expect(accepts(limits, { app: 'farm' }, '192.0.2.1')).toBe(true);
});

test('operations without a client, as events of subscriptions, and requests that did not execute cost nothing', () => {
  const limits = createRequestLimits({ costPerMinute: 1 });
  const key = limits.check({ app: 'shop' }, '192.0.2.1');
  const budget = new OperationBudget();
  budget.addCost(100);
  end(limits, undefined, budget);
  end(limits, key, undefined);
  expect(accepts(limits, { app: 'shop' }, '192.0.2.1')).toBe(true);
});
