import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { newHeads as newHeadsStream } from './heads.ts';
import { logs as logsStream } from './logs.ts';
import { type PendingFilter, pendingTransactions as pendingTransactionsStream } from './pending.ts';
import { reorgs as reorgsStream } from './reorgs.ts';
import { trackReplacements } from './transaction-status/replacements.ts';
import { transactionStatus as transactionStatusStream } from './transaction-status/stream.ts';
import { TransactionWatcher } from './transaction-status/watcher.ts';

/** What the streams of the chain are made from. */
export interface ChainSubscriptionSources {
  readonly feed: ChainFeed;
  /** For what the feed does not tell: the transactions that are watched. */
  readonly snapshotSources: SnapshotSources;
}

/** The streams of the chain, by the field of `Subscription` that gives each. */
export type ChainSubscriptions = ReturnType<typeof createChainSubscriptions>;

/** Opens the streams of one process. Nothing is asked until somebody subscribes. */
export function createChainSubscriptions({ feed, snapshotSources }: ChainSubscriptionSources) {
  const replacements = trackReplacements(feed);
  const watch = new TransactionWatcher(feed, snapshotSources);
  return {
    newHeads: (after: Data | null | undefined) => newHeadsStream(feed, replacements, after),
    logs: (filter: LogFilter, after: string | null | undefined) => logsStream(feed, filter, after),
    pendingTransactions: (filter: PendingFilter) => pendingTransactionsStream(feed, filter),
    transactionStatus: (hash: Data, confirmations: number) => transactionStatusStream(watch, hash, confirmations),
    reorgs: () => reorgsStream(feed, replacements),
  };
}

const rejectSubscription = (): never => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The chain is not followed here, so there is nothing to subscribe to.');
};

/** Where the chain is not followed, all of them are refused. */
export const UNAVAILABLE_CHAIN_SUBSCRIPTIONS: ChainSubscriptions = {
  newHeads: rejectSubscription,
  logs: rejectSubscription,
  pendingTransactions: rejectSubscription,
  transactionStatus: rejectSubscription,
  reorgs: rejectSubscription,
};
