import { describe, expect, test } from '@jest/globals';
import { groupHeightsIntoRanges } from '../../../../../src/domains/wizards/loaders/duels.ts';
import { readSeed as newSeed, random } from '../../../../support/random-tests.ts';

const runs = (heights: readonly number[], most: number) =>
  groupHeightsIntoRanges(heights.map(BigInt), most).map((run) => run.map(Number));

describe('heights become runs:', () => {
  test.each<[string, number[], number[][]]>([
    ['none of none', [], []],
    ['one of one', [7], [[7]]],
    ['one of those that follow each other, in any order and repeated', [3, 1, 2, 3], [[1, 2, 3]]],
    ['one for each piece', [9, 1, 2, 5], [[1, 2], [5], [9]]],
    ['the widest gaps divide what has too many pieces', [1, 3, 9, 11, 30], [[1, 3], [9, 11], [30]]],
  ])('%s', (_what, heights, expected) => {
    expect(runs(heights, 3)).toEqual(expected);
  });

  test('as few as there may be, which hold each height once', () => {
    const seed = newSeed();
    const draw = random(seed);
    const below = (n: number) => Math.floor(draw() * n);
    for (let i = 0; i < 500; i++) {
      const heights = Array.from({ length: below(40) }, () => below(100));
      const most = 1 + below(8);
      const found = runs(heights, most);
      const sorted = [...new Set(heights)].sort((a, b) => a - b);
      const pieces = sorted.filter((height) => !sorted.includes(height - 1)).length;
      expect([seed, found.flat()]).toEqual([seed, sorted]);
      expect([seed, found.length]).toEqual([seed, Math.min(most, pieces)]);
    }
  });
});
