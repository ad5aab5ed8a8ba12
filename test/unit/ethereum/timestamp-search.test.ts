import { expect, test } from '@jest/globals';
import { searchTimestamp, type TimestampBounds } from '../../../src/ethereum/timestamp-search.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

const CHAIN_LENGTH = 20_000_000;
const seed = readSeed();

/** Runs a search over synthesized blocks; counts the timestamps that it reads. */
function find(
  timestampOf: (height: number) => number,
  time: number,
  length = CHAIN_LENGTH,
  bounds: Partial<TimestampBounds> = {},
) {
  const upper = { height: length - 1, timestamp: BigInt(timestampOf(length - 1)) };
  const search = searchTimestamp(BigInt(time), { lower: undefined, upper, later: undefined, ...bounds });
  let calls = 0;
  let step = search.next();
  for (; !step.done; calls++) step = search.next(BigInt(timestampOf(step.value)));
  return { height: step.value, calls };
}

/** A number in [0, 1) for each height. */
function noiseAt(height: number): number {
  const mixed = Math.imul(height ^ seed, 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

const MERGE = 15_537_394;

/** Block times, each with timestamps that never decrease. */
const CHAINS: Readonly<Record<string, (height: number) => number>> = {
  'regular blocks': (height) => 1_600_000_000 + 12 * height,
  'blocks of Ethereum, irregular before the merge': (height) =>
    Math.floor(
      height < MERGE ? 1_438_269_973 + 13.6 * height + 10 * noiseAt(height) : 1_649_578_531 + 12.07 * (height - MERGE) + 10,
    ),
  'a genesis block of time 0': (height) => (height === 0 ? 0 : 1_600_000_000 + 2 * height),
  'a thousand blocks of each time': (height) => 1_000 * Math.floor(height / 1_000),
  'faster and faster blocks': (height) => Math.floor(Math.sqrt(height) * 1e6),
  'slower and slower blocks': (height) => height * height,
  'exponential times': (height) => Math.floor(100 * Math.exp(height / 6e5)),
  'a pause of years near the head': (height) => height + (height < CHAIN_LENGTH - 1_000 ? 0 : 1e12),
  'a pause of years near genesis': (height) => height + (height < 10 ? 0 : 1e12),
};

test.each(Object.entries(CHAINS))(
  `a block of 20 million is found by its time in at most 25 calls: %s, seed ${seed}`,
  (_name, timestampOf) => {
    const draw = random(seed);
    for (let i = 0; i < runSize(500, 20_000); i++) {
      const target = Math.floor((i % 2 === 0 ? draw() : draw() ** 4) * CHAIN_LENGTH);
      const time = timestampOf(target) + Math.floor(draw() * 3);
      if (time >= timestampOf(CHAIN_LENGTH - 1)) continue;
      const { height, calls } = find(timestampOf, time);
      const isFound = height !== null && timestampOf(height) <= time && timestampOf(height + 1) > time;
      if (!isFound || calls > 25) expect({ target, time, height, calls }).toBeUndefined();
    }
  },
);

test('a block of regular blocks is found in fewer than 8 calls on average, without known blocks below the head', () => {
  const draw = random(seed);
  const timestampOf = CHAINS['blocks of Ethereum, irregular before the merge']!;
  const counts = Array.from({ length: 500 }, () => find(timestampOf, timestampOf(Math.floor(draw() * (CHAIN_LENGTH - 1)))).calls);
  expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeLessThan(8);
});

test('a time before the first block has no block', () => {
  expect(find((height) => 100 + height, 99)).toMatchObject({ height: null });
  expect(find((height) => 100 + height, 100)).toMatchObject({ height: 0 });
  expect(find((height) => 100 + height, 5, 1)).toEqual({ height: null, calls: 0 });
});

test('of blocks with equal times, the highest is found', () => {
  const times = [1, 5, 5, 5, 9, 9, 20];
  const found = [0, 1, 4, 5, 8, 9, 19].map((time) => find((height) => times[height]!, time, times.length).height);
  expect(found).toEqual([null, 0, 0, 3, 3, 5, 5]);
});

test(`a search among times in any order ends at a block whose child is later, seed ${seed}`, () => {
  const draw = random(seed);
  for (let i = 0; i < 2_000; i++) {
    const times = Array.from({ length: 2 + Math.floor(draw() * 60) }, () => Math.floor(draw() * 1_000));
    const time = Math.floor(draw() * 1_000);
    if (times.at(-1)! <= time) continue;
    const { height, calls } = find((at) => times[at]!, time, times.length);
    expect(calls).toBeLessThanOrEqual(Math.ceil(Math.log2(times.length)) + 2);
    expect(times[height === null ? 0 : height + 1]!).toBeGreaterThan(time);
    if (height !== null) expect(times[height]!).toBeLessThanOrEqual(time);
  }
});

test('a chain of 300 million blocks needs at most the 29 calls of a bisection', () => {
  const timestampOf = (height: number) => Math.floor(100 * Math.exp(height / 9e6));
  for (const target of [0, 1, 2 ** 20, 299_000_000]) {
    expect(find(timestampOf, timestampOf(target), 300_000_000).calls).toBeLessThanOrEqual(29);
  }
});

test.each<[string, (earliest: number) => number | undefined]>([
  ['without a report of the earliest block', () => undefined],
  ['with a report of the earliest block', (earliest) => earliest],
  ['with a wrong report of the earliest block', (earliest) => earliest * 2],
])(`a search over pruned blocks %s ends at the block, or at the highest pruned one, seed ${seed}`, (_case, reported) => {
  const draw = random(seed);
  for (let i = 0; i < runSize(500, 20_000); i++) {
    const timestampOf = Object.values(CHAINS)[i % Object.keys(CHAINS).length]!;
    const earliest = 1 + Math.floor(draw() * (CHAIN_LENGTH - 2));
    const target = Math.floor(draw() * (CHAIN_LENGTH - 1));
    const time = timestampOf(target);
    if (time >= timestampOf(CHAIN_LENGTH - 1)) continue;
    const upper = { height: CHAIN_LENGTH - 1, timestamp: BigInt(timestampOf(CHAIN_LENGTH - 1)) };
    const search = searchTimestamp(BigInt(time), { lower: undefined, upper, later: undefined });
    let calls = 0;
    let step = search.next();
    for (; !step.done; calls++) {
      const isPruned = step.value < earliest;
      step = search.next(isPruned ? { earliest: reported(earliest) } : BigInt(timestampOf(step.value)));
    }
    const height = step.value!;
    const isFound = height === earliest - 1 || (height >= earliest && timestampOf(height) <= time);
    if (!isFound || timestampOf(height + 1) <= time || calls > 25) expect({ target, earliest, height, calls }).toBeUndefined();
  }
});
