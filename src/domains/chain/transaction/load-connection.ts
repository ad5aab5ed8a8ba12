import { BLOCK_LOGS_COST, WHOLE_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import type { QueryTransactionsConnectionArgs } from '../../../generated/chain.ts';
import { type PageRequest, pageRequestOf } from '../../../graphql/connections.ts';
import { chainChangedError, throwBlockMissing } from '../../../snapshot/block-availability.ts';
import { BLOCK_END, decodeTransactionCursor, encodeCursor, type TransactionPosition } from '../block/cursors.ts';
import { type BlockPlan, HEADER_ONLY_PLAN } from '../block/plan.ts';
import { type BlockRange, checkCursor, heightsOf, type RangeReads, rangeOf } from '../block/range-reads.ts';
import { blocksPerWindow, bytesOfBlock } from '../block/windows.ts';
import { searchBudgetOf } from '../log/section-search.ts';
import type { PartialTransaction, TransactionPage, TransactionPageEdge } from '../model.ts';
import { matchingTransactions, TRANSACTION_PAGE_LIMIT, transactionEdge } from './connection.ts';

/**
 * The number of blocks in the first window of a scan: without a filter, a block often fills a page. Each further window
 * is four times as long.
 */
const FIRST_WINDOW = { filtered: 4, unfiltered: 1 };
const WINDOW_GROWTH = 4;

/** A search for transactions from one end of a range of blocks. */
interface Scan {
  /** The blocks that are not scanned yet. */
  rest: BlockRange;
  /** The matching transactions in chain order. They exceed a page if the last block has more. */
  readonly found: PartialTransaction[];
  /** The last scanned block; undefined if the range is empty. */
  end: RpcBlock | undefined;
  /** Set when the result is no longer used, so that the scan ends. */
  isCancelled: boolean;
}

const isComplete = ({ rest }: Scan): boolean => rest.first > rest.last;

/** Returns whether a transaction lies between two cursors. */
const isBetween = (
  { blockNumber, transactionIndex }: PartialTransaction,
  after: TransactionPosition | undefined,
  before: TransactionPosition | undefined,
): boolean => {
  const [height, index] = [Number(blockNumber), Number(transactionIndex)];
  return (height !== after?.height || index > after.index) && (height !== before?.height || index < before.index);
};

/** The cost of the calls that load a block. */
const costOfBlock = ({ full, receipts, allLogs, filters }: BlockPlan): number =>
  (full ? WHOLE_BLOCK_COST : 1) + (receipts ? WHOLE_BLOCK_COST : 0) + BLOCK_LOGS_COST * (allLogs ? 1 : filters.length);

/** Creates the reader of pages of the transactions of a range of blocks. */
export function transactionRangeReader(reads: RangeReads) {
  const { snapshot, maxBlocks, blocks } = reads;
  const { pin, operation } = snapshot;

  /**
   * Loads blocks in the direction of a scan. Where nothing else detects a reorg, rejects if the blocks are not linked
   * to the previous blocks.
   */
  const loadBlocks = async (range: BlockRange, isBackward: boolean, plan: BlockPlan, end: RpcBlock | undefined) => {
    const heights = heightsOf(range);
    const loaded = await Promise.all(
      (isBackward ? heights.reverse() : heights).map(async (height) => (await blocks.load(height, plan)) ?? throwBlockMissing()),
    );
    if (pin.canDetectReorgs) return loaded;
    for (const [i, next] of loaded.entries()) {
      const previous = loaded[i - 1] ?? end;
      const [parent, child] = isBackward ? [next, previous] : [previous, next];
      if (parent && child && !sameData(child.parentHash, parent.hash)) throw chainChangedError();
    }
    return loaded;
  };

  /**
   * Reads blocks in growing windows until the page is full, the range or half of the budget of the operation is used up, or `maxBlocks` blocks are
   * scanned. Releases blocks without a match.
   */
  const runScan = async (
    scan: Scan,
    { size, isBackward }: PageRequest,
    plan: BlockPlan,
    { filter }: QueryTransactionsConnectionArgs,
    includes: (transaction: PartialTransaction) => boolean,
  ): Promise<void> => {
    let scanned = 0;
    let windowBlocks = filter ? FIRST_WINDOW.filtered : FIRST_WINDOW.unfiltered;
    while (!isComplete(scan) && scan.found.length < size && scanned < maxBlocks && !scan.isCancelled) {
      const { cost, upstreamBytes } = searchBudgetOf(operation.budget);
      const affordable = Math.floor(Math.min(cost / costOfBlock(plan), upstreamBytes / bytesOfBlock(plan)));
      if (affordable < 1 && scanned > 0) break;
      const count = Math.max(1, Math.min(windowBlocks, affordable, maxBlocks - scanned, blocksPerWindow(plan)));
      const { first, last } = scan.rest;
      const window = isBackward
        ? { first: Math.max(first, last - count + 1), last }
        : { first, last: Math.min(last, first + count - 1) };
      const loaded = await loadBlocks(window, isBackward, plan, scan.end);
      for (const block of loaded) {
        const own = (blocks.transactionsIn(block) ?? []).filter(includes);
        const matching = await matchingTransactions(own, filter, reads);
        if (isBackward) scan.found.unshift(...matching);
        else scan.found.push(...matching);
        // Other fields of a small operation may need the blocks of a short search.
        if (matching.length === 0 && filter && scanned + loaded.length > blocksPerWindow(plan)) blocks.release(block, plan);
        scan.end = block;
        if (scan.found.length >= size) break;
      }
      scanned += loaded.length;
      const height = Number(scan.end!.number);
      scan.rest = isBackward ? { first, last: height - 1 } : { first: height + 1, last };
      windowBlocks *= WINDOW_GROWTH;
    }
  };

  return async (args: QueryTransactionsConnectionArgs, pagePlan: BlockPlan): Promise<TransactionPage> => {
    const request = pageRequestOf(args, TRANSACTION_PAGE_LIMIT);
    const { size, isBackward } = request;
    const range = rangeOf(args);
    const [after, before] = [decodeTransactionCursor(request.after), decodeTransactionCursor(request.before)];
    const head = await pin.head();
    // The few matching transactions read their receipts one by one, instead of all receipts of each block.
    const plan = args.filter ? { ...HEADER_ONLY_PLAN, full: true } : pagePlan;
    const afterEnd = after && (after.index === BLOCK_END ? after.height + 1 : after.height);
    const beforeEnd = before && (before.index === 0 ? before.height - 1 : before.height);
    const first = Math.max(range.first, afterEnd ?? 0);
    const last = Math.min(head.height, range.last, beforeEnd ?? Number.POSITIVE_INFINITY);
    const scan: Scan = { rest: { first, last }, found: [], end: undefined, isCancelled: false };
    const isChildRead = !isBackward && size > 0 && first <= last && after?.index === BLOCK_END && first === after.height + 1;
    const readChild = isChildRead ? () => blocks.load(quantityOf(first), plan) : undefined;
    const cancel = (error: unknown): never => {
      scan.isCancelled = true;
      throw error;
    };
    // The calls of the scan come first, so that the check of a cursor joins the read of its block.
    await Promise.all([
      runScan(scan, request, plan, args, (transaction) => isBetween(transaction, after, before)),
      after && checkCursor(reads, after, head, readChild).catch(cancel),
      before && checkCursor(reads, before, head).catch(cancel),
    ]);
    if (range.last > head.height && !before && (isBackward || isComplete(scan))) pin.recordHeadRead();
    else operation.dependencies.addHeight(Math.min(head.height, Number(scan.end?.number ?? first) + 1));

    const page = isBackward ? scan.found.slice(Math.max(0, scan.found.length - size)) : scan.found.slice(0, size);
    const edges = page.map(transactionEdge);
    return { edges, nodes: page, pageInfo: pageInfoOf(request, scan, edges) };
  };
}

/** Returns the bounds of a page. A page that is not full ends where the scan has ended. */
function pageInfoOf({ size, isBackward, after, before }: PageRequest, scan: Scan, edges: readonly TransactionPageEdge[]) {
  const { found, end } = scan;
  const hasMore = found.length > size || !isComplete(scan);
  const isFull = found.length >= size && size > 0;
  // A page that ends at the other cursor ends beside it, inside the block.
  const other = decodeTransactionCursor(isBackward ? after : before);
  const isInside = other !== undefined && other.height === Number(end?.number);
  const [step, blockEnd] = isBackward ? [1, 0] : [-1, BLOCK_END];
  const scanEnd = end && encodeCursor(end, isInside ? other.index + step : blockEnd);
  const [first, last] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null];
  return {
    // A page between two cursors ends at the second one.
    hasNextPage: isBackward ? before !== undefined : hasMore,
    hasPreviousPage: isBackward ? hasMore : after !== undefined,
    startCursor: isBackward && !isFull ? (scanEnd ?? before ?? null) : first,
    endCursor: isBackward || isFull ? last : (scanEnd ?? after ?? null),
  };
}
