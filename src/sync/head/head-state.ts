import type { Logger } from 'pino';
import type { Quantity } from '../../ethereum/hex.ts';
import { onAbort, rejectOnAbort } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { createEventHub, type EventHub } from '../../lib/event-hub.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket/connection.ts';
import { type ChainChange, headOf } from '../chain/canonical-chain.ts';
import { type ForkChoiceResult, type ForkChoiceState, INITIAL_FORK_CHOICE_STATE } from '../chain/fork-choice-steps.ts';
import type { Head } from '../chain/rpc-header.ts';
import { type FollowerTiming, silenceTimeoutMs } from './timing.ts';

/**
 * The mutable state of the follower: the canonical chain, the source of the head, the time for which the head stays
 * fresh, and the listeners.
 */
export class HeadState {
  forkChoiceState: ForkChoiceState;
  /** The connection or poll session that last reported the current head. */
  source: RpcSender | undefined;
  /** The connection over which the heads are followed. */
  connection: NodeConnection | undefined;
  confirmedAt: number | undefined;
  pendingHead: Promise<void> | undefined;
  fatal: GraphError | undefined;
  /** The id of the chain; undefined until the node has stated it. */
  chainId: Quantity | undefined;
  /** The last failure; undefined after the next confirmation of the head. */
  lastError: GraphError | undefined;
  /** Changes of the chain, each with the source that reported it. */
  readonly changes: EventHub<{ readonly change: ChainChange; readonly source: RpcSender }>;
  /** Observations after which the head is known, changed or not. */
  readonly freshHeads: EventHub<void>;
  /** New connections over which the heads are followed. */
  readonly connections: EventHub<NodeConnection>;
  /**
   * `gaps`: changes with `hasGap`. `behind`: observations of nodes that lag behind the head or follow a branch that was
   * not accepted. `malformed`: malformed headers and results. `unconfirmed`: heads that the node reported and did not
   * confirm; each announcement counts.
   */
  readonly counts = { reorgs: 0, gaps: 0, reconnects: 0, behind: 0, malformed: 0, unconfirmed: 0 };
  readonly #log: Logger;
  readonly #timing: FollowerTiming;
  /** Time at which the head expires, by `performance.now()`. */
  freshUntil = 0;
  readonly #startedAt = performance.now();
  readonly #controller = new AbortController();
  /** Aborts when the follower ends. */
  readonly signal = this.#controller.signal;
  /** Resolves with the error when a fatal error ends the follower; stays pending otherwise. */
  readonly ended = new Promise<GraphError>((resolve) => onAbort(this.signal, () => this.fatal && resolve(this.fatal)));

  /** `requiresHashes`: whether each head must have the hash of its header. */
  constructor(log: Logger, timing: FollowerTiming, requiresHashes = false) {
    this.forkChoiceState = { ...INITIAL_FORK_CHOICE_STATE, requiresHashes };
    this.#log = log;
    this.#timing = timing;
    this.changes = createEventHub({ log });
    this.freshHeads = createEventHub({ log });
    this.connections = createEventHub({ log });
  }

  /** The last proven head, fresh or not. */
  get lastHead(): Head | undefined {
    return this.forkChoiceState.canonical && headOf(this.forkChoiceState.canonical);
  }

  get isFresh(): boolean {
    return this.fatal === undefined && performance.now() <= this.freshUntil;
  }

  /**
   * Milliseconds since the head expired, or since the start if there was no head; undefined while the head is fresh.
   */
  get unknownMs(): number | undefined {
    if (this.isFresh) return undefined;
    return Math.max(0, Math.round(performance.now() - Math.max(this.#startedAt, this.freshUntil)));
  }

  /** Resolves when the first head is known. Rejects with the reason of the signal if it aborts first. */
  waitForFirstHead(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.lastHead) return Promise.resolve();
    const firstHead = new Promise<void>((resolve) => {
      const unsubscribe = this.changes.subscribe({ next: () => resolve(unsubscribe()) });
      onAbort(signal, unsubscribe);
    });
    return rejectOnAbort(firstHead, signal);
  }

  /** Milliseconds without an announcement after which the node's head is read. */
  get silenceTimeoutMs(): number {
    return silenceTimeoutMs(this.forkChoiceState.canonical, this.#timing);
  }

  /** Returns whether no source has confirmed the head for three silence timeouts, counted from `sourceStartedAt` at the earliest. */
  isOverdue(sourceStartedAt: number): boolean {
    return performance.now() - Math.max(this.confirmedAt ?? 0, sourceStartedAt) > 3 * this.silenceTimeoutMs;
  }

  /** Ends the follower with a fatal error. Does nothing if it has ended. */
  fail(error: GraphError): void {
    if (this.signal.aborted) return;
    this.fatal = error;
    this.#controller.abort(error);
  }

  /** Ends the follower. Does nothing if it has ended. */
  stop(): void {
    this.#controller.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
  }

  /** Applies a result of the fork choice and emits its change. A confirmed head stays fresh for `freshMs`. */
  applyResult(result: ForkChoiceResult, source: RpcSender, freshMs: number): void {
    const previousHead = this.lastHead;
    const now = performance.now();
    this.forkChoiceState = result.state;
    const { outcome } = result;
    if (outcome === 'confirmed' || outcome === 'moved') {
      this.confirmedAt = now;
      this.source = source;
    }
    if (outcome === 'behind' || outcome === 'doubtful' || outcome === 'competing') this.counts.behind += 1;
    if (outcome === 'deferred' || (outcome === 'unverified' && result.isUnconfirmed)) this.counts.unconfirmed += 1;
    if (outcome === 'doubtful' || outcome === 'competing' || outcome === 'unverified') this.expireHeadSoon(undefined);
    else if (outcome !== 'stale' && outcome !== 'deferred') {
      this.lastError = undefined;
      this.freshUntil = now + freshMs;
    }
    if (outcome === 'moved') this.#emitChange(result.change, previousHead, source);
    if (this.isFresh) this.freshHeads.emit();
  }

  /** Lets the head expire after `staleAfterMs`, unless a source confirms it before. */
  expireHeadSoon(error: GraphError | undefined): void {
    this.lastError = error ?? this.lastError;
    this.freshUntil = Math.min(this.freshUntil, performance.now() + this.#timing.staleAfterMs);
  }

  /** Sets the connection over which heads are followed, and emits it to the connection listeners. */
  setConnection(connection: NodeConnection): void {
    this.connection = connection;
    this.connections.emit(connection);
  }

  /** Removes a source that is closed. */
  removeSource(source: RpcSender): void {
    if (this.source === source) this.source = undefined;
    if (this.connection === source) this.connection = undefined;
  }

  #emitChange(change: ChainChange, previousHead: Head | undefined, source: RpcSender): void {
    const { removed, added, hasGap } = change;
    const logFields = { from: previousHead?.number, to: this.lastHead!.number };
    if (hasGap) {
      this.counts.gaps += 1;
      this.#log.warn(logFields, 'gap in the chain: the blocks between the old and the new head are unknown');
    } else if (removed.length > 0) {
      this.counts.reorgs += 1;
      this.#log.info({ ...logFields, depth: removed.length, added: added.length }, 'the chain was reorganised');
    }
    this.changes.emit({ change, source });
  }
}
