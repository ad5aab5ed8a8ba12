import type { Logger } from 'pino';
import { GraphError } from '../../errors.ts';
import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket.ts';
import { blockAtHeight, blockByHash, type CanonicalChain, headOf } from '../chain/canonical-chain.ts';
import type { Head } from '../chain/rpc-header.ts';
import { followByPolling } from './head-polling.ts';
import { type ChainChangeListener, type ConnectionListener, HeadState } from './head-state.ts';
import { createPollingFallback } from './polling-fallback.ts';
import { errorLogFields, type RpcSource, readChainId } from './rpc-queries.ts';
import { followSessions } from './sessions.ts';
import { FOLLOWER_TIMING, type FollowerTiming } from './timing.ts';

export type { ChainChange } from '../chain/canonical-chain.ts';
export type { Head, RpcHeader } from '../chain/rpc-header.ts';
export type { RpcSource } from './rpc-queries.ts';
export type { FollowerTiming } from './timing.ts';

export interface FollowerOptions {
  /** WebSocket endpoint of the node, which pushes. Without one the chain is followed by polls. */
  readonly url?: string | undefined;
  /** Opens a way to the node for one poll (`Node.open`). Polls also stand in for a WebSocket that is away. */
  readonly createSource?: ((options?: { readonly skip: number }) => RpcSource) | undefined;
  /** The chain that must be served, which may be known later; the first one that is served when left out, or undefined. */
  readonly chainId?: Quantity | Promise<Quantity | undefined> | undefined;
  /** Longest wait for a handshake and for each answer over the WebSocket. */
  readonly timeoutMs: number;
  /** Most calls in one frame. */
  readonly maxBatchSize: number;
  readonly log: Logger;
  readonly timing?: Partial<FollowerTiming>;
}

export interface FollowerStatus {
  /** `connecting` until a first head is known; `waiting` while nobody can be asked for a newer one; `fatal` for ever. */
  readonly state: 'connecting' | 'live' | 'waiting' | 'fatal';
  readonly transport: 'websocket' | 'polling';
  /** Milliseconds since the head came or was last confirmed; undefined before the first. */
  readonly headAgeMs: number | undefined;
  /** Milliseconds for which no head has been known, or nobody could confirm it; undefined while it is known. */
  readonly unknownMs: number | undefined;
  /** Why nothing is followed any more, or what went wrong last while `waiting` or `connecting`. */
  readonly error?: GraphError;
  readonly reorgs: number;
  /** Changes of which not all is known. */
  readonly gaps: number;
  readonly reconnects: number;
  /** Answers of nodes that had not come as far as our head, or were on a branch that did not last. */
  readonly behind: number;
  /** Headers and answers that could not be read. */
  readonly malformed: number;
  /** Heads that the node has shown and not confirmed, each announcement counted. */
  readonly unconfirmed: number;
}

/** The chain as it grows and is reorganised, from one subscription. */
export interface Follower {
  /**
   * The head of the chain. Undefined until one is known, and when nobody has been able to confirm it for two seconds
   * (`staleAfter`): then the node itself has to be asked.
   */
  readonly head: Head | undefined;
  /** The newest blocks of the chain that were proven, ascending, whether the head is still good or not; undefined before the first. */
  readonly window: CanonicalChain | undefined;
  /** The oldest block of the window; undefined whenever `head` is. Below it the chain counts as settled. */
  readonly oldest: Head | undefined;
  /** Hash of the canonical block of that height; undefined outside the window, and whenever `head` is. */
  hashAt(number: Quantity): Data | undefined;
  /** The canonical block of that hash; undefined when it is none, outside the window, and whenever `head` is. */
  headerOf(hash: Data): Head | undefined;
  readonly status: FollowerStatus;
  /**
   * Changes in order, each atomic: the follower itself has moved when a listener hears of it. `source` is the way to the node
   * that has shown the change, where more can be read of its blocks. The first change of all has the first head alone. Gives
   * what stops it.
   */
  subscribe(listener: ChainChangeListener): () => void;
  /** Resolves when a first head is known. Rejects with what is fatal, with SHUTTING_DOWN, or with the signal's reason. */
  ready(signal: AbortSignal): Promise<void>;
  /** The way to the node that has shown the head last: the live connection, or the session of a poll. */
  readonly source: RpcSource | undefined;
  /** The connection over which the heads are followed; undefined while there is none. */
  readonly connection: NodeConnection | undefined;
  /** Tells each such connection from now on, as soon as it is there. Gives what stops it. */
  onConnection(listener: ConnectionListener): () => void;
  /** Resolves with the error when something fatal ends the following; stays pending otherwise. */
  readonly ended: Promise<GraphError>;
  /** Resolves when nothing is left: no socket, no timer. May be called twice. */
  stop(): Promise<void>;
}

