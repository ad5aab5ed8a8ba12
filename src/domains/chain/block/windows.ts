import { type Data, type Quantity, sameData } from '../../../ethereum/hex.ts';
import type { WriteItems } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { ChainBlock } from '../model.ts';
import type { BlockKey } from './contents.ts';
import type { BlockPlan } from './plan.ts';
import { throwBlockMissing } from './range-reads.ts';
import type { BlockReads } from './reads.ts';

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

/** A list of blocks. */
interface BlockList {
  readonly heights: readonly Quantity[];
  readonly plan: BlockPlan;
  /** The header fields that are enough for each block; undefined when a header is not enough. */
  readonly needs: readonly string[] | undefined;
  /** Whether heights may be above the head, where the list ends. */
  readonly mayEnd: boolean;
}

/**
 * The lists of blocks that one operation reads in windows. Overlapping lists share blocks; the last list that uses a
 * block releases it.
 */
export class BlockWindows {
  readonly #snapshot: Snapshot;
  readonly #blocks: BlockReads;
  /** By height: the number of lists that have not written the block yet, and its key once it is loaded. */
  readonly #users = new Map<Quantity, { lists: number; block: BlockKey | undefined }>();

  constructor(snapshot: Snapshot, blocks: BlockReads) {
    this.#snapshot = snapshot;
    this.#blocks = blocks;
  }

  /**
   * Requests a block. Resolves when a read of the block needs no further call, or when the request has failed; the read
   * reports the failure.
   */
  async request(height: Quantity, { plan, needs }: BlockList): Promise<void> {
    if (!this.#blocks.fromHeader(height, needs)) await this.#blocks.prefetch(height, plan).catch(() => {});
  }

  /**
   * Reads the blocks of a list in windows of the size that `blocksPerWindow` states. A window is requested when the
   * previous window is written, and becomes smaller when the previous blocks were larger than expected. Each block is
   * written as soon as it has arrived. It is released after it is written, or with its window if blocks of the window
   * can refer to each other. A list of one window releases nothing, because other fields of a small operation may need
   * its blocks. Rejects with BLOCK_NOT_AVAILABLE when the node lacks a block, or when the blocks belong to two
   * branches.
   */
  async read(list: BlockList, write: WriteItems<ChainBlock>): Promise<void> {
    const { heights, plan, needs, mayEnd } = list;
    const { pin, operation } = this.#snapshot;
    for (const height of heights) this.#add(height);
    const maxSize = blocksPerWindow(plan);
    const unreleased = new Set(heights);
    const release = (height: Quantity): void => {
      if (!unreleased.delete(height)) return;
      const unused = this.#remove(height);
      if (unused && heights.length > maxSize) this.#blocks.release(unused, plan);
    };
    const upstreamBytes = () => operation.budget?.upstreamBytes ?? 0;
    let previousHash: Data | undefined;
    let isAtHead = false;
    let size = maxSize;
    let next = 0;
    try {
      while (next < heights.length && !isAtHead) {
        const window = heights.slice(next, next + size);
        const bytesBefore = upstreamBytes();
        const pending: Promise<void>[] = [];
        const requests = window.map((height) => this.request(height, list));
        for (const height of window) {
          await requests.shift();
          const block = this.#blocks.fromHeader(height, needs) ?? (await this.#blocks.load(height, plan));
          if (!block) {
            if (!mayEnd) throwBlockMissing();
            isAtHead = true;
            continue;
          }
          if (isAtHead) throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
          // Nothing else detects a reorg during the operation.
          const isLinked = pin.canDetectReorgs || previousHash === undefined || sameData(block.parentHash, previousHash);
          if (!isLinked) throw chainChangedError();
          previousHash = block.hash;
          this.#users.get(height)!.block = { number: block.number, hash: block.hash };
          const written = write([block]);
          if (written) pending.push(plan.ancestors ? written : written.then(() => release(height)));
          else if (!plan.ancestors) release(height);
        }
        size = Math.min(maxSize, blocksOfSize((upstreamBytes() - bytesBefore) / window.length));
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

  /** Removes a list from the users of a block. Returns the block if it is loaded and no list uses it any more. */
  #remove(height: Quantity): BlockKey | undefined {
    const users = this.#users.get(height)!;
    users.lists -= 1;
    if (users.lists > 0) return undefined;
    this.#users.delete(height);
    return users.block;
  }
}
