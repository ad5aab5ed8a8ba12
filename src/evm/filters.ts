import { keccak256 } from 'ethers';
import { type Data, sameData } from './hex.ts';
import type { BlockRef, RpcLog } from './rpc.ts';

/** Which logs are wanted; an absent or empty list does not filter. */
export interface LogFilter {
  readonly addresses?: readonly Data[] | null | undefined;
  /** By position; an empty position matches anything, several values in one are alternatives. */
  readonly topics?: readonly (readonly Data[])[] | null | undefined;
}

/** A log has at most so many topics. */
export const MOST_TOPICS = 4;

/** The blocks that a log filter searches: one by hash, or an inclusive range of heights and tags. */
export type LogRange = { readonly blockHash: Data } | { readonly fromBlock: BlockRef; readonly toBlock: BlockRef };

/** The filter object of `eth_getLogs`. */
export type WireFilter = LogRange & {
  readonly address?: Data | readonly Data[];
  readonly topics?: readonly (Data | null | readonly Data[])[];
};

/**
 * The filter as it goes to the node, spelled one way only so that equal filters are one call. An empty address list is left
 * out: some nodes read it as "none of them". A position of one topic is that topic, an open position is null, and open
 * positions at the end go.
 */
export function wireFilter(range: LogRange, { addresses, topics }: LogFilter): WireFilter {
  const address = [...new Set(addresses ?? [])].sort();
  const positions = (topics ?? []).map((position) => [...new Set(position)].sort());
  while (positions.at(-1)?.length === 0) positions.pop();
  return {
    ...range,
    ...(address.length > 0 && { address: address.length === 1 ? address[0]! : address }),
    ...(positions.length > 0 && { topics: positions.map((any) => (any.length > 1 ? any : (any[0] ?? null))) }),
  };
}

const wanted = (alternatives: readonly Data[] | null | undefined, matches: (value: Data) => boolean): boolean =>
  !alternatives || alternatives.length === 0 || alternatives.some(matches);

/** Whether a log passes a filter, by the rules of `eth_getLogs`. One without an address or topics passes none that names any. */
export const matchesFilter = (log: RpcLog, { addresses, topics }: LogFilter): boolean =>
  wanted(addresses, (address) => sameData(address, log.address)) &&
  (topics ?? []).every((position, i) => wanted(position, (topic) => sameData(topic, log.topics?.[i])));

/** Whether a bloom may hold a value: no is certain, yes is not. Three bits of 2048, from the value's hash. */
function bloomMayHold(bloom: Data, value: Data): boolean {
  const hash = keccak256(value);
  return [2, 6, 10].every((at) => {
    const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 2047;
    const byte = 255 - (bit >> 3);
    return (Number.parseInt(bloom.slice(2 + 2 * byte, 4 + 2 * byte), 16) >> (bit & 7)) & 1;
  });
}

/** Whether no bit of a bloom is set, or there is no bloom. */
export const isEmptyBloom = (bloom: unknown): boolean => typeof bloom !== 'string' || /^0x0*$/.test(bloom);

/** Whether a block's bloom has room for a log that passes the filter. */
export function bloomMayMatch(bloom: Data, { addresses, topics }: LogFilter): boolean {
  if (isEmptyBloom(bloom)) return false;
  const held = (value: Data) => bloomMayHold(bloom, value);
  return wanted(addresses, held) && (topics ?? []).every((position) => wanted(position, held));
}
