import type { Data } from '../../../ethereum/hex.ts';
import type {
  PendingTransactionFilter,
  SubscriptionLogPagesArgs,
  SubscriptionLogsArgs,
  SubscriptionNewHeadsArgs,
} from '../../../generated/chain.ts';
import type { Cancellation } from '../../../lib/abort.ts';
import { CallerTurns } from '../../../lib/caller-turns.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { newHeads, pendingTransactions, reorgs, trackReplacements } from './heads.ts';
import { logPages, logs } from './logs.ts';
import type { PastSources } from './past.ts';
import { transactionStatus, waitUntilMined } from './transaction-status/stream.ts';
import { TransactionWatcher } from './transaction-status/watcher.ts';

/** Sources of the chain's subscription streams. */
export interface ChainSubscriptionSources {
  readonly feed: ChainFeed;
  /** Reads the watched transactions, which the feed does not report. */
  readonly snapshotSources: SnapshotSources;
}

/** Maximum number of pages of past events that are read at the same time, of all callers and of one: live events need the other connections. */
const PAST_TURNS = { running: 4, runningOfCaller: 3 };

/** Creates the streams of one process. Sends no request before the first subscriber. */
export function createChainSubscriptions(
  { feed, snapshotSources }: ChainSubscriptionSources,
  createLoaders: PastSources['createLoaders'],
) {
  const replacements = trackReplacements(feed);
  const past: PastSources = { feed, createLoaders, turns: new CallerTurns(PAST_TURNS) };
  const watcher = new TransactionWatcher(feed, snapshotSources);
  return {
    newHeads: (operation: Operation, args: SubscriptionNewHeadsArgs) => newHeads(past, operation, replacements, args),
    logs: (operation: Operation, args: SubscriptionLogsArgs) => logs(past, operation, args),
    logPages: (operation: Operation, args: SubscriptionLogPagesArgs) => logPages(past, operation, args),
    pendingTransactions: (filter: PendingTransactionFilter) => pendingTransactions(feed, filter),
    transactionStatus: (hash: Data, confirmations: number, minHeight?: number) =>
      transactionStatus(watcher, hash, confirmations, minHeight),
    waitUntilMined: (hash: Data, waitMs: number, signal: Cancellation) => waitUntilMined(watcher, hash, waitMs, signal),
    reorgs: () => reorgs(feed, replacements),
  };
}
