import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket/connection.ts';
import {
  blockAtHeight,
  blockByHash,
  type CanonicalChain,
  type ChainChange,
  type ChainHistory,
  headOf,
} from '../chain/canonical-chain.ts';
import { BACKFILL_BLOCKS } from '../chain/fork-choice-steps.ts';
import type { Head } from '../chain/rpc-header.ts';
import type { HeadState } from './head-state.ts';

/** The status of a follower. */
export type FollowerStatus = ReturnType<typeof createFollowerView>['status'];

/** How the heads arrive. */
type HeadTransport = 'websocket' | 'polling';

/** Creates the readers of a head state. Once the follower has ended, the head is undefined. `close` closes its sockets and timers. */
export function createFollowerView(headState: HeadState, transport: () => HeadTransport, close?: () => Promise<unknown>) {
  const { signal } = headState;
  const freshChain = () => (headState.isFresh && !signal.aborted ? headState.forkChoiceState.canonical : undefined);
  return {
    /**
     * The head of the chain. Undefined before the first head and while the head is stale (see `staleAfterMs`): then read the head from
     * the node.
     */
    get head(): Head | undefined {
      const canonical = freshChain();
      return canonical && headOf(canonical);
    },
    /** Set while another process of this server may serve a newer head; resolves when this process knows it. */
    get pendingHead(): Promise<void> | undefined {
      return headState.pendingHead;
    },
    /** The newest proven blocks of the chain, ascending, even when the head is not fresh; undefined before the first head. */
    get window(): CanonicalChain | undefined {
      return headState.forkChoiceState.canonical;
    },
    /** Recent blocks, canonical and on side branches, even when the head is not fresh. */
    get history(): ChainHistory {
      return headState.forkChoiceState;
    },
    /** The oldest block of the window; undefined while `head` is undefined. */
    get oldest(): Head | undefined {
      return freshChain()?.[0];
    },
    /**
     * Lower heights are treated as final: they are below the window, and far below the head because the window may be short
     * after a start. 0 while `head` is undefined.
     */
    get settledBelow(): number {
      const canonical = freshChain();
      return canonical ? Math.min(canonical[0].height, headOf(canonical).height - BACKFILL_BLOCKS) : 0;
    },
    /**
     * Returns the hash of the canonical block at a height; undefined outside the window, and while `head` is undefined.
     */
    hashAt(number: Quantity): Data | undefined {
      const canonical = freshChain();
      return canonical && blockAtHeight(canonical, Number(number))?.hash;
    },
    /** Returns the canonical block with a hash; undefined outside the window, and while `head` is undefined. */
    headerOf(hash: Data): Head | undefined {
      const canonical = freshChain();
      return canonical && blockByHash(canonical, hash.toLowerCase());
    },
    get status() {
      const { fatal, chainId, lastHead, isFresh, confirmedAt, unknownMs, lastError, counts } = headState;
      const unknownState = lastHead ? 'waiting' : 'connecting';
      const knownState = isFresh ? 'live' : unknownState;
      return {
        /** `connecting` until the first head is known; `waiting` while the head is not fresh; `fatal` permanently. */
        state: fatal ? 'fatal' : knownState,
        transport: transport(),
        /** Undefined until the node has stated it, and without a chain id. */
        chainId,
        /** Milliseconds since the head was last confirmed; undefined before the first head. */
        headAgeMs: confirmedAt && Math.round(performance.now() - confirmedAt),
        /** Milliseconds since the head expired, or since the start without a head; undefined while the head is fresh. */
        unknownMs,
        /** Milliseconds for which the head stays fresh without a further confirmation; negative once it has expired. */
        freshMs: headState.freshUntil - performance.now(),
        /** The fatal error, or the last failure while `waiting` or `connecting`. */
        error: fatal ?? (isFresh ? undefined : lastError),
        ...counts,
      };
    },
    /** The source that last reported the head: the live connection or the session of a poll. */
    get source(): RpcSender | undefined {
      return headState.source;
    },
    /** The connection over which the heads are followed; undefined while disconnected. */
    get connection(): NodeConnection | undefined {
      return headState.connection;
    },
    /** Subscribes to new connections over which the heads are followed. Returns a function that unsubscribes. */
    onConnection: (listener: (connection: NodeConnection) => void): (() => void) =>
      headState.connections.subscribe({ next: listener }),
    /**
     * Subscribes to the changes of the chain, in order. The follower is updated before its listeners are called.
     * Listeners also receive the source that reported the change, from which the blocks can be read. The first change
     * adds the first head alone. Returns a function that unsubscribes.
     */
    subscribe: (listener: (change: ChainChange, source: RpcSender) => void): (() => void) =>
      headState.changes.subscribe({ next: ({ change, source }) => listener(change, source) }),
    /**
     * Subscribes to observations after which the head is known, whether the head has changed or not. Returns a function
     * that unsubscribes.
     */
    onFreshHead: (listener: () => void): (() => void) => headState.freshHeads.subscribe({ next: listener }),
    /** Resolves with the error when a fatal error ends the follower; stays pending otherwise. */
    ended: headState.ended,
    /** Stops the follower; resolves when its sockets and timers are closed. May be called twice. */
    async stop(): Promise<void> {
      headState.stop();
      await close?.();
    },
    /** Resolves when the first head is known. Rejects with a fatal error, with SHUTTING_DOWN, or with the reason of the signal. */
    ready: (callerSignal: AbortSignal): Promise<void> => headState.waitForFirstHead(AbortSignal.any([callerSignal, signal])),
  };
}
