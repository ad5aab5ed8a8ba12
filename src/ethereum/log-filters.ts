import { keccak256 } from 'ethers';
import type { Data } from './hex.ts';
import type { BlockRef, RpcLog } from './rpc-types.ts';

/** Which logs are wanted; an absent or empty list does not filter. */
export interface LogFilter {
  readonly addresses?: readonly Data[] | null | undefined;
  /** By position; an empty position matches anything, several values in one are alternatives. */
  readonly topics?: readonly (readonly Data[])[] | null | undefined;
}

/** A log has at most so many topics. */
export const MAX_TOPICS = 4;

/** The blocks that a log filter searches: one by hash, or an inclusive range of heights and tags. */
export type LogRange = { readonly blockHash: Data } | { readonly fromBlock: BlockRef; readonly toBlock: BlockRef };

/** The filter object of `eth_getLogs`. */
export type RpcLogFilter = LogRange & {
  readonly address?: Data | readonly Data[];
  readonly topics?: readonly (Data | null | readonly Data[])[];
};

/**
 * The filter as it goes to the node, spelled one way only so that equal filters are one call. An empty address list is left
 * out: some nodes read it as "none of them". A position of one topic is that topic, an open position is null, and open
 * positions at the end go.
 */
export function toRpcLogFilter(range: LogRange, { addresses, topics }: LogFilter): RpcLogFilter {
  const address = [...new Set(addresses ?? [])].sort();
  const positions = (topics ?? []).map((position) => [...new Set(position)].sort());
  while (positions.at(-1)?.length === 0) positions.pop();
  return {
    ...range,
    ...(address.length > 0 && { address: address.length === 1 ? address[0]! : address }),
    ...(positions.length > 0 && { topics: positions.map((any) => (any.length > 1 ? any : (any[0] ?? null))) }),
  };
}

/** How a list of alternatives is looked up. Clients make them long, and each is held against every log and every block. */
interface AlternativesLookup {
  readonly values: ReadonlySet<string>;
  /** The bits of each value in a bloom, three after three; made for the first bloom. */
  bloomBits: readonly number[] | undefined;
}

/** Made once a list, which stays the same for all items of an answer and all events of a subscription. */
const lookupCache = new WeakMap<readonly Data[], AlternativesLookup>();

function lookupOf(alternatives: readonly Data[]): AlternativesLookup {
  let lookup = lookupCache.get(alternatives);
  if (!lookup) {
    lookup = { values: new Set(alternatives.map((value) => value.toLowerCase())), bloomBits: undefined };
    lookupCache.set(alternatives, lookup);
  }
  return lookup;
}

type Alternatives = readonly Data[] | null | undefined;

const isWildcard = (alternatives: Alternatives): alternatives is null | undefined => !alternatives || alternatives.length === 0;

/** Whether a value is one of those that are wanted; nodes differ in the case of its digits. An absent or empty list wants all. */
export const matchesAnyOf = (alternatives: Alternatives, value: unknown): boolean =>
  isWildcard(alternatives) || (typeof value === 'string' && lookupOf(alternatives).values.has(value.toLowerCase()));

/** Whether a log passes a filter, by the rules of `eth_getLogs`. One without an address or topics passes none that names any. */
export const matchesFilter = (log: RpcLog, { addresses, topics }: LogFilter): boolean =>
  matchesAnyOf(addresses, log.address) && (topics ?? []).every((position, i) => matchesAnyOf(position, log.topics?.[i]));

/** The bits of a value in a bloom: three of 2048, from its hash. */
function bloomBitsOf(value: Data): readonly number[] {
  const hash = keccak256(value);
  return [2, 6, 10].map((at) => Number.parseInt(hash.slice(at, at + 4), 16) & 2047);
}

/** Whether a bloom may hold one of these: no is certain, yes is not. */
function bloomMayContainAny(bloom: Buffer, alternatives: Alternatives): boolean {
  if (isWildcard(alternatives)) return true;
  const lookup = lookupOf(alternatives);
  lookup.bloomBits ??= [...lookup.values].flatMap(bloomBitsOf);
  const { bloomBits } = lookup;
  const isSet = (bit: number): boolean => ((bloom[255 - (bit >> 3)]! >> (bit & 7)) & 1) === 1;
  for (let i = 0; i < bloomBits.length; i += 3)
    if (isSet(bloomBits[i]!) && isSet(bloomBits[i + 1]!) && isSet(bloomBits[i + 2]!)) return true;
  return false;
}

/** Whether a filter lets every log pass. */
export const isUnfiltered = ({ addresses, topics }: LogFilter): boolean =>
  isWildcard(addresses) && (topics ?? []).every(isWildcard);

/** Characters of a bloom: 2048 bits. */
const BLOOM_HEX_LENGTH = 514;

/** Whether no bit of a bloom is set, or there is no bloom. */
export const isEmptyBloom = (bloom: unknown): boolean =>
  typeof bloom !== 'string' || bloom.length !== BLOOM_HEX_LENGTH || /^0x0*$/.test(bloom);

/**
 * Whether a bloom shows that its block has logs: it has bits, and not all of them. Nodes that do not compute blooms send one
 * without any bit, or one with every bit set.
 */
export const bloomShowsLogs = (bloom: unknown): boolean => !isEmptyBloom(bloom) && !/^0xf*$/i.test(bloom as string);

/** Whether a block's bloom has room for a log that passes the filter. */
export function bloomMayMatch(bloom: Data, { addresses, topics }: LogFilter): boolean {
  if (isEmptyBloom(bloom)) return false;
  const bytes = Buffer.from(bloom.slice(2), 'hex');
  return bloomMayContainAny(bytes, addresses) && (topics ?? []).every((position) => bloomMayContainAny(bytes, position));
}
