import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { StateByHashSupport } from '../../../../src/upstream/rpc/endpoint-capabilities.ts';

let support: StateByHashSupport;

beforeEach(() => {
  jest.useFakeTimers();
  support = new StateByHashSupport();
});

afterEach(() => {
  jest.useRealTimers();
});

const reject = (isExplicit = false): void => support.recordRejection(support.rejections, isExplicit);

test('reads by hash are unsupported after two rejections in a row', () => {
  reject();
  expect(support.isUnsupported).toBe(false);
  reject();
  expect(support.isUnsupported).toBe(true);
});

test('reads by hash are unsupported after one rejection for invalid parameters', () => {
  reject(true);
  expect(support.isUnsupported).toBe(true);
});

test('rejections of reads that were sent together count once', () => {
  const rejectionsWhenSent = support.rejections;
  for (let i = 0; i < 10; i++) support.recordRejection(rejectionsWhenSent, false);
  expect(support.rejections).toBe(1);
});

test('a successful read by hash resets the number of rejections', () => {
  reject();
  support.recordSuccess();
  reject();
  expect(support.isUnsupported).toBe(false);
});

test('reads by hash are tried again after a minute, until one more rejection', () => {
  reject(true);
  jest.advanceTimersByTime(59_999);
  expect(support.isUnsupported).toBe(true);
  jest.advanceTimersByTime(1);
  expect(support.isUnsupported).toBe(false);
  reject();
  expect(support.isUnsupported).toBe(true);
});

test('fallback reads that fail are limited to ten, then to one for ten failed reads by hash', () => {
  let attempts = 0;
  for (let i = 0; i < 1_010; i++) {
    if (!support.canTryHeight()) continue;
    support.recordFallbackFailure();
    attempts += 1;
  }
  expect(attempts).toBeGreaterThan(100);
  expect(attempts).toBeLessThanOrEqual(112);
});

test('a hundred concurrent fallback reads that fail use up the credit of a thousand reads', () => {
  const allowed = Array.from({ length: 100 }, () => support.canTryHeight());
  expect(allowed).not.toContain(false);
  for (const _read of allowed) support.recordFallbackFailure();
  const later = Array.from({ length: 900 }, () => support.canTryHeight());
  expect(later).not.toContain(true);
});
