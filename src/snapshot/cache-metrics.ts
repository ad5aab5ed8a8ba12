import type { Metric } from '../lib/metrics.ts';
import type { EventReads } from './event-reads.ts';
import type { RpcResultCache } from './rpc-result-cache.ts';

const DISABLED_CACHE_STATUS: RpcResultCache['status'] = { bytes: 0, entries: 0, hits: 0, misses: 0 };

/** Metrics of the cache of node responses, all 0 when it is disabled, and of the reads recorded for subscription events. */
export function cacheMetrics(cache: RpcResultCache | undefined, events: Pick<EventReads, 'status'>): readonly Metric[] {
  const status = () => cache?.status ?? DISABLED_CACHE_STATUS;
  return [
    { name: 'cache_bytes', help: 'Size of the cache of node responses.', kind: 'gauge', value: () => status().bytes },
    { name: 'cache_entries', help: 'Node responses in the cache.', kind: 'gauge', value: () => status().entries },
    { name: 'cache_hits_total', help: 'Calls served from the cache.', kind: 'counter', value: () => status().hits },
    { name: 'cache_misses_total', help: 'Calls that were not in the cache.', kind: 'counter', value: () => status().misses },
    {
      name: 'event_reads_bytes',
      help: 'Size of the reads of subscription events, recorded by block for the events of a reorg that removes the block.',
      kind: 'gauge',
      value: () => events.status.bytes,
    },
    {
      name: 'event_reads_blocks',
      help: 'Blocks with recorded reads of subscription events.',
      kind: 'gauge',
      value: () => events.status.blocks,
    },
  ];
}
