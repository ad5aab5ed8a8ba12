import type { Resolvers, TransactionStatusUpdateResolvers } from '../../../generated/chain.ts';
import type { StreamingResolvers } from '../../../graphql/stream.ts';
import type { Operation } from '../../../operation/operation.ts';
import { needsTransaction } from '../transaction/plan.ts';
import { succeeded } from '../transaction/resolve.ts';
import type { LogsRoot } from './logs.ts';

export const subscriptionResolvers = {
  Subscription: {
    newHeads: { subscribe: (_root, { after }, { chain }) => chain.subscriptions.newHeads(after) },
    logs: {
      subscribe: (_root, { filter, after }, { chain }) => chain.subscriptions.logs(filter ?? {}, after),
      resolve: ({ logs, isProven }: LogsRoot, _args: object, { operation }: { readonly operation: Operation }) => {
        operation.trust?.addUnproven('transactionList', ...(isProven ? [] : ['logs' as const]));
        if (isProven) operation.trust?.checks.add('receiptsRoot');
        return logs;
      },
    },
    pendingTransactions: { subscribe: (_root, { filter }, { chain }) => chain.subscriptions.pendingTransactions(filter ?? {}) },
    transactionStatus: {
      subscribe: (_root, { hash, confirmations }, { chain }) => chain.subscriptions.transactionStatus(hash, confirmations ?? 1),
    },
    reorgs: { subscribe: (_root, _args, { chain }) => chain.subscriptions.reorgs() },
  } satisfies StreamingResolvers<Resolvers>['Subscription'],
  TransactionStatusUpdate: {
    receipt: ({ hash, transaction }, _args, { chain }, info) =>
      transaction?.blockHash ? chain.transactions.findReceipt(hash, needsTransaction(info), transaction.blockHash) : null,
    succeeded: async ({ transaction }, _args, { chain }) =>
      succeeded(transaction && (await chain.transactions.receiptOf(transaction))),
  } satisfies TransactionStatusUpdateResolvers,
};
