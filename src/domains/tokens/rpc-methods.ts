import { data, list, object, wrong } from '../../ethereum/decoders.ts';
import { type Data, quantityOf, sameData, toQuantity } from '../../ethereum/hex.ts';
import { method, type StateMethod, stateAtHash } from '../../snapshot/state-methods.ts';
import { readServiceMetadata } from './metadata.ts';
import type { AmountOf } from './model.ts';

/** What a contract answers to some input at a block. Rejects with EXECUTION_REVERTED when its code fails. */
export const ethCall: StateMethod<[Data], Data> = {
  ...method('eth_call', data, (to: Data, at: unknown, input: Data) => [{ to, data: input }, at]),
  ...stateAtHash,
};

/** Prefixes under which nodes offer the same three methods. */
export const PREFIXES = ['svc', 'alchemy'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** A balance as a service tells it; null when it has an error instead. */
export interface BalanceEntry {
  readonly contract: Data;
  readonly word: Data | null;
}

/** A word of a contract's answer: 32 bytes of hex. */
export const toWord = (value: bigint): Data => `0x${value.toString(16).padStart(64, '0')}`;

/** An amount as 32 bytes: hex of any length, or decimal. Undefined for anything else, no digits included. */
function wordIn(value: unknown): Data | undefined {
  const quantity = toQuantity(value, 256);
  return quantity === undefined ? undefined : toWord(BigInt(quantity));
}

function entryIn(value: unknown): BalanceEntry {
  const { contractAddress, tokenBalance, error } = object<Record<string, unknown>>()(value);
  if (typeof contractAddress !== 'string') throw wrong('the balance of a token');
  const contract = contractAddress.toLowerCase();
  if (error !== null && error !== undefined) return { contract, word: null };
  return { contract, word: wordIn(tokenBalance) ?? null };
}

/** The balances of a holder: of no other account, of the requested contracts alone, each at most once. */
function balancesIn(result: unknown, holder: Data, contracts: readonly Data[]): readonly BalanceEntry[] {
  const { address, tokenBalances } = object<{ address?: unknown; tokenBalances?: unknown }>()(result);
  if (address !== undefined && address !== null && !sameData(address, holder))
    throw wrong('the balances of the requested account');
  const entries = list(entryIn)(tokenBalances);
  const open = new Set(contracts.map((contract) => contract.toLowerCase()));
  for (const { contract } of entries) if (!open.delete(contract)) throw wrong('balances of the requested contracts, each once');
  return entries;
}

function allowanceIn(result: unknown): Data {
  const word = wordIn(result);
  if (word === undefined) throw wrong('an allowance');
  return word;
}

/** What an allowance is asked by. */
export interface AllowanceOf {
  readonly contract: Data;
  readonly owner: Data;
  readonly spender: Data;
}

const methodsOf = (prefix: Prefix) => ({
  balances: method(`${prefix}_getTokenBalances`, balancesIn, (holder: Data, contracts: readonly Data[]) => [holder, contracts]),
  allowance: method(`${prefix}_getTokenAllowance`, allowanceIn, (of: AllowanceOf) => [of]),
  metadata: method(`${prefix}_getTokenMetadata`, readServiceMetadata, (contract: Data) => [contract]),
});

/** The enhanced methods of a node, all as of its own most recent block. */
export type Enhanced = ReturnType<typeof methodsOf>;

export const ENHANCED: Readonly<Record<Prefix, Enhanced>> = { svc: methodsOf('svc'), alchemy: methodsOf('alchemy') };

const padded = (address: Data): string => address.slice(2).padStart(64, '0');

/** Inputs of ERC-20's reading functions: the selector, and the arguments as words. */
export const erc20 = {
  balanceOf: (owner: Data): Data => `0x70a08231${padded(owner)}`,
  allowance: ({ owner, spender }: Omit<AllowanceOf, 'contract'>): Data => `0xdd62ed3e${padded(owner)}${padded(spender)}`,
  totalSupply: '0x18160ddd',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
} as const;

/** The one number of a contract's answer as 32 bytes; null when there is none, as from an account without code. */
export const wordOf = (told: Data | null): Data | null =>
  told !== null && told.length >= 66 ? told.slice(0, 66).toLowerCase() : null;

/** A word of a contract's answer as an amount of its token; null where there is none. */
export const amountOf = (contract: Data, word: Data | null): AmountOf | null =>
  word === null ? null : { contract, raw: quantityOf(BigInt(word)) };
