import { LRUCache } from 'lru-cache';
import type { Data, Quantity } from '../ethereum/hex.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { Memory, Place } from '../upstream/rpc/operation-calls.ts';

interface Kept {
  readonly value: unknown;
  /** Where it lies, when it was not asked at a block hash. */
  readonly place: Place | undefined;
  /** Which unbroken stretch of the chain that was seen in. */
  readonly stretch: number;
}

/** What is kept of a node's answers, for the metrics. */
export interface MemoryStatus {
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
}

export interface ChainMemory extends Memory {
  /** Hash of the block of a height that has been read, while it is of the chain. */
  hashAt(number: Quantity): Data | undefined;
  /** What is kept of a call, without counting as its use. */
  peek(key: string): unknown;
  /** Takes note of which block has a height. */
  place(number: Quantity, hash: Data): void;
  /** Room for whole answers, in the same bounds; what they depend on is in their keys. */
  readonly answers: { get(key: string): unknown; keep(key: string, value: unknown): void };
  readonly status: MemoryStatus;
}

/** Blocks that reorgs have removed; what lies in them is not served, however deep it is. */
const MOST_ORPHANS = 10_000;

/**
 * The answers that all operations share, bounded in bytes. What was asked at a block hash is a fact and stays. What was found by a
 * height or by the hash of a transaction is served while its block is of the chain that the follower knows, and not at all while
 * the follower does not know.
 */
export function openMemory(bytes: number, follower: Follower | undefined): ChainMemory {
  // What the cache holds, by itself: most calls of a cold operation are in it nowhere, and asking the cache for them costs much more.
  const held = new Map<string, Kept>();
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ value }, key) => Math.ceil(key.length + sizeOf(value)),
    dispose: (_entry, key) => held.delete(key),
  });
  const orphans = new Set<string>();
  let stretch = 0;
  let hits = 0;
  let misses = 0;

  follower?.subscribe(({ removed, added, gap }) => {
    if (gap) stretch += 1;
    for (const { hash } of removed) orphans.add(hash);
    for (const { hash } of added) orphans.delete(hash);
    for (const hash of orphans) {
      if (orphans.size <= MOST_ORPHANS) break;
      orphans.delete(hash);
    }
  });

  const isCanonical = ({ number, hash }: Place): boolean => {
    const oldest = follower?.oldest;
    if (!follower || !oldest) return false;
    const lower = hash.toLowerCase();
    // Below the window the chain is taken to be settled.
    return Number(number) < oldest.height ? !orphans.has(lower) : follower.hashAt(number) === lower;
  };

  const find = (key: string): Kept | undefined => {
    const found = held.get(key);
    if (!found || (found.place && (found.stretch !== stretch || !isCanonical(found.place)))) return undefined;
    // It was used just now, which is what decides how long it stays.
    kept.get(key);
    return found;
  };

  const keep = (key: string, value: unknown, place: Place | undefined): boolean => {
    if (place && !isCanonical(place)) return false;
    const entry = { value, place, stretch };
    kept.set(key, entry);
    const isHeld = kept.has(key);
    if (isHeld) held.set(key, entry);
    return isHeld;
  };

  return {
    underway: new Map(),
    get(key) {
      const found = find(key);
      if (found) hits += 1;
      else misses += 1;
      return found;
    },
    keep,
    peek: (key) => held.get(key)?.value,
    hashAt: (number) => find(number)?.value as Data | undefined,
    place: (number, hash) => void keep(number, hash.toLowerCase(), { number, hash }),
    answers: { get: (key) => find(key)?.value, keep: (key, value) => void keep(key, value, undefined) },
    get status() {
      return { bytes: kept.calculatedSize, entries: kept.size, hits, misses };
    },
  };
}

const STRING = 24;
const OBJECT = 40;
const PROPERTY = 8;

/** About how many bytes a JSON value takes in memory. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return STRING + value.length;
  if (typeof value !== 'object' || value === null) return PROPERTY;
  let size = OBJECT;
  for (const part of Object.values(value)) size += PROPERTY + sizeOf(part);
  return size;
}
