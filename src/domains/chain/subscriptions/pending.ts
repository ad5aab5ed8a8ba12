import type { Data } from '../../../ethereum/hex.ts';
import { matchesAnyOf } from '../../../ethereum/log-filters.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { ChainFeed } from '../../../sync/feed.ts';

/** Whose transactions are wanted; an absent or empty list does not filter, and both must hold. */
export interface PendingFilter {
  readonly from?: readonly Data[] | null | undefined;
  readonly to?: readonly Data[] | null | undefined;
}

export interface PendingTransactionsRoot {
  readonly pendingTransactions: RpcTransaction;
}

/** Whether a transaction passes a filter; the creation of a contract is sent to nobody. */
export const matchesPendingFilter = (transaction: RpcTransaction, { from, to }: PendingFilter): boolean =>
  matchesAnyOf(from, transaction.from) && matchesAnyOf(to, transaction.to);

/** Transactions as the node takes them in. Source: the feed's pending transactions. */
export const pendingTransactions = (feed: ChainFeed, filter: PendingFilter): SourceStream<PendingTransactionsRoot> => ({
  subscribe: ({ next, end }) =>
    feed.subscribePendingTransactions({
      next: (transaction) => {
        if (matchesPendingFilter(transaction, filter)) next([{ root: { pendingTransactions: transaction } }]);
      },
      end,
    }),
});
