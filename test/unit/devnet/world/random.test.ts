import { expect, test } from '@jest/globals';
import { createSeededRandom } from '../../../../src/devnet/world/random.ts';

const sequence = (seed: number) => {
  const random = createSeededRandom(seed);
  return Array.from({ length: 1000 }, () => random.nextInt(10));
};

test('a seed always gives the same sequence, and another seed another one', () => {
  expect(sequence(1)).toEqual(sequence(1));
  expect(sequence(1)).not.toEqual(sequence(2));
});

test('every number below the limit comes up about as often, and no other', () => {
  const seen = sequence(7);
  expect([...new Set(seen)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (let number = 0; number < 10; number += 1) expect(seen.filter((each) => each === number).length).toBeGreaterThan(60);
});
