import { type Data, sameData } from '../ethereum/hex.ts';
import type { StreamEvent } from '../graphql/stream.ts';
import type { Feed, Head } from '../sync/feed.ts';
import type { Memory, Place } from '../upstream/rpc/operation-calls.ts';
import { sizeOf } from './rpc-result-cache.ts';

/** The part of an event that decides which reads are recorded and which recorded reads are used. */
export type EventBlocks = Pick<StreamEvent, 'block' | 'cursor' | 'removed' | 'abandoned'>;

/**
 * What the operations of events have read at their blocks. When a reorg removes a block, the events about the removal read the same
 * values from here, because the node may have dropped the block and its transactions by then.
 */
export interface EventReads {
  /** Header of a block that is on the chain or that a reorg has removed recently. */
  header(hash: Data): Head | undefined;
  /** The cache for the calls of one event's operation: recorded reads first, then `shared`. */
  cacheFor(event: EventBlocks, shared: Memory | undefined): Memory;
  readonly status: { readonly bytes: number; readonly blocks: number };
}

interface Result {
  readonly value: unknown;
  /** Whether it was found by the hash of a transaction, which another block may hold as well. */
  readonly isPlaced: boolean;
}

/** Results of upstream calls by their keys. Values that the shared cache holds as well are the same objects. */
interface BlockReads {
  readonly results: Map<string, Result>;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** Opens the store. A block's reads are dropped when the feed no longer remembers the block, and the oldest ones above `maxBytes`. */
export function openEventReads(feed: Pick<Feed, 'block'>, maxBytes = MAX_BYTES): EventReads {
  const blocks = new Map<Data, BlockReads>();
  let bytes = 0;

  const evict = (): void => {
    for (const [hash, reads] of blocks) {
      if (bytes <= maxBytes && feed.block(hash)) return;
      blocks.delete(hash);
      bytes -= reads.bytes;
    }
  };

  const readsOf = (hash: Data): BlockReads => {
    const known = blocks.get(hash);
    if (known) return known;
    const reads = { results: new Map<string, Result>(), bytes: 0 };
    blocks.set(hash, reads);
    return reads;
  };

  const record = (hash: Data, key: string, value: unknown, place: Place | undefined): void => {
    // After a reorg that the follower has not seen yet, a transaction may be found in another block.
    if (place && !sameData(place.hash, hash)) return;
    const reads = readsOf(hash);
    if (reads.results.has(key)) return;
    const size = key.length + sizeOf(value);
    reads.results.set(key, { value, isPlaced: place !== undefined });
    reads.bytes += size;
    bytes += size;
    evict();
  };

  return {
    header: (hash) => feed.block(hash),
    cacheFor({ block, cursor, removed = false, abandoned = [] }, shared) {
      // Only events with a cursor are about blocks that a later event can remove.
      const recorded = cursor === undefined ? undefined : block;
      return {
        underway: shared?.underway ?? new Map(),
        get(key) {
          for (const hash of abandoned) {
            const result = blocks.get(hash)?.results.get(key);
            // An event about blocks of both branches finds a transaction in the block that holds it now.
            if (result && (removed || !result.isPlaced)) return result;
          }
          const found = shared?.get(key);
          if (found && recorded) record(recorded, key, found.value, found.place);
          return found;
        },
        keep(key, value, place) {
          if (recorded) record(recorded, key, value, place);
          return shared?.keep(key, value, place) ?? false;
        },
      };
    },
    get status() {
      return { bytes, blocks: blocks.size };
    },
  };
}
