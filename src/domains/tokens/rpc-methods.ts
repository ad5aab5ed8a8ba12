import { asObject, data, invalidShape, list, word } from '../../ethereum/decoders.ts';
import { type Data, sameData, toQuantity } from '../../ethereum/hex.ts';
import type { QueryTokenAllowanceArgs } from '../../generated/tokens.ts';
import { immutableStateAtBlockHash, rpcMethod, type StateMethod } from '../../snapshot/state-methods.ts';
import { decodeServiceMetadata } from './metadata.ts';

/** Calls a contract at a block and returns its result. Rejects with EXECUTION_REVERTED if the code reverts. Source: `eth_call`. */
export const ethCall: StateMethod<[Data], Data> = {
  ...rpcMethod('eth_call', data, (to: Data, at: unknown, input: Data) => [{ to, data: input }, at]),
  ...immutableStateAtBlockHash,
};

/** Prefixes of the enhanced methods: some nodes offer the three methods under one of these prefixes. */
export const ENHANCED_METHOD_PREFIXES = ['svc', 'alchemy'] as const;
export type EnhancedMethodPrefix = (typeof ENHANCED_METHOD_PREFIXES)[number];

/** Decodes an amount, 0x-hex of any length or decimal, into a 32-byte word. Undefined for any other value. */
function decodeWord(value: unknown): Data | undefined {
  const quantity = toQuantity(value, 256);
  return quantity === undefined ? undefined : word(quantity);
}

/** One balance of an enhanced method's result: 32 bytes, or null if the entry has an error or no valid amount. */
function decodeBalanceEntry(value: unknown) {
  const { contractAddress, tokenBalance, error } = asObject(value);
  if (typeof contractAddress !== 'string') throw invalidShape('the balance of a token');
  const contract = contractAddress.toLowerCase();
  if (error !== null && error !== undefined) return { contract, word: null };
  const isHex = typeof tokenBalance === 'string' && tokenBalance.startsWith('0x');
  return { contract, word: (isHex ? decodeWord(tokenBalance) : undefined) ?? null };
}

/**
 * Decodes the balances of a holder. Rejects a result for another account, and contracts that were not requested or are
 * repeated.
 */
function decodeBalances(result: unknown, holder: Data, contracts: readonly Data[]) {
  const { address, tokenBalances } = asObject(result);
  if (address !== undefined && address !== null && !sameData(address, holder))
    throw invalidShape('the balances of the requested account');
  const entries = list(decodeBalanceEntry)(tokenBalances);
  const remaining = new Set(contracts.map((contract) => contract.toLowerCase()));
  for (const { contract } of entries)
    if (!remaining.delete(contract)) throw invalidShape('balances of the requested contracts, each once');
  return entries;
}

function decodeAllowance(result: unknown): Data {
  const allowance = decodeWord(result);
  if (allowance === undefined) throw invalidShape('an allowance');
  return allowance;
}

const balancesParams = (holder: Data, contracts: readonly Data[]) => [holder, contracts] as const;

const createEnhancedMethods = (prefix: EnhancedMethodPrefix) => ({
  balances: rpcMethod(`${prefix}_getTokenBalances`, decodeBalances, balancesParams),
  allowance: rpcMethod(`${prefix}_getTokenAllowance`, decodeAllowance, (params: QueryTokenAllowanceArgs) => [params]),
  metadata: rpcMethod(`${prefix}_getTokenMetadata`, decodeServiceMetadata, (contract: Data) => [contract]),
});

/** The enhanced methods of a node. Their results are as of the node's latest block. */
export type EnhancedMethods = ReturnType<typeof createEnhancedMethods>;

export const ENHANCED_METHODS: Readonly<Record<EnhancedMethodPrefix, EnhancedMethods>> = {
  svc: createEnhancedMethods('svc'),
  alchemy: createEnhancedMethods('alchemy'),
};

const padAddress = (address: Data): string => address.slice(2).padStart(64, '0');

/** Call data of the ERC-20 view functions: selector and ABI-encoded arguments. */
export const erc20 = {
  balanceOf: (owner: Data): Data => `0x70a08231${padAddress(owner)}`,
  allowance: ({ owner, spender }: Omit<QueryTokenAllowanceArgs, 'contract'>) =>
    `0xdd62ed3e${padAddress(owner)}${padAddress(spender)}`,
  totalSupply: '0x18160ddd',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
} as const;

/** The first 32-byte word of a call's result; null if the result is null or shorter, as for an account without code. */
export const firstWordOf = (result: Data | null): Data | null =>
  result !== null && result.length >= 66 ? result.slice(0, 66).toLowerCase() : null;
