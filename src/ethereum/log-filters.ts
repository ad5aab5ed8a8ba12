import { memoizePerObject } from '../lib/memoize.ts';
import { bloomBitsOf, isEmptyBloom } from './bloom.ts';
import type { Data } from './hex.ts';
import type { BlockRef, RpcLog } from './rpc-types.ts';

/** Addresses and topics that a log must match; an absent or empty list matches every log. */
export interface LogFilter {
  readonly addresses?: readonly Data[] | null | undefined;
  /** Alternatives by topic position; an empty position matches any topic. */
  readonly topics?: readonly (readonly Data[])[] | null | undefined;
}

/** Maximum number of topics of a log. */
export const MAX_TOPICS = 4;

/** The blocks that a log filter searches: one by hash, or an inclusive range of heights and tags. */
export type LogRange = { readonly blockHash: Data } | { readonly fromBlock: BlockRef; readonly toBlock: BlockRef };

/** The filter object of `eth_getLogs`. */
export type RpcLogFilter = LogRange & {
  readonly address?: Data | readonly Data[];
  readonly topics?: readonly (Data | null | readonly Data[])[];
};

/**
 * Builds the filter object of `eth_getLogs` in a canonical form, so that equal filters result in equal calls. Omits an empty address list,
 * which some nodes treat as "no address", and empty positions at the end. A position with one topic becomes that topic; an empty position
 * becomes null.
 */
export function toRpcLogFilter(range: LogRange, { addresses, topics }: LogFilter): RpcLogFilter {
  const address = canonicalList(addresses ?? NO_VALUES);
  const positions = (topics ?? []).map((values) => canonicalList(values));
  while (positions.at(-1)?.length === 0) positions.pop();
  return {
    ...range,
    ...(address.length > 0 && { address: address.length === 1 ? address[0]! : address }),
    ...(positions.length > 0 && {
      topics: positions.map((position) => (position.length > 1 ? position : (position[0] ?? null))),
    }),
  };
}

const NO_VALUES: readonly Data[] = [];

/** Returns the distinct values of a list in order. All calls that carry a list share its canonical form, hence its JSON and its lookup structure. */
const canonicalList = memoizePerObject((values: readonly Data[]): readonly Data[] => [...new Set(values)].sort());

/** Number of addresses and topics in a filter of a client, or in a filter of `eth_getLogs`. */
export const countFilterValues = (addresses: unknown, topics: unknown): number =>
  countAlternatives(addresses) + (Array.isArray(topics) ? countTopics(topics) : countAlternatives(topics));

/** Counted once for all fields that share the list. */
const countTopics = memoizePerObject((topics: readonly unknown[]): number =>
  topics.reduce((sum: number, position) => sum + countAlternatives(position), 0),
);

const countAlternatives = (values: unknown): number =>
  Array.isArray(values) ? values.length : values === null || values === undefined ? 0 : 1;

// A list of alternatives can be long and is compared with every log and every block. All items of a response and all events of a
// subscription share the list object.

/** The alternatives in lower case. */
const lookupOf = memoizePerObject(
  (alternatives: readonly Data[]): ReadonlySet<string> => new Set(alternatives.map((value) => value.toLowerCase())),
);

/** The three bloom bits of each alternative, in sequence. */
const bloomBitsIn = memoizePerObject((alternatives: readonly Data[]) => [...lookupOf(alternatives)].flatMap(bloomBitsOf));

type Alternatives = readonly Data[] | null | undefined;

const isWildcard = (alternatives: Alternatives): alternatives is null | undefined => !alternatives || alternatives.length === 0;

/** Whether a value is one of the alternatives, in any case. An absent or empty list matches every value. */
export const matchesAnyOf = (alternatives: Alternatives, value: unknown): boolean =>
  isWildcard(alternatives) || (typeof value === 'string' && lookupOf(alternatives).has(value.toLowerCase()));

/** Whether a log matches a filter by the rules of `eth_getLogs`. A log without an address or topics matches no filter that has them. */
export const matchesFilter = (log: RpcLog, { addresses, topics }: LogFilter): boolean =>
  matchesAnyOf(addresses, log.address) && (topics ?? []).every((position, i) => matchesAnyOf(position, log.topics?.[i]));

/** Whether a bloom may contain one of the alternatives; false positives are possible, false negatives are not. */
function bloomMayContainAny(bloom: Buffer, alternatives: Alternatives): boolean {
  if (isWildcard(alternatives)) return true;
  const bloomBits = bloomBitsIn(alternatives);
  const isSet = (bit: number): boolean => ((bloom[255 - (bit >> 3)]! >> (bit & 7)) & 1) === 1;
  for (let i = 0; i < bloomBits.length; i += 3)
    if (isSet(bloomBits[i]!) && isSet(bloomBits[i + 1]!) && isSet(bloomBits[i + 2]!)) return true;
  return false;
}

/** Whether a filter matches every log. */
export const isUnfiltered = ({ addresses, topics }: LogFilter): boolean =>
  isWildcard(addresses) && (topics ?? []).every(isWildcard);

/** Whether a block with this bloom may contain a log that matches the filter; false positives are possible. */
export function bloomMayMatch(bloom: Data, { addresses, topics }: LogFilter): boolean {
  if (isEmptyBloom(bloom)) return false;
  const bytes = Buffer.from(bloom.slice(2), 'hex');
  return bloomMayContainAny(bytes, addresses) && (topics ?? []).every((position) => bloomMayContainAny(bytes, position));
}
