import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { isRetryable, type PlannedRetry, RetryBudget, retryTransient } from '../../../src/lib/retry.ts';

const neverAborted = new AbortController().signal;

/** Plans retries that succeed at this attempt, and counts the retries that were sent. */
function planUntil(success: number, options: Partial<PlannedRetry<number>> = {}) {
  const sent: number[] = [];
  const planRetry = (result: number): PlannedRetry<number> | undefined =>
    result >= success
      ? undefined
      : {
          minDelayMs: undefined,
          send: async () => {
            sent.push(result + 1);
            return result + 1;
          },
          ...options,
        };
  return { planRetry, sent };
}

test('a retry loop ends with the first result that needs no retry', async () => {
  const { planRetry, sent } = planUntil(2);
  expect(await retryTransient(1, new RetryBudget(), neverAborted, planRetry)).toBe(2);
  expect(sent).toEqual([2]);
});

test('a retry loop returns the last failure after three attempts', async () => {
  const { planRetry, sent } = planUntil(10);
  expect(await retryTransient(1, new RetryBudget(), neverAborted, planRetry)).toBe(3);
  expect(sent).toEqual([2, 3]);
});

test('a used-up retry budget ends the retries, and ten first attempts allow one more', async () => {
  const budget = new RetryBudget();
  while (budget.tryWithdraw());
  const { planRetry, sent } = planUntil(2);
  expect(await retryTransient(1, budget, neverAborted, planRetry)).toBe(1);
  // The eleventh one makes up for the rounding of ten tenths.
  for (let i = 0; i < 11; i++) budget.deposit();
  expect(await retryTransient(1, budget, neverAborted, planRetry)).toBe(2);
  expect(sent).toEqual([2]);
});

test('a free retry takes no token of the budget', async () => {
  const budget = new RetryBudget();
  while (budget.tryWithdraw());
  expect(await retryTransient(1, budget, neverAborted, planUntil(2, { isFree: true }).planRetry)).toBe(2);
});

test('an abort during the backoff ends the retries with the last failure', async () => {
  const abort = new AbortController();
  const { planRetry, sent } = planUntil(2, { minDelayMs: 60_000 });
  const result = retryTransient(1, new RetryBudget(), abort.signal, planRetry);
  abort.abort();
  expect(await result).toBe(1);
  expect(sent).toEqual([]);
});

test('an aborted signal allows no retry', async () => {
  const { planRetry, sent } = planUntil(2);
  expect(await retryTransient(1, new RetryBudget(), AbortSignal.abort(), planRetry)).toBe(1);
  expect(sent).toEqual([]);
});

test.each<[string, boolean, GraphError, number]>([
  ['a failed connection', true, new GraphError('UPSTREAM_UNAVAILABLE', ''), 2],
  ['one malformed response', true, new GraphError('UPSTREAM_BAD_RESPONSE', ''), 1],
  ['two malformed responses', false, new GraphError('UPSTREAM_BAD_RESPONSE', ''), 2],
  ['a Retry-After of 5 seconds', true, new GraphError('UPSTREAM_RATE_LIMITED', '', { retryAfterMs: 5_000 }), 1],
  ['a Retry-After above 5 seconds', false, new GraphError('UPSTREAM_RATE_LIMITED', '', { retryAfterMs: 5_001 }), 1],
  ['rejected credentials', false, new GraphError('UPSTREAM_AUTH', ''), 1],
])('after %s isRetryable returns %s', (_case, expected, error, attempts) => {
  expect(isRetryable(error, attempts)).toBe(expected);
});
