import { type Data, type Quantity, quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { WriteItems } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { ChainBlock } from '../model.ts';
import type { BlockKey } from './contents.ts';
import type { BlockPlan } from './plan.ts';

/** Returns the heights of an inclusive range. Throws RESULT_TOO_LARGE above `limit`. */
export function heightsInRange(from: bigint, to: bigint, limit: number): Quantity[] {
  const count = to < from ? 0 : Number(to - from) + 1;
  if (count > limit) {
    const message = `The range has ${count} blocks. Request at most ${limit} at a time.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: count });
  }
  return Array.from({ length: count }, (_, i) => quantityOf(from + BigInt(i)));
}

/** Checks the blocks of a range, which are passed in order. */
class BlockSequence {
  /** Whether a height above the head has been passed. */
  isAtHead = false;
  readonly #checksParentHashes: () => boolean;
  #previousHash: Data | undefined;

  constructor(checksParentHashes: () => boolean) {
    this.#checksParentHashes = checksParentHashes;
  }

  /**
   * Whether the range includes the next block; a null is above the head. Throws BLOCK_NOT_AVAILABLE when a block follows a null, which is an
   * error of the node, or a block of another branch.
   */
  includes(block: ChainBlock | null): block is ChainBlock {
    if (block === null) {
      this.isAtHead = true;
      return false;
    }
    if (this.isAtHead) throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
    const isChild = this.#previousHash === undefined || sameData(block.parentHash, this.#previousHash);
    if (!isChild && this.#checksParentHashes()) throw chainChangedError();
    this.#previousHash = block.hash;
    return true;
  }
}

/** Expected size of the responses that load one window of a list. geth refuses responses to a batch above 25 MB. */
export const MAX_WINDOW_BYTES = 12 * 1024 * 1024;

/** Expected size of a block with 200 transactions, by its parts. */
const HASHES_BYTES = 16 * 1024;
const TRANSACTIONS_BYTES = 200 * 1024;
const RECEIPTS_BYTES = 400 * 1024;
const LOGS_BYTES = 120 * 1024;

/** Expected size of one transaction, and of one receipt. */
export const TRANSACTION_BYTES = TRANSACTIONS_BYTES / 200;
export const RECEIPT_BYTES = RECEIPTS_BYTES / 200;

/** The expected size of a block with the contents that a plan needs. */
export function bytesOfBlock({ full, receipts, allLogs, filters }: BlockPlan): number {
  const logs = allLogs ? 1 : filters.length;
  return (full ? TRANSACTIONS_BYTES : HASHES_BYTES) + (receipts ? RECEIPTS_BYTES : 0) + logs * LOGS_BYTES;
}

/** The number of blocks of this size in one window. */
const blocksOfSize = (bytes: number): number => Math.max(1, Math.floor(MAX_WINDOW_BYTES / Math.max(1, bytes)));

/** The number of blocks that are requested together: 20 with full transactions and receipts. */
export const blocksPerWindow = (plan: BlockPlan): number => blocksOfSize(bytesOfBlock(plan));

/** Source of the blocks of a list. */
export interface BlockSource {
  /** Requests the block of a height; resolves when it has arrived. */
  request(height: Quantity): Promise<void>;
  /** Loads a block that was requested; null above the head. */
  load(height: Quantity): Promise<ChainBlock | null>;
}

/** The parts of an operation's loaders that read in windows. */
export interface BlockWindowsOptions {
  /** Releases everything that was loaded of a block with a plan. */
  readonly release: (block: BlockKey, plan: BlockPlan) => void;
  /** Whether the parent hashes of a range must be checked, because nothing else detects a reorg during the operation. */
  readonly checksParentHashes: () => boolean;
  /** Number of bytes that the operation has exchanged with upstreams. */
  readonly upstreamBytes: () => number;
}

/** The lists of blocks that one operation reads in windows. Lists that overlap share blocks, which the last of them releases. */
export class BlockWindows {
  readonly #options: BlockWindowsOptions;
  /** By height: the number of lists that have not written the block yet, and its key once it is loaded. */
  readonly #users = new Map<Quantity, { lists: number; block: BlockKey | undefined }>();

  constructor(options: BlockWindowsOptions) {
    this.#options = options;
  }

  /**
   * Reads the blocks of these heights, up to the head, in windows of at most `maxSize`. A window is requested when the one before is written,
   * and becomes smaller when the blocks before it were larger than expected. Each block is written when it has arrived, and released when it is
   * written, or with its window if blocks of the window can refer to each other. A list of one window releases nothing, because other fields of a
   * small operation may need the same blocks.
   */
  async read(
    heights: readonly Quantity[],
    plan: BlockPlan,
    maxSize: number,
    source: BlockSource,
    write: WriteItems<ChainBlock>,
  ): Promise<void> {
    for (const height of heights) this.#add(height);
    const unreleased = new Set(heights);
    const isLong = heights.length > maxSize;
    const release = (height: Quantity): void => {
      if (!unreleased.delete(height)) return;
      const unused = this.#remove(height);
      if (unused && isLong) this.#options.release(unused, plan);
    };
    const sequence = new BlockSequence(this.#options.checksParentHashes);
    let size = maxSize;
    let next = 0;
    try {
      while (next < heights.length && !sequence.isAtHead) {
        const window = heights.slice(next, next + size);
        const bytesBefore = this.#options.upstreamBytes();
        const pending: Promise<void>[] = [];
        // `load` reports a failure.
        const requests = window.map((height) => source.request(height).catch(() => {}));
        for (const height of window) {
          await requests.shift();
          const block = await source.load(height);
          if (!sequence.includes(block)) continue;
          this.#users.get(height)!.block = { number: block.number, hash: block.hash };
          const written = write([block]);
          if (written) pending.push(plan.ancestors ? written : written.then(() => release(height)));
          else if (!plan.ancestors) release(height);
        }
        const bytesPerBlock = (this.#options.upstreamBytes() - bytesBefore) / window.length;
        size = Math.min(maxSize, blocksOfSize(bytesPerBlock));
        next += window.length;
        await Promise.all(pending);
        window.forEach(release);
      }
    } finally {
      unreleased.forEach(release);
    }
  }

  #add(height: Quantity): void {
    const users = this.#users.get(height);
    if (users) users.lists += 1;
    else this.#users.set(height, { lists: 1, block: undefined });
  }

  /** Removes a list from the users of a block. Returns the block if it is loaded and this was the last one. */
  #remove(height: Quantity): BlockKey | undefined {
    const users = this.#users.get(height)!;
    users.lists -= 1;
    if (users.lists > 0) return undefined;
    this.#users.delete(height);
    return users.block;
  }
}
