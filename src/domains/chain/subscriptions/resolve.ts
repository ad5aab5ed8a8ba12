import type { Resolvers, TransactionStatusUpdateResolvers } from '../../../generated/chain.ts';
import type { StreamingResolvers } from '../../../graphql/stream.ts';
import type { Operation } from '../../../operation/operation.ts';
import { openStream } from '../streams/resolve.ts';
import { needsTransaction } from '../transaction/plan.ts';
import { succeeded } from '../transaction/resolve.ts';
import type { LogPagesRoot, LogsRoot } from './log-events.ts';

interface EventContext {
  readonly operation: Operation;
}

/** Records what proves the logs of an event. */
function recordEvidence({ isProven }: LogsRoot | LogPagesRoot, { trust }: Operation): void {
  trust?.addUnproven('transactionList', ...(isProven ? [] : ['logs' as const]));
  if (isProven) trust?.checks.add('receiptsRoot');
}

export const subscriptionResolvers = {
  Subscription: {
    newHeads: {
      subscribe: (_root, args, { chain }) =>
        openStream(chain, 'newHeads', args, (from) => chain.subscriptions.newHeads(chain.snapshot.operation, from)),
    },
    logs: {
      subscribe: (_root, args, { chain }) =>
        openStream(chain, 'logs', args, (from) => chain.subscriptions.logs(chain.snapshot.operation, from)),
      resolve(root: LogsRoot, _args: object, { operation }: EventContext) {
        recordEvidence(root, operation);
        return root.logs;
      },
    },
    logPages: {
      subscribe: (_root, args, { chain }) =>
        openStream(chain, 'logs', args, (from) => chain.subscriptions.logPages(chain.snapshot.operation, from)),
      resolve(root: LogPagesRoot, _args: object, { operation }: EventContext) {
        recordEvidence(root, operation);
        return root.logPages;
      },
    },
    pendingTransactions: { subscribe: (_root, { filter }, { chain }) => chain.subscriptions.pendingTransactions(filter ?? {}) },
    transactionStatus: {
      subscribe: (_root, { hash, confirmations }, { chain }) =>
        chain.subscriptions.transactionStatus(
          hash,
          confirmations ?? chain.sources.confirmations ?? 1,
          chain.snapshot.operation.head?.height,
        ),
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
