import { sameNumber } from './block-results.ts';
import { asObject, invalidShape, list, nullable, quantity } from './decoders.ts';
import { type Quantity, quantityOf } from './hex.ts';
import type { RpcFeeHistory } from './rpc-types.ts';

/** A share of a limit. Nodes may exceed 1 slightly through rounding. */
const ratio = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw invalidShape('a ratio');
  return value;
};

const fees = list(nullable(quantity));
const ratios = list(ratio);
const rewardLists = list(list(quantity));

/**
 * The number of blocks that end at a height, where `blockCount` are requested: fewer if the chain begins above the
 * first requested block.
 */
export const blocksUpTo = (newest: Quantity, blockCount: number): number => Math.min(blockCount, Number(newest) + 1);

/**
 * Reads a result of `eth_feeHistory` for exactly the requested blocks. The lists of base fees have one more entry, for
 * the next block. The lists of blob gas are optional, and so are the lists of tips if no percentile is requested.
 * Throws UPSTREAM_BAD_RESPONSE.
 */
export function readFeeHistoryRange(value: unknown, blockCount: number, newest: Quantity, percentiles: readonly number[]) {
  const history = asObject<RpcFeeHistory>(value, 'fees of blocks');
  const { oldestBlock, baseFeePerGas, gasUsedRatio, baseFeePerBlobGas, blobGasUsedRatio, reward } = history;
  const rows = blocksUpTo(newest, blockCount);
  if (!sameNumber(oldestBlock, quantityOf(Number(newest) + 1 - rows))) throw invalidShape('the fees of the requested blocks');
  /** Decodes a list, whose length must fit the number of blocks. */
  const sized = <T>(decode: (entries: unknown) => readonly T[], entries: unknown, length: number): readonly T[] => {
    const decoded = decode(entries);
    if (decoded.length !== length) throw invalidShape('one entry for each requested block');
    return decoded;
  };
  const optional = <T>(decode: (entries: unknown) => readonly T[], entries: unknown, length: number) =>
    Array.isArray(entries) && entries.length > 0 ? sized(decode, entries, length) : null;
  const rewards = percentiles.length === 0 ? null : sized(rewardLists, reward, rows);
  if (rewards?.some(({ length }) => length !== percentiles.length)) throw invalidShape('one reward for each percentile');
  return {
    oldestBlock,
    baseFeePerGas: optional(fees, baseFeePerGas, rows + 1),
    gasUsedRatio: sized(ratios, gasUsedRatio, rows),
    baseFeePerBlobGas: optional(fees, baseFeePerBlobGas, rows + 1),
    blobGasUsedRatio: optional(ratios, blobGasUsedRatio, rows),
    reward: rewards,
  };
}