/** Starts to follow the chain, and goes on until it is stopped or something is fatal: the credentials refused, the chain changed. */
export function startFollower({
  url,
  createSource,
  chainId,
  timeoutMs,
  maxBatchSize,
  log,
  timing: given,
}: FollowerOptions): Follower {
  if (url === undefined && createSource === undefined)
    throw new GraphError('BAD_USER_INPUT', 'There is no way to follow the chain by.');
  const timing = { ...FOLLOWER_TIMING, ...given };
  const headState = new HeadState(log, timing);
  const over = new AbortController();
  const { signal } = over;
  let tellEnd: (error: GraphError) => void;
  const ended = new Promise<GraphError>((resolve) => {
    tellEnd = resolve;
  });

  const fail = (error: unknown) => {
    if (signal.aborted) return;
    const reason = error as GraphError;
    headState.fatal = reason;
    log.fatal(errorLogFields(reason), 'the chain is not followed any more');
    over.abort(reason);
    tellEnd(reason);
  };

  let chain: Quantity | undefined;
  const checkChain = async (source: RpcSource, until: AbortSignal) => {
    chain ??= await chainId;
    chain = await readChainId(source, chain, until);
  };
  const poll = (until: AbortSignal) =>
    followByPolling({ createSource: createSource!, headState, timing, signal: until, log, checkChain });
  const pollingFallback =
    createSource && createPollingFallback(url === undefined ? 0 : timing.pollingFallbackDelayMs, poll, fail);
  signal.addEventListener('abort', () => void pollingFallback?.stop(), { once: true });
  if (url === undefined) pollingFallback?.start();
  const following =
    url &&
    followSessions({ url, timeoutMs, maxBatchSize, headState, timing, signal, log, checkChain, pollingFallback }).catch(fail);

  const canonical = () => (headState.isFresh && !signal.aborted ? headState.forkChoiceState.canonical : undefined);
  return {
    get head() {
      const heads = canonical();
      return heads && headOf(heads);
    },
    get window() {
      return headState.forkChoiceState.canonical;
    },
    get oldest() {
      return canonical()?.[0];
    },
    hashAt(number) {
      const heads = canonical();
      return heads && blockAtHeight(heads, Number(number))?.hash;
    },
    headerOf(hash) {
      const heads = canonical();
      return heads && blockByHash(heads, hash.toLowerCase());
    },
    get status(): FollowerStatus {
      const { fatal, lastHead, isFresh, confirmedAt, unknownMs, lastError, counts } = headState;
      const error = fatal ?? (isFresh ? undefined : lastError);
      return {
        state: fatal ? 'fatal' : lastHead ? (isFresh ? 'live' : 'waiting') : 'connecting',
        transport: url === undefined || pollingFallback?.isRunning ? 'polling' : 'websocket',
        headAgeMs: confirmedAt && Math.round(performance.now() - confirmedAt),
        unknownMs,
        ...(error && { error }),
        ...counts,
      };
    },
    get source() {
      return headState.source;
    },
    get connection() {
      return headState.connection;
    },
    onConnection(listener) {
      headState.connectionListeners.add(listener);
      return () => headState.connectionListeners.delete(listener);
    },
    subscribe(listener) {
      headState.listeners.add(listener);
      return () => headState.listeners.delete(listener);
    },
    ready: (until) => headState.waitForFirstHead(AbortSignal.any([until, signal])),
    ended,
    async stop() {
      if (!signal.aborted) over.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
      await following;
      await pollingFallback?.stop();
    },
  };
}
