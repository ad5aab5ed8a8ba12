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

test('reads by hash are unsupported for a minute after a rejection', () => {
  support.recordSuccess();
  support.recordRejection(false);
  jest.advanceTimersByTime(59_999);
  expect(support.isUnsupported).toBe(true);
  jest.advanceTimersByTime(1);
  expect(support.isUnsupported).toBe(false);
});

test('a missing block is no rejection of an endpoint that has read by hash', () => {
  support.recordSuccess();
  support.recordRejection(true);
  expect(support.isUnsupported).toBe(false);
});

test('no read is tried by height for a second after one that failed in both forms', () => {
  support.recordFallbackFailure();
  expect(support.canTryHeight).toBe(false);
  jest.advanceTimersByTime(1_000);
  expect(support.canTryHeight).toBe(true);
});
