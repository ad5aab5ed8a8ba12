import type { Quantity } from '../../../../ethereum/hex.ts';
import { type ChainBlock, partialBlock } from '../../model.ts';
import type { BlockPlan } from '../../plan.ts';

/** Expected size of the response that loads one window. geth refuses responses to a batch above 25 MB. */
const MAX_WINDOW_BYTES = 12 * 1024 * 1024;
/** Expected size of a block with 200 transactions, by its parts. */
const HASHES_BYTES = 16 * 1024;
const TRANSACTIONS_BYTES = 200 * 1024;
const RECEIPTS_BYTES = 400 * 1024;
const LOGS_BYTES = 120 * 1024;

/** The number of blocks of this size in one window. */
const blocksOfSize = (bytes: number): number => Math.max(1, Math.floor(MAX_WINDOW_BYTES / Math.max(1, bytes)));

/** The number of blocks that are loaded, written and released together: 20 with full transactions and receipts. */
export function blocksPerWindow({ full, receipts, allLogs, filters }: BlockPlan): number {
  const logs = allLogs ? 1 : filters.length;
  const bytes = (full ? TRANSACTIONS_BYTES : HASHES_BYTES) + (receipts ? RECEIPTS_BYTES : 0) + logs * LOGS_BYTES;
  return blocksOfSize(bytes);
}

/** The parts of an operation's loaders that read in windows. */
export interface BlockWindowsOptions {
  /** Releases everything that was loaded of a block with a plan. */
  readonly release: (block: ChainBlock, plan: BlockPlan) => void;
  /** Number of bytes that the operation has exchanged with upstreams. */
  readonly upstreamBytes: () => number;
}

/** Loads the blocks of these heights, up to the head; `previous` is the block below the first of them, if it was loaded. */
type WindowLoader = (heights: readonly Quantity[], previous: ChainBlock | undefined) => Promise<readonly ChainBlock[]>;

/** The lists of blocks that one operation reads in windows. Lists that overlap share blocks, which the last of them releases. */
export class BlockWindows {
  readonly #options: BlockWindowsOptions;
  /** By height: the number of lists that have not written the block yet, and the block once it is loaded. */
  readonly #users = new Map<Quantity, { lists: number; block: ChainBlock | undefined }>();

  constructor(options: BlockWindowsOptions) {
    this.#options = options;
  }

  /**
   * Reads blocks in windows of at most `maxSize`; a window becomes smaller when the blocks before it were larger than expected. The caller
   * takes the next window when it has written the one before.
   */
  async *read(
    heights: readonly Quantity[],
    plan: BlockPlan,
    maxSize: number,
    load: WindowLoader,
  ): AsyncGenerator<readonly ChainBlock[], void> {
    for (const height of heights) this.#add(height);
    let size = maxSize;
    let next = 0;
    let released = 0;
    let previous: ChainBlock | undefined;
    try {
      while (next < heights.length) {
        const window = heights.slice(next, next + size);
        const bytesBefore = this.#options.upstreamBytes();
        let found: readonly ChainBlock[] | undefined = await load(window, previous);
        found.forEach((block, i) => {
          this.#users.get(window[i]!)!.block = block;
        });
        const isAtHead = found.length < window.length;
        const last = found.at(-1);
        previous = last && partialBlock({ hash: last.hash });
        const bytesPerBlock = (this.#options.upstreamBytes() - bytesBefore) / window.length;
        size = Math.min(maxSize, blocksOfSize(bytesPerBlock));
        next += window.length;
        yield found;
        // The suspended generator would retain the blocks while it loads the next ones.
        found = undefined;
        for (; released < next; released += 1) this.#remove(heights[released]!, plan);
        if (isAtHead) return;
      }
    } finally {
      for (; released < heights.length; released += 1) this.#remove(heights[released]!, plan);
    }
  }

  #add(height: Quantity): void {
    const users = this.#users.get(height);
    if (users) users.lists += 1;
    else this.#users.set(height, { lists: 1, block: undefined });
  }

  #remove(height: Quantity, plan: BlockPlan): void {
    const users = this.#users.get(height)!;
    users.lists -= 1;
    if (users.lists > 0) return;
    this.#users.delete(height);
    if (users.block) this.#options.release(users.block, plan);
  }
}
