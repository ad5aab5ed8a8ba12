import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isUnfiltered, type LogFilter, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';

const MAX_FILTERS = 1_000;

/** Number of blocks of the first search: on a busy chain, one with some thousand logs of a busy contract, of a common event, or of any kind. */
const INITIAL_BLOCKS = { addresses: 100, topics: 32, unfiltered: 16 };

/** The number of blocks per log by filter, as the last page of each filter has found it: the next page starts with a search of that width. */
export class LogDensities {
  readonly #blocksPerLog = new LRUCache<string, number>({ max: MAX_FILTERS });

  /** Returns the number of blocks to search for a page of `size` logs. */
  initialBlocks(filter: LogFilter, size: number): number {
    const blocksPerLog = this.#blocksPerLog.get(keyOf(filter));
    // The block of the cursor may have no further logs.
    if (blocksPerLog !== undefined) return 1 + blocksPerLog * size;
    if (isUnfiltered(filter)) return INITIAL_BLOCKS.unfiltered;
    return filter.addresses?.length ? INITIAL_BLOCKS.addresses : INITIAL_BLOCKS.topics;
  }

  /** Records that a search for `size` logs would continue with `blocks` blocks. */
  record(filter: LogFilter, size: number, blocks: number): void {
    this.#blocksPerLog.set(keyOf(filter), blocks / size);
  }
}

/** A key of fixed length, because a filter can have thousands of topics. */
function keyOf(filter: LogFilter): string {
  const { address, topics } = toRpcLogFilter({ blockHash: '' }, filter);
  return createHash('sha256')
    .update(`${serializeParam(address ?? null)}${serializeParam(topics ?? null)}`)
    .digest('base64');
}
