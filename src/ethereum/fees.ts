import { type Quantity, quantityOf, toBigInt } from './hex.ts';
import type { RpcTransaction } from './rpc-types.ts';
import { gasPriceOf } from './transaction-values.ts';

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Computes the wei per gas that a transaction paid to the producer of a block with this base fee (null before London). Null when the base
 * fee exceeds the maximum fee of the transaction, as with system transactions of a rollup, which may have no price.
 */
export function effectiveTip(transaction: RpcTransaction, baseFeePerGas: Quantity | null | undefined): Quantity | null {
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const base = toBigInt(baseFeePerGas ?? '0x0');
  const tip =
    maxFeePerGas && maxPriorityFeePerGas
      ? min(toBigInt(maxPriorityFeePerGas), toBigInt(maxFeePerGas) - base)
      : toBigInt(gasPriceOf(transaction)) - base;
  return tip < 0n ? null : quantityOf(tip);
}

/** Computes the wei per gas that a transaction paid in a block with this base fee; null when `effectiveTip` is null. */
export function effectiveGasPrice(transaction: RpcTransaction, baseFeePerGas: Quantity | null | undefined): Quantity | null {
  if (!transaction.maxFeePerGas) return gasPriceOf(transaction) ?? null;
  const tip = effectiveTip(transaction, baseFeePerGas);
  return tip && quantityOf(toBigInt(baseFeePerGas ?? '0x0') + toBigInt(tip));
}
