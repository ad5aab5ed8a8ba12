import { LRUCache } from 'lru-cache';
import type { Data, Quantity } from '../ethereum/hex.ts';
import { ResponseDependencies } from '../operation/response-dependencies.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { BlockPointer } from '../upstream/rpc/rpc-call.ts';
import { InFlightRequests } from '../upstream/rpc/shared-results.ts';

interface CachedResult {
  readonly value: unknown;
  /** The block on which the value depends; undefined for a call that names a block hash, and for a whole response. */
  readonly block: BlockPointer | undefined;
  /** Number of gaps that the follower had reported when the value was cached. */
  readonly generation: number;
}

/** How a cache shares its results with other processes of the server. */
export interface ResultSharing {
  readonly inFlight: InFlightRequests;
  /** Called for each result of a call that has been cached. */
  onCached?(key: string): void;
  /** Called for each hash of a height that an operation has read. */
  onHash?(number: Quantity, hash: Data): void;
}

/** Maximum number of tracked removed blocks. Their results are not served, even below the follower's window. */
const MAX_ORPHANS = 10_000;

/**
 * Creates the cache of upstream results that all operations share; `maxBytes` limits it. Results of calls that name a block hash are
 * permanent. A result that depends on a canonical block is served only while the follower confirms that block.
 */
export function createRpcResultCache(
  maxBytes: number,
  follower: Pick<Follower, 'settledBelow' | 'hashAt' | 'subscribe'>,
  sharing: ResultSharing = { inFlight: new InFlightRequests() },
) {
  const entries = new LRUCache<string, CachedResult>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ value }, key) => Math.ceil(key.length + approximateBytes(value)),
  });
  const orphans = new Set<string>();
  let generation = 0;
  let hits = 0;
  let misses = 0;

  follower.subscribe(({ removed, added, hasGap }) => {
    if (hasGap) generation += 1;
    for (const { hash } of removed) orphans.add(hash);
    for (const { hash } of added) orphans.delete(hash);
    for (const hash of orphans) {
      if (orphans.size <= MAX_ORPHANS) break;
      orphans.delete(hash);
    }
  });

  const isCanonical = ({ number, hash }: BlockPointer): boolean => {
    const lower = hash.toLowerCase();
    return Number(number) < follower.settledBelow ? !orphans.has(lower) : follower.hashAt(number) === lower;
  };

  const find = (key: string): CachedResult | undefined => {
    const found = entries.get(key);
    if (!found || (found.block && (found.generation !== generation || !isCanonical(found.block)))) return undefined;
    return found;
  };

  const set = (key: string, value: unknown, block?: BlockPointer): boolean => {
    if (block && !isCanonical(block)) return false;
    entries.set(key, { value, block, generation });
    // An entry above `maxBytes` is not cached.
    return entries.has(key);
  };

  return {
    inFlight: sharing.inFlight,
    get(key: string): CachedResult | undefined {
      const found = find(key);
      if (found) hits += 1;
      else misses += 1;
      return found;
    },
    set(key: string, value: unknown, block?: BlockPointer): boolean {
      const isCached = set(key, value, block);
      if (isCached) sharing.onCached?.(key);
      return isCached;
    },
    /** Returns a cached value without counting a hit or a miss, and without a check of its block. */
    peek: (key: string): unknown => entries.peek(key)?.value,
    /** Hash of a canonical block that some operation has read; undefined when no hash is cached for this height. */
    hashAt: (number: Quantity): Data | undefined => find(number)?.value as Data | undefined,
    /** Caches the hash of the block of a height. `isFromOther`: another process of the server has read it. */
    recordHash(number: Quantity, hash: Data, isFromOther = false): void {
      if (set(number, hash.toLowerCase(), { number, hash }) && !isFromOther) sharing.onHash?.(number, hash);
    },
    /** Whole responses, within the byte limit of the cache. Their keys name all of their dependencies. */
    responses: { get: (key: string): unknown => find(key)?.value, set: (key: string, value: unknown) => void set(key, value) },
    /** Size and use of the cache, for the metrics. */
    get status() {
      return { bytes: entries.calculatedSize, entries: entries.size, hits, misses };
    },
  };
}

export type RpcResultCache = ReturnType<typeof createRpcResultCache>;

const STRING_BYTES = 24;
const OBJECT_BYTES = 40;
const PROPERTY_BYTES = 8;

/** Above twice the depth of a call tree. A deeper value would overflow the stack. */
const MAX_DEPTH = 4_096;

/** Estimates the memory of a JSON value, or of buffers and response dependencies in it, in bytes; more than any limit for a value that is too deep. */
export function approximateBytes(value: unknown, depth = 0): number {
  if (depth > MAX_DEPTH) return 2 ** 40;
  if (typeof value === 'string') return STRING_BYTES + value.length;
  if (Buffer.isBuffer(value)) return OBJECT_BYTES + value.length;
  if (value instanceof ResponseDependencies) return OBJECT_BYTES + value.bytes;
  if (typeof value !== 'object' || value === null) return PROPERTY_BYTES;
  let size = OBJECT_BYTES;
  for (const part of Object.values(value)) size += PROPERTY_BYTES + approximateBytes(part, depth + 1);
  return size;
}
