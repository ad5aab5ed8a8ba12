import { type Data, type Quantity, quantityOf } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import type { TransactionStatus } from '../../../../generated/chain.ts';
import type { Head } from '../../../../sync/head/follower.ts';

/** How a transaction fares, as far as it was seen; how deep it is to lie, its watchers know. */
export interface ObservedTransaction {
  readonly status: Exclude<TransactionStatus, 'CONFIRMED'>;
  /** The transaction as it was seen last; while MINED it names its block. */
  readonly transaction: RpcTransaction | undefined;
  /** Since when nobody knows it, though it was seen. */
  readonly missing: MissingSince | undefined;
  /** What took its nonce, where that was found. */
  readonly replacedBy: Data | null;
}

interface MissingSince {
  readonly since: number;
  /** The heads without it, and the last of them. */
  readonly headCount: number;
  readonly lastHead: Data;
}

/** What was found out about a transaction under a head of the chain. */
export type TransactionObservation =
  /** It lies in a block of the chain, which it names. */
  | { readonly kind: 'mined'; readonly transaction: RpcTransaction }
  /** A node that has that head knows it, in no block of the chain. */
  | { readonly kind: 'pending'; readonly transaction: RpcTransaction }
  /** A node that has that head does not know it, and its nonce, where that is known, is not used up. */
  | { readonly kind: 'missing'; readonly head: Data; readonly now: number }
  /** Another transaction has used its nonce. */
  | { readonly kind: 'overtaken'; readonly by: Data | null };

/** What was seen once and is known to nobody counts as dropped after so many heads and so much time, whichever takes longer. */
export const DROPPED_AFTER = { heads: 3, ms: 30_000 };

export const UNKNOWN_TRANSACTION: ObservedTransaction = {
  status: 'UNKNOWN',
  transaction: undefined,
  missing: undefined,
  replacedBy: null,
};

/** The same transaction in no block. */
const withoutBlock = (transaction: RpcTransaction): RpcTransaction => ({
  ...transaction,
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
});

const pending = (transaction: RpcTransaction, missing?: MissingSince): ObservedTransaction => ({
  ...UNKNOWN_TRANSACTION,
  status: 'PENDING',
  transaction: withoutBlock(transaction),
  missing,
});

/** Whether nothing comes after it. */
export const isTerminal = ({ status }: Pick<StatusUpdate, 'status'>): boolean =>
  status === 'CONFIRMED' || status === 'REPLACED' || status === 'DROPPED';

/** Takes a piece of evidence in. Whatever is over stays as it is. */
export function applyObservation(fate: ObservedTransaction, evidence: TransactionObservation): ObservedTransaction {
  if (isTerminal(fate)) return fate;
  switch (evidence.kind) {
    case 'mined':
      return { ...UNKNOWN_TRANSACTION, status: 'MINED', transaction: evidence.transaction };
    case 'pending':
      return pending(evidence.transaction);
    case 'overtaken':
      return { ...UNKNOWN_TRANSACTION, status: 'REPLACED', replacedBy: evidence.by };
    case 'missing':
      return fate.transaction ? applyMissing(fate.transaction, fate.missing, evidence) : fate;
  }
}

function applyMissing(
  transaction: RpcTransaction,
  before: MissingSince | undefined,
  { head, now }: { head: Data; now: number },
): ObservedTransaction {
  const { since, headCount, lastHead } = before ?? { since: now, headCount: 0, lastHead: undefined };
  const missing = { since, headCount: lastHead === head ? headCount : headCount + 1, lastHead: head };
  const isGone = missing.headCount >= DROPPED_AFTER.heads && now - since >= DROPPED_AFTER.ms;
  return isGone ? { ...UNKNOWN_TRANSACTION, status: 'DROPPED' } : pending(transaction, missing);
}

/** Its block is of the chain no more: it waits for another one. */
export const revertToPending = (fate: ObservedTransaction): ObservedTransaction =>
  fate.status === 'MINED' ? pending(fate.transaction!) : fate;

/** How a transaction stands, for those who want so many confirmations. */
export interface StatusUpdate {
  readonly hash: Data;
  readonly status: TransactionStatus;
  readonly confirmations: Quantity | null;
  readonly replacedBy: Data | null;
  readonly transaction: RpcTransaction | null;
}

export function statusUpdateOf(hash: Data, fate: ObservedTransaction, head: Head, wanted: number): StatusUpdate {
  const { status, transaction = null, replacedBy } = fate;
  if (status !== 'MINED') return { hash, status, confirmations: null, replacedBy, transaction };
  const depth = head.height - Number(transaction!.blockNumber) + 1;
  return { hash, status: depth >= wanted ? 'CONFIRMED' : status, confirmations: quantityOf(depth), replacedBy, transaction };
}

/** Whether two updates tell the same. */
export const isSameUpdate = (one: StatusUpdate, other: StatusUpdate): boolean =>
  one.status === other.status &&
  one.confirmations === other.confirmations &&
  one.transaction?.blockHash === other.transaction?.blockHash;
