import { data, invalidShape, list, object } from '../../ethereum/decoders.ts';
import { type Data, sameData, toQuantity } from '../../ethereum/hex.ts';
import { immutableStateAtBlockHash, rpcMethod, type StateMethod } from '../../snapshot/state-methods.ts';
import { decodeServiceMetadata } from './metadata.ts';

/** What a contract answers to some input at a block. Rejects with EXECUTION_REVERTED when its code fails. */
export const ethCall: StateMethod<[Data], Data> = {
  ...rpcMethod('eth_call', data, (to: Data, at: unknown, input: Data) => [{ to, data: input }, at]),
  ...immutableStateAtBlockHash,
};

/** Prefixes under which nodes offer the same three methods. */
export const ENHANCED_METHOD_PREFIXES = ['svc', 'alchemy'] as const;
export type EnhancedMethodPrefix = (typeof ENHANCED_METHOD_PREFIXES)[number];

/** A balance as a service tells it; null when it has an error instead. */
export interface ServiceBalanceEntry {
  readonly contract: Data;
  readonly word: Data | null;
}

/** A word of a contract's answer: 32 bytes of hex. */
export const toHexWord = (value: bigint): Data => `0x${value.toString(16).padStart(64, '0')}`;

/** An amount as 32 bytes: hex of any length, or decimal. Undefined for anything else, no digits included. */
function decodeWord(value: unknown): Data | undefined {
  const quantity = toQuantity(value, 256);
  return quantity === undefined ? undefined : toHexWord(BigInt(quantity));
}

function decodeBalanceEntry(value: unknown): ServiceBalanceEntry {
  const { contractAddress, tokenBalance, error } = object<Record<string, unknown>>()(value);
  if (typeof contractAddress !== 'string') throw invalidShape('the balance of a token');
  const contract = contractAddress.toLowerCase();
  if (error !== null && error !== undefined) return { contract, word: null };
  return { contract, word: decodeWord(tokenBalance) ?? null };
}

/** The balances of a holder: of no other account, of the requested contracts alone, each at most once. */
function decodeBalances(result: unknown, holder: Data, contracts: readonly Data[]): readonly ServiceBalanceEntry[] {
  const { address, tokenBalances } = object<{ address?: unknown; tokenBalances?: unknown }>()(result);
  if (address !== undefined && address !== null && !sameData(address, holder))
    throw invalidShape('the balances of the requested account');
  const entries = list(decodeBalanceEntry)(tokenBalances);
  const open = new Set(contracts.map((contract) => contract.toLowerCase()));
  for (const { contract } of entries)
    if (!open.delete(contract)) throw invalidShape('balances of the requested contracts, each once');
  return entries;
}

function decodeAllowance(result: unknown): Data {
  const word = decodeWord(result);
  if (word === undefined) throw invalidShape('an allowance');
  return word;
}

/** What an allowance is asked by. */
export interface AllowanceParams {
  readonly contract: Data;
  readonly owner: Data;
  readonly spender: Data;
}

const createEnhancedMethods = (prefix: EnhancedMethodPrefix) => ({
  balances: rpcMethod(`${prefix}_getTokenBalances`, decodeBalances, (holder: Data, contracts: readonly Data[]) => [
    holder,
    contracts,
  ]),
  allowance: rpcMethod(`${prefix}_getTokenAllowance`, decodeAllowance, (of: AllowanceParams) => [of]),
  metadata: rpcMethod(`${prefix}_getTokenMetadata`, decodeServiceMetadata, (contract: Data) => [contract]),
});

/** The enhanced methods of a node, all as of its own most recent block. */
export type EnhancedMethods = ReturnType<typeof createEnhancedMethods>;

export const ENHANCED_METHODS: Readonly<Record<EnhancedMethodPrefix, EnhancedMethods>> = {
  svc: createEnhancedMethods('svc'),
  alchemy: createEnhancedMethods('alchemy'),
};

const padAddress = (address: Data): string => address.slice(2).padStart(64, '0');

/** Inputs of ERC-20's reading functions: the selector, and the arguments as words. */
export const erc20 = {
  balanceOf: (owner: Data): Data => `0x70a08231${padAddress(owner)}`,
  allowance: ({ owner, spender }: Omit<AllowanceParams, 'contract'>): Data =>
    `0xdd62ed3e${padAddress(owner)}${padAddress(spender)}`,
  totalSupply: '0x18160ddd',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
} as const;

/** The first 32 bytes of a contract's result; null when it is shorter, as from an account without code. */
export const firstWordOf = (result: Data | null): Data | null =>
  result !== null && result.length >= 66 ? result.slice(0, 66).toLowerCase() : null;
