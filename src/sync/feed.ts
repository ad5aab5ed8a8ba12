import type { Logger } from 'pino';
import { GraphError } from '../errors.ts';
import type { Data } from '../ethereum/hex.ts';
import type { RpcLog, RpcTransaction } from '../ethereum/rpc-types.ts';
import { type ChainChange, headOf } from './chain/canonical-chain.ts';
import { blockInHistory, chainPath, EMPTY_CHAIN_HISTORY, updateChainHistory } from './chain/chain-history.ts';
import type { ChainPath } from './chain/chain-path.ts';
import type { Head } from './chain/rpc-header.ts';
import { createEventHub, type EventHubListener } from './event-hub.ts';
import type { Follower } from './head/follower.ts';
import type { RpcSource } from './head/rpc-queries.ts';
import { FOLLOWER_TIMING, type FollowerTiming } from './head/timing.ts';
import { MAX_BLOCKS_PER_BATCH } from './logs/log-fetcher.ts';
import { createLogReader } from './logs/log-reader.ts';
import { type LogChange, OrderedLogs } from './logs/ordered-logs.ts';
import { createPendingTransactionFeed } from './pending/pending-transactions.ts';
import { SourceHealth } from './source-health.ts';

export type { ChainPath } from './chain/chain-path.ts';
export type { Head } from './chain/rpc-header.ts';
export type { EventHubListener } from './event-hub.ts';
export type { BlockLogs, LogChange } from './logs/ordered-logs.ts';

/** Everything that flows from the one follower, for any number of listeners. All of a kind hear the same, in the same order. */
export interface ChainFeed {
  /** The last block that listeners of heads have heard of; undefined before the first. */
  readonly head: Head | undefined;
  /** The changes of the chain, as the follower tells them. Gives what stops it. */
  subscribeHeads(listener: EventHubListener<ChainChange>): () => void;
  /**
   * The same with all logs of the blocks, read by block hash over the way that announced them, once for all listeners and only while there
   * are any. A change that is undone before its logs could be read is not told at all. Gives what stops it.
   */
  subscribeLogs(listener: EventHubListener<LogChange>): () => void;
  /** The block up to which listeners of logs have heard; as `head` while there are none. */
  readonly logsHead: Head | undefined;
  /**
   * The way from a block that is or was of the chain to one that is or was. Undefined when one of them is not remembered: 256 blocks of the
   * chain, and as many of those that reorgs have removed.
   */
  pathBetween(from: Data, to: Head): ChainPath | undefined;
  /** A block that is remembered, as one where somebody wants to go on. */
  recentBlock(hash: Data): Head | undefined;
  /**
   * Logs of a block, as `logs` tells them. Rejects with GAP_TOO_LARGE when nobody has them any more, as of an abandoned block, with
   * METHOD_NOT_SUPPORTED where the node has no `eth_getLogs`, and with the signal's reason.
   */
  logsOf(head: Head, signal: AbortSignal): Promise<readonly RpcLog[]>;
  /**
   * Transactions that the node announces as pending, whole, from one subscription upstream or from polls where there is no WebSocket. Best effort:
   * some are missed, none is told twice within the last 32,768. Ends with METHOD_NOT_SUPPORTED where the node has no way to tell. Gives what stops it.
   */
  subscribePendingTransactions(listener: EventHubListener<RpcTransaction>): () => void;
  /** Which sources of subscriptions fail. What reads a source of its own reports it here, and `/readyz` and the metrics have it. */
  readonly sourceHealth: SourceHealth;
  readonly timing: Pick<FollowerTiming, 'sourceTimeoutMs' | 'sourceRetryMs'>;
  /** Upstream subscriptions that are open now: at most two. */
  readonly upstreamSubscriptions: number;
  /** Ends all listeners with SHUTTING_DOWN. */
  stop(): Promise<void>;
}

