import { LRUCache } from 'lru-cache';
import type { Data, Quantity } from '../ethereum/hex.ts';
import type { Follower } from '../sync/head/follower.ts';
import { InFlightRequests } from '../upstream/in-flight-requests.ts';
import type { BlockPointer, SharedResultCache } from '../upstream/rpc/operation-calls.ts';

interface CachedResult {
  readonly value: unknown;
  /** Where it lies, when it was not asked at a block hash. */
  readonly block: BlockPointer | undefined;
  /** Which unbroken stretch of the chain that was seen in. */
  readonly generation: number;
}

/** What is kept of a node's answers, for the metrics. */
export interface RpcResultCacheStatus {
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
}

export interface RpcResultCache extends SharedResultCache {
  /** Hash of the block of a height that has been read, while it is of the chain. */
  hashAt(number: Quantity): Data | undefined;
  /** What is kept of a call, without counting as its use. */
  peek(key: string): unknown;
  /** Takes note of which block has a height. */
  recordHash(number: Quantity, hash: Data): void;
  /** Room for whole answers, in the same bounds; what they depend on is in their keys. */
  readonly responses: { get(key: string): unknown; set(key: string, value: unknown): void };
  readonly status: RpcResultCacheStatus;
}

/** Blocks that reorgs have removed; what lies in them is not served, however deep it is. */
const MAX_ORPHANS = 10_000;

/**
 * The answers that all operations share, bounded in bytes. What was asked at a block hash is a fact and stays. What was found by a
 * height or by the hash of a transaction is served while its block is of the chain that the follower knows, and not at all while
 * the follower does not know.
 */
export function createRpcResultCache(bytes: number, follower: Follower | undefined): RpcResultCache {
  // What the cache holds, by itself: most calls of a cold operation are in it nowhere, and asking the cache for them costs much more.
  const held = new Map<string, CachedResult>();
  const kept = new LRUCache<string, CachedResult>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ value }, key) => Math.ceil(key.length + approximateBytes(value)),
    dispose: (_entry, key) => held.delete(key),
  });
  const orphans = new Set<string>();
  let stretch = 0;
  let hits = 0;
  let misses = 0;

  follower?.subscribe(({ removed, added, hasGap }) => {
    if (hasGap) stretch += 1;
    for (const { hash } of removed) orphans.add(hash);
    for (const { hash } of added) orphans.delete(hash);
    for (const hash of orphans) {
      if (orphans.size <= MAX_ORPHANS) break;
      orphans.delete(hash);
    }
  });

  const isCanonical = ({ number, hash }: BlockPointer): boolean => {
    const oldest = follower?.oldest;
    if (!follower || !oldest) return false;
    const lower = hash.toLowerCase();
    // Below the window the chain is taken to be settled.
    return Number(number) < oldest.height ? !orphans.has(lower) : follower.hashAt(number) === lower;
  };

  const find = (key: string): CachedResult | undefined => {
    const found = held.get(key);
    if (!found || (found.block && (found.generation !== stretch || !isCanonical(found.block)))) return undefined;
    // It was used just now, which is what decides how long it stays.
    kept.get(key);
    return found;
  };

  const set = (key: string, value: unknown, place: BlockPointer | undefined): boolean => {
    if (place && !isCanonical(place)) return false;
    const entry = { value, block: place, generation: stretch };
    kept.set(key, entry);
    const isHeld = kept.has(key);
    if (isHeld) held.set(key, entry);
    return isHeld;
  };

  return {
    inFlight: new InFlightRequests(),
    get(key) {
      const found = find(key);
      if (found) hits += 1;
      else misses += 1;
      return found;
    },
    set,
    peek: (key) => held.get(key)?.value,
    hashAt: (number) => find(number)?.value as Data | undefined,
    recordHash: (number, hash) => void set(number, hash.toLowerCase(), { number, hash }),
    responses: { get: (key) => find(key)?.value, set: (key, value) => void set(key, value, undefined) },
    get status() {
      return { bytes: kept.calculatedSize, entries: kept.size, hits, misses };
    },
  };
}

const STRING_BYTES = 24;
const OBJECT_BYTES = 40;
const PROPERTY_BYTES = 8;

/** About how many bytes a JSON value takes in memory. */
export function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return PROPERTY_BYTES;
  let size = OBJECT_BYTES;
  for (const part of Object.values(value)) size += PROPERTY_BYTES + approximateBytes(part);
  return size;
}
