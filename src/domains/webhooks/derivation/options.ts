import type { Logger } from 'pino';
import type { TokenLists } from '../../../config/token-lists.ts';
import type { Database } from '../../../database/database.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { SnapshotSources } from '../../../snapshot/index.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { Follower } from '../../../sync/head/follower.ts';
import type { RpcNode } from '../../../upstream/rpc/node.ts';

/** A chain whose events are derived. */
export interface DerivedChain {
  /** The value of the columns `chain_id`. */
  readonly chainId: string;
  readonly node: Pick<RpcNode, 'chainId' | 'onQuotaExceeded'>;
  readonly follower: Pick<Follower, 'status'>;
  readonly feed: Pick<ChainFeed, 'head' | 'pathBetween' | 'subscribeHeads' | 'subscribePendingTransactions'>;
  readonly snapshotSources: SnapshotSources;
  /** Lists with the symbols and the decimals of transferred tokens. */
  readonly tokenLists: Pick<TokenLists, 'find'>;
}

/** What the derivation of all chains shares. */
export interface DerivationOptions {
  readonly database: Database;
  /** Whether activities include the transfers inside transactions, for which each block is traced. @default false */
  readonly tracesBlocks?: boolean;
  readonly log: Logger;
  /** Delays and intervals in milliseconds. @default 1000 and 60000 */
  readonly timing?: {
    /** Delay before a failed step is repeated, and between two attempts to become the deriving server. */
    readonly retryMs: number;
    /** Interval of the checks of gas prices and of missing transactions. */
    readonly minuteMs: number;
  };
}

export interface DerivationStatus {
  /** Whether this server derives the events: exactly one server on the database does. */
  isLeading: boolean;
  /** Height of the block up to which this server has processed the chain; undefined before the first. */
  height: number | undefined;
  /**
   * Time since which this server has made no progress, as `performance.now()`; undefined while there is nothing to
   * process.
   */
  waitingSince: number | undefined;
  /**
   * Number of blocks that were skipped for an application after failures, and the time of the last skip, as
   * `performance.now()`.
   */
  skipped: { readonly count: number; readonly at: number };
  /** Number of pending transactions that are not watched because their application has reached its limit. */
  unwatched: number;
}

/** A server with blocks to process is degraded if it has processed no block for this time. */
const MAX_WAIT_MS = 60_000;
/** A skipped block degrades the server for this time. */
const SKIP_REPORT_MS = 600_000;

/** Throws while this server derives the events but cannot derive all of them. */
export function checkDerivation({ isLeading, height, waitingSince, skipped }: Readonly<DerivationStatus>): void {
  const waitMs = isLeading && waitingSince !== undefined ? performance.now() - waitingSince : 0;
  if (waitMs > MAX_WAIT_MS) {
    const wait = `${Math.round(waitMs / 1000)} seconds, after block ${height ?? 'none'}`;
    throw new GraphError('INTERNAL_SERVER_ERROR', `No block has been processed for ${wait}: the events of webhooks are late.`);
  }
  if (skipped.count > 0 && performance.now() - skipped.at < SKIP_REPORT_MS) {
    const problem = 'The webhooks of a block could not be derived for an application in the last 10 minutes.';
    throw new GraphError('INTERNAL_SERVER_ERROR', `${problem} The log names both.`);
  }
}
