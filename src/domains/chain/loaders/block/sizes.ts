import type { BlockPlan } from '../../plan.ts';

/** Expected size of the responses that load one window of a list. geth refuses responses to a batch above 25 MB. */
export const MAX_WINDOW_BYTES = 12 * 1024 * 1024;

/** Expected size of a block with 200 transactions, by its parts. */
const HASHES_BYTES = 16 * 1024;
const TRANSACTIONS_BYTES = 200 * 1024;
const RECEIPTS_BYTES = 400 * 1024;
const LOGS_BYTES = 120 * 1024;

/** Expected size of one transaction, and of one receipt. */
export const TRANSACTION_BYTES = TRANSACTIONS_BYTES / 200;
export const RECEIPT_BYTES = RECEIPTS_BYTES / 200;

/** The expected size of a block with the contents that a plan needs. */
export function bytesOfBlock({ full, receipts, allLogs, filters }: BlockPlan): number {
  const logs = allLogs ? 1 : filters.length;
  return (full ? TRANSACTIONS_BYTES : HASHES_BYTES) + (receipts ? RECEIPTS_BYTES : 0) + logs * LOGS_BYTES;
}
