import type { Logger } from 'pino';
import type { Data } from '../ethereum/hex.ts';
import type { RpcTransaction } from '../ethereum/rpc-types.ts';
import { GraphError } from '../lib/errors.ts';
import { createEventHub } from '../lib/event-hub.ts';
import type { RpcSender } from '../upstream/rpc/rpc-call.ts';
import type { ChainPath } from './chain/ancestors.ts';
import { blockAtHeight, blockInHistory, type ChainChange, chainPath, headOf, isOnSideBranch } from './chain/canonical-chain.ts';
import type { Head } from './chain/rpc-header.ts';
import type { Follower } from './head/follower.ts';
import { FOLLOWER_TIMING, type FollowerTiming } from './head/timing.ts';
import { MAX_BLOCKS_PER_BATCH } from './logs/log-fetcher.ts';
import { createLogReader, type LogReader } from './logs/log-reader.ts';
import { createOrderedLogs, type LogChange, type OrderedLogs } from './logs/ordered-logs.ts';
import {
  createPendingTransactionFeed,
  type PendingFeed,
  type PendingTransactionsOptions,
} from './pending/pending-transactions.ts';
import { type FeedContext, SourceHealth } from './source-health.ts';

export type { EventHubListener } from '../lib/event-hub.ts';
export type { ChainPath } from './chain/ancestors.ts';
export type { Head } from './chain/rpc-header.ts';
export type { BlockLogs, LogChange } from './logs/ordered-logs.ts';

