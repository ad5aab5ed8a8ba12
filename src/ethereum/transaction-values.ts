import { type Quantity, quantityOf, toBigInt, toQuantity } from './hex.ts';
import type { RpcTransaction } from './rpc-types.ts';

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

/**
 * Returns the chain id that the signature of a transaction covers: the node's value, or the chain id in `v` of a legacy
 * transaction (EIP-155). Null for a legacy transaction that is valid on every chain.
 */
export function chainIdOf({ chainId, v, type }: Partial<RpcTransaction>): Quantity | null {
  if (chainId !== undefined && chainId !== null && toQuantity(chainId, 256) !== '0x0') return chainId;
  const isLegacy = type === undefined || type === null || toQuantity(type, 64) === '0x0';
  const quantity = isLegacy ? toQuantity(v, 256) : undefined;
  return quantity !== undefined && BigInt(quantity) >= 35n ? quantityOf((BigInt(quantity) - 35n) / 2n) : null;
}

/** The position of a transaction or a log that is in no block. */
export const NO_LOCATION = { blockHash: null, blockNumber: null, transactionIndex: null };

/** A transaction that is in no block: some nodes give the position in their unfinished block, and the price that would be paid in it. */
export const asPending = (transaction: RpcTransaction): RpcTransaction => ({
  ...transaction,
  ...NO_LOCATION,
  gasPrice: transaction.maxFeePerGas ?? transaction.gasPrice,
});

/**
 * Returns the price of a transaction in wei per gas: zero for a type without any price, as on some chains; undefined if
 * the node omits it.
 */
export const gasPriceOf = ({ gasPrice, maxFeePerGas }: Partial<RpcTransaction>): Quantity | undefined =>
  gasPrice ?? (maxFeePerGas ? undefined : '0x0');
