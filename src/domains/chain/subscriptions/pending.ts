import type { Data } from '../../../ethereum/hex.ts';
import { matchesAnyOf } from '../../../ethereum/log-filters.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { ChainFeed } from '../../../sync/feed.ts';

/** Filter by sender and recipient. Both must match; an absent or empty list matches anything. */
export interface PendingFilter {
  readonly from?: readonly Data[] | null | undefined;
  readonly to?: readonly Data[] | null | undefined;
}

/** Root value of one `pendingTransactions` event. */
export interface PendingTransactionsRoot {
  readonly pendingTransactions: RpcTransaction;
}

/** Whether a transaction matches a filter. A contract creation has no recipient, so it matches no `to`. */
export const matchesPendingFilter = (transaction: RpcTransaction, { from, to }: PendingFilter): boolean =>
  matchesAnyOf(from, transaction.from) && matchesAnyOf(to, transaction.to);

/** Streams the matching transactions that the node announces as pending. Source: the feed's pending transactions. */
export const pendingTransactions = (feed: ChainFeed, filter: PendingFilter): SourceStream<PendingTransactionsRoot> => ({
  subscribe: ({ next, end }) =>
    feed.subscribePendingTransactions({
      next: (transaction) => {
        if (matchesPendingFilter(transaction, filter)) next([{ root: { pendingTransactions: transaction } }]);
      },
      end,
    }),
});
