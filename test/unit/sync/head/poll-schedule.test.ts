import { expect, test } from '@jest/globals';
import { FOLLOWER_TIMING, PollSchedule, pollIntervalMs } from '../../../../src/sync/head/timing.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const SEED = readSeed();
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
  `blocks every %i seconds take less than 1.5 polls each, and are seen after a tenth of the block time (seed ${SEED})`,
  (seconds) => {
    const random = createRandomChoices(SEED);
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

test.each([
  ['blocks of unequal intervals', 12, (height: number) => height * 1_000],
  ['a short block time', 1, (height: number) => height * 1_000],
])('%s are polled twice in a block time', (_case, seconds, availableAt) => {
  const chain = new SimChain({ seed: 1, blockSeconds: seconds, blocks: 60 });
  const schedule = new PollSchedule();
  for (let height = 40; height <= 60; height++) {
    const canonical = Array.from({ length: 33 }, (_none, i) => headOf(chain.main.at(height - 32 + i)!)) as never;
    expect(schedule.delayMs(canonical, availableAt(height), FOLLOWER_TIMING)).toBe(pollIntervalMs(canonical, FOLLOWER_TIMING));
  }
});

/** Blocks of one chain by name, each with its 40 ancestors. */
const chainOf = (blockSeconds: number) => {
  const chain = new SimChain({ seed: 1, blockSeconds, blocks: 50 });
  const heads = Array.from({ length: 51 }, (_none, height) => headOf(chain.main.at(height)!));
  return (height: number) => heads.slice(height - 40, height + 1) as never;
};

test.each<[string, number, [at: number, height: number, delayMs: number][]]>([
  // A block that appears between two polls is taken to have appeared in their middle, and the next one is expected 63/64 of a block time later.
  [
    'the first poll when the next block is due',
    12,
    [
      [0, 41, 4_000],
      [8_000, 41, 4_000],
      [12_000, 42, 9_812.5],
    ],
  ],
  [
    'shorter ranges of the time of a block',
    12,
    [
      [0, 41, 4_000],
      [12_000, 42, 5_812.5],
      [17_812.5, 42, 1_500],
      [21_000, 43, 10_218.75],
    ],
  ],
  [
    'polls of a block that is late',
    12,
    [
      [0, 41, 4_000],
      [8_000, 41, 4_000],
      [12_000, 42, 9_812.5],
      [21_812.5, 42, 1_500],
      [23_312.5, 42, 1_500],
      [24_812.5, 42, 3_000],
      [27_812.5, 42, 4_000],
    ],
  ],
  [
    'a block that is more than half a block time late',
    12,
    [
      [0, 41, 4_000],
      [8_000, 41, 4_000],
      [12_000, 42, 9_812.5],
      [28_000, 42, 4_000],
      [30_001, 43, 4_000],
    ],
  ],
  [
    'a long block time',
    60,
    [
      [0, 41, 4_000],
      [59_000, 41, 4_000],
      [60_000, 42, 15_000],
    ],
  ],
  [
    'a block time that timestamps do not measure',
    1,
    [
      [0, 41, 500],
      [500, 41, 500],
      [1_000, 42, 500],
      [2_000, 43, 500],
    ],
  ],
  [
    'a chain without a known block time',
    0,
    [
      [0, 40, 250],
      [500, 41, 250],
    ],
  ],
])('delays of polls: %s', (_case, blockSeconds, polls) => {
  const [schedule, at] = [new PollSchedule(), chainOf(blockSeconds)];
  expect(polls.map(([now, height]) => [now, height, schedule.delayMs(at(height), now, FOLLOWER_TIMING)])).toEqual(polls);
});
