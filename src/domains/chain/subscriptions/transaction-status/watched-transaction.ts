import type { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import {
  applyObservation,
  type ObservedTransaction,
  revertToPending,
  type TransactionObservation,
  UNKNOWN_TRANSACTION,
} from './status.ts';

/** How a transaction stands under a head. */
export interface TransactionStatusAtHead {
  readonly observed: ObservedTransaction;
  readonly head: Head;
}

export interface TransactionStatusListener {
  /** Under each new head, and whenever something is found out. */
  next(standing: TransactionStatusAtHead): void;
  end(error: GraphError): void;
}

/** A transaction that is watched: what is known of it, what was told of it, and who is to be told. */
export class WatchedTransaction {
  readonly hash: Data;
  readonly listeners = new Set<TransactionStatusListener>();
  observed: ObservedTransaction = UNKNOWN_TRANSACTION;
  /** The head under which it was there last. */
  lastSeenHead: Data | undefined;
  /** What was told last. */
  lastReported: TransactionStatusAtHead | undefined;
  /** Looks in a row that could not tell, under one head. */
  inconclusiveLookups = 0;
  /** When it is looked for again under the same head. */
  retryTimer: NodeJS.Timeout | undefined;
  /** Who asks how it stands before that is known. */
  readonly #waiters: { resolve(standing: TransactionStatusAtHead): void; reject(error: GraphError): void }[] = [];

  constructor(hash: Data) {
    this.hash = hash;
  }

  /** Whether it lies in a block of the chain, when these have just left it; if it lay in one of them, it is adrift from now on. */
  isMinedAfterRemoval(left: ReadonlySet<Data>): boolean {
    const { status, transaction } = this.observed;
    if (status === 'MINED' && !left.has(transaction!.blockHash!.toLowerCase())) return true;
    this.revertToPending();
    return false;
  }

  /** Where it lay is in doubt, which is told only once it has been looked for. */
  revertToPending(): void {
    this.inconclusiveLookups = 0;
    this.observed = revertToPending(this.observed);
  }

  /** How it stands, as soon as that is known. Rejects with what keeps it from being found out. */
  nextReport(): Promise<TransactionStatusAtHead> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Takes in what was found out under a head. */
  observe(evidence: TransactionObservation, { hash }: Head): void {
    this.inconclusiveLookups = 0;
    if (evidence.kind === 'mined' || evidence.kind === 'pending') this.lastSeenHead = hash;
    this.observed = applyObservation(this.observed, evidence);
  }

  report(head: Head): void {
    const standing = { observed: this.observed, head };
    this.lastReported = standing;
    for (const { resolve } of this.#waiters.splice(0)) resolve(standing);
    for (const listener of [...this.listeners]) listener.next(standing);
  }

  /** Nothing could be found out under this head; that a block was taken away is told all the same. */
  fail(error: GraphError, head: Head | undefined): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    if (head && this.lastReported && this.lastReported.observed !== this.observed) this.report(head);
  }

  end(error: GraphError): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    for (const listener of [...this.listeners]) listener.end(error);
    this.listeners.clear();
  }
}
