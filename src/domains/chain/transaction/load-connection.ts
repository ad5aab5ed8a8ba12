import { quantityOf } from '../../../ethereum/hex.ts';
import type { PageInfo, QueryTransactionsConnectionArgs } from '../../../generated/chain.ts';
import { type PageRequest, pageRequestOf } from '../../../graphql/connections.ts';
import { BLOCK_END, decodeTransactionCursor, encodeCursor, type TransactionPosition } from '../block/cursors.ts';
import { type BlockPlan, HEADER_ONLY_PLAN } from '../block/plan.ts';
import { type BlockRange, checkCursor, type RangeReads, rangeOf } from '../block/range-reads.ts';
import type { PartialTransaction, TransactionPage, TransactionPageEdge } from '../model.ts';
import { indexOf, TRANSACTION_PAGE_LIMIT, transactionEdge } from './connection.ts';
import { type TransactionScan, transactionScanner } from './scan.ts';

interface PageCursors {
  readonly after: TransactionPosition | undefined;
  readonly before: TransactionPosition | undefined;
}

/** The blocks of a range that have transactions between the cursors. */
const blocksBetween = ({ first, last }: BlockRange, { after, before }: PageCursors): BlockRange => ({
  first: after ? Math.max(first, after.index === BLOCK_END ? after.height + 1 : after.height) : first,
  last: before ? Math.min(last, before.index === 0 ? before.height - 1 : before.height) : last,
});

/** Whether a transaction of these blocks lies between the cursors. */
const isBetween = (transaction: PartialTransaction, { after, before }: PageCursors): boolean => {
  const height = Number(transaction.blockNumber);
  return (
    (height !== after?.height || indexOf(transaction) > after.index) &&
    (height !== before?.height || indexOf(transaction) < before.index)
  );
};

/** Creates the reader of pages of the transactions of a range of blocks. */
export function transactionRangeReader(reads: RangeReads) {
  const { pin, operation } = reads.snapshot;
  const scan = transactionScanner(reads);

  return async (args: QueryTransactionsConnectionArgs, pagePlan: BlockPlan): Promise<TransactionPage> => {
    const request = pageRequestOf(args, TRANSACTION_PAGE_LIMIT);
    const requested = rangeOf(args);
    const cursors = { after: decodeTransactionCursor(request.after), before: decodeTransactionCursor(request.before) };
    const { after, before } = cursors;
    const head = await pin.head();
    const range = { first: requested.first, last: Math.min(head.height, requested.last) };
    const { size, isBackward } = request;
    // Receipts of the few transactions that match are read one by one, instead of the receipts of each block.
    const plan = args.filter ? { ...HEADER_ONLY_PLAN, full: true } : pagePlan;
    const blocks = blocksBetween(range, cursors);
    const includes = (transaction: PartialTransaction) => isBetween(transaction, cursors);
    const isScanned = !isBackward && size > 0 && blocks.first <= blocks.last;
    const isChildRead = isScanned && after?.index === BLOCK_END && blocks.first === after.height + 1;
    const readChild = isChildRead ? () => reads.blocks.load(quantityOf(blocks.first), plan) : undefined;
    let isRejected = false;
    const reject = (error: unknown): never => {
      isRejected = true;
      throw error;
    };
    // The calls of the scan come first, so that the check of a cursor joins the read of its block.
    const [scanned] = await Promise.all([
      scan({ range: blocks, isBackward, size, filter: args.filter, plan, includes, isCancelled: () => isRejected }),
      after && checkCursor(reads, after, head, readChild).catch(reject),
      before && checkCursor(reads, before, head).catch(reject),
    ]);
    if (requested.last > head.height && !before && (isBackward || scanned.isComplete)) pin.recordHeadRead();
    else operation.dependencies.addHeight(Math.min(head.height, Number(scanned.end?.number ?? blocks.first) + 1));

    const edges = (isBackward ? scanned.found.slice(-size || scanned.found.length) : scanned.found.slice(0, size)).map(
      transactionEdge,
    );
    return { edges, nodes: edges.map(({ node }) => node), pageInfo: pageInfoOf(request, scanned, edges) };
  };
}

/** Where a page lies. A page that is not full ends where the scan has ended. */
function pageInfoOf(
  { size, isBackward, after, before }: PageRequest,
  { found, end, isComplete }: TransactionScan,
  edges: readonly TransactionPageEdge[],
): PageInfo {
  const hasMore = found.length > size || !isComplete;
  const isFull = found.length >= size && size > 0;
  const scanEnd = end && encodeCursor(end, isBackward ? 0 : BLOCK_END);
  const [first, last] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null];
  return {
    // A page between two cursors ends at the second one.
    hasNextPage: isBackward ? before !== undefined : hasMore,
    hasPreviousPage: isBackward ? hasMore : after !== undefined,
    startCursor: isBackward && !isFull ? (scanEnd ?? before ?? null) : first,
    endCursor: isBackward || isFull ? last : (scanEnd ?? after ?? null),
  };
}
