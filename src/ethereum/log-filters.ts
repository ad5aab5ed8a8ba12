import { memoizePerObject } from '../lib/memoize.ts';
import { keccakBytes } from './encoding/hashes.ts';
import type { Data } from './hex.ts';
import type { BlockRef, RpcLog } from './rpc-types.ts';

/** Length of a bloom of 2048 bits in hex, with its prefix. */
const BLOOM_HEX_LENGTH = 514;

/** A bloom without any bit. */
const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;

/** Whether a bloom has no bit set, or is not a bloom. */
export const isEmptyBloom = (bloom: unknown): boolean =>
  typeof bloom !== 'string' || bloom.length !== BLOOM_HEX_LENGTH || bloom === EMPTY_BLOOM;

/**
 * Whether a bloom proves that its block has logs: some but not all bits are set. Nodes that do not compute blooms send
 * a bloom without any bit, or with every bit set.
 */
export const bloomShowsLogs = (bloom: unknown): boolean => !isEmptyBloom(bloom) && !/^0xf*$/i.test(bloom as string);

/** Returns the three bits of an address or a topic. */
export function bloomBitsOf(value: Data): readonly [number, number, number] {
  const hash = keccakBytes(value.slice(2));
  const bitAt = (i: number): number => ((hash[i]! << 8) | hash[i + 1]!) & 2047;
  return [bitAt(0), bitAt(2), bitAt(4)];
}

/** Length of a topic in hex, with its prefix. */
const MAX_VALUE_LENGTH = 66;

/** Bounds the memory of the cache to about 2 MB. */
const MAX_CACHED_VALUES = 16_384;

/**
 * The bits of recent addresses and topics, three for each; the map has the position of the first bit by value. Most
 * logs repeat addresses and topics.
 */
const cachedBits = new Uint16Array(3 * MAX_CACHED_VALUES);
const cachedPositions = new Map<Data, number>();

function cachedPositionOf(value: Data): number {
  const cached = cachedPositions.get(value);
  if (cached !== undefined) return cached;
  if (cachedPositions.size === MAX_CACHED_VALUES) cachedPositions.clear();
  const position = 3 * cachedPositions.size;
  cachedBits.set(bloomBitsOf(value), position);
  cachedPositions.set(value, position);
  return position;
}

/** The bytes of the bloom that is compared. */
const compared = Buffer.alloc(256);

/** The bloom filter of logs. */
export class LogsBloom {
  readonly #bytes = Buffer.alloc(256);
  readonly #words = new Uint32Array(this.#bytes.buffer);

  /** Adds the addresses and topics of logs. */
  addLogs(logs: readonly Pick<RpcLog, 'address' | 'topics'>[]): void {
    for (const { address, topics } of logs) {
      this.#add(address);
      for (let i = 0; i < topics.length; i++) this.#add(topics[i]!);
    }
  }

  /** Adds the bits of another bloom. */
  addBloom(other: LogsBloom): void {
    const words = other.#words;
    for (let i = 0; i < words.length; i++) this.#words[i]! |= words[i]!;
  }

  toHex(): string {
    return `0x${this.#bytes.toString('hex')}`;
  }

  clear(): void {
    this.#words.fill(0);
  }

  /**
   * Whether a bloom of the node has equal bits. True for a bloom that proves nothing, because the node omits it or does
   * not compute it.
   */
  agreesWith(bloom: unknown): boolean {
    if (isEmptyBloom(bloom)) return true;
    const hasAllDigits = compared.write((bloom as string).slice(2), 'hex') === compared.length;
    return (hasAllDigits && this.#bytes.equals(compared)) || !bloomShowsLogs(bloom);
  }

  /** Whether a bloom of the node has all bits. True for a bloom that proves nothing. */
  isWithin(bloom: unknown): boolean {
    if (!bloomShowsLogs(bloom)) return true;
    compared.write((bloom as string).slice(2), 'hex');
    return this.#bytes.every((byte, i) => (byte & ~compared[i]!) === 0);
  }

  #add(value: Data): void {
    // The scalars report a malformed address or topic.
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH) return;
    const position = cachedPositionOf(value);
    for (let i = position; i < position + 3; i++) {
      const bit = cachedBits[i]!;
      this.#bytes[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
}

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
  [topics].flat().reduce((sum: number, position) => sum + countAlternatives(position), countAlternatives(addresses));

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
