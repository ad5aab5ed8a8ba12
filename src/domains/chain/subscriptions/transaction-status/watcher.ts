import type { Data } from '../../../../ethereum/hex.ts';
import { GraphError } from '../../../../lib/errors.ts';
import { ResponseDependencies } from '../../../../operation/response-dependencies.ts';
import { Snapshot, type SnapshotSources } from '../../../../snapshot/index.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import type { ChainChange } from '../../../../sync/head/follower.ts';
import { sourceFailedError } from '../../../../sync/source-health.ts';
import { unknownHeadError } from '../../log/cursor.ts';
import { observeTransactions } from './lookup.ts';
import {
  type ReportedStates,
  type TransactionStatusAtHead,
  type TransactionStatusListener,
  WatchedTransaction,
} from './status.ts';

/** Delays before repeating a lookup when the node does not have the head yet. After the last delay the lookup fails. */
const RETRY_DELAYS_MS = [40, 80, 160, 320, 400, 400, 400];

const SOURCE = 'transactionStatus';

/** Whether a status is known to the node, at a head of at least this height. */
const isCurrent = (status: TransactionStatusAtHead | undefined, minHeight: number): status is TransactionStatusAtHead =>
  status !== undefined && status.observed.status !== 'UNKNOWN' && status.head.height >= minHeight;

/** Bounds the upstream calls: each watched transaction may cost one call per head. */
const MAX_WATCHED_TRANSACTIONS = 10_000;

/**
 * Watches transactions for any number of listeners. At each new head it looks up the transactions that are in no canonical block. A transaction in
 * a canonical block needs no lookup: its confirmations follow from the feed. Sends no request while there are no listeners. One class, because
 * lookups, retries and reports share the watched transactions.
 */
export class TransactionWatcher {
  readonly #feed: ChainFeed;
  readonly #sources: SnapshotSources;
  readonly #watched = new Map<Data, WatchedTransaction>();
  /** Transactions of the next lookup. */
  readonly #due = new Set<WatchedTransaction>();
  /** Transactions of the running lookup. */
  #inFlight: ReadonlySet<WatchedTransaction> = new Set();
  #isRunning = false;
  #unsubscribeHeads: (() => void) | undefined;
  #abortController = new AbortController();

  constructor(feed: ChainFeed, sources: SnapshotSources) {
    this.#feed = feed;
    this.#sources = sources;
  }

  /** Starts watching and returns a function that stops it. Never notifies inside this call. Throws TOO_MANY_SUBSCRIPTIONS. */
  watch(hash: Data, listener: TransactionStatusListener): () => void {
    const watched = this.#watched.get(hash) ?? this.#startWatching(hash);
    watched.listeners.add(listener);
    return () => {
      if (watched.listeners.delete(listener) && watched.listeners.size === 0) this.#stopWatching(watched);
    };
  }

  /** The reported states of a transaction; undefined if it has no listener. */
  watched(hash: Data): ReportedStates | undefined {
    return this.#watched.get(hash);
  }

  /**
   * Resolves with the current state of a watched transaction. Looks up an UNKNOWN transaction again, since it may have
   * been submitted after the last lookup, and a transaction whose block a reorg has removed. Rejects with the error of
   * a failed lookup.
   */
  async currentStatus(hash: Data, minHeight = 0): Promise<TransactionStatusAtHead> {
    const watched = this.#watched.get(hash)!;
    if (isCurrent(watched.lastReported, minHeight) && !watched.hasUnreportedChange) return watched.lastReported;
    if (this.#inFlight.has(watched)) {
      // The node may have responded to this lookup before it received the transaction.
      const status = await watched.nextReport();
      if (isCurrent(status, minHeight) || watched.listeners.size === 0) return status;
    }
    this.#scheduleLookup(watched);
    return watched.nextReport();
  }

