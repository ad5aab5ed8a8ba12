import { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import { openView, type ViewSources } from '../../../../snapshot/index.ts';
import type { Feed } from '../../../../sync/feed.ts';
import type { ChainChange, Head } from '../../../../sync/head/follower.ts';
import { sourceEnded } from '../../../../sync/source-health.ts';
import { unknownHead } from '../cursor-errors.ts';
import { lookFor } from './reader.ts';
import { type Standing, type StandingListener, WatchedTransaction } from './watched-transaction.ts';

/** The waits before a transaction is looked for again, where a node does not have the head yet; after them, the next head is waited for. */
const WAITS_MS = [40, 80, 160, 320, 400, 400, 400];

const SOURCE = 'transactionStatus';

const isSeen = (standing: Standing | undefined): standing is Standing =>
  standing !== undefined && standing.fate.status !== 'UNKNOWN';

/** Each of them may cost a call with each head. */
const MOST_WATCHED = 10_000;

/**
 * The transactions that anybody watches, each once. Under each new head those are looked for that are in no block of the chain; of the others
 * the chain itself tells how deep they lie. Nothing is asked while nobody watches.
 */
export class TransactionWatch {
  readonly #feed: Feed;
  readonly #sources: ViewSources;
  readonly #watched = new Map<Data, WatchedTransaction>();
  readonly #due = new Set<WatchedTransaction>();
  /** Those that are looked for now. */
  #sought: ReadonlySet<WatchedTransaction> = new Set();
  #isLooking = false;
  #following: (() => void) | undefined;
  #over = new AbortController();

  constructor(feed: Feed, sources: ViewSources) {
    this.#feed = feed;
    this.#sources = sources;
  }

  /** Tells of a transaction from now on, never inside this call. Gives what stops it. Throws TOO_MANY_SUBSCRIPTIONS. */
  watch(hash: Data, listener: StandingListener): () => void {
    const watched = this.#watched.get(hash) ?? this.#begin(hash);
    watched.listeners.add(listener);
    return () => {
      if (watched.listeners.delete(listener) && watched.listeners.size === 0) this.#forget(watched);
    };
  }

  /** How a watched transaction was told to stand; undefined before that is known. */
  known(hash: Data): Standing | undefined {
    return this.#watched.get(hash)?.standing;
  }

  /**
   * The same, as soon as it is known. A transaction that was UNKNOWN is requested from the node again, since it may have been submitted after
   * the last look. Rejects with what keeps that from being found out.
   */
  async standing(hash: Data): Promise<Standing> {
    const watched = this.#watched.get(hash)!;
    if (isSeen(watched.standing)) return watched.standing;
    const look = this.#sought;
    if (look.has(watched)) {
      // The node may have answered this look before it got the transaction.
      const found = await watched.settled();
      if (isSeen(found) || watched.listeners.size === 0) return found;
    }
    const isNext = this.#sought !== look && this.#sought.has(watched);
    if (!isNext) this.#ask(watched);
    return watched.settled();
  }

  #begin(hash: Data): WatchedTransaction {
    if (this.#watched.size >= MOST_WATCHED) {
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', 'As many transactions are watched here as can be.', {
        limit: MOST_WATCHED,
        retryable: true,
      });
    }
    const watched = new WatchedTransaction(hash);
    this.#watched.set(hash, watched);
    this.#following ??= this.#follow();
    this.#ask(watched);
    return watched;
  }

  #follow(): () => void {
    return this.#feed.heads({
      next: (change) => this.#onChange(change),
      end: (error) => (error.code === 'GAP_TOO_LARGE' ? this.#afterGap() : this.#end(error)),
    });
  }

  /** Which blocks have gone is not known, so that all of them are looked for. */
  #afterGap(): void {
    this.#following = this.#follow();
    for (const watched of this.#watched.values()) {
      watched.drift();
      this.#ask(watched);
    }
  }

  #forget(watched: WatchedTransaction): void {
    clearTimeout(watched.again);
    this.#due.delete(watched);
    if (this.#watched.get(watched.hash) !== watched) return;
    this.#watched.delete(watched.hash);
    this.#feed.sources.clear(SOURCE, watched.hash);
    if (this.#watched.size > 0) return;
    this.#following?.();
    this.#following = undefined;
    this.#over.abort(new GraphError('TIMEOUT', 'Nobody watches any more.'));
    this.#over = new AbortController();
  }

  #end(error: GraphError): void {
    for (const watched of [...this.#watched.values()]) {
      this.#forget(watched);
      watched.end(error);
    }
  }

  #onChange({ removed }: ChainChange): void {
    const left = new Set(removed.map(({ hash }) => hash));
    for (const watched of [...this.#watched.values()]) {
      if (watched.isPlaced(left)) watched.tell(this.#feed.head!);
      else this.#ask(watched);
    }
  }

  /** Has a transaction looked for, together with all others of which the same is wanted in this tick. */
  #ask(watched: WatchedTransaction): void {
    clearTimeout(watched.again);
    this.#due.add(watched);
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => this.#lookForAll());
  }

  async #lookForAll(): Promise<void> {
    try {
      while (this.#due.size > 0) {
        const due = [...this.#due];
        this.#due.clear();
        this.#sought = new Set(due);
        await this.#look(due);
      }
    } finally {
      this.#sought = new Set();
      this.#isLooking = false;
    }
  }

  async #look(due: readonly WatchedTransaction[]): Promise<void> {
    const { head } = this.#feed;
    if (!head) {
      for (const watched of due) watched.fail(unknownHead(), head);
      return;
    }
    const { signal } = this.#over;
    const operation = { requestId: 'transactionStatus', signal, block: head.hash, extensions: {}, isVolatile: false };
    const found = await lookFor(openView(this.#sources, operation), this.#feed, head, due);
    // What was found under a head that the chain has left says nothing; all of it is due again.
    if (signal.aborted || !this.#isOfChain(head)) return;
    for (const [i, watched] of due.entries()) {
      const outcome = found[i]!;
      if (watched.listeners.size === 0) continue;
      if (outcome.status === 'rejected') {
        this.#fail(watched, outcome.reason);
        continue;
      }
      if (outcome.value) {
        this.#feed.sources.clear(SOURCE, watched.hash);
        watched.conclude(outcome.value, head);
        this.#tell(watched, head);
      } else this.#lookAgain(watched);
    }
  }

  /** The look has failed: it is repeated, and the subscriptions end when that has gone on for too long. */
  #fail(watched: WatchedTransaction, error: GraphError): void {
    const { sources, timing, head } = this.#feed;
    watched.fail(error, head);
    if (sources.report(SOURCE, error, watched.hash) < timing.sourceEnd) {
      if (!this.#due.has(watched)) watched.again = setTimeout(() => this.#ask(watched), timing.sourceRetry);
      return;
    }
    // First, so that a listener may watch the same transaction again.
    this.#forget(watched);
    watched.end(sourceEnded(SOURCE, error));
  }

  #isOfChain({ hash }: Head): boolean {
    return this.#feed.way(hash, this.#feed.head!)?.removed.length === 0;
  }

  #tell(watched: WatchedTransaction, head: Head): void {
    const isMined = watched.fate.status === 'MINED';
    // Its block is of the chain still, whatever has come on top of it meanwhile.
    if (isMined) this.#due.delete(watched);
    watched.tell(isMined ? this.#feed.head! : head);
  }

  /** A node that does not have the head gets it soon, or another one answers. */
  #lookAgain(watched: WatchedTransaction): void {
    const wait = WAITS_MS[watched.misses++];
    if (wait === undefined) {
      const error = new GraphError('STALE_UPSTREAM', 'The node has not come as far as the head of the chain.');
      this.#fail(watched, error);
    } else if (!this.#due.has(watched)) watched.again = setTimeout(() => this.#ask(watched), wait);
  }
}
