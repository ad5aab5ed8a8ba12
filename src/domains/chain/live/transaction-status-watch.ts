import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../evm/hex.ts';
import type { Feed } from '../../../live/feed.ts';
import type { ChainChange, Head } from '../../../live/follower.ts';
import { openView, type ViewSources } from '../../../view/index.ts';
import { unknownHead } from './expired.ts';
import { adrift, conclude, type Evidence, type Fate, UNSEEN } from './transaction-status.ts';
import { lookFor } from './transaction-status-reader.ts';

/** How a transaction stands under a head. */
export interface Standing {
  readonly fate: Fate;
  readonly head: Head;
}

export interface StandingListener {
  /** Under each new head, and whenever something is found out. */
  next(standing: Standing): void;
  end(error: GraphError): void;
}

interface Watched {
  readonly hash: Data;
  fate: Fate;
  seenAt: Data | undefined;
  /** What was told last. */
  standing: Standing | undefined;
  readonly listeners: Set<StandingListener>;
  /** Who asks how it stands before that is known. */
  readonly waiting: { resolve(standing: Standing): void; reject(error: GraphError): void }[];
  /** Looks in a row that could not tell, under one head. */
  misses: number;
  again: NodeJS.Timeout | undefined;
}

/** The waits before a transaction is looked for again, where a node does not have the head yet; after them, the next head is waited for. */
const WAITS_MS = [40, 80, 160, 320, 400, 400, 400];

/** Each of them may cost a call with each head. */
const MOST_WATCHED = 10_000;

/**
 * The transactions that anybody watches, each once. Under each new head those are looked for that are in no block of the chain; of the others
 * the chain itself tells how deep they lie. Nothing is asked while nobody watches.
 */
export class TransactionWatch {
  readonly #feed: Feed;
  readonly #sources: ViewSources;
  readonly #watched = new Map<Data, Watched>();
  readonly #due = new Set<Watched>();
  /** Those that are looked for now. */
  #sought: ReadonlySet<Watched> = new Set();
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

  /** The same, as soon as it is known. Rejects with what keeps that from being found out. */
  standing(hash: Data): Promise<Standing> {
    const watched = this.#watched.get(hash)!;
    if (watched.standing) return Promise.resolve(watched.standing);
    if (!this.#sought.has(watched)) this.#ask(watched);
    return new Promise((resolve, reject) => {
      watched.waiting.push({ resolve, reject });
    });
  }

  #begin(hash: Data): Watched {
    if (this.#watched.size >= MOST_WATCHED) {
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', 'As many transactions are watched here as can be.', { limit: MOST_WATCHED });
    }
    const watched: Watched = {
      hash,
      fate: UNSEEN,
      seenAt: undefined,
      standing: undefined,
      listeners: new Set(),
      waiting: [],
      misses: 0,
      again: undefined,
    };
    this.#watched.set(hash, watched);
    this.#following ??= this.#feed.heads({ next: (change) => this.#onChange(change), end: (error) => this.#end(error) });
    this.#ask(watched);
    return watched;
  }

  #forget(watched: Watched): void {
    clearTimeout(watched.again);
    this.#due.delete(watched);
    this.#watched.delete(watched.hash);
    if (this.#watched.size > 0) return;
    this.#following?.();
    this.#following = undefined;
    this.#over.abort(new GraphError('TIMEOUT', 'Nobody watches any more.'));
    this.#over = new AbortController();
  }

  #end(error: GraphError): void {
    for (const watched of [...this.#watched.values()]) {
      for (const { reject } of watched.waiting.splice(0)) reject(error);
      for (const listener of [...watched.listeners]) listener.end(error);
      watched.listeners.clear();
      this.#forget(watched);
    }
  }

  #onChange({ removed }: ChainChange): void {
    const head = this.#feed.head!;
    const left = new Set<string | undefined>(removed.map(({ hash }) => hash));
    for (const watched of [...this.#watched.values()]) {
      watched.misses = 0;
      const { status, transaction } = watched.fate;
      if (status === 'MINED' && !left.has(transaction!.blockHash?.toLowerCase())) this.#tell(watched, head);
      else {
        watched.fate = adrift(watched.fate);
        this.#ask(watched);
      }
    }
  }

  /** Has a transaction looked for, together with all others of which the same is wanted in this tick. */
  #ask(watched: Watched): void {
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

  async #look(due: readonly Watched[]): Promise<void> {
    const { head } = this.#feed;
    if (!head) {
      for (const watched of due) this.#fail(watched, unknownHead());
      return;
    }
    const { signal } = this.#over;
    const operation = { requestId: 'transactionStatus', signal, block: head.hash, extensions: {}, isVolatile: false };
    const found = await lookFor(openView(this.#sources, operation), this.#feed, head, due);
    // What was found under a head that the chain has left says nothing; all of it is due again.
    if (signal.aborted || !this.#isOfChain(head)) return;
    due.forEach((watched, i) => {
      const outcome = found[i]!;
      if (watched.listeners.size === 0) return;
      if (outcome.status === 'rejected') this.#fail(watched, outcome.reason);
      else if (outcome.value) this.#conclude(watched, outcome.value, head);
      else this.#lookAgain(watched);
    });
  }

  #isOfChain({ hash }: Head): boolean {
    return this.#feed.way(hash, this.#feed.head!)?.removed.length === 0;
  }

  #conclude(watched: Watched, evidence: Evidence, head: Head): void {
    watched.misses = 0;
    if (evidence.kind === 'mined' || evidence.kind === 'pending') watched.seenAt = head.hash;
    watched.fate = conclude(watched.fate, evidence);
    const isMined = watched.fate.status === 'MINED';
    // Its block is of the chain still, whatever has come on top of it meanwhile.
    if (isMined) this.#due.delete(watched);
    this.#tell(watched, isMined ? this.#feed.head! : head);
  }

  /** A node that does not have the head gets it soon, or another one answers. */
  #lookAgain(watched: Watched): void {
    const wait = WAITS_MS[watched.misses++];
    if (wait === undefined) {
      this.#fail(watched, new GraphError('STALE_UPSTREAM', 'The node has not come as far as the head of the chain.'));
    } else if (!this.#due.has(watched)) watched.again = setTimeout(() => this.#ask(watched), wait);
  }

  /** Nothing could be found out under this head; that a block was taken away is told all the same. */
  #fail(watched: Watched, error: GraphError): void {
    for (const { reject } of watched.waiting.splice(0)) reject(error);
    if (watched.standing && watched.standing.fate !== watched.fate) this.#tell(watched, this.#feed.head!);
  }

  #tell(watched: Watched, head: Head): void {
    const standing = { fate: watched.fate, head };
    watched.standing = standing;
    for (const { resolve } of watched.waiting.splice(0)) resolve(standing);
    for (const listener of [...watched.listeners]) listener.next(standing);
  }
}
