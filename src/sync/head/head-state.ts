import type { Logger } from 'pino';
import type { GraphError } from '../../errors.ts';
import type { Connection } from '../../upstream/rpc/websocket.ts';
import { type ChainChange, headOf } from '../chain/canonical-chain.ts';
import { type Known, NOTHING, type Verdict } from '../chain/fork-choice.ts';
import type { Head, Told } from '../chain/rpc-header.ts';
import type { Source } from './rpc-queries.ts';
import { silenceOf, type Timing } from './timing.ts';

export type Listener = (change: ChainChange, source: Source) => void;
export type ConnectionListener = (connection: Connection) => void;

/** How often the log has a line about heads that are not confirmed; the metric counts all of them. */
const REFUSALS_LOGGED_EVERY_MS = 60_000;

/** Where the follower stands: what it knows, from whom, how long that is good, and who is to be told. */
export class Track {
  known: Known = NOTHING;
  /** Who has shown us our head last. */
  source: Source | undefined;
  /** The connection over which the heads are followed. */
  connection: Connection | undefined;
  confirmedAt: number | undefined;
  fatal: GraphError | undefined;
  /** What went wrong last, if nothing has gone well since. */
  trouble: GraphError | undefined;
  readonly listeners = new Set<Listener>();
  readonly connectionListeners = new Set<ConnectionListener>();
  readonly counts = { reorgs: 0, gaps: 0, reconnects: 0, behind: 0, malformed: 0, unconfirmed: 0 };
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #first: Promise<void>;
  #begin: () => void = () => {};
  #goodUntil = 0;
  readonly #startedAt = performance.now();
  #refusalLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, timing: Timing) {
    this.#log = log;
    this.#timing = timing;
    this.#first = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** The last head that was proven, whether it is still good or not. */
  get lastHead(): Head | undefined {
    return this.known.canonical && headOf(this.known.canonical);
  }

  get isGood(): boolean {
    return this.fatal === undefined && performance.now() <= this.#goodUntil;
  }

  /** Milliseconds for which there has been no good head; undefined while there is one. */
  get unknownMs(): number | undefined {
    if (this.isGood) return undefined;
    return Math.max(0, Math.round(performance.now() - Math.max(this.#startedAt, this.#goodUntil)));
  }

  /** Resolves when a first head is known; rejects with the signal's reason when that falls before. */
  begun(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#first.then(resolve).then(() => signal.removeEventListener('abort', giveUp));
    });
  }

  /** How long nothing may be heard of our head. */
  get silence(): number {
    return silenceOf(this.known.canonical, this.#timing);
  }

  /** Whether our head has been shown by nobody for very long, by one who has had that much time to show it. */
  isOverdue(since: number): boolean {
    return performance.now() - Math.max(this.confirmedAt ?? 0, since) > 3 * this.silence;
  }

  /** Takes a verdict in; what it says of our head is good for so long. */
  conclude(verdict: Verdict, source: Source, goodFor: number): void {
    const before = this.lastHead;
    const now = performance.now();
    this.known = verdict.known;
    const { outcome } = verdict;
    if (outcome === 'confirmed' || outcome === 'moved') {
      this.confirmedAt = now;
      this.source = source;
    }
    if (outcome === 'behind' || outcome === 'lost' || outcome === 'rival') this.counts.behind += 1;
    if (outcome === 'deferred') this.counts.unconfirmed += 1;
    if (outcome === 'unproven' && verdict.refused) this.#refuse(verdict.refused, now);
    if (outcome === 'lost' || outcome === 'rival' || outcome === 'unproven') this.doubt(undefined);
    else if (outcome !== 'stale' && outcome !== 'deferred') {
      this.trouble = undefined;
      this.#goodUntil = now + goodFor;
    }
    if (!before && this.lastHead) this.#begin();
    if (outcome === 'moved') this.#tell(verdict.change, before, source);
  }

  /** From now on nobody confirms our head: it is good for a little while yet. */
  doubt(trouble: GraphError | undefined): void {
    this.trouble = trouble ?? this.trouble;
    this.#goodUntil = Math.min(this.#goodUntil, performance.now() + this.#timing.staleAfter);
  }

  /** Takes in that heads are followed over a connection now. */
  gain(connection: Connection): void {
    this.connection = connection;
    this.#call(this.connectionListeners, (listener) => listener(connection));
  }

  /** Forgets a way that is gone. */
  lose(source: Source): void {
    if (this.source === source) this.source = undefined;
    if (this.connection === source) this.connection = undefined;
  }

  #refuse({ number, hash }: Told, now: number): void {
    this.counts.unconfirmed += 1;
    if (now - this.#refusalLoggedAt < REFUSALS_LOGGED_EVERY_MS) return;
    this.#refusalLoggedAt = now;
    const facts = { block: number, hash, head: this.lastHead?.number };
    this.#log.warn(facts, 'the node does not confirm a head that it has shown; the head stays as it is');
  }

  #tell(change: ChainChange, before: Head | undefined, source: Source): void {
    const { removed, added, gap } = change;
    const facts = { from: before?.number, to: this.lastHead!.number };
    if (gap) {
      this.counts.gaps += 1;
      this.#log.warn(facts, 'the way from the old head to the new one is not known; following goes on at the new one');
    } else if (removed.length > 0) {
      this.counts.reorgs += 1;
      this.#log.info({ ...facts, depth: removed.length, added: added.length }, 'the chain was reorganised');
    }
    this.#call(this.listeners, (listener) => listener(change, source));
  }

  #call<T>(listeners: ReadonlySet<T>, tell: (listener: T) => void): void {
    for (const listener of [...listeners]) {
      try {
        tell(listener);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the chain failed');
      }
    }
  }
}
