import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { OldestBlocks, StateByHashSupport } from '../../../../src/upstream/rpc/endpoint-capabilities.ts';
import {
  LogRangeError,
  type LogRangeHint,
  LogRangeLimit,
  recordLogRangeRejection,
} from '../../../../src/upstream/rpc/log-range-limit.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('oldest blocks', () => {
  const LIFETIME_MS = 60_000;

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
});

describe('state by hash', () => {
  let support: StateByHashSupport;

  beforeEach(() => {
    support = new StateByHashSupport();
  });

  test('reads by hash are unsupported for a minute after a rejection', () => {
    support.recordSuccess();
    support.recordRejection(false);
    jest.advanceTimersByTime(59_999);
    expect(support.isUnsupported).toBe(true);
    jest.advanceTimersByTime(1);
    expect(support.isUnsupported).toBe(false);
  });

  test('a missing block does not count as a rejection by an endpoint that has read by hash', () => {
    support.recordSuccess();
    support.recordRejection(true);
    expect(support.isUnsupported).toBe(false);
  });

  test('no read is tried by height for a second after a read failed in both forms', () => {
    support.recordFallbackFailure();
    expect(support.canTryHeight).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect(support.canTryHeight).toBe(true);
  });
});

describe('log range limit', () => {
  const MINUTE = 60_000;

  const limitAfter = (...rejections: readonly (readonly [blocks: number, hint: LogRangeHint])[]): LogRangeLimit => {
    const limit = new LogRangeLimit();
    for (const [blocks, hint] of rejections) limit.recordRejection(blocks, hint);
    return limit;
  };

  test.each<[string, number, LogRangeHint, number]>([
    ['a stated number of blocks is the limit', 50_000, { limitsBlocks: true, maxBlocks: 10_000 }, 10_000],
    ['a rejection without a number halves the width', 50_001, { limitsBlocks: true }, 25_000],
    ['a hint that repeats the rejected width halves it', 8_105, { limitsBlocks: true, maxBlocks: 8_105 }, 4_052],
    ['a hint above the rejected width halves it', 100, { limitsBlocks: true, maxBlocks: 5_000 }, 50],
    ['the rejection of one block sets no limit', 1, { limitsBlocks: true, maxBlocks: 10 }, Number.POSITIVE_INFINITY],
    ['too many results set no limit', 50_000, { limitsBlocks: false, maxBlocks: 10 }, Number.POSITIVE_INFINITY],
  ])('log range limit: %s', (_case, blocks, hint, expected) => {
    expect(limitAfter([blocks, hint]).maxBlocks).toBe(expected);
  });

  test('a log range limit never grows by a rejection', () => {
    const limit = limitAfter(
      [50_000, { limitsBlocks: true, maxBlocks: 1_000 }],
      [50_000, { limitsBlocks: true, maxBlocks: 10_000 }],
      [90_000, { limitsBlocks: true }],
    );
    expect(limit.maxBlocks).toBe(1_000);
  });

  test.each<[string, LogRangeHint, number]>([
    ['a stated limit', { limitsBlocks: true, maxBlocks: 100 }, 10 * MINUTE],
    ['a guessed limit', { limitsBlocks: true }, MINUTE],
  ])('%s of a log range expires', (_case, hint, ms) => {
    const limit = limitAfter([200, hint]);
    jest.advanceTimersByTime(ms - 1);
    expect(limit.maxBlocks).toBe(100);
    jest.advanceTimersByTime(1);
    expect(limit.maxBlocks).toBe(Number.POSITIVE_INFINITY);
  });

  test('a rejected search is recorded; a search between tags only if the rejection states a number', () => {
    const limit = new LogRangeLimit();
    const record = (hint: LogRangeHint, fromBlock: string, toBlock: string): number => {
      const call = { method: 'eth_getLogs', params: [{ fromBlock, toBlock }] };
      recordLogRangeRejection(call, new LogRangeError(hint, 'too wide', {}), limit);
      return limit.maxBlocks;
    };
    expect(record({ limitsBlocks: true }, 'earliest', 'latest')).toBe(Number.POSITIVE_INFINITY);
    expect(record({ limitsBlocks: true, maxBlocks: 500 }, 'earliest', 'latest')).toBe(500);
    expect(record({ limitsBlocks: true }, '0x1', '0x64')).toBe(50);
  });

  test('a stated number of results is cached, and expires', () => {
    const limit = limitAfter([50_000, { limitsBlocks: false, minResults: 10_000 }]);
    expect([limit.maxBlocks, limit.maxResults]).toEqual([Number.POSITIVE_INFINITY, 10_000]);
    jest.advanceTimersByTime(10 * MINUTE);
    expect(limit.maxResults).toBe(Number.POSITIVE_INFINITY);
  });
});
