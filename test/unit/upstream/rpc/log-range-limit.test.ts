import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  LogRangeError,
  type LogRangeHint,
  LogRangeLimit,
  recordLogRangeRejection,
} from '../../../../src/upstream/rpc/log-range-limit.ts';

const MINUTE = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

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

test('a rejected search is recorded, one between tags only by a stated number', () => {
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

test('a stated number of results is remembered, and expires', () => {
  const limit = limitAfter([50_000, { limitsBlocks: false, minResults: 10_000 }]);
  expect([limit.maxBlocks, limit.maxResults]).toEqual([Number.POSITIVE_INFINITY, 10_000]);
  jest.advanceTimersByTime(10 * MINUTE);
  expect(limit.maxResults).toBe(Number.POSITIVE_INFINITY);
});
