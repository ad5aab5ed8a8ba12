import type {
  SubscriptionLogsArgs,
  SubscriptionNewHeadsArgs,
  SubscriptionPendingTransactionsArgs,
  SubscriptionTransactionStatusArgs,
  TransactionStatusUpdateResolvers,
} from '../../../generated/chain.ts';
import type { Stream } from '../../../graphql/stream.ts';
import type { ChainContext } from '../context.ts';
import { wantsTransaction } from '../plan.ts';
import { succeeded } from './receipt.ts';

/** A field of `Subscription`: where its events come from. Its value is the event's property of the same name. */
const field = <Args>(streamOf: (args: Args, context: ChainContext) => Stream) => ({
  subscribe: (_root: unknown, args: Args, context: ChainContext) => streamOf(args, context),
});

export const Subscription = {
  newHeads: field(({ after }: SubscriptionNewHeadsArgs, { chain }) => chain.live.newHeads(after)),
  logs: field(({ filter, after }: SubscriptionLogsArgs, { chain }) => chain.live.logs(filter ?? {}, after)),
  pendingTransactions: field(({ filter }: SubscriptionPendingTransactionsArgs, { chain }) =>
    chain.live.pendingTransactions(filter ?? {}),
  ),
  transactionStatus: field(({ hash, confirmations }: SubscriptionTransactionStatusArgs, { chain }) =>
    chain.live.transactionStatus(hash, confirmations ?? 1),
  ),
  reorgs: field((_args: object, { chain }) => chain.live.reorgs()),
};

export const TransactionStatusUpdate: TransactionStatusUpdateResolvers = {
  receipt: ({ hash, transaction }, _args, { chain }, info) =>
    transaction?.blockHash ? chain.findReceipt(hash, wantsTransaction(info), transaction.blockHash) : null,
  succeeded: async ({ transaction }, _args, { chain }) => succeeded(transaction && (await chain.receiptOf(transaction))),
};
