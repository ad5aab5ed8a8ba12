import { isHeight, sameData } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { WriteItems } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { chainChangedError, throwBlockMissing } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { ChainBlock } from '../model.ts';
import type { BlockKey } from './contents.ts';
import type { BlockPlan } from './plan.ts';
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

/** Creates a function that changes the number of users of a key, and returns the new number. */
export function createUseCounter<Key>() {
  const users = new Map<Key, number>();
  return (key: Key, change: number): number => {
    const count = (users.get(key) ?? 0) + change;
    users.set(key, count);
    return count;
  };
}

/** A list of blocks. */
interface BlockList {
  /** The blocks, by height or by hash. */
  readonly refs: readonly BlockRef[];
  readonly plan: BlockPlan;
  /** The header fields that are enough for each block; undefined when a header is not enough. */
  readonly needs: readonly string[] | undefined;
  /** Whether heights may be above the head, where the list ends. */
  readonly mayEnd: boolean;
}

/** Whether a block can be on the branch of another: its parent, unless their heights are apart. */
const canFollow = ({ number, parentHash }: ChainBlock, previous: ChainBlock): boolean =>
  Number(number) !== Number(previous.number) + 1 || sameData(parentHash, previous.hash);

/**
 * The lists of blocks that one operation reads in windows. Overlapping lists share blocks; the last list that uses a
 * block releases it.
 */
export class BlockWindows {
  readonly #snapshot: Snapshot;
  readonly #blocks: BlockReads;
  /** Counts, by reference, the lists that have not written the block yet. */
  readonly #addUsers = createUseCounter<BlockRef>();
  /** The blocks that a list has loaded, by reference. */
  readonly #loaded = new Map<BlockRef, BlockKey>();

  constructor(snapshot: Snapshot, blocks: BlockReads) {
    this.#snapshot = snapshot;
    this.#blocks = blocks;
  }

  /**
   * Requests a block. Resolves when a read of the block needs no further call, or when the request has failed; the read
   * reports the failure.
   */
  async request(ref: BlockRef, { plan, needs }: BlockList): Promise<void> {
    const find = async () => this.#blocks.fromHeader(ref, needs) ?? this.#blocks.prefetch(ref, plan);
    // The read ends at the first failed block, and does not await the other requests.
    await find().catch(() => {});
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
    const { refs, plan, needs, mayEnd } = list;
    const { operation, pin } = this.#snapshot;
    for (const ref of refs) this.#addUsers(ref, 1);
    const maxSize = blocksPerWindow(plan);
    const unreleased = new Set(refs);
    const release = (ref: BlockRef): void => {
      if (!unreleased.delete(ref) || this.#addUsers(ref, -1) > 0) return;
      const unused = this.#loaded.get(ref);
      this.#loaded.delete(ref);
      if (unused && refs.length > maxSize) this.#blocks.release(unused, plan);
    };
    const upstreamBytes = () => operation.budget?.upstreamBytes ?? 0;
    let previous: ChainBlock | undefined;
    let isAtHead = false;
    let size = maxSize;
    let next = 0;
    try {
      while (next < refs.length && !isAtHead) {
        const window = refs.slice(next, next + size);
        const bytesBefore = upstreamBytes();
        const pending: Promise<void>[] = [];
        const requests = window.map((ref) => this.request(ref, list));
        for (const ref of window) {
          await requests.shift();
          const block = this.#blocks.fromHeader(ref, needs) ?? (await this.#blocks.load(ref, plan));
          if (!block) {
            if (!mayEnd) throwBlockMissing(pin.isBeyondNextBlock(ref));
            isAtHead = true;
            continue;
          }
          if (isAtHead) throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
          // The follower knows a few blocks only after a start, and below them nothing else detects a reorg during the operation.
          if (previous && isHeight(ref) && !canFollow(block, previous)) throw chainChangedError();
          previous = block;
          this.#loaded.set(ref, { number: block.number, hash: block.hash });
          const written = write([block]);
          if (written) pending.push(plan.ancestors ? written : written.then(() => release(ref)));
          else if (!plan.ancestors) release(ref);
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
}
