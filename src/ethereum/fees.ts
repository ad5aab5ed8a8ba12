import { type Quantity, quantityOf, toBigInt } from './hex.ts';
import type { RpcTransaction } from './rpc-types.ts';

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Wei per gas that a transaction paid to the producer of a block with that base fee (null before London). Null when the
 * block's base fee is above what the transaction may pay, as with transactions that a rollup puts in by itself.
 */
export function effectiveTip(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: RpcTransaction,
  baseFeePerGas: Quantity | null | undefined,
): Quantity | null {
  const base = toBigInt(baseFeePerGas ?? '0x0');
  const tip =
    maxFeePerGas && maxPriorityFeePerGas
      ? min(toBigInt(maxPriorityFeePerGas), toBigInt(maxFeePerGas) - base)
      : toBigInt(gasPrice) - base;
  return tip < 0n ? null : quantityOf(tip);
}

/** Wei per gas that a transaction paid in a block with that base fee; null where `effectiveTip` is. */
export function effectiveGasPrice(transaction: RpcTransaction, baseFeePerGas: Quantity | null | undefined): Quantity | null {
  if (!transaction.maxFeePerGas) return transaction.gasPrice;
  const tip = effectiveTip(transaction, baseFeePerGas);
  return tip && quantityOf(toBigInt(baseFeePerGas ?? '0x0') + toBigInt(tip));
}
