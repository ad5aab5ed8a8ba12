import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { OperationBudget } from '../../../../src/lib/operation-budget.ts';
import type { Caller } from '../../../../src/operation/operation.ts';
import type { OperationRecord } from '../../../../src/operation/operation-observer.ts';
import {
  costObserver,
  createRequestLimits,
  type RateLimitOptions,
  type RequestLimits,
  subscribingClient,
} from '../../../../src/server/callers/rate-limits.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

const createLimits = (options: RateLimitOptions) => {
  const clock = { now: 1_000 };
  return { clock, limits: createRequestLimits(options, () => clock.now)! };
};

/** The error of a request; undefined if it is accepted. */
const rejection = (limits: RequestLimits, app: string): GraphError | undefined => {
  try {
    limits.check({ app }, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
};

const countAccepted = (limits: RequestLimits, app: string, attempts: number): number =>
  Array.from({ length: attempts }, () => rejection(limits, app)).filter((error) => !error).length;

/** Reports the end of an operation with this cost. */
const end = (limits: RequestLimits, rateLimitKey: string | undefined, cost: number | undefined): void => {
  const budget = new OperationBudget();
  budget.addCost(cost ?? 0);
  const operation = cost === undefined ? undefined : { budget };
  costObserver(limits).end({ observed: { origin: { rateLimitKey }, operation } } as unknown as OperationRecord);
};
const charge = (limits: RequestLimits, app: string, cost: number) => end(limits, `app:${app}`, cost);

test('an application may send the requests of one minute at once and then one per refilled token', () => {
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
  const extensions = { limit: 7, setting: 'RATE_LIMIT_REQUESTS', retryAfterMs: 8_572 };
  expect(error?.extensions).toEqual({ code: 'RATE_LIMITED', retryable: true, source: 'graph', ...extensions });
  expect(error?.message).toBe(
    'The rate exceeds 7 requests per minute (RATE_LIMIT_REQUESTS). Send the request again after 8572 ms.',
  );
});

test('an operation that costs more than is left makes later requests wait', () => {
  const { clock, limits } = createLimits({ costPerMinute: 600 });
  expect(rejection(limits, 'wallet')).toBeUndefined();
  charge(limits, 'wallet', 1_800);
  const expected = { limit: 600, setting: 'RATE_LIMIT_COST', retryAfterMs: 120_100 };
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject(expected);
  clock.now += 120_099;
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ retryAfterMs: 1 });
  clock.now += 1;
  expect(rejection(limits, 'wallet')).toBeUndefined();
});

test('a request above both limits reports the limit with the longer wait', () => {
  const { clock, limits } = createLimits({ requestsPerMinute: 2, costPerMinute: 600 });
  countAccepted(limits, 'wallet', 2);
  charge(limits, 'wallet', 800);
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ setting: 'RATE_LIMIT_REQUESTS', retryAfterMs: 30_000 });
  charge(limits, 'wallet', 200);
  expect(rejection(limits, 'wallet')?.extensions).toMatchObject({ setting: 'RATE_LIMIT_COST', retryAfterMs: 40_100 });
  clock.now += 40_100;
  expect(countAccepted(limits, 'wallet', 5)).toBe(1);
});

test('150,000 other clients do not evict the bucket of a client that sends requests', () => {
  const { limits } = createLimits({ requestsPerMinute: 60 });
  expect(countAccepted(limits, 'wallet', 100)).toBe(60);
  let accepted = 0;
  for (let i = 0; i < 150_000; i++) {
    limits.check(undefined, `address ${i}`);
    if (i % 50_000 === 0) accepted += countAccepted(limits, 'wallet', 1);
  }
  expect(accepted).toBe(0);
});

test('retryAfterMs is long enough, and too long by one millisecond at most', () => {
  const seed = readSeed();
  const draw = createRandomChoices(seed);
  for (let run = 0; run < runSize(60, 2_000); run++) {
    const { clock, limits } = createLimits({ requestsPerMinute: 1 + draw.below(2_000), costPerMinute: 1 + draw.below(5_000) });
    clock.now += draw.below(1e9) + draw.below(1_000) / 1_000;
    rejection(limits, 'wallet');
    charge(limits, 'wallet', draw.below(10_000) + draw.below(1_000) / 1_000);
    while (!rejection(limits, 'wallet')) clock.now += draw.below(3);
    const retryAfterMs = Number(rejection(limits, 'wallet')?.extensions.retryAfterMs);
    // The wait is rounded up, and a millionth of a token is too little to wait for: 0.06 ms with one token per minute.
    clock.now += retryAfterMs - 1.07;
    const isEarlyRejected = rejection(limits, 'wallet') !== undefined;
    clock.now += 1.07;
    const result = { seed, run, isEarlyRejected, late: rejection(limits, 'wallet') };
    expect(result).toEqual({ seed, run, isEarlyRejected: true, late: undefined });
  }
});

test.each<[string, number, readonly (readonly [app: string | undefined, address: string, isAccepted: boolean])[]]>([
  [
    'an application has one limit at all addresses, and a client without one a limit for its address',
    1,
    [
      ['shop', '192.0.2.1', true],
      ['shop', '192.0.2.2', false],
      ['farm', '192.0.2.1', true],
      [undefined, '192.0.2.1', true],
      [undefined, '192.0.2.1', false],
      [undefined, '192.0.2.2', true],
    ],
  ],
  [
    'an application with the name of an address has a separate limit',
    1,
    [
      ['192.0.2.1', '192.0.2.9', true],
      [undefined, '192.0.2.1', true],
      ['address:192.0.2.7', '192.0.2.9', true],
      [undefined, '192.0.2.7', true],
    ],
  ],
])('%s', (_case, requestsPerMinute, requests) => {
  const limits = createRequestLimits({ requestsPerMinute })!;
  for (const [app, address, isAccepted] of requests) {
    const check = () => limits.check(app === undefined ? undefined : ({ app } satisfies Caller), address);
    if (isAccepted) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
  }
});

test('a local caller has the limit of its address', () => {
  const limits = createRequestLimits({ requestsPerMinute: 1 })!;
  expect(limits.check({ app: undefined }, 'loopback')).toBe('address:loopback');
  expect(() => limits.check(undefined, 'loopback')).toThrow(GraphError);
});

test('events of subscriptions, which have no client, and requests that did not execute cost nothing', async () => {
  const limits = createRequestLimits({ costPerMinute: 1 })!;
  const key = await limits.check({ app: 'shop' }, '192.0.2.1');
  end(limits, undefined, 100);
  end(limits, key, undefined);
  expect(rejection(limits, 'shop')).toBeUndefined();
});

test.each<[Caller | undefined, string | undefined, string | undefined]>([
  [{ app: 'shop' }, '192.0.2.1', '["shop","192.0.2.1"]'],
  [{ app: 'shop' }, undefined, '["shop",null]'],
  [{ app: undefined }, '192.0.2.1', '192.0.2.1'],
  [undefined, '192.0.2.1', '192.0.2.1'],
  [undefined, undefined, undefined],
])('subscriptions of %j at address %s share the limit of %s', (caller, address, client) => {
  expect(subscribingClient(caller, address)).toBe(client);
});

test('a server without limits has none to check', () => {
  expect(createRequestLimits({})).toBeUndefined();
});
