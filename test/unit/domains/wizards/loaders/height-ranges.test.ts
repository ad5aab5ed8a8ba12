import { expect, test } from '@jest/globals';
import { groupIntoHeightRanges } from '../../../../../src/domains/wizards/loaders/duels.ts';
import { random, readSeed } from '../../../../support/random-tests.ts';

const rangesOf = (heights: readonly number[], maxRanges: number) =>
  groupIntoHeightRanges(heights.map(BigInt), maxRanges).map((range) => range.map(Number));

test.each<[string, number[], number[][]]>([
  ['no heights', [], []],
  ['one height', [7], [[7]]],
  ['consecutive heights in any order, some repeated,', [3, 1, 2, 3], [[1, 2, 3]]],
  ['heights with gaps', [9, 1, 2, 5], [[1, 2], [5], [9]]],
  ['heights with too many gaps', [1, 3, 9, 11, 30], [[1, 3, 9, 11, 30]]],
])('groupIntoHeightRanges with 3 ranges at most groups %s correctly', (_case, heights, expected) => {
  expect(rangesOf(heights, 3)).toEqual(expected);
});

test('groupIntoHeightRanges returns each random height once, in consecutive ranges or in a single range', () => {
  const seed = readSeed();
  const draw = random(seed);
  const below = (n: number) => Math.floor(draw() * n);
  for (let i = 0; i < 500; i++) {
    const heights = Array.from({ length: below(40) }, () => below(100));
    const maxRanges = 1 + below(8);
    const ranges = rangesOf(heights, maxRanges);
    const sorted = [...new Set(heights)].sort((a, b) => a - b);
    const rangeCount = sorted.filter((height) => !sorted.includes(height - 1)).length;
    expect([seed, ranges.flat()]).toEqual([seed, sorted]);
    expect([seed, ranges.length]).toEqual([seed, rangeCount > maxRanges ? 1 : rangeCount]);
  }
});
