import type { Data } from '../../../ethereum/hex.ts';
import { isAmong } from '../../../ethereum/log-filters.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { Stream } from '../../../graphql/stream.ts';
import type { Feed } from '../../../sync/feed.ts';

/** Whose transactions are wanted; an absent or empty list does not filter, and both must hold. */
export interface PendingFilter {
  readonly from?: readonly Data[] | null | undefined;
  readonly to?: readonly Data[] | null | undefined;
}

export interface PendingTransactions {
  readonly pendingTransactions: RpcTransaction;
}

/** Whether a transaction passes a filter; the creation of a contract is sent to nobody. */
export const isWanted = (transaction: RpcTransaction, { from, to }: PendingFilter): boolean =>
  isAmong(from, transaction.from) && isAmong(to, transaction.to);

/** Transactions as the node takes them in. Source: the feed's pending transactions. */
export const pendingTransactions = (feed: Feed, filter: PendingFilter): Stream<PendingTransactions> => ({
  open: ({ next, end }) =>
    feed.pending({
      next: (transaction) => {
        if (isWanted(transaction, filter)) next([{ root: { pendingTransactions: transaction } }]);
      },
      end,
    }),
});
