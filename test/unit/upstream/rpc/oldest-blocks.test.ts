import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { OldestBlocks } from '../../../../src/upstream/rpc/endpoint-capabilities.ts';

const LIFETIME_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test('an oldest block is known for a minute, and a resource that is not served is null', () => {
  const oldest = new OldestBlocks();
  oldest.set('STATE', 5);
  oldest.set('LOGS', null);
  expect([oldest.get('STATE'), oldest.get('LOGS'), oldest.get('BLOCKS')]).toEqual([5, null, undefined]);
  jest.advanceTimersByTime(LIFETIME_MS - 1);
  expect(oldest.get('STATE')).toBe(5);
  jest.advanceTimersByTime(1);
  expect([oldest.get('STATE'), oldest.get('LOGS')]).toEqual([undefined, undefined]);
});

test('a report is requested once a minute, and concurrent readers share it', async () => {
  const oldest = new OldestBlocks();
  const request = jest.fn(async () => true);
  await Promise.all([oldest.report(request), oldest.report(request)]);
  jest.advanceTimersByTime(LIFETIME_MS - 1);
  await oldest.report(request);
  expect(request).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(1);
  await oldest.report(request);
  expect(request).toHaveBeenCalledTimes(2);
});

test('a report that failed for a reason that may pass is requested again by the next reader', async () => {
  const oldest = new OldestBlocks();
  const request = jest.fn(async () => request.mock.calls.length > 1);
  await Promise.all([oldest.report(request), oldest.report(request)]);
  expect(request).toHaveBeenCalledTimes(1);
  await oldest.report(request);
  await oldest.report(request);
  expect(request).toHaveBeenCalledTimes(2);
});
