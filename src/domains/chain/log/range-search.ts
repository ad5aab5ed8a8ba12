import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isUnfiltered, type LogFilter, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { LogRangeError, type LogRangeHint, type LogRangeLimit, narrowerWidth } from '../../../upstream/rpc/log-range-limit.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';

const MAX_FILTERS = 1_000;

/**
 * Number of blocks of the first search. On a busy chain, this many blocks contain some thousand logs of a busy
 * contract, of a common event, or of any kind.
 */
const INITIAL_BLOCKS = { addresses: 100, topics: 32, unfiltered: 16 };

/**
 * Blocks per log of each filter, as measured by its last page. Sets the width of the next page's first search.
 */
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

  /** Records that a next page of `size` logs should start with a search over `blocks` blocks. */
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

/** Maximum growth factor between two searches. Six searches from 100 blocks on cover over three million. */
const GROWTH = 8;
/** Growth factor after the node has rejected a search, because the node may reject a wider search again. */
const CAREFUL_GROWTH = 2;
/**
 * Factor by which a search is wider than the density of the logs requires, because a search with too few logs needs
 * another search.
 */
const MARGIN = 1.25;
/** Target share of the maximum number of logs of one search, before the margin: the density of logs varies. */
const RESULT_SHARE = 0.6;

/**
 * The number of blocks of the next search of a range: the number grows while logs are missing, and shrinks when the
 * node rejects a search.
 */
export class SearchWidth {
  #blocks: number;
  #growth = GROWTH;
  /** The greatest width that the node has accepted. */
  #widest = 0;
  readonly #limit: () => LogRangeLimit;

  /** `limit` returns the limits of the endpoint. */
  constructor(initialBlocks: number, limit: () => LogRangeLimit) {
    this.#blocks = Math.max(1, Math.ceil(initialBlocks));
    this.#limit = limit;
  }

  get blocks(): number {
    return Math.min(this.#blocks, this.#limit().maxBlocks);
  }

  /**
   * Adapts to a search over `blocks` blocks that found `found` logs, when `missing` more logs are requested. `canGrow`:
   * false after a slow search.
   */
  recordResult(blocks: number, found: number, missing: number, canGrow: boolean): void {
    this.#widest = Math.max(this.#widest, blocks);
    if (!canGrow) this.#growth = 1;
    this.#blocks = Math.max(1, Math.min(Math.ceil(this.#expectedBlocks(blocks, found, missing)), blocks * this.#growth));
  }

  /**
   * Returns the width with which the search for a next page of `size` logs starts, if the current search found `found`
   * logs in `blocks` blocks.
   */
  widthOfNextPage(blocks: number, found: number, size: number): number {
    return Math.min(this.#expectedBlocks(blocks, found, size), this.#widest * (this.#growth === GROWTH ? GROWTH : 1));
  }

  /** Adapts to the rejection of a search over `blocks` blocks. The next search is always narrower. */
  recordRejection(blocks: number, hint: LogRangeHint, missing: number): void {
    const expected = this.#expectedBlocks(blocks, hint.minResults ?? 0, missing);
    // The logs may be in few of the blocks, so do not shrink too far. Only a long rejected response is costly.
    const narrowest = hint.isOversized ? 1 : blocks / GROWTH;
    this.#blocks = Math.max(1, Math.floor(Math.min(narrowerWidth(blocks, hint), Math.max(expected, narrowest))));
    this.#growth = CAREFUL_GROWTH;
  }

  /** Number of blocks in which `missing` logs, or the maximum of a search, are expected if `blocks` blocks have `found`. */
  #expectedBlocks(blocks: number, found: number, missing: number): number {
    const wanted = Math.min(missing, RESULT_SHARE * this.#limit().maxResults);
    return found === 0 ? Number.POSITIVE_INFINITY : (MARGIN * blocks * wanted) / found;
  }
}

/** Inclusive heights whose blocks are searched for logs. */
export type SearchRange = Readonly<Record<'first' | 'last', number>>;

interface RangeSearchOptions {
  readonly range: SearchRange;
  /** Whether the search starts at the upper end. */
  readonly isBackward: boolean;
  readonly width: SearchWidth;
  /** Reads the logs of a part. May throw to end the search. */
  readonly read: (part: SearchRange) => Promise<readonly RpcLog[]>;
  /** Returns the number of logs that are requested beyond the logs of the parts so far. */
  readonly missing: () => number;
}

/**
 * Rejects if a reorg between several searches has changed the chain, where nothing else detects the reorg. The head of
 * the operation must be known before the second search.
 */
export async function assertOneBranch({ pin, availability }: Snapshot, parts: number): Promise<void> {
  if (parts < 2 || pin.canDetectReorgs) return;
  const { number, hash } = await pin.head();
  await availability.assertBlockAtHeight(number, hash);
}

/** After a slower search, the width does not grow until the node rejects a search. */
const SLOW_SEARCH_MS = 1_000;

/**
 * Searches a range from one end, part by part. `width` states the number of blocks of each part. Yields each part with
 * its logs in order. Narrows a part that the node rejects.
 */
export async function* searchInParts({ range, isBackward, width, read, missing }: RangeSearchOptions) {
  let { first, last } = range;
  while (first <= last) {
    const blocks = Math.min(width.blocks, last - first + 1);
    const part = isBackward ? { first: last - blocks + 1, last } : { first, last: first + blocks - 1 };
    const startedAt = performance.now();
    let logs: readonly RpcLog[];
    try {
      logs = await read(part);
    } catch (error) {
      if (!(error instanceof LogRangeError) || blocks === 1) throw error;
      width.recordRejection(blocks, error.hint, missing());
      continue;
    }
    const isFast = performance.now() - startedAt < SLOW_SEARCH_MS;
    try {
      yield { ...part, logs };
    } finally {
      width.recordResult(blocks, logs.length, missing(), isFast);
    }
    if (isBackward) last = part.first - 1;
    else first = part.last + 1;
  }
}
