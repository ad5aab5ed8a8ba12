import { sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import type { BlockTransactionsConnectionArgs, TransactionFilter } from '../../../generated/chain.ts';
import { createPage, MAX_PAGE_SIZE, pageRequestOf } from '../../../graphql/connections.ts';
import { GraphError } from '../../../lib/errors.ts';
import { filterYielding } from '../../../lib/operation-budget.ts';
import { decodeTransactionCursor, encodeCursor, type TransactionPosition } from '../block/cursors.ts';
import { CURSOR_REMOVED_MESSAGE, type RangeReads } from '../block/range-reads.ts';
import type { BlockTransactionsPage, PartialTransaction, TransactionPageEdge } from '../model.ts';

/** Whether a full transaction matches every given field of a filter. */
function matchesTransactionFilter({ from, to, input }: PartialTransaction, filter: TransactionFilter): boolean {
  const { participant } = filter;
  const isCreation = !to;
  const hasInput = input !== undefined && input !== '0x';
  return (
    (!filter.from || sameData(from, filter.from)) &&
    (!filter.to || sameData(to, filter.to)) &&
    (!participant || sameData(from, participant) || sameData(to, participant)) &&
    (filter.contractCreation ?? isCreation) === isCreation &&
    (filter.withInput ?? hasInput) === hasInput
  );
}

/** The size limit of a page of transactions. */
export const TRANSACTION_PAGE_LIMIT = { maxSize: MAX_PAGE_SIZE };

/** An entry of a page: a transaction with its cursor. */
export const transactionEdge = (node: PartialTransaction): TransactionPageEdge => ({
  cursor: encodeCursor({ number: node.blockNumber!, hash: node.blockHash! }, Number(node.transactionIndex)),
  node,
});

/** The transactions that match a filter, in order. */
export const matchingTransactions = async (
  transactions: readonly PartialTransaction[],
  filter: TransactionFilter | null | undefined,
  { snapshot: { operation } }: RangeReads,
): Promise<readonly PartialTransaction[]> => {
  if (!filter) return transactions;
  if (filter.from || filter.participant) operation.trust?.addUnproven('senders');
  return filterYielding(transactions, operation.budget, (transaction) => matchesTransactionFilter(transaction, filter));
};

/**
 * Throws BAD_USER_INPUT for a cursor of another block, and CURSOR_EXPIRED for a cursor of a block that this block has
 * replaced.
 */
function assertOwnCursor({ height, hash }: TransactionPosition, { number, hash: own }: RpcBlock): void {
  if (sameData(hash, own)) return;
  if (height === Number(number)) throw new GraphError('CURSOR_EXPIRED', CURSOR_REMOVED_MESSAGE);
  throw new GraphError('BAD_USER_INPUT', 'The cursor is of another block. Pass a cursor of a transaction of this block.');
}

/** Creates the reader of pages of a block's transactions, which are loaded with the block; null for an ommer. */
export function transactionPageReader(reads: RangeReads) {
  return async (block: RpcBlock, args: BlockTransactionsConnectionArgs): Promise<BlockTransactionsPage | null> => {
    const { size, isBackward, ...cursors } = pageRequestOf(args, TRANSACTION_PAGE_LIMIT);
    const [after, before] = [decodeTransactionCursor(cursors.after), decodeTransactionCursor(cursors.before)];
    const all = reads.blocks.transactionsIn(block);
    if (!all) return null;
    for (const cursor of [after, before]) if (cursor) assertOwnCursor(cursor, block);
    const matching = await matchingTransactions(all, args.filter, reads);
    const start = after ? matching.filter(({ transactionIndex }) => Number(transactionIndex) <= after.index).length : 0;
    const end = before
      ? matching.filter(({ transactionIndex }) => Number(transactionIndex) < before.index).length
      : matching.length;
    const first = isBackward ? Math.max(start, end - size) : start;
    const last = isBackward ? Math.max(start, end) : Math.min(end, start + size);
    const edges = matching.slice(first, last).map(transactionEdge);
    // A page between two cursors ends at the second one.
    const hasNextPage = last < (isBackward ? matching.length : end);
    const hasPreviousPage = first > (isBackward ? start : 0);
    return { ...createPage(edges, hasNextPage, hasPreviousPage), totalCount: matching.length };
  };
}
