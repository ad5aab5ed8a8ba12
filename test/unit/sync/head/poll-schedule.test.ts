import { expect, test } from '@jest/globals';
import { FOLLOWER_TIMING, PollSchedule, pollIntervalMs } from '../../../../src/sync/head/timing.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const BLOCKS = 400;

/**
 * Polls a chain whose block n is available at the time `availableAt(n)`. Returns the number of polls and the mean and the largest delay until a
 * block was seen, of the second half of the blocks.
 */
function pollChain(blockSeconds: number, availableAt: (height: number) => number) {
  const chain = new SimChain({ seed: 1, blockSeconds, blocks: 40 + BLOCKS });
  const heads = Array.from({ length: 41 + BLOCKS }, (_none, height) => headOf(chain.main.at(height)!));
  const schedule = new PollSchedule();
  const delays: number[] = [];
  let polls = 0;
  let height = 40;
  for (let now = availableAt(40); height < 40 + BLOCKS; ) {
    const before = height;
    while (height < 40 + BLOCKS && availableAt(height + 1) <= now) height += 1;
    if (height > 40 + BLOCKS / 2) {
      polls += 1;
      for (let seen = before + 1; seen <= height; seen++) delays.push(now - availableAt(seen));
    }
    now += schedule.delayMs(heads.slice(height - 39, height + 1) as never, now, FOLLOWER_TIMING);
  }
  return {
    pollsOfBlock: (2 * polls) / BLOCKS,
    mean: delays.reduce((a, b) => a + b, 0) / delays.length,
    max: Math.max(...delays),
  };
}

test.each([2, 4, 12])(
  'blocks every %i seconds take less than 1.5 polls each, and are seen after a tenth of the block time',
  (seconds) => {
    const random = createRandomChoices(readSeed());
    const phase = random.below(10_000);
    const spread = seconds * 30;
    const times = Array.from({ length: 41 + BLOCKS }, (_none, i) => phase + i * seconds * 1_000 + random.below(spread));
    const { pollsOfBlock, mean, max } = pollChain(seconds, (height) => times[height]!);
    expect(pollsOfBlock).toBeLessThan(1.5);
    expect(mean).toBeLessThan(seconds * 100);
    expect(max).toBeLessThan(seconds * 250);
  },
);

test('a missing block is noticed with few polls, and the next one without a long delay', () => {
  const missed = 300;
  const { max, pollsOfBlock } = pollChain(12, (height) => (height + (height >= missed ? 1 : 0)) * 12_000);
  expect(max).toBeLessThan(6_000);
  expect(pollsOfBlock).toBeLessThan(1.5);
});

/** Returns a function of a height that returns the block at this height and its 40 ancestors. */
const chainOf = (blockSeconds: number) => {
  const chain = new SimChain({ seed: 1, blockSeconds, blocks: 50 });
  const heads = Array.from({ length: 51 }, (_none, height) => headOf(chain.main.at(height)!));
  return (height: number) => heads.slice(height - 40, height + 1) as never;
};

test('blocks of unequal intervals are polled twice in a block time', () => {
  const [schedule, at] = [new PollSchedule(), chainOf(12)];
  for (let height = 40; height <= 50; height++) {
    expect(schedule.delayMs(at(height), height * 1_000, FOLLOWER_TIMING)).toBe(pollIntervalMs(at(height), FOLLOWER_TIMING));
  }
});

// A block that appears between two polls is taken to have appeared in their middle, and the next one is expected 63/64 of a block time later.
// Each poll: its time, the height of the head, the delay until the next poll.
test.each([
  ['the first poll when the next block is due', 12, '0 41 4000, 8000 41 4000, 12000 42 9812.5'],
  ['a block that narrows the time of its parent', 12, '0 41 4000, 12000 42 5812.5, 17812.5 42 1500, 21000 43 10218.75'],
  [
    'a late block',
    12,
    '0 41 4000, 8000 41 4000, 12000 42 9812.5, 21812.5 42 1500, 23312.5 42 1500, 24812.5 42 3000, 27812.5 42 4000',
  ],
  ['a block half a block time late', 12, '0 41 4000, 8000 41 4000, 12000 42 9812.5, 28000 42 4000, 30001 43 4000'],
  ['a long block time', 60, '0 41 4000, 59000 41 4000, 60000 42 15000'],
  ['a block time that timestamps do not measure', 1, '0 41 500, 500 41 500, 1000 42 500, 2000 43 500'],
  ['blocks that share a second', 0, '0 40 250, 500 41 250'],
])('delays of polls: %s', (_case, blockSeconds, expected) => {
  const [schedule, at] = [new PollSchedule(), chainOf(blockSeconds)];
  const polls = expected.split(', ').map((poll) => poll.split(' ').map(Number));
  expect(polls.map(([now, height]) => [now, height, schedule.delayMs(at(height!), now!, FOLLOWER_TIMING)])).toEqual(polls);
});
