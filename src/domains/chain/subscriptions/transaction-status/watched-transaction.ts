import type { Data } from '../../../../ethereum/hex.ts';
import type { GraphError } from '../../../../lib/errors.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import {
  applyObservation,
  type ObservedTransaction,
  revertToPending,
  type TransactionObservation,
  UNKNOWN_TRANSACTION,
} from './status.ts';

/** The observed state of a transaction at a head. */
export interface TransactionStatusAtHead {
  readonly observed: ObservedTransaction;
  readonly head: Head;
}

/** Receives the state of a watched transaction. */
export interface TransactionStatusListener {
  /** Called at each new head and after each lookup with a result. */
  next(status: TransactionStatusAtHead): void;
  end(error: GraphError): void;
}

/** A watched transaction: its observed state, the last reported state, and its listeners. */
export class WatchedTransaction {
  readonly hash: Data;
  readonly listeners = new Set<TransactionStatusListener>();
  observed: ObservedTransaction = UNKNOWN_TRANSACTION;
  /** Hash of the last head at which the node knew the transaction. */
  lastSeenHead: Data | undefined;
  lastReported: TransactionStatusAtHead | undefined;
  /** Number of consecutive inconclusive lookups at one head. */
  inconclusiveLookups = 0;
  /** Timer of the next lookup at the same head. */
  retryTimer: NodeJS.Timeout | undefined;
  /** Pending calls of `nextReport`. */
  readonly #waiters: { resolve(status: TransactionStatusAtHead): void; reject(error: GraphError): void }[] = [];

  constructor(hash: Data) {
    this.hash = hash;
  }

  /** Whether the transaction is still in a canonical block after `removed` blocks left the chain; reverts it to pending when not. */
  isMinedAfterRemoval(removed: ReadonlySet<Data>): boolean {
    const { status, transaction } = this.observed;
    if (status === 'MINED' && !removed.has(transaction!.blockHash!.toLowerCase())) return true;
    this.revertToPending();
    return false;
  }

  /** Reverts a mined transaction to pending. The next lookup reports it. */
  revertToPending(): void {
    this.inconclusiveLookups = 0;
    this.observed = revertToPending(this.observed);
  }

  /** Resolves with the next reported state. Rejects with the error of a failed lookup, or when the watch ends. */
  nextReport(): Promise<TransactionStatusAtHead> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Applies the result of a lookup at a head. */
  observe(observation: TransactionObservation, { hash }: Head): void {
    this.inconclusiveLookups = 0;
    if (observation.kind === 'mined' || observation.kind === 'pending') this.lastSeenHead = hash;
    this.observed = applyObservation(this.observed, observation);
  }

  /** Reports the observed state at a head to all listeners. */
  report(head: Head): void {
    const status = { observed: this.observed, head };
    this.lastReported = status;
    for (const { resolve } of this.#waiters.splice(0)) resolve(status);
    for (const listener of [...this.listeners]) listener.next(status);
  }

  /** Whether the observed state differs from the reported one, because a reorg removed the block and no lookup has followed yet. */
  get hasUnreportedChange(): boolean {
    return this.lastReported !== undefined && this.lastReported.observed !== this.observed;
  }

  /** Reports a change that needed no lookup, after a failed one; without a change, rejects pending reports. */
  fail(error: GraphError, head: Head | undefined): void {
    if (head && this.hasUnreportedChange) this.report(head);
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Ends all listeners with an error. */
  end(error: GraphError): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    for (const listener of [...this.listeners]) listener.end(error);
    this.listeners.clear();
  }
}
