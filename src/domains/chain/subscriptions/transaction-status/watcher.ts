import { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import { createSnapshot, type SnapshotSources } from '../../../../snapshot/index.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import type { ChainChange, Head } from '../../../../sync/head/follower.ts';
import { sourceFailedError } from '../../../../sync/source-health.ts';
import { unknownHeadError } from '../cursor-errors.ts';
import { observeTransactions } from './lookup.ts';
import { type TransactionStatusAtHead, type TransactionStatusListener, WatchedTransaction } from './watched-transaction.ts';

/** The waits before a transaction is looked for again, where a node does not have the head yet; after them, the next head is waited for. */
const RETRY_DELAYS_MS = [40, 80, 160, 320, 400, 400, 400];

const SOURCE = 'transactionStatus';

const isKnownToNode = (standing: TransactionStatusAtHead | undefined): standing is TransactionStatusAtHead =>
  standing !== undefined && standing.observed.status !== 'UNKNOWN';

/** Each of them may cost a call with each head. */
const MAX_WATCHED_TRANSACTIONS = 10_000;

/**
 * The transactions that anybody watches, each once. Under each new head those are looked for that are in no block of the chain; of the others
 * the chain itself tells how deep they lie. Nothing is asked while nobody watches.
 */
export class TransactionWatcher {
  readonly #feed: ChainFeed;
  readonly #sources: SnapshotSources;
  readonly #watched = new Map<Data, WatchedTransaction>();
  readonly #due = new Set<WatchedTransaction>();
  /** Those that are looked for now. */
  #inFlight: ReadonlySet<WatchedTransaction> = new Set();
  #isRunning = false;
  #unsubscribeHeads: (() => void) | undefined;
  #abortController = new AbortController();

  constructor(feed: ChainFeed, sources: SnapshotSources) {
    this.#feed = feed;
    this.#sources = sources;
  }

  /** Tells of a transaction from now on, never inside this call. Gives what stops it. Throws TOO_MANY_SUBSCRIPTIONS. */
  watch(hash: Data, listener: TransactionStatusListener): () => void {
    const watched = this.#watched.get(hash) ?? this.#startWatching(hash);
    watched.listeners.add(listener);
    return () => {
      if (watched.listeners.delete(listener) && watched.listeners.size === 0) this.#stopWatching(watched);
    };
  }

  /** How a watched transaction was told to stand; undefined before that is known. */
  lastReported(hash: Data): TransactionStatusAtHead | undefined {
    return this.#watched.get(hash)?.lastReported;
  }

  /**
   * The same, as soon as it is known. A transaction that was UNKNOWN is requested from the node again, since it may have been submitted after
   * the last look. Rejects with what keeps that from being found out.
   */
  async currentStatus(hash: Data): Promise<TransactionStatusAtHead> {
    const watched = this.#watched.get(hash)!;
    if (isKnownToNode(watched.lastReported)) return watched.lastReported;
    const look = this.#inFlight;
    if (look.has(watched)) {
      // The node may have answered this look before it got the transaction.
      const found = await watched.nextReport();
      if (isKnownToNode(found) || watched.listeners.size === 0) return found;
    }
    const isNext = this.#inFlight !== look && this.#inFlight.has(watched);
    if (!isNext) this.#scheduleLookup(watched);
    return watched.nextReport();
  }

  #startWatching(hash: Data): WatchedTransaction {
    if (this.#watched.size >= MAX_WATCHED_TRANSACTIONS) {
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', 'As many transactions are watched here as can be.', {
        limit: MAX_WATCHED_TRANSACTIONS,
        retryable: true,
      });
    }
    const watched = new WatchedTransaction(hash);
    this.#watched.set(hash, watched);
    this.#unsubscribeHeads ??= this.#follow();
    this.#scheduleLookup(watched);
    return watched;
  }

  #follow(): () => void {
    return this.#feed.subscribeHeads({
      next: (change) => this.#onChange(change),
      end: (error) => (error.code === 'GAP_TOO_LARGE' ? this.#afterGap() : this.#end(error)),
    });
  }

  /** Which blocks have gone is not known, so that all of them are looked for. */
  #afterGap(): void {
    this.#unsubscribeHeads = this.#follow();
    for (const watched of this.#watched.values()) {
      watched.revertToPending();
      this.#scheduleLookup(watched);
    }
  }

  #stopWatching(watched: WatchedTransaction): void {
    clearTimeout(watched.retryTimer);
    this.#due.delete(watched);
    if (this.#watched.get(watched.hash) !== watched) return;
    this.#watched.delete(watched.hash);
    this.#feed.sourceHealth.clear(SOURCE, watched.hash);
    if (this.#watched.size > 0) return;
    this.#unsubscribeHeads?.();
    this.#unsubscribeHeads = undefined;
    this.#abortController.abort(new GraphError('TIMEOUT', 'Nobody watches any more.'));
    this.#abortController = new AbortController();
  }

  #end(error: GraphError): void {
    for (const watched of [...this.#watched.values()]) {
      this.#stopWatching(watched);
      watched.end(error);
    }
  }

  #onChange({ removed }: ChainChange): void {
    const left = new Set(removed.map(({ hash }) => hash));
    for (const watched of [...this.#watched.values()]) {
      if (watched.isMinedAfterRemoval(left)) watched.report(this.#feed.head!);
      else this.#scheduleLookup(watched);
    }
  }

  /** Has a transaction looked for, together with all others of which the same is wanted in this tick. */
  #scheduleLookup(watched: WatchedTransaction): void {
    clearTimeout(watched.retryTimer);
    this.#due.add(watched);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => this.#runLookups());
  }

  async #runLookups(): Promise<void> {
    try {
      while (this.#due.size > 0) {
        const due = [...this.#due];
        this.#due.clear();
        this.#inFlight = new Set(due);
        await this.#lookUp(due);
      }
    } finally {
      this.#inFlight = new Set();
      this.#isRunning = false;
    }
  }

  async #lookUp(due: readonly WatchedTransaction[]): Promise<void> {
    const { head } = this.#feed;
    if (!head) {
      for (const watched of due) watched.fail(unknownHeadError(), head);
      return;
    }
    const { signal } = this.#abortController;
    const operation = { requestId: 'transactionStatus', signal, block: head.hash, extensions: {}, isVolatile: false };
    const found = await observeTransactions(createSnapshot(this.#sources, operation), this.#feed, head, due);
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
        this.#feed.sourceHealth.clear(SOURCE, watched.hash);
        watched.observe(outcome.value, head);
        this.#report(watched, head);
      } else this.#retryLookup(watched);
    }
  }

  /** The look has failed: it is repeated, and the subscriptions end when that has gone on for too long. */
  #fail(watched: WatchedTransaction, error: GraphError): void {
    const { sourceHealth, timing, head } = this.#feed;
    watched.fail(error, head);
    if (sourceHealth.report(SOURCE, error, watched.hash) < timing.sourceTimeoutMs) {
      if (!this.#due.has(watched)) watched.retryTimer = setTimeout(() => this.#scheduleLookup(watched), timing.sourceRetryMs);
      return;
    }
    // First, so that a listener may watch the same transaction again.
    this.#stopWatching(watched);
    watched.end(sourceFailedError(SOURCE, error));
  }

  #isOfChain({ hash }: Head): boolean {
    return this.#feed.pathBetween(hash, this.#feed.head!)?.removed.length === 0;
  }

  #report(watched: WatchedTransaction, head: Head): void {
    const isMined = watched.observed.status === 'MINED';
    // Its block is of the chain still, whatever has come on top of it meanwhile.
    if (isMined) this.#due.delete(watched);
    watched.report(isMined ? this.#feed.head! : head);
  }

  /** A node that does not have the head gets it soon, or another one answers. */
  #retryLookup(watched: WatchedTransaction): void {
    const wait = RETRY_DELAYS_MS[watched.inconclusiveLookups++];
    if (wait === undefined) {
      const error = new GraphError('STALE_UPSTREAM', 'The node has not come as far as the head of the chain.');
      this.#fail(watched, error);
    } else if (!this.#due.has(watched)) watched.retryTimer = setTimeout(() => this.#scheduleLookup(watched), wait);
  }
}
