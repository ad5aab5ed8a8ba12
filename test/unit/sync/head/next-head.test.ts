import { expect, test } from '@jest/globals';
import type { Head } from '../../../../src/sync/head/follower.ts';
import { HeadSchedule } from '../../../../src/sync/head/head-schedule.ts';

/** A schedule right after a head, with blocks at these timestamps in seconds. */
function scheduleOf(timestamps: readonly number[]): HeadSchedule {
  const window = timestamps.map((timestamp) => ({ header: { timestamp: `0x${timestamp.toString(16)}` } }) as Head);
  return new HeadSchedule({ window: window as unknown as [Head], subscribe: () => () => {} });
}

test.each<[string, number[], number]>([
  ['an hour', [0, 3_600, 7_200], 12],
  ['twelve seconds', [0, 12, 24, 36], 12],
  ['twelve seconds with a missed slot', [0, 12, 24, 36, 60], 12],
  ['twelve seconds, and then two seconds', [0, 12, 24, 36, 38], 2],
  ['two seconds', [0, 2, 4, 6], 2],
])('the time to the next head is below a block time of %s', (_case, timestamps, blockSeconds) => {
  const seconds = scheduleOf(timestamps).secondsToNextHead;
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(0);
  expect(seconds).toBeLessThan(blockSeconds);
});

test.each<[string, number[]]>([
  ['one second', [0, 1, 2, 3]],
  ['less than a second', [0, 0, 1, 1]],
  ['an unknown number of seconds', [7]],
])('the time to the next head is 0 with a block time of %s', (_case, timestamps) => {
  expect(scheduleOf(timestamps).secondsToNextHead).toBe(0);
});
