import { type Quantity, quantityOf, toQuantity } from './hex.ts';
import type { RpcTransaction } from './rpc-types.ts';

/**
 * Returns the chain id that the signature of a transaction covers: the node's value, or that in `v` of a legacy transaction (EIP-155). Null for a
 * legacy transaction that is valid on every chain.
 */
export function chainIdOf({ chainId, v, type }: Partial<RpcTransaction>): Quantity | null {
  if (chainId !== undefined && chainId !== null && toQuantity(chainId, 256) !== '0x0') return chainId;
  const isLegacy = type === undefined || type === null || toQuantity(type, 64) === '0x0';
  const quantity = isLegacy ? toQuantity(v, 256) : undefined;
  return quantity !== undefined && BigInt(quantity) >= 35n ? quantityOf((BigInt(quantity) - 35n) / 2n) : null;
}

/** Returns the price of a transaction in wei per gas: zero for a type without any price, as on some chains; undefined where the node omits it. */
export const gasPriceOf = ({ gasPrice, maxFeePerGas }: Partial<RpcTransaction>): Quantity | undefined =>
  gasPrice ?? (maxFeePerGas ? undefined : '0x0');
