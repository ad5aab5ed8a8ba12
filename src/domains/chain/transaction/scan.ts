import { BLOCK_LOGS_COST, WHOLE_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import type { TransactionFilter } from '../../../generated/chain.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { BlockPlan } from '../block/plan.ts';
import { type BlockRange, heightsOf, type RangeReads, throwBlockMissing } from '../block/range-reads.ts';
import { blocksPerWindow, bytesOfBlock } from '../block/windows.ts';
import { searchBudgetOf } from '../log/section-search.ts';
import type { PartialTransaction } from '../model.ts';
import { matchingTransactions } from './connection.ts';

/** The number of blocks that a scan requests first: without a filter, a block often fills a page. Each further window is four times as long. */
const FIRST_WINDOW = { filtered: 4, unfiltered: 1 };
const WINDOW_GROWTH = 4;

/** The request of a scan: transactions from one end of a range of blocks. */
export interface TransactionScanRequest {
  readonly range: BlockRange;
  readonly isBackward: boolean;
  /** Number of transactions after which the scan ends. */
  readonly size: number;
  readonly filter: TransactionFilter | null | undefined;
  /** Data to load with each block. */
  readonly plan: BlockPlan;
  /** Whether a transaction lies between the cursors. */
  readonly includes: (transaction: PartialTransaction) => boolean;
  /** Whether the result is no longer used, so that the scan ends. */
  readonly isCancelled: () => boolean;
}

/** What a scan has found. */
export interface TransactionScan {
  /** In chain order; more than `size` if the last block has more. */
  readonly found: readonly PartialTransaction[];
  /** The last scanned block; undefined if the range is empty. */
  readonly end: RpcBlock | undefined;
  /** Whether the scan has reached the end of the range. */
  readonly isComplete: boolean;
}

/** The cost of the calls that load a block. */
const costOfBlock = ({ full, receipts, allLogs, filters }: BlockPlan): number =>
  (full ? WHOLE_BLOCK_COST : 1) + (receipts ? WHOLE_BLOCK_COST : 0) + BLOCK_LOGS_COST * (allLogs ? 1 : filters.length);

/**
 * Creates the scanner of transactions. It reads the blocks of a range from one end in growing windows, and ends when it has found enough, at
 * the end of the range, after `maxBlocks` blocks, or when half of the budget of the operation is used. Blocks without a match are
 * released.
 */
export function transactionScanner(reads: RangeReads) {
  const { snapshot, maxBlocks, blocks: blockReads } = reads;
  const { pin, operation } = snapshot;

  /** The number of further blocks that the share of the budget allows. */
  const affordableBlocks = (plan: BlockPlan): number => {
    const { cost, upstreamBytes } = searchBudgetOf(operation.budget);
    return Math.floor(Math.min(cost / costOfBlock(plan), upstreamBytes / bytesOfBlock(plan)));
  };

  /** Loads blocks in the direction of the scan. */
  const loadBlocks = (range: BlockRange, isBackward: boolean, plan: BlockPlan): Promise<RpcBlock[]> => {
    const heights = heightsOf(range);
    return Promise.all(
      (isBackward ? heights.reverse() : heights).map(
        async (height) => (await blockReads.load(height, plan)) ?? throwBlockMissing(),
      ),
    );
  };

  /** Throws BLOCK_NOT_AVAILABLE if blocks in the order of the scan are not linked, where nothing else detects a reorg. */
  const assertLinked = (blocks: readonly RpcBlock[], isBackward: boolean): void => {
    if (pin.canDetectReorgs) return;
    for (const [i, next] of blocks.entries()) {
      const previous = blocks[i - 1];
      const [parent, child] = isBackward ? [next, previous] : [previous, next];
      if (parent && child && !sameData(child.parentHash, parent.hash)) throw chainChangedError();
    }
  };

  return async (request: TransactionScanRequest): Promise<TransactionScan> => {
    const { range, isBackward, size, filter, plan, includes, isCancelled } = request;
    const found: PartialTransaction[] = [];
    let rest = range;
    let end: RpcBlock | undefined;
    let scanned = 0;
    let windowBlocks = filter ? FIRST_WINDOW.filtered : FIRST_WINDOW.unfiltered;
    while (rest.first <= rest.last && found.length < size && scanned < maxBlocks && !isCancelled()) {
      const affordable = affordableBlocks(plan);
      if (affordable < 1 && scanned > 0) break;
      const count = Math.max(1, Math.min(windowBlocks, affordable, maxBlocks - scanned, blocksPerWindow(plan)));
      const window = isBackward
        ? { first: Math.max(rest.first, rest.last - count + 1), last: rest.last }
        : { first: rest.first, last: Math.min(rest.last, rest.first + count - 1) };
      const blocks = await loadBlocks(window, isBackward, plan);
      assertLinked(end ? [end, ...blocks] : blocks, isBackward);
      for (const loaded of blocks) {
        const own = (blockReads.transactionsIn(loaded) ?? []).filter(includes);
        const matching = await matchingTransactions(own, filter, reads);
        if (isBackward) found.unshift(...matching);
        else found.push(...matching);
        if (matching.length === 0 && filter) blockReads.release(loaded, plan);
        end = loaded;
        if (found.length >= size) break;
      }
      scanned += blocks.length;
      rest = isBackward
        ? { first: rest.first, last: Number(end!.number) - 1 }
        : { first: Number(end!.number) + 1, last: rest.last };
      windowBlocks *= WINDOW_GROWTH;
    }
    return { found, end, isComplete: rest.first > rest.last };
  };
}