  #startWatching(hash: Data): WatchedTransaction {
    if (this.#watched.size >= MAX_WATCHED_TRANSACTIONS) {
      const message = 'The limit of watched transactions has been reached. Retry later.';
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_WATCHED_TRANSACTIONS, retryable: true });
    }
    const watched = new WatchedTransaction(hash);
    this.#watched.set(hash, watched);
    this.#unsubscribeHeads ??= this.#subscribeHeads();
    this.#scheduleLookup(watched);
    return watched;
  }

  #subscribeHeads(): () => void {
    return this.#feed.subscribeHeads({
      next: (change) => this.#onChange(change),
      end: (error) => (error.code === 'GAP_TOO_LARGE' ? this.#afterGap() : this.#end(error)),
    });
  }

  /** Looks up all transactions: the feed did not report which blocks were removed. */
  #afterGap(): void {
    this.#unsubscribeHeads = this.#subscribeHeads();
    for (const watched of this.#watched.values()) {
      watched.isUncertain = true;
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
    this.#abortController.abort(new GraphError('TIMEOUT', 'The last subscription to a transaction has ended.'));
    this.#abortController = new AbortController();
  }

  #end(error: GraphError): void {
    for (const watched of [...this.#watched.values()]) {
      this.#stopWatching(watched);
      watched.end(error);
    }
  }

  #onChange({ removed }: ChainChange): void {
    const removedHashes = new Set(removed.map(({ hash }) => hash));
    for (const watched of [...this.#watched.values()]) {
      if (watched.isMinedAfterRemoval(removedHashes)) watched.report(this.#feed.head!);
      else this.#scheduleLookup(watched);
    }
  }

  /** Adds a transaction to the next lookup, which covers all transactions that are scheduled in this tick. */
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
    const operation = { requestId: SOURCE, signal, block: head.hash, extensions: {}, dependencies: new ResponseDependencies() };
    const outcomes = await observeTransactions(new Snapshot(this.#sources, operation), this.#feed, head, due);
    // Discard the results when a reorg has removed this head; the change has scheduled a new lookup.
    if (signal.aborted || this.#feed.pathBetween(head.hash, this.#feed.head!)?.removed.length !== 0) return;
    for (const [i, watched] of due.entries()) {
      const outcome = outcomes[i]!;
      if (watched.listeners.size === 0) continue;
      if (outcome.status === 'rejected') this.#fail(watched, outcome.reason);
      else if (outcome.value) {
        this.#feed.sourceHealth.clear(SOURCE, watched.hash);
        watched.observe(outcome.value, head);
        const isMined = watched.observed.status === 'MINED';
        // A mined transaction needs no lookup for heads added meanwhile: its block is still canonical.
        if (isMined) this.#due.delete(watched);
        watched.report(isMined ? this.#feed.head! : head);
      } else this.#retryLookup(watched);
    }
  }

  /** Schedules a retry after a failed lookup; ends the listeners when lookups have failed for `sourceTimeoutMs`. */
  #fail(watched: WatchedTransaction, error: GraphError): void {
    const { sourceHealth, timing, head } = this.#feed;
    watched.fail(error, head);
    if (sourceHealth.report(SOURCE, error, watched.hash) < timing.sourceTimeoutMs) {
      this.#retryAfter(timing.sourceRetryMs, watched);
      return;
    }
    // Remove it before the listeners end, so that a listener may watch this transaction again.
    this.#stopWatching(watched);
    watched.end(sourceFailedError(SOURCE, error));
  }

  /** Repeats an inconclusive lookup: the node should have the head soon, or another endpoint will respond. */
  #retryLookup(watched: WatchedTransaction): void {
    const delay = RETRY_DELAYS_MS[watched.inconclusiveLookups++];
    if (delay === undefined) this.#fail(watched, new GraphError('STALE_UPSTREAM', 'The node is behind the head of the chain.'));
    else this.#retryAfter(delay, watched);
  }

  /** Schedules another lookup, unless a new head has scheduled one meanwhile. */
  #retryAfter(delayMs: number, watched: WatchedTransaction): void {
    if (!this.#due.has(watched)) watched.retryTimer = setTimeout(() => this.#scheduleLookup(watched), delayMs);
  }
}
