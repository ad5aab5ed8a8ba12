import { type Data, quantityOf } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import { asPending } from '../../../../ethereum/transaction-values.ts';
import type { TransactionStatus, TransactionStatusUpdate } from '../../../../generated/chain.ts';
import type { GraphError } from '../../../../lib/errors.ts';
import type { Head } from '../../../../sync/head/follower.ts';

/** The last observed state of a transaction. Whether it is CONFIRMED depends on each subscriber's number of confirmations. */
export interface ObservedTransaction {
  readonly status: Exclude<TransactionStatus, 'CONFIRMED'>;
  /** The transaction as last returned by the node; while MINED it names its block. */
  readonly transaction: RpcTransaction | undefined;
  /** Set while the node no longer knows a transaction that it once returned. */
  readonly missing: MissingSince | undefined;
  /** Hash of the transaction that used its nonce, if that transaction was found. */
  readonly replacedBy: Data | null;
}

interface MissingSince {
  /** `performance.now()` of the first lookup that did not find it. */
  readonly since: number;
  /** Number of heads at which it was missing. */
  readonly headCount: number;
  readonly lastHead: Data;
}

/** Result of looking up a transaction at a head of the chain. */
export type TransactionObservation =
  /** Included in a canonical block, which `transaction` names. */
  | { readonly kind: 'mined'; readonly transaction: RpcTransaction }
  /** Known to a node that has the head, but in no canonical block up to it. */
  | { readonly kind: 'pending'; readonly transaction: RpcTransaction }
  /** Unknown to a node that has the head; its nonce, if known, is unused. */
  | { readonly kind: 'missing'; readonly head: Data; readonly now: number }
  /** Another transaction used its nonce. */
  | { readonly kind: 'replaced'; readonly by: Data | null };

/** A missing transaction is DROPPED after this many heads and this much time, whichever takes longer. */
export const DROPPED_AFTER = { heads: 3, ms: 30_000 };

/** A transaction that was never observed. */
export const UNKNOWN_TRANSACTION: ObservedTransaction = {
  status: 'UNKNOWN',
  transaction: undefined,
  missing: undefined,
  replacedBy: null,
};

const pending = (transaction: RpcTransaction, missing?: MissingSince): ObservedTransaction => ({
  ...UNKNOWN_TRANSACTION,
  status: 'PENDING',
  transaction: asPending(transaction),
  missing,
});

/** Whether the status is final. */
export const isTerminal = ({ status }: Pick<StatusUpdate, 'status'>): boolean =>
  status === 'CONFIRMED' || status === 'REPLACED' || status === 'DROPPED';

/** Returns the state after an observation. A terminal state does not change. */
export function applyObservation(observed: ObservedTransaction, observation: TransactionObservation): ObservedTransaction {
  if (isTerminal(observed)) return observed;
  switch (observation.kind) {
    case 'mined':
      return { ...UNKNOWN_TRANSACTION, status: 'MINED', transaction: observation.transaction };
    case 'pending':
      return pending(observation.transaction);
    case 'replaced':
      return { ...UNKNOWN_TRANSACTION, status: 'REPLACED', replacedBy: observation.by };
    case 'missing':
      return observed.transaction ? applyMissing(observed.transaction, observed.missing, observation) : observed;
  }
}

function applyMissing(
  transaction: RpcTransaction,
  before: MissingSince | undefined,
  { head, now }: { head: Data; now: number },
): ObservedTransaction {
  const { since, headCount, lastHead } = before ?? { since: now, headCount: 0, lastHead: undefined };
  const missing = { since, headCount: lastHead === head ? headCount : headCount + 1, lastHead: head };
  const isDropped = missing.headCount >= DROPPED_AFTER.heads && now - since >= DROPPED_AFTER.ms;
  return isDropped ? { ...UNKNOWN_TRANSACTION, status: 'DROPPED' } : pending(transaction, missing);
}

/** Returns the state after a reorg removed the transaction's block: pending when it was mined, else unchanged. */
export const revertToPending = (observed: ObservedTransaction): ObservedTransaction =>
  observed.status === 'MINED' ? pending(observed.transaction!) : observed;

/** The status of a transaction for subscribers with the same number of confirmations. */
export interface StatusUpdate extends Required<Omit<TransactionStatusUpdate, 'receipt' | 'succeeded' | 'transaction'>> {
  readonly transaction: RpcTransaction | null;
}

/** Computes the update at a head: CONFIRMED when the transaction's block has `confirmations` confirmations. */
export function statusUpdateOf(hash: Data, observed: ObservedTransaction, head: Head, confirmations: number): StatusUpdate {
  const { status, transaction = null, replacedBy } = observed;
  if (status !== 'MINED') return { hash, status, confirmations: null, replacedBy, transaction };
  const depth = head.height - Number(transaction!.blockNumber) + 1;
  const current = depth >= confirmations ? 'CONFIRMED' : status;
  return { hash, status: current, confirmations: quantityOf(depth), replacedBy, transaction };
}

/** Whether two updates are equal for a subscriber, so that the second one is not sent. */
export const isSameUpdate = (one: StatusUpdate, other: StatusUpdate): boolean =>
  one.status === other.status &&
  one.confirmations === other.confirmations &&
  one.transaction?.blockHash === other.transaction?.blockHash;

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

/** What has been reported of a watched transaction; undefined before the first report. */
export type ReportedStates = Readonly<Pick<WatchedTransaction, 'firstReported' | 'lastReported' | 'hasUnreportedChange'>>;

/** A watched transaction: its observed state, the first and the last reported state, and its listeners. */
export class WatchedTransaction {
  readonly hash: Data;
  readonly listeners = new Set<TransactionStatusListener>();
  observed: ObservedTransaction = UNKNOWN_TRANSACTION;
  /** Hash of the last head at which the node knew the transaction. */
  lastSeenHead: Data | undefined;
  firstReported: TransactionStatusAtHead | undefined;
  lastReported: TransactionStatusAtHead | undefined;
  /** Number of consecutive inconclusive lookups at one head. */
  inconclusiveLookups = 0;
  /** Whether the changes of a gap are unknown: the block of the transaction may be canonical still. */
  isUncertain = false;
  /** Timer of the next lookup at this head. */
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
    this.isUncertain = false;
    if (observation.kind === 'mined' || observation.kind === 'pending') this.lastSeenHead = hash;
    this.observed = applyObservation(this.observed, observation);
  }

  /** Reports the observed state at a head to all listeners. */
  report(head: Head): void {
    const status = { observed: this.observed, head };
    this.firstReported ??= status;
    this.lastReported = status;
    for (const { resolve } of this.#waiters.splice(0)) resolve(status);
    for (const listener of [...this.listeners]) listener.next(status);
  }

  /**
   * Whether the observed state differs from the reported state, because a reorg removed the block and no lookup has
   * followed yet.
   */
  get hasUnreportedChange(): boolean {
    return this.lastReported !== undefined && this.lastReported.observed !== this.observed;
  }

  /** Reports a change that needed no lookup, after a failed lookup; without a change, rejects pending reports. */
  fail(error: GraphError, head: Head | undefined): void {
    if (head && this.hasUnreportedChange && !this.isUncertain) this.report(head);
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Ends all listeners with an error. */
  end(error: GraphError): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    for (const listener of [...this.listeners]) listener.end(error);
    this.listeners.clear();
  }
}