export interface ChainFeedOptions {
  readonly follower: Follower;
  /** Opens a way to the node beside the follower's (`Node.open`), for what that one does not tell. */
  readonly createSource?: (() => RpcSource) | undefined;
  /** Subscriptions to whole pending transactions that the node may have, in the order in which they are tried. */
  readonly fullTransactionSubscriptions?: readonly string[];
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  readonly log: Logger;
  /** Most memory for logs that are kept, in bytes, about. */
  readonly maxCacheBytes?: number;
  /** How long reading goes on when the last listener has gone, in milliseconds. */
  readonly lingerMs?: number;
  readonly timing?: Partial<FollowerTiming>;
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
const DEFAULT_LINGER_MS = 5_000;

/** Opens the feed of a follower. It asks the node nothing until somebody listens. */
export function createChainFeed(options: ChainFeedOptions): ChainFeed {
  const {
    follower,
    createSource,
    fullTransactionSubscriptions = [],
    timeoutMs,
    log,
    maxCacheBytes = DEFAULT_CACHE_BYTES,
    lingerMs = DEFAULT_LINGER_MS,
    timing,
  } = options;
  const times = { ...FOLLOWER_TIMING, ...timing };
  const sourceHealth = new SourceHealth();
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], follower.window ?? []);
  let head = follower.window?.at(-1);
  let pipe: OrderedLogs | undefined;

  /** A reorg of these can be told to who has just begun to listen. */
  const newest = () => [...history.canonical.values()].slice(-MAX_BLOCKS_PER_BATCH);

  const reader = createLogReader({
    currentSource: () => follower.source ?? follower.connection,
    createSource,
    isAbandoned: (hash) => history.abandoned.has(hash),
    timeoutMs,
    maxCacheBytes,
    timing: times,
    sourceHealth,
    log,
  });

  const forgetConnections = follower.onConnection(reader.retryNow);

  const heads = createEventHub<ChainChange>({ log });
  const logs = createEventHub<LogChange>({
    log,
    lingerMs,
    start() {
      pipe = new OrderedLogs({ head, logsOf: reader.logsOf, emit: logs.emit, fail: logs.end });
      pipe.prefetch(newest());
    },
    stop() {
      pipe?.stop();
      pipe = undefined;
    },
  });

  const pending = createEventHub<RpcTransaction>({
    log,
    lingerMs,
    start: () => announced.start(),
    stop: () => announced.stop(),
  });
  const announced = createPendingTransactionFeed({
    follower,
    createSource,
    fullTransactionSubscriptions,
    timing: times,
    sourceHealth,
    log,
    emit: pending.emit,
    fail: pending.end,
  });

  const stopHearing = follower.subscribe((change) => {
    const isFirst = head === undefined;
    history = updateChainHistory(history, change.removed, follower.window!);
    head = headOf(follower.window!);
    reader.retryNow();
    if (change.hasGap) {
      heads.end(gapTooLargeError());
      logs.end(gapTooLargeError());
      return;
    }
    // Before anybody is told: who begins to listen to logs when told of a head has heard of it.
    pipe?.enqueue(change, head);
    if (isFirst) pipe?.prefetch(newest());
    heads.emit(change);
  });

  const close = (error: GraphError) => {
    stopHearing();
    forgetConnections();
    heads.close(error);
    logs.close(error);
    pending.close(error);
    reader.stop(error);
  };
  void follower.ended.then(close);

  return {
    get head() {
      return head;
    },
    subscribeHeads: heads.subscribe,
    subscribeLogs: logs.subscribe,
    get logsHead() {
      return pipe ? pipe.head : head;
    },
    pathBetween: (from, to) => chainPath(history, from.toLowerCase(), to.hash),
    recentBlock: (hash) => blockInHistory(history, hash.toLowerCase()),
    logsOf: reader.logsOf,
    subscribePendingTransactions: pending.subscribe,
    sourceHealth,
    timing: times,
    get upstreamSubscriptions() {
      return Number(follower.connection !== undefined) + Number(announced.isSubscribed);
    },
    async stop() {
      close(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
      await announced.close();
    },
  };
}

const gapTooLargeError = () =>
  new GraphError('GAP_TOO_LARGE', 'The chain has moved on in a way that cannot be told block by block.');
