import { type Quantity, toBigInt } from '../../../ethereum/hex.ts';
import type { RpcFeeHistory } from '../../../ethereum/rpc-types.ts';
import type { GasPriceMetadata } from '../model.ts';
import type { GasPriceTrigger } from '../registrations/model.ts';

/** Blocks whose fees decide on the prices. */
export const SAMPLED_BLOCKS = 20;
/** Percentiles of the tips in a block that stand for safeLow, average, fast and fastest. */
export const PERCENTILES = [10, 50, 75, 95] as const;
/** Blocks whose use of gas is stated as `speed`. */
const SPEED_BLOCKS = 10;

const SPEED_FIELDS = { SAFE_LOW: 'safeLow', AVERAGE: 'average', FAST: 'fast', FASTEST: 'fastest' } as const;

/**
 * Estimates gas prices in gwei: the base fee of the next block, plus the median over the blocks with transactions of a percentile of their
 * tips. The time between blocks and the waiting times are null: the fees do not tell them. Undefined where there is neither a base fee nor a
 * transaction. Source: `eth_feeHistory` up to the block `newest`, with PERCENTILES.
 */
export function gasPriceMetadata(feeHistory: RpcFeeHistory, newest: Quantity): GasPriceMetadata | undefined {
  const { baseFeePerGas, gasUsedRatio, reward } = feeHistory;
  const ratios = gasUsedRatio ?? [];
  const tips = (reward ?? []).filter((_tips, index) => (ratios[index] ?? 0) > 0);
  const baseFee = baseFeePerGas?.at(-1) ?? undefined;
  if (baseFee === undefined && tips.length === 0) return undefined;
  const price = (percentile: number): number => {
    const wei = toBigInt(baseFee ?? '0x0') + (median(tips.map((ofBlock) => toBigInt(ofBlock[percentile]))) ?? 0n);
    return Number(`${wei}e-9`);
  };
  return {
    fast: price(2),
    fastest: price(3),
    safeLow: price(0),
    average: price(1),
    blockTime: null,
    blockNumber: newest,
    speed: ratios.length === 0 ? null : Math.min(1, ...ratios.slice(-SPEED_BLOCKS)),
    safeLowWait: null,
    avgWait: null,
    fastWait: null,
    fastestWait: null,
  };
}

/** Whether the price of a trigger's speed is above or below its threshold. A price that equals a threshold is neither. */
export function isThresholdReached(prices: GasPriceMetadata, { speed, above, below }: GasPriceTrigger): boolean {
  const price = prices[SPEED_FIELDS[speed]];
  return (above !== null && price > above) || (below !== null && price < below);
}

/** The middle value, the lower one of two; undefined without values. */
function median(values: readonly bigint[]): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
