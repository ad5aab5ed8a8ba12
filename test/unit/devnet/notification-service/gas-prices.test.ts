import { expect, test } from '@jest/globals';
import { estimateGasPrices } from '../../../../devnet/src/notification-service/gas-prices.ts';

const GWEI = 1_000_000_000;
const hex = (number: number) => `0x${number.toString(16)}`;
const tips = (...gwei: readonly number[]) => gwei.map((tip) => hex(tip * GWEI));

test('gas prices are the next base fee and the median tip of the blocks with transactions', () => {
  const prices = estimateGasPrices({
    blockNumber: 42,
    feeHistory: {
      baseFeePerGas: [hex(9), hex(9), hex(9), hex(9), hex(2 * GWEI)],
      gasUsedRatio: [0.25, 0, 0.5, 0.75],
      reward: [tips(1, 2, 3, 4), tips(0, 0, 0, 0), tips(1.5, 2.5, 3.5, 4.5), tips(5, 6, 7, 8)],
    },
    gasPrice: hex(1),
    // The third block is the first one after the clock was set.
    timestamps: [100, 112, 900_000, 900_012, 900_024],
  });
  expect(prices).toEqual({
    safeLow: 3.5,
    average: 4.5,
    fast: 5.5,
    fastest: 6.5,
    block_time: 12,
    blockNum: 42,
    speed: 0,
    safeLowWait: 2,
    avgWait: 0.6,
    fastWait: 0.4,
    fastestWait: 0.2,
  });
});
