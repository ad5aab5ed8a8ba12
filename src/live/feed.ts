import type { GraphError } from '../errors.ts';
import type { Data } from '../evm/hex.ts';
import type { RpcLog, RpcTransaction } from '../evm/rpc.ts';
import type { ChainChange } from './canonical.ts';
import type { Head } from './head.ts';

/** A block with all its logs, in their order. */
export interface BlockLogs {
  readonly head: Head;
  readonly logs: readonly RpcLog[];
}

/** A change of the chain with what lies in its blocks: `removed` newest first, `added` ascending. */
export interface LogChange {
  readonly removed: readonly BlockLogs[];
  readonly added: readonly BlockLogs[];
}

export interface FeedListener<Told> {
  next(told: Told): void;
  /** Nothing comes any more: GAP_TOO_LARGE, SHUTTING_DOWN, or what was fatal for the follower. */
  end(error: GraphError): void;
}

/** How one gets from a block to another: what has to go, newest first, and what has to come, ascending. */
export interface Way {
  readonly removed: readonly Head[];
  readonly added: readonly Head[];
}

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
  /** A block that is remembered, by its hash; as for `way`. */
  headOf(hash: Data): Head | undefined;
  /**
   * Logs of a block, as `logs` tells them. Rejects with GAP_TOO_LARGE when nobody has them any more, as of an abandoned block.
   */
  logsOf(head: Head, signal: AbortSignal): Promise<readonly RpcLog[]>;
  /** Transactions that the node announces as pending, whole, from one subscription upstream. Best effort. Gives what stops it. */
  pending(listener: FeedListener<RpcTransaction>): () => void;
  /** Upstream subscriptions that are open now: at most two. */
  readonly upstreamSubscriptions: number;
  /** Ends all listeners with SHUTTING_DOWN. */
  stop(): Promise<void>;
}
