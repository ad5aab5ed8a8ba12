import type { Data } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { PendingTransactionFilter } from '../../../generated/chain.ts';
import type { Cancellation } from '../../../lib/abort.ts';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { newHeads, pendingTransactions, reorgs, trackReplacements } from './heads.ts';
import { logs } from './logs.ts';
import { transactionStatus, waitUntilMined } from './transaction-status/stream.ts';
import { TransactionWatcher } from './transaction-status/watcher.ts';

/** Sources of the chain's subscription streams. */
export interface ChainSubscriptionSources {
  readonly feed: ChainFeed;
  /** Reads the watched transactions, which the feed does not report. */
  readonly snapshotSources: SnapshotSources;
}

/** Creates the streams of one process. Sends no request before the first subscriber. */
export function createChainSubscriptions({ feed, snapshotSources }: ChainSubscriptionSources) {
  const replacements = trackReplacements(feed);
  const watcher = new TransactionWatcher(feed, snapshotSources);
  return {
    newHeads: (after: Data | null | undefined) => newHeads(feed, replacements, after),
    logs: (filter: LogFilter, after: string | null | undefined) => logs(feed, filter, after),
    pendingTransactions: (filter: PendingTransactionFilter) => pendingTransactions(feed, filter),
    transactionStatus: (hash: Data, confirmations: number) => transactionStatus(watcher, hash, confirmations),
    waitUntilMined: (hash: Data, waitMs: number, signal: Cancellation) => waitUntilMined(watcher, hash, waitMs, signal),
    reorgs: () => reorgs(feed, replacements),
  };
}
