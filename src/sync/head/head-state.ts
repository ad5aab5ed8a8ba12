import type { Logger } from 'pino';
import type { GraphError } from '../../errors.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket.ts';
import { type ChainChange, headOf } from '../chain/canonical-chain.ts';
import { type ForkChoiceResult, type ForkChoiceState, INITIAL_FORK_CHOICE_STATE } from '../chain/fork-choice.ts';
import type { AnnouncedHead, Head } from '../chain/rpc-header.ts';
import type { RpcSource } from './rpc-queries.ts';
import { type FollowerTiming, silenceTimeoutMs } from './timing.ts';

export type ChainChangeListener = (change: ChainChange, source: RpcSource) => void;
export type ConnectionListener = (connection: NodeConnection) => void;

/** How often the log has a line about heads that are not confirmed; the metric counts all of them. */
const REFUSAL_LOG_INTERVAL_MS = 60_000;

/** Where the follower stands: what it knows, from whom, how long that is good, and who is to be told. */
export class HeadState {
  forkChoiceState: ForkChoiceState = INITIAL_FORK_CHOICE_STATE;
  /** Who has shown us our head last. */
  source: RpcSource | undefined;
  /** The connection over which the heads are followed. */
  connection: NodeConnection | undefined;
  confirmedAt: number | undefined;
  fatal: GraphError | undefined;
  /** What went wrong last, if nothing has gone well since. */
  lastError: GraphError | undefined;
  readonly listeners = new Set<ChainChangeListener>();
  readonly connectionListeners = new Set<ConnectionListener>();
  readonly counts = { reorgs: 0, gaps: 0, reconnects: 0, behind: 0, malformed: 0, unconfirmed: 0 };
  readonly #log: Logger;
  readonly #timing: FollowerTiming;
  readonly #firstHead: Promise<void>;
  #resolveFirstHead: () => void = () => {};
  #freshUntil = 0;
  readonly #startedAt = performance.now();
  #refusalLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, timing: FollowerTiming) {
    this.#log = log;
    this.#timing = timing;
    this.#firstHead = new Promise((resolve) => {
      this.#resolveFirstHead = resolve;
    });
  }

  /** The last head that was proven, whether it is still good or not. */
  get lastHead(): Head | undefined {
    return this.forkChoiceState.canonical && headOf(this.forkChoiceState.canonical);
  }

  get isFresh(): boolean {
    return this.fatal === undefined && performance.now() <= this.#freshUntil;
  }

  /** Milliseconds for which there has been no good head; undefined while there is one. */
  get unknownMs(): number | undefined {
    if (this.isFresh) return undefined;
    return Math.max(0, Math.round(performance.now() - Math.max(this.#startedAt, this.#freshUntil)));
  }

  /** Resolves when a first head is known; rejects with the signal's reason when that falls before. */
  waitForFirstHead(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#firstHead.then(resolve).then(() => signal.removeEventListener('abort', giveUp));
    });
  }

  /** How long nothing may be heard of our head. */
  get silenceTimeoutMs(): number {
    return silenceTimeoutMs(this.forkChoiceState.canonical, this.#timing);
  }

  /** Whether our head has been shown by nobody for very long, by one who has had that much time to show it. */
  isOverdue(since: number): boolean {
    return performance.now() - Math.max(this.confirmedAt ?? 0, since) > 3 * this.silenceTimeoutMs;
  }

  /** Takes a verdict in; what it says of our head is good for so long. */
  applyResult(verdict: ForkChoiceResult, source: RpcSource, goodFor: number): void {
    const before = this.lastHead;
    const now = performance.now();
    this.forkChoiceState = verdict.state;
    const { outcome } = verdict;
    if (outcome === 'confirmed' || outcome === 'moved') {
      this.confirmedAt = now;
      this.source = source;
    }
    if (outcome === 'behind' || outcome === 'lost' || outcome === 'rival') this.counts.behind += 1;
    if (outcome === 'deferred') this.counts.unconfirmed += 1;
    if (outcome === 'unproven' && verdict.headRefused) this.#countRefusal(verdict.headRefused, now);
    if (outcome === 'lost' || outcome === 'rival' || outcome === 'unproven') this.expireHeadSoon(undefined);
    else if (outcome !== 'stale' && outcome !== 'deferred') {
      this.lastError = undefined;
      this.#freshUntil = now + goodFor;
    }
    if (!before && this.lastHead) this.#resolveFirstHead();
    if (outcome === 'moved') this.#emitChange(verdict.change, before, source);
  }

  /** From now on nobody confirms our head: it is good for a little while yet. */
  expireHeadSoon(trouble: GraphError | undefined): void {
    this.lastError = trouble ?? this.lastError;
    this.#freshUntil = Math.min(this.#freshUntil, performance.now() + this.#timing.staleAfterMs);
  }

  /** Takes in that heads are followed over a connection now. */
  setConnection(connection: NodeConnection): void {
    this.connection = connection;
    this.#notify(this.connectionListeners, (listener) => listener(connection));
  }

  /** Forgets a way that is gone. */
  removeSource(source: RpcSource): void {
    if (this.source === source) this.source = undefined;
    if (this.connection === source) this.connection = undefined;
  }

  #countRefusal({ number, hash }: AnnouncedHead, now: number): void {
    this.counts.unconfirmed += 1;
    if (now - this.#refusalLoggedAt < REFUSAL_LOG_INTERVAL_MS) return;
    this.#refusalLoggedAt = now;
    const facts = { block: number, hash, head: this.lastHead?.number };
    this.#log.warn(facts, 'the node does not confirm a head that it has shown; the head stays as it is');
  }

  #emitChange(change: ChainChange, before: Head | undefined, source: RpcSource): void {
    const { removed, added, hasGap } = change;
    const facts = { from: before?.number, to: this.lastHead!.number };
    if (hasGap) {
      this.counts.gaps += 1;
      this.#log.warn(facts, 'the way from the old head to the new one is not known; following goes on at the new one');
    } else if (removed.length > 0) {
      this.counts.reorgs += 1;
      this.#log.info({ ...facts, depth: removed.length, added: added.length }, 'the chain was reorganised');
    }
    this.#notify(this.listeners, (listener) => listener(change, source));
  }

  #notify<T>(listeners: ReadonlySet<T>, tell: (listener: T) => void): void {
    for (const listener of [...listeners]) {
      try {
        tell(listener);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the chain failed');
      }
    }
  }
}
