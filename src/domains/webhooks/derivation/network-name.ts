import { toBigInt } from '../../../ethereum/hex.ts';

/** The names that notification services use for public networks. */
const NETWORK_NAMES: Readonly<Record<string, string>> = {
  1: 'ETH_MAINNET',
  10: 'OPT_MAINNET',
  100: 'GNOSIS_MAINNET',
  137: 'MATIC_MAINNET',
  8453: 'BASE_MAINNET',
  17000: 'ETH_HOLESKY',
  42161: 'ARB_MAINNET',
  560048: 'ETH_HOODI',
  11155111: 'ETH_SEPOLIA',
};

/**
 * The name of a network in the body of a notification; `CHAIN_` with the chain id for a network without a name, `CHAIN_UNKNOWN` for a node
 * without a chain id.
 */
export const networkName = (chainId: unknown): string => {
  if (chainId === null) return 'CHAIN_UNKNOWN';
  const id = String(toBigInt(chainId));
  return NETWORK_NAMES[id] ?? `CHAIN_${id}`;
};
