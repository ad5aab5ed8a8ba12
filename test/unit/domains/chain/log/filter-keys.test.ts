import { expect, test } from '@jest/globals';
import { createFilterKeys } from '../../../../../src/domains/chain/log/criteria.ts';

const longList = () => Array.from({ length: 3_500 }, (_none, i) => `0x${i.toString(16).padStart(64, '0')}`);

test('filter keys are equal for equal filters, also of different objects', () => {
  const keyOf = createFilterKeys();
  const filter = () => ({ fromBlock: '0x1', addresses: ['0x1'], topics: [longList(), [], ['0x2']] });
  expect(keyOf(filter())).toBe(keyOf(filter()));
});

test('filter keys differ when a bound, a list or the position of a list differs', () => {
  const keyOf = createFilterKeys();
  const filters = [
    {},
    { addresses: [] },
    { addresses: ['0x1'] },
    { addresses: ['0x1', '0x2'] },
    { topics: [] },
    { topics: [['0x1']] },
    { topics: [['0x1'], []] },
    { topics: [[], ['0x1']] },
    { topics: [['0x1', '0x2']] },
    { fromBlock: '0x1', addresses: ['0x1'] },
    { fromBlock: '0x2', addresses: ['0x1'] },
  ];
  expect(new Set(filters.map(keyOf)).size).toBe(filters.length);
});

test('the length of a filter key does not depend on the length of its lists', () => {
  expect(createFilterKeys()({ topics: [longList()] }).length).toBeLessThan(50);
});
