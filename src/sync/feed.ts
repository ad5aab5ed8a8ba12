import type { Logger } from 'pino';
import { GraphError } from '../errors.ts';
import type { Data } from '../ethereum/hex.ts';
import type { RpcLog, RpcTransaction } from '../ethereum/rpc-types.ts';
import { type ChainChange, headOf } from './chain/canonical-chain.ts';
import { blockOf, learn, NO_HISTORY, wayBetween } from './chain/chain-history.ts';
import type { Way } from './chain/chain-path.ts';
import type { Head } from './chain/rpc-header.ts';
import { type FeedListener, openAudience } from './event-hub.ts';
import type { Follower } from './head/follower.ts';
import type { Source } from './head/rpc-queries.ts';
import { TIMING, type Timing } from './head/timing.ts';
import { AT_ONCE } from './logs/log-fetcher.ts';
import { openLogReader } from './logs/log-reader.ts';
import { type LogChange, LogPipe } from './logs/ordered-logs.ts';
import { openPending } from './pending/pending-transactions.ts';
import { SourceHealth } from './source-health.ts';

export type { Way } from './chain/chain-path.ts';
export type { Head } from './chain/rpc-header.ts';
export type { FeedListener } from './event-hub.ts';
export type { BlockLogs, LogChange } from './logs/ordered-logs.ts';

/** Everything that flows from the one follower, for any number of listeners. All of a kind hear the same, in the same order. */
export interface Feed {
  /** The last block that listeners of heads have heard of; undefined before the first. */
  readonly head: Head | undefined;
  /** The changes of the chain, as the follower tells them. Gives what stops it. */
  heads(listener: FeedListener<ChainChange>): () => void;
  /**
   * The same with all logs of the blocks, read by block hash over the way that announced them, once for all listeners and only while there
   * are any. A change that is undone before its logs could be read is not told at all. Gives what stops it.
   */
  logs(listener: FeedListener<LogChange>): () => void;
  /** The block up to which listeners of logs have heard; as `head` while there are none. */
  readonly logsHead: Head | undefined;
  /**
   * The way from a block that is or was of the chain to one that is or was. Undefined when one of them is not remembered: 256 blocks of the
   * chain, and as many of those that reorgs have removed.
   */
  way(from: Data, to: Head): Way | undefined;
  /** A block that is remembered, as one where somebody wants to go on. */
  block(hash: Data): Head | undefined;
  /**
   * Logs of a block, as `logs` tells them. Rejects with GAP_TOO_LARGE when nobody has them any more, as of an abandoned block, with
   * METHOD_NOT_SUPPORTED where the node has no `eth_getLogs`, and with the signal's reason.
   */
  logsOf(head: Head, signal: AbortSignal): Promise<readonly RpcLog[]>;
  /**
   * Transactions that the node announces as pending, whole, from one subscription upstream or from polls where there is no WebSocket. Best effort:
   * some are missed, none is told twice within the last 32,768. Ends with METHOD_NOT_SUPPORTED where the node has no way to tell. Gives what stops it.
   */
  pending(listener: FeedListener<RpcTransaction>): () => void;
  /** Which sources of subscriptions fail. What reads a source of its own reports it here, and `/readyz` and the metrics have it. */
  readonly sources: SourceHealth;
  readonly timing: Pick<Timing, 'sourceEnd' | 'sourceRetry'>;
  /** Upstream subscriptions that are open now: at most two. */
  readonly upstreamSubscriptions: number;
  /** Ends all listeners with SHUTTING_DOWN. */
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly follower: Follower;
  /** Opens a way to the node beside the follower's (`Node.open`), for what that one does not tell. */
  readonly open?: (() => Source) | undefined;
  /** Subscriptions to whole pending transactions that the node may have, in the order in which they are tried. */
  readonly methods?: readonly string[];
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  readonly log: Logger;
  /** Most memory for logs that are kept, in bytes, about. */
  readonly bytes?: number;
  /** How long reading goes on when the last listener has gone, in milliseconds. */
  readonly lingerMs?: number;
  readonly timing?: Partial<Timing>;
}

const BYTES = 64 * 1024 * 1024;
const LINGER_MS = 5_000;

/** Opens the feed of a follower. It asks the node nothing until somebody listens. */
export function openFeed(options: FeedOptions): Feed {
  const { follower, open, methods = [], timeoutMs, log, bytes = BYTES, lingerMs = LINGER_MS, timing } = options;
  const times = { ...TIMING, ...timing };
  const sources = new SourceHealth();
  let history = learn(NO_HISTORY, [], follower.window ?? []);
  let head = follower.window?.at(-1);
  let pipe: LogPipe | undefined;

  /** A reorg of these can be told to who has just begun to listen. */
  const newest = () => [...history.chain.values()].slice(-AT_ONCE);

  const reader = openLogReader({
    live: () => follower.source ?? follower.connection,
    open,
    isAbandoned: (hash) => history.abandoned.has(hash),
    timeoutMs,
    bytes,
    timing: times,
    sources,
    log,
  });

  const forgetConnections = follower.onConnection(reader.nudge);

  const heads = openAudience<ChainChange>({ log });
  const logs = openAudience<LogChange>({
    log,
    lingerMs,
    start() {
      pipe = new LogPipe({ head, logsOf: reader.logsOf, tell: logs.tell, fail: logs.end });
      pipe.prepare(newest());
    },
    stop() {
      pipe?.stop();
      pipe = undefined;
    },
  });

  const pending = openAudience<RpcTransaction>({
    log,
    lingerMs,
    start: () => announced.start(),
    stop: () => announced.stop(),
  });
  const announced = openPending({ follower, open, methods, timing: times, sources, log, tell: pending.tell, fail: pending.end });

  const stopHearing = follower.subscribe((change) => {
    const isFirst = head === undefined;
    history = learn(history, change.removed, follower.window!);
    head = headOf(follower.window!);
    reader.nudge();
    if (change.gap) {
      heads.end(gap());
      logs.end(gap());
      return;
    }
    // Before anybody is told: who begins to listen to logs when told of a head has heard of it.
    pipe?.take(change, head);
    if (isFirst) pipe?.prepare(newest());
    heads.tell(change);
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
    heads: heads.join,
    logs: logs.join,
    get logsHead() {
      return pipe ? pipe.head : head;
    },
    way: (from, to) => wayBetween(history, from.toLowerCase(), to.hash),
    block: (hash) => blockOf(history, hash.toLowerCase()),
    logsOf: reader.logsOf,
    pending: pending.join,
    sources,
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

const gap = () => new GraphError('GAP_TOO_LARGE', 'The chain has moved on in a way that cannot be told block by block.');