export interface ChainFeedOptions {
  readonly follower: Follower;
  /** Creates an RPC session for logs and pending transactions that the follower's own source does not provide. */
  readonly createSource?: (() => RpcSender) | undefined;
  /** Names of `eth_subscribe` subscriptions to full pending transactions, which are tried in order. @default none */
  readonly fullTransactionSubscriptions?: readonly string[];
  /** Timeout of one request for logs. */
  readonly timeoutMs: number;
  readonly log: Logger;
  /** Approximate size limit of the log cache in bytes. @default 64 MiB */
  readonly maxCacheBytes?: number;
  /** Milliseconds for which reading continues after the last listener unsubscribed. @default 5000 */
  readonly lingerMs?: number;
  /** Timeouts and intervals that differ from the default. @default `FOLLOWER_TIMING` */
  readonly timing?: Partial<FollowerTiming>;
  /** Reads the logs of blocks. @default reads them from the node */
  readonly logReader?: LogReader;
  /** Creates the source of pending transactions. @default reads them from the node */
  readonly createPendingFeed?: (options: Pick<PendingTransactionsOptions, 'emit' | 'fail'>) => PendingFeed;
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
const DEFAULT_LINGER_MS = 5_000;

/** Creates the feed of a follower. It sends no requests until there is a listener. */
export function createChainFeed(options: ChainFeedOptions) {
  const { follower, createSource, timeoutMs, log, maxCacheBytes = DEFAULT_CACHE_BYTES, lingerMs = DEFAULT_LINGER_MS } = options;
  const timing = { ...FOLLOWER_TIMING, ...options.timing };
  const sourceHealth = new SourceHealth();
  const context: FeedContext = { createSource, timing, sourceHealth, log };
  let head = follower.window?.at(-1);
  let orderedLogs: OrderedLogs | undefined;

  /** Blocks whose logs are prefetched, so that a new listener also receives the removed logs of a later reorg. */
  const recentHeads = () => follower.window?.slice(-MAX_BLOCKS_PER_BATCH) ?? [];

  const reader =
    options.logReader ??
    createLogReader({
      ...context,
      currentSource: () => follower.source ?? follower.connection,
      isOnSideBranch: (hash) => isOnSideBranch(follower.history, hash),
      timeoutMs,
      maxCacheBytes,
    });

  const unsubscribeConnections = follower.onConnection(reader.retryNow);

  const heads = createEventHub<ChainChange>({ log });
  const logs = createEventHub<LogChange>({
    log,
    lingerMs,
    start() {
      orderedLogs = createOrderedLogs({ head, logsOf: reader.logsOf, emit: logs.emit, fail: logs.end });
      orderedLogs.prefetch(recentHeads());
    },
    stop() {
      orderedLogs?.stop();
      orderedLogs = undefined;
    },
  });

  const pending = createEventHub<RpcTransaction>({
    log,
    lingerMs,
    start: () => pendingFeed.start(),
    stop: () => pendingFeed.stop(),
  });
  const pendingEvents = { emit: pending.emit, fail: pending.end };
  const { fullTransactionSubscriptions = [] } = options;
  const pendingFeed =
    options.createPendingFeed?.(pendingEvents) ??
    createPendingTransactionFeed({ ...context, ...pendingEvents, follower, fullTransactionSubscriptions });

  const unsubscribeChanges = follower.subscribe((change) => {
    const isFirst = head === undefined;
    head = headOf(follower.window!);
    reader.retryNow();
    if (change.hasGap) {
      heads.end(gapTooLargeError());
      logs.end(gapTooLargeError());
      return;
    }
    // Enqueue before heads are emitted: a listener of heads may subscribe to logs, which then start at the new head.
    orderedLogs?.enqueue(change, head);
    if (isFirst) orderedLogs?.prefetch(recentHeads());
    heads.emit(change);
  });

  const close = (error: GraphError) => {
    unsubscribeChanges();
    unsubscribeConnections();
    heads.close(error);
    logs.close(error);
    pending.close(error);
    reader.stop(error);
  };
  void follower.ended.then(close);

  return {
    /** The head as of the last emitted change; undefined before the first head. */
    get head(): Head | undefined {
      return head;
    },
    /** Subscribes to the changes of the chain. Ends with GAP_TOO_LARGE at a gap. Returns a function that unsubscribes. */
    subscribeHeads: heads.subscribe,
    /**
     * Subscribes to the changes of the chain with all logs of their blocks. The logs are read by block hash, once for all listeners
     * and only while there are any. A change that is reverted before its logs were read is not emitted. Returns a function that
     * unsubscribes. Source: `eth_getLogs`.
     */
    subscribeLogs: logs.subscribe,
    /** The block up to which log changes have been emitted; equals `head` while there are no listeners. */
    get logsHead(): Head | undefined {
      return orderedLogs ? orderedLogs.head : head;
    },
    /** Returns the path between two blocks. Undefined outside the history of 256 canonical blocks and 256 on side branches. */
    pathBetween: (from: Data, to: Head): ChainPath | undefined => chainPath(follower.history, from.toLowerCase(), to.hash),
    /** Returns a block of the history, canonical or on a side branch, from which a client may resume. */
    recentBlock: (hash: Data): Head | undefined => blockInHistory(follower.history, hash.toLowerCase()),
    /** The canonical block at a height; undefined outside the newest 256 blocks. */
    canonicalBlock: (height: number): Head | undefined => follower.window && blockAtHeight(follower.window, height),
    /** The canonical block this many blocks below the head, or the oldest that is known; undefined before the first head. */
    blockBelowHead: (depth: number): Head | undefined => follower.window?.at(-1 - depth) ?? follower.window?.[0],
    /**
     * Reads the logs of a block, from the cache if possible. Rejects with GAP_TOO_LARGE when no source still has the
     * logs of a block on a side branch, with METHOD_NOT_SUPPORTED when the node has no `eth_getLogs`, and with the
     * reason of the signal.
     */
    logsOf: reader.logsOf,
    /**
     * Subscribes to full pending transactions, from one upstream subscription or by polling a filter. Best effort: some
     * transactions may be missed; a transaction is not emitted again while its hash is among the last 32,768. Ends with
     * METHOD_NOT_SUPPORTED if the node supports neither the subscription nor the filter. Returns a function that
     * unsubscribes.
     */
    subscribePendingTransactions: pending.subscribe,
    /** The health of all subscription sources, for `/readyz` and the metrics. Subscriptions report their own sources to it. */
    sourceHealth,
    timing,
    /** Number of open upstream subscriptions to heads and pending transactions: at most two. */
    get upstreamSubscriptions(): number {
      return Number(follower.connection !== undefined) + Number(pendingFeed.isSubscribed);
    },
    /** Ends all listeners with SHUTTING_DOWN; resolves when pending-transaction reads have ended. */
    async stop(): Promise<void> {
      close(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
      await pendingFeed.close();
    },
  };
}

/**
 * Fans the events of one follower out to any number of listeners. All listeners of a kind receive equal events in one
 * order.
 */
export type ChainFeed = ReturnType<typeof createChainFeed>;

const gapTooLargeError = () =>
  new GraphError('GAP_TOO_LARGE', 'The blocks between the old and the new head of the chain are unknown.');
