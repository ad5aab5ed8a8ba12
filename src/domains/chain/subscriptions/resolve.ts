import type {
  SubscriptionLogsArgs,
  SubscriptionNewHeadsArgs,
  SubscriptionPendingTransactionsArgs,
  SubscriptionTransactionStatusArgs,
  TransactionStatusUpdateResolvers,
} from '../../../generated/chain.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { ChainContext } from '../load.ts';
import { needsTransaction } from '../transaction/plan.ts';
import { succeeded } from '../transaction/resolve.ts';
import type { LogsRoot } from './logs.ts';

/**
 * Resolves a field of `Subscription`: `createStream` provides its events, and the value of the field is the event's
 * property with the name of the field.
 */
const subscriptionField = <Args>(createStream: (args: Args, context: ChainContext) => SourceStream) => ({
  subscribe: (_root: unknown, args: Args, context: ChainContext) => createStream(args, context),
});

export const subscriptionResolvers = {
  Subscription: {
    newHeads: subscriptionField(({ after }: SubscriptionNewHeadsArgs, { chain }) => chain.subscriptions.newHeads(after)),
    logs: {
      ...subscriptionField(({ filter, after }: SubscriptionLogsArgs, { chain }) => chain.subscriptions.logs(filter ?? {}, after)),
      resolve: ({ logs, isProven }: LogsRoot, _args: object, { operation }: { readonly operation: Operation }) => {
        operation.trust?.addUnproven('transactionList', ...(isProven ? [] : ['logs' as const]));
        if (isProven) operation.trust?.checks.add('receiptsRoot');
        return logs;
      },
    },
    pendingTransactions: subscriptionField(({ filter }: SubscriptionPendingTransactionsArgs, { chain }) =>
      chain.subscriptions.pendingTransactions(filter ?? {}),
    ),
    transactionStatus: subscriptionField(({ hash, confirmations }: SubscriptionTransactionStatusArgs, { chain }) =>
      chain.subscriptions.transactionStatus(hash, confirmations ?? 1),
    ),
    reorgs: subscriptionField((_args: object, { chain }) => chain.subscriptions.reorgs()),
  },
  TransactionStatusUpdate: {
    receipt: ({ hash, transaction }, _args, { chain }, info) =>
      transaction?.blockHash ? chain.transactions.findReceipt(hash, needsTransaction(info), transaction.blockHash) : null,
    succeeded: async ({ transaction }, _args, { chain }) =>
      succeeded(transaction && (await chain.transactions.receiptOf(transaction))),
  } satisfies TransactionStatusUpdateResolvers,
};
