import type { Data } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { newHeads as newHeadsStream, type PendingFilter, pendingTransactions as pendingTransactionsStream } from './heads.ts';
import { logs as logsStream } from './logs.ts';
import { reorgs as reorgsStream } from './reorgs.ts';
import { trackReplacements } from './replacements.ts';
import { transactionStatus as transactionStatusStream, waitUntilMined } from './transaction-status/stream.ts';
import { TransactionWatcher } from './transaction-status/watcher.ts';

/** Sources of the chain's subscription streams. */
export interface ChainSubscriptionSources {
  readonly feed: ChainFeed;
  /** Reads the watched transactions, which the feed does not report. */
  readonly snapshotSources: SnapshotSources;
}

/** Creates the source stream of each field of `Subscription`. */
export type ChainSubscriptions = ReturnType<typeof createChainSubscriptions>;

/** Creates the streams of one process. Sends no request before the first subscriber. */
export function createChainSubscriptions({ feed, snapshotSources }: ChainSubscriptionSources) {
  const replacements = trackReplacements(feed);
  const watcher = new TransactionWatcher(feed, snapshotSources);
  return {
    newHeads: (after: Data | null | undefined) => newHeadsStream(feed, replacements, after),
    logs: (filter: LogFilter, after: string | null | undefined) => logsStream(feed, filter, after),
    pendingTransactions: (filter: PendingFilter) => pendingTransactionsStream(feed, filter),
    transactionStatus: (hash: Data, confirmations: number) => transactionStatusStream(watcher, hash, confirmations),
    waitUntilMined: (hash: Data, waitMs: number, signal: AbortSignal) => waitUntilMined(watcher, hash, waitMs, signal),
    reorgs: () => reorgsStream(feed, replacements),
  };
}
