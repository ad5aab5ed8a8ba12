import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { StateByHash } from '../../../../src/upstream/rpc/state-by-hash.ts';

let form: StateByHash;

beforeEach(() => {
  jest.useFakeTimers();
  form = new StateByHash();
});

afterEach(() => {
  jest.useRealTimers();
});

const refuse = (isPlain = false): void => form.refused(form.refusals, isPlain);

test('state is read by height at once after two refusals in a row', () => {
  refuse();
  expect(form.isRefused).toBe(false);
  refuse();
  expect(form.isRefused).toBe(true);
});

test('one refusal is enough where the node calls the parameters invalid', () => {
  refuse(true);
  expect(form.isRefused).toBe(true);
});

test('refusals of reads that were sent together count once', () => {
  const since = form.refusals;
  for (let i = 0; i < 10; i++) form.refused(since, false);
  expect(form.refusals).toBe(1);
});

test('a read by hash that works ends a row of refusals', () => {
  refuse();
  form.worked();
  refuse();
  expect(form.isRefused).toBe(false);
});

test('reads by hash are tried again after a minute, and one more refusal ends that', () => {
  refuse(true);
  jest.advanceTimersByTime(59_999);
  expect(form.isRefused).toBe(true);
  jest.advanceTimersByTime(1);
  expect(form.isRefused).toBe(false);
  refuse();
  expect(form.isRefused).toBe(true);
});

test('reads that fail in both forms are tried by height ten times, then once for ten failures', () => {
  let tried = 0;
  for (let i = 0; i < 1_010; i++) {
    if (!form.mayTryHeight()) continue;
    form.failedTwice();
    tried += 1;
  }
  expect(tried).toBeGreaterThan(100);
  expect(tried).toBeLessThanOrEqual(112);
});

test('a hundred reads at once that fail in both forms use up the tries of a thousand', () => {
  const allowed = Array.from({ length: 100 }, () => form.mayTryHeight());
  expect(allowed).not.toContain(false);
  for (const _read of allowed) form.failedTwice();
  const later = Array.from({ length: 900 }, () => form.mayTryHeight());
  expect(later).not.toContain(true);
});
