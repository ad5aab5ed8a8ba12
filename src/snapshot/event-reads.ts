import { type Data, sameData } from '../ethereum/hex.ts';
import type { SourceEvent } from '../graphql/stream.ts';
import { type Metric, metricTable } from '../lib/metrics.ts';
import type { ChainFeed, Head } from '../sync/feed.ts';
import type { BlockPointer } from '../upstream/rpc/rpc-call.ts';
import { InFlightRequests, type SharedResultCache } from '../upstream/rpc/shared-results.ts';
import { approximateBytes, type RpcResultCache } from './rpc-result-cache.ts';

const DISABLED_CACHE_STATUS: RpcResultCache['status'] = { bytes: 0, entries: 0, hits: 0, misses: 0 };

/** Metrics of the cache of node responses, all 0 when it is disabled, and of the reads recorded for subscription events. */
export function cacheMetrics(cache: RpcResultCache | undefined, events: Pick<EventReads, 'status'>): readonly Metric[] {
  const status = () => cache?.status ?? DISABLED_CACHE_STATUS;
  return metricTable({
    cache_bytes: ['Size of the cache of node responses.', () => status().bytes],
    cache_entries: ['Node responses in the cache.', () => status().entries],
    cache_hits_total: ['Calls served from the cache.', () => status().hits],
    cache_misses_total: ['Calls that were not in the cache.', () => status().misses],
    event_reads_bytes: ['Size of the reads of subscription events, retained for reorgs.', () => events.status.bytes],
    event_reads_blocks: ['Blocks with recorded reads of subscription events.', () => events.status.blocks],
  });
}

/** The properties of an event that determine the reads to record and the recorded reads to serve. */
export type EventBlocks = Pick<SourceEvent, 'block' | 'cursor' | 'removed' | 'abandoned'>;

interface RecordedResult {
  readonly value: unknown;
  /** Whether the call named a transaction hash: another block may contain the transaction, too. */
  readonly isFoundByTransactionHash: boolean;
}

/** Results of upstream calls by key. The shared cache may contain the objects, too. */
interface BlockReads {
  readonly results: Map<string, RecordedResult>;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** Creates the store. Evicts the reads of blocks that the feed has evicted, and the oldest reads above `maxBytes`. */
export function createEventReads(feed: Pick<ChainFeed, 'recentBlock'>, maxBytes = MAX_BYTES) {
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
    const reads = blocks.get(hash) ?? { results: new Map<string, RecordedResult>(), bytes: 0 };
    blocks.set(hash, reads);
    return reads;
  };

  const record = (hash: Data, key: string, value: unknown, inclusionBlock: BlockPointer | undefined): void => {
    // During a reorg that the follower has not detected yet, the node may return the transaction from another block.
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
    /** Header of a block that is on the chain or that a reorg has removed recently. */
    header: (hash: Data): Head | undefined => feed.recentBlock(hash),
    /** Returns the cache for the calls of one event's operation: recorded reads first, then `shared`. */
    cacheFor({ block, cursor, removed = false, abandoned = [] }: EventBlocks, shared?: SharedResultCache): SharedResultCache {
      // A later event can revert only events with a cursor, in blocks that the feed knows.
      const recordedBlock = cursor !== undefined && block !== undefined && feed.recentBlock(block) ? block : undefined;
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
    get status(): { readonly bytes: number; readonly blocks: number } {
      return { bytes, blocks: blocks.size };
    },
  };
}

/**
 * Reads that the operations of subscription events have made at their blocks. When a reorg removes a block, the events
 * about the removal read these values from the store, because the node may have dropped the block and its transactions
 * by then.
 */
export type EventReads = ReturnType<typeof createEventReads>;
