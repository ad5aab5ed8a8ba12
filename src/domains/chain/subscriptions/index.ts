import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { ViewSources } from '../../../snapshot/index.ts';
import type { Feed } from '../../../sync/feed.ts';
import { newHeads } from './heads.ts';
import { logs } from './logs.ts';
import { type PendingFilter, pendingTransactions } from './pending.ts';
import { reorgs } from './reorgs.ts';
import { noteReplacements } from './transaction-status/replacements.ts';
import { transactionStatus } from './transaction-status/stream.ts';
import { TransactionWatch } from './transaction-status/watcher.ts';

/** What the streams of the chain are made from. */
export interface LiveSources {
  readonly feed: Feed;
  /** For what the feed does not tell: the transactions that are watched. */
  readonly sources: ViewSources;
}

/** The streams of the chain, by the field of `Subscription` that gives each. */
export type Live = ReturnType<typeof openLive>;

/** Opens the streams of one process. Nothing is asked until somebody subscribes. */
export function openLive({ feed, sources }: LiveSources) {
  const replacements = noteReplacements(feed);
  const watch = new TransactionWatch(feed, sources);
  return {
    newHeads: (after: Data | null | undefined) => newHeads(feed, replacements, after),
    logs: (filter: LogFilter, after: string | null | undefined) => logs(feed, filter, after),
    pendingTransactions: (filter: PendingFilter) => pendingTransactions(feed, filter),
    transactionStatus: (hash: Data, confirmations: number) => transactionStatus(watch, hash, confirmations),
    reorgs: () => reorgs(feed, replacements),
  };
}

const refuse = (): never => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The chain is not followed here, so there is nothing to subscribe to.');
};

/** Where the chain is not followed, all of them are refused. */
export const NO_LIVE: Live = {
  newHeads: refuse,
  logs: refuse,
  pendingTransactions: refuse,
  transactionStatus: refuse,
  reorgs: refuse,
};
