import { type Data, sameData } from '../ethereum/hex.ts';
import type { SourceEvent } from '../graphql/stream.ts';
import type { ChainFeed, Head } from '../sync/feed.ts';
import { InFlightRequests } from '../upstream/in-flight-requests.ts';
import type { SharedResultCache } from '../upstream/rpc/operation-calls.ts';
import type { BlockPointer } from '../upstream/rpc/rpc-call.ts';
import { approximateBytes } from './rpc-result-cache.ts';

/** The properties of an event that decide which reads are recorded and which recorded reads are served. */
export type EventBlocks = Pick<SourceEvent, 'block' | 'cursor' | 'removed' | 'abandoned'>;

/**
 * Reads that the operations of subscription events have made at their blocks. When a reorg removes a block, the events about the removal
 * read the same values from here, because the node may have dropped the block and its transactions by then.
 */
export interface EventReads {
  /** Header of a block that is on the chain or that a reorg has removed recently. */
  header(hash: Data): Head | undefined;
  /** Returns the cache for the calls of one event's operation: recorded reads first, then `shared`. */
  cacheFor(event: EventBlocks, shared: SharedResultCache | undefined): SharedResultCache;
  readonly status: { readonly bytes: number; readonly blocks: number };
}

interface RecordedResult {
  readonly value: unknown;
  /** Whether the call named a transaction hash: another block may contain the same transaction. */
  readonly isFoundByTransactionHash: boolean;
}

/** Results of upstream calls by key. The shared cache may contain the same objects. */
interface BlockReads {
  readonly results: Map<string, RecordedResult>;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** Creates the store. Evicts the reads of blocks that the feed has evicted, and the oldest reads above `maxBytes`. */
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

  const record = (hash: Data, key: string, value: unknown, inclusionBlock: BlockPointer | undefined): void => {
    // During a reorg that the follower has not seen yet, the node may return the transaction from another block.
    if (inclusionBlock && !sameData(inclusionBlock.hash, hash)) return;
    const reads = readsOf(hash);
    if (reads.results.has(key)) return;
    const size = key.length + approximateBytes(value);
    reads.results.set(key, { value, isFoundByTransactionHash: inclusionBlock !== undefined });
    reads.bytes += size;
    bytes += size;
    evict();
  };

  return {
    header: (hash) => feed.recentBlock(hash),
    cacheFor({ block, cursor, removed = false, abandoned = [] }, shared) {
      // A later event can revert only events with a cursor.
      const recordedBlock = cursor === undefined ? undefined : block;
      return {
        inFlight: shared?.inFlight ?? new InFlightRequests(),
        get(key) {
          for (const hash of abandoned) {
            const result = blocks.get(hash)?.results.get(key);
            // An event about both branches of a reorg must return a transaction from the block that contains it now.
            if (result && (removed || !result.isFoundByTransactionHash)) return result;
          }
          const found = shared?.get(key);
          if (found && recordedBlock) record(recordedBlock, key, found.value, found.block);
          return found;
        },
        set(key, value, inclusionBlock) {
          if (recordedBlock) record(recordedBlock, key, value, inclusionBlock);
          return shared?.set(key, value, inclusionBlock) ?? false;
        },
      };
    },
    get status() {
      return { bytes, blocks: blocks.size };
    },
  };
}
