import { expect, test } from '@jest/globals';
import { baseFeeAt } from '../../../../devnet/src/world/base-fee.ts';

test('base fee of the embedded chain keeps moving, by at most an eighth from block to block', () => {
  const fees = [7];
  for (let height = 1; height < 500; height += 1) fees.push(baseFeeAt(height, fees.at(-1)!));
  const changes = fees.slice(1).map((fee, index) => (fee - fees[index]!) / Math.max(fees[index]!, 8));
  expect(Math.max(...changes.map(Math.abs))).toBeLessThanOrEqual(1 / 8);
  expect(Math.max(...fees.slice(-41)) / Math.min(...fees.slice(-41))).toBeGreaterThan(2);
});
