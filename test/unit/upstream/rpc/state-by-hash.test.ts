import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { StateByHashSupport } from '../../../../src/upstream/rpc/state-by-hash-support.ts';

let form: StateByHashSupport;

beforeEach(() => {
  jest.useFakeTimers();
  form = new StateByHashSupport();
});

afterEach(() => {
  jest.useRealTimers();
});

const refuse = (isPlain = false): void => form.recordRejection(form.rejections, isPlain);

test('state is read by height at once after two refusals in a row', () => {
  refuse();
  expect(form.isUnsupported).toBe(false);
  refuse();
  expect(form.isUnsupported).toBe(true);
});

test('one refusal is enough where the node calls the parameters invalid', () => {
  refuse(true);
  expect(form.isUnsupported).toBe(true);
});

test('refusals of reads that were sent together count once', () => {
  const since = form.rejections;
  for (let i = 0; i < 10; i++) form.recordRejection(since, false);
  expect(form.rejections).toBe(1);
});

test('a read by hash that works ends a row of refusals', () => {
  refuse();
  form.recordSuccess();
  refuse();
  expect(form.isUnsupported).toBe(false);
});

test('reads by hash are tried again after a minute, and one more refusal ends that', () => {
  refuse(true);
  jest.advanceTimersByTime(59_999);
  expect(form.isUnsupported).toBe(true);
  jest.advanceTimersByTime(1);
  expect(form.isUnsupported).toBe(false);
  refuse();
  expect(form.isUnsupported).toBe(true);
});

test('reads that fail in both forms are tried by height ten times, then once for ten failures', () => {
  let tried = 0;
  for (let i = 0; i < 1_010; i++) {
    if (!form.canTryHeight()) continue;
    form.recordFallbackFailure();
    tried += 1;
  }
  expect(tried).toBeGreaterThan(100);
  expect(tried).toBeLessThanOrEqual(112);
});

test('a hundred reads at once that fail in both forms use up the tries of a thousand', () => {
  const allowed = Array.from({ length: 100 }, () => form.canTryHeight());
  expect(allowed).not.toContain(false);
  for (const _read of allowed) form.recordFallbackFailure();
  const later = Array.from({ length: 900 }, () => form.canTryHeight());
  expect(later).not.toContain(true);
});
