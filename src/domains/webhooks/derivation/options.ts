import type { Logger } from 'pino';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { Follower } from '../../../sync/head/follower.ts';
import type { TokenLists } from '../../../token-lists.ts';
import type { RpcNode } from '../../../upstream/rpc/node.ts';
import type { Database } from '../store/database.ts';
import type { ActiveRegistrations, AddDeliveries } from './ports.ts';

export interface DerivationTiming {
  /** Delay before a failed step is repeated, and between two attempts to become the one server that derives. */
  readonly retryMs: number;
  /** Interval of the checks of gas prices and of missing transactions. */
  readonly minuteMs: number;
}

export interface DerivationOptions {
  readonly node: Pick<RpcNode, 'chainId'>;
  readonly follower: Pick<Follower, 'status'>;
  readonly feed: Pick<ChainFeed, 'head' | 'pathBetween' | 'subscribeHeads' | 'subscribePendingTransactions'>;
  readonly snapshotSources: SnapshotSources;
  /** For the symbols and the decimals of transferred tokens. */
  readonly tokenLists: Pick<TokenLists, 'find'>;
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  readonly addDeliveries: AddDeliveries;
  readonly log: Logger;
}

export interface DerivationStatus {
  /** Whether this server derives the events, as one of all servers on the database does. */
  isLeading: boolean;
  /** Height of the block up to which this server has processed the chain; undefined before the first. */
  height: number | undefined;
}
