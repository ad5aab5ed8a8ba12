import { type Data, sameData } from '../ethereum/hex.ts';
import type { SourceEvent } from '../graphql/stream.ts';
import type { ChainFeed, Head } from '../sync/feed.ts';
import { InFlightRequests } from '../upstream/in-flight-requests.ts';
import type { BlockPointer, SharedResultCache } from '../upstream/rpc/operation-calls.ts';
import { approximateBytes } from './rpc-result-cache.ts';

/** The part of an event that decides which reads are recorded and which recorded reads are used. */
export type EventBlocks = Pick<SourceEvent, 'block' | 'cursor' | 'removed' | 'abandoned'>;

/**
 * What the operations of events have read at their blocks. When a reorg removes a block, the events about the removal read the same
 * values from here, because the node may have dropped the block and its transactions by then.
 */
export interface EventReads {
  /** Header of a block that is on the chain or that a reorg has removed recently. */
  header(hash: Data): Head | undefined;
  /** The cache for the calls of one event's operation: recorded reads first, then `shared`. */
  cacheFor(event: EventBlocks, shared: SharedResultCache | undefined): SharedResultCache;
  readonly status: { readonly bytes: number; readonly blocks: number };
}

interface RecordedResult {
  readonly value: unknown;
  /** Whether it was found by the hash of a transaction, which another block may hold as well. */
  readonly isFoundByTransactionHash: boolean;
}

/** Results of upstream calls by their keys. Values that the shared cache holds as well are the same objects. */
interface BlockReads {
  readonly results: Map<string, RecordedResult>;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** Opens the store. A block's reads are dropped when the feed no longer remembers the block, and the oldest ones above `maxBytes`. */
export function createEventReads(feed: Pick<ChainFeed, 'recentBlock'>, maxBytes = MAX_BYTES): EventReads {
  const blocks = new Map<Data, BlockReads>();
  let bytes = 0;

  const evict = (): void => {
    for (const [hash, reads] of blocks) {
      if (bytes <= maxBytes && feed.recentBlock(hash)) return;
      blocks.delete(hash);
      bytes -= reads.bytes;
    }
  };

  const readsOf = (hash: Data): BlockReads => {
    const known = blocks.get(hash);
    if (known) return known;
    const reads = { results: new Map<string, RecordedResult>(), bytes: 0 };
    blocks.set(hash, reads);
    return reads;
  };

  const record = (hash: Data, key: string, value: unknown, place: BlockPointer | undefined): void => {
    // After a reorg that the follower has not seen yet, a transaction may be found in another block.
    if (place && !sameData(place.hash, hash)) return;
    const reads = readsOf(hash);
    if (reads.results.has(key)) return;
    const size = key.length + approximateBytes(value);
    reads.results.set(key, { value, isFoundByTransactionHash: place !== undefined });
    reads.bytes += size;
    bytes += size;
    evict();
  };

  return {
    header: (hash) => feed.recentBlock(hash),
    cacheFor({ block, cursor, removed = false, abandoned = [] }, shared) {
      // Only events with a cursor are about blocks that a later event can remove.
      const recorded = cursor === undefined ? undefined : block;
      return {
        inFlight: shared?.inFlight ?? new InFlightRequests(),
        get(key) {
          for (const hash of abandoned) {
            const result = blocks.get(hash)?.results.get(key);
            // An event about blocks of both branches finds a transaction in the block that holds it now.
            if (result && (removed || !result.isFoundByTransactionHash)) return result;
          }
          const found = shared?.get(key);
          if (found && recorded) record(recorded, key, found.value, found.block);
          return found;
        },
        set(key, value, place) {
          if (recorded) record(recorded, key, value, place);
          return shared?.set(key, value, place) ?? false;
        },
      };
    },
    get status() {
      return { bytes, blocks: blocks.size };
    },
  };
}
