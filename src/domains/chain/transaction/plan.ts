import { memoizePerSelection, type Selection, selectionOf } from '../../../graphql/selection.ts';

/** The data to load for a transaction in addition to its known fields. */
export type TransactionPlan = ReturnType<typeof transactionRequirements>;

/** The data to load for the pending block. */
export type PendingPlan = ReturnType<typeof pendingPlan>;

const POSITION_FIELDS = [
  'id',
  'hash',
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'index',
  'block',
  'state',
  'confirmations',
  'executionTrace',
];
/** Fields of a transaction that its receipt determines. */
export const RECEIPT_FIELD_NAMES = [
  'status',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'blobGasUsed',
  'blobGasPrice',
  'createdContract',
  'receipt',
  'revertReason',
  'revertError',
];

/** `rawReceipt` needs all receipts of the block; a receipt that is read alone is not enough. */
export const RECEIPT_FIELDS: ReadonlySet<string> = new Set([...RECEIPT_FIELD_NAMES, 'rawReceipt']);
export const RECEIPT_OR_LOGS: ReadonlySet<string> = new Set([...RECEIPT_FIELD_NAMES, 'logs']);

/** Fields of a transaction known from its hash, its position and its receipt or logs. */
export const KNOWN_BY_POSITION: ReadonlySet<string> = new Set([...POSITION_FIELDS, ...RECEIPT_OR_LOGS, 'rawReceipt']);
/** Fields of a transaction known from its receipt. */
export const KNOWN_BY_RECEIPT: ReadonlySet<string> = new Set([...KNOWN_BY_POSITION, 'from', 'to']);

/** The data to load for a transaction of which these fields are known. */
export const transactionRequirements = (transaction: Selection, known: ReadonlySet<string>) => ({
  full: !transaction.hasOnly(known),
  receipt: transaction.hasAny(RECEIPT_OR_LOGS),
});

const transactionPlan = (known: ReadonlySet<string>) =>
  memoizePerSelection((info) => transactionRequirements(selectionOf(info), known));

/** Computes the data to load for a transaction whose hash and position are known. */
export const transactionPlanByPosition = transactionPlan(KNOWN_BY_POSITION);
/** Computes the data to load for a transaction whose receipt is known or can be read. */
export const transactionPlanByReceipt = transactionPlan(KNOWN_BY_RECEIPT);

/** Computes the data to load for the pending block. */
export const pendingPlan = memoizePerSelection((info) => {
  const selection = selectionOf(info);
  return {
    /** Whether the block itself is selected; then the block has its counts and transactions. */
    block: selection.has('block') || selection.has('transactions'),
    /** Whole transactions instead of their hashes. */
    full: !selection.subselection('transactions').hasOnly(KNOWN_BY_POSITION),
  };
});

/** Whether fields of a receipt's transaction are selected that the receipt does not contain. */
export const needsTransaction = memoizePerSelection(
  (info): boolean => !selectionOf(info).subselection('transaction').hasOnly(KNOWN_BY_RECEIPT),
);
