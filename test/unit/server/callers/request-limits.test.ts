import { expect, test } from '@jest/globals';
import { OperationBudget } from '../../../../src/budget/operation-budget.ts';
import { createRequestLimits, type RequestLimits } from '../../../../src/server/callers/rate-limits.ts';

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

test('an application with the name of an address has a limit of its own', () => {
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
