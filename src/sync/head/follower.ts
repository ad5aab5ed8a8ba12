import type { Logger } from 'pino';
import type { Data, Quantity } from '../../ethereum/hex.ts';
import { GraphError } from '../../lib/errors.ts';
import { requestChainId } from '../../upstream/rpc/chain-id.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnection, NodeConnectionOptions } from '../../upstream/rpc/websocket/connection.ts';
import {
  blockAtHeight,
  blockByHash,
  type CanonicalChain,
  type ChainChange,
  type ChainHistory,
  headOf,
} from '../chain/canonical-chain.ts';
import type { Head } from '../chain/rpc-header.ts';
import { createHeadPolling } from './head-polling.ts';
import { HeadState } from './head-state.ts';
import { followSessions } from './head-subscription.ts';
import { errorLogFields } from './rpc-queries.ts';
import { FOLLOWER_TIMING, type FollowerTiming } from './timing.ts';

export type { ChainChange } from '../chain/canonical-chain.ts';
export type { Head, RpcHeader } from '../chain/rpc-header.ts';

export interface FollowerOptions extends Pick<NodeConnectionOptions, 'timeoutMs' | 'maxBatchSize' | 'headerChecks'> {
  /** WebSocket endpoint of the node. Without a WebSocket endpoint, the follower polls the chain. */
  readonly url?: string | undefined;
  /**
   * Creates the RPC session of one poll (`RpcNode.createSession`). Polling is also the fallback while the WebSocket is
   * disconnected.
   */
  readonly createSource?: ((options?: { readonly skip: number }) => RpcSender) | undefined;
  /** The chain id that the node must serve. @default the first chain id that the node returns */
  readonly chainId?: Quantity | Promise<Quantity | null | undefined> | undefined;
  readonly log: Logger;
  /** Timeouts and intervals that differ from the default. @default `FOLLOWER_TIMING` */
  readonly timing?: Partial<FollowerTiming>;
}

/** Starts to follow the chain until it is stopped or a fatal error occurs: UPSTREAM_CHAIN_CHANGED. */
export function startFollower(options: FollowerOptions) {
  const { url, createSource, chainId, log } = options;
  if (url === undefined && createSource === undefined)
    throw new GraphError('BAD_USER_INPUT', 'The follower has no endpoint. Pass `url`, `createSource` or both.');
  const timing = { ...FOLLOWER_TIMING, ...options.timing };
  const headState = new HeadState(log, timing, options.headerChecks?.refuses);
  const controller = new AbortController();
  const { signal } = controller;
  let resolveEnded: (error: GraphError) => void;
  const ended = new Promise<GraphError>((resolve) => {
    resolveEnded = resolve;
  });

  const fail = (error: unknown) => {
    if (signal.aborted) return;
    const reason = error as GraphError;
    headState.fatal = reason;
    const message = 'following the chain ended with a fatal error; correct the endpoint and restart the server';
    log.fatal({ endpoint: reason.endpoint, ...errorLogFields(reason) }, message);
    controller.abort(reason);
    resolveEnded(reason);
  };

  let servedChainId: Quantity | undefined;
  /**
   * Reads the chain id of the node, if the node has a chain id. Rejects with UPSTREAM_CHAIN_CHANGED when the chain id
   * has changed. Source: `eth_chainId`.
   */
  const checkChain = async (source: RpcSender & { readonly label?: string }, callSignal: AbortSignal) => {
    servedChainId ??= (await chainId) ?? undefined;
    const found = (await requestChainId((calls) => source.send(calls, callSignal))) ?? servedChainId;
    if (servedChainId !== undefined && found !== servedChainId) throw chainChangedError(servedChainId, found!, source.label);
    servedChainId = found;
  };
  const context = { headState, timing, signal, log, checkChain };
  const delayMs = url === undefined ? 0 : timing.pollingFallbackDelayMs;
  const polling = createSource && createHeadPolling({ ...context, createSource }, delayMs, fail);
  polling?.start();
  const following = url && followSessions({ ...options, ...context, url, polling }).catch(fail);

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
    /** The newest proven blocks of the chain, ascending, even when the head is not fresh; undefined before the first head. */
    get window(): CanonicalChain | undefined {
      return headState.forkChoiceState.canonical;
    },
    /** Recent blocks, canonical and on side branches, even when the head is not fresh. */
    get history(): ChainHistory {
      return headState.forkChoiceState;
    },
    /** The oldest block of the window; undefined while `head` is undefined. Lower blocks are treated as final. */
    get oldest(): Head | undefined {
      return freshChain()?.[0];
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
      const { fatal, lastHead, isFresh, confirmedAt, unknownMs, lastError, counts } = headState;
      const unknownState = lastHead ? 'waiting' : 'connecting';
      const knownState = isFresh ? 'live' : unknownState;
      const transport: 'websocket' | 'polling' = url === undefined || polling?.isRunning ? 'polling' : 'websocket';
      return {
        /** `connecting` until the first head is known; `waiting` while the head is not fresh; `fatal` permanently. */
        state: fatal ? 'fatal' : knownState,
        transport,
        /** Milliseconds since the head was last confirmed; undefined before the first head. */
        headAgeMs: confirmedAt && Math.round(performance.now() - confirmedAt),
        /** Milliseconds since the head expired, or since the start without a head; undefined while the head is fresh. */
        unknownMs,
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
    /** Resolves when the first head is known. Rejects with a fatal error, with SHUTTING_DOWN, or with the reason of the signal. */
    ready: (callerSignal: AbortSignal): Promise<void> => headState.waitForFirstHead(AbortSignal.any([callerSignal, signal])),
    /** Resolves with the error when a fatal error ends the follower; stays pending otherwise. */
    ended,
    /** Stops the follower; resolves when its sockets and timers are closed. May be called twice. */
    async stop(): Promise<void> {
      if (!signal.aborted) controller.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
      await following;
      await polling?.stop();
    },
  };
}

function chainChangedError(served: Quantity, found: Quantity, endpoint: string | undefined): GraphError {
  const message = `The node has an endpoint of chain ${Number(found)} instead of chain ${Number(served)}.`;
  return new GraphError('UPSTREAM_CHAIN_CHANGED', message, { endpoint });
}

/** Tracks the canonical chain from one upstream subscription or by polling. */
export type Follower = ReturnType<typeof startFollower>;
