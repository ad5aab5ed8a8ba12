import { expect, test } from '@jest/globals';
import { createSeededRandom } from '../../../../devnet/src/world/random.ts';

const sequence = (seed: number) => {
  const random = createSeededRandom(seed);
  return Array.from({ length: 1000 }, () => random.nextInt(10));
};

test('createSeededRandom returns the same sequence for the same seed and another sequence for another seed', () => {
  expect(sequence(1)).toEqual(sequence(1));
  expect(sequence(1)).not.toEqual(sequence(2));
});

test('createSeededRandom with the state of a sequence continues it', () => {
  const random = createSeededRandom(3);
  for (let drawn = 0; drawn < 1000; drawn += 1) random.nextInt(10);
  const continued = createSeededRandom(random.state);
  expect(Array.from({ length: 100 }, () => continued.nextInt(10))).toEqual(Array.from({ length: 100 }, () => random.nextInt(10)));
});

test('createSeededRandom returns each number below the limit about equally often, and no other', () => {
  const numbers = sequence(7);
  expect([...new Set(numbers)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (let number = 0; number < 10; number += 1) expect(numbers.filter((each) => each === number).length).toBeGreaterThan(60);
});
