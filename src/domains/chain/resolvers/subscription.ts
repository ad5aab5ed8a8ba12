import type {
  SubscriptionLogsArgs,
  SubscriptionNewHeadsArgs,
  SubscriptionPendingTransactionsArgs,
  SubscriptionTransactionStatusArgs,
  TransactionStatusUpdateResolvers,
} from '../../../generated/chain.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { ChainContext } from '../context.ts';
import { needsTransaction } from '../plan.ts';
import { succeeded } from './receipt.ts';

/** A field of `Subscription`: where its events come from. Its value is the event's property of the same name. */
const subscriptionField = <Args>(streamOf: (args: Args, context: ChainContext) => SourceStream) => ({
  subscribe: (_root: unknown, args: Args, context: ChainContext) => streamOf(args, context),
});

export const chainSubscriptionResolvers = {
  newHeads: subscriptionField(({ after }: SubscriptionNewHeadsArgs, { chain }) => chain.live.newHeads(after)),
  logs: subscriptionField(({ filter, after }: SubscriptionLogsArgs, { chain }) => chain.live.logs(filter ?? {}, after)),
  pendingTransactions: subscriptionField(({ filter }: SubscriptionPendingTransactionsArgs, { chain }) =>
    chain.live.pendingTransactions(filter ?? {}),
  ),
  transactionStatus: subscriptionField(({ hash, confirmations }: SubscriptionTransactionStatusArgs, { chain }) =>
    chain.live.transactionStatus(hash, confirmations ?? 1),
  ),
  reorgs: subscriptionField((_args: object, { chain }) => chain.live.reorgs()),
};

export const chainTransactionStatusUpdateResolvers: TransactionStatusUpdateResolvers = {
  receipt: ({ hash, transaction }, _args, { chain }, info) =>
    transaction?.blockHash ? chain.findReceipt(hash, needsTransaction(info), transaction.blockHash) : null,
  succeeded: async ({ transaction }, _args, { chain }) => succeeded(transaction && (await chain.receiptOf(transaction))),
};
