import { expect, test } from '@jest/globals';
import { countValues } from '../../../../src/graphql/executor/count-values.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed } from '../../../support/random-tests.ts';

const seed = readSeed();

/** The count of a parsed value: each field of each object, and for a list each item instead of the field. */
function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + (Array.isArray(item) ? item.length : 0) + countOf(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, one) => sum + (Array.isArray(one) ? one.length : 1) + countOf(one), 0);
}

test(`values of written data are counted as those of parsed data, wherever its chunks end (seed ${seed})`, () => {
  const draw = createRandomChoices(seed);
  const texts = ['', 'a', '"', '\\', '\\"', '[1,2]', '{"a":1}', 'ü😀,:'];
  const drawValue = (depth: number): unknown => {
    if (depth === 0 || draw.chance(0.3)) return draw.pick([null, true, 12, ...texts]);
    const items = Array.from({ length: draw.below(4) }, () => drawValue(depth - 1));
    return draw.chance(0.5) ? items : Object.fromEntries(items.map((item, i) => [texts[i]! + i, item]));
  };
  for (let run = 0; run < 300; run++) {
    const value = { a: drawValue(5), b: drawValue(2) };
    const bytes = Buffer.from(JSON.stringify(value));
    const [first, second] = [draw.below(bytes.length), draw.below(bytes.length)].sort((a, b) => a - b);
    const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
    expect([countValues(chunks), countValues([bytes.toString()])]).toEqual([countOf(value), countOf(value)]);
  }
});
