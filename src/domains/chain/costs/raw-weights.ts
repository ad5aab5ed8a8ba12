import { type FieldWeights, WHOLE_BLOCK_COST } from '../../../graphql/pipeline/cost/field-cost.ts';
import { BLOOM_CHARS, INPUT_DATA_CHARS, LOG_DATA_CHARS, LOGS_PER_TRANSACTION, TRANSACTIONS_PER_BLOCK } from './sizes.ts';

/** Typical lengths in hex: a header and a receipt contain a bloom filter, a log an address and topics. */
const HEADER_CHARS = BLOOM_CHARS + 700;
const TRANSACTION_CHARS = INPUT_DATA_CHARS + 400;
const RECEIPT_CHARS = BLOOM_CHARS + LOGS_PER_TRANSACTION * (LOG_DATA_CHARS + 250);

/** Cost weights of encoded blocks, transactions and receipts. */
export const rawWeights: FieldWeights = {
  'Block.rawHeader': { chars: HEADER_CHARS },
  // The block with full transactions, which is charged again for fields of the transactions.
  'Block.raw': { calls: WHOLE_BLOCK_COST, chars: HEADER_CHARS + TRANSACTIONS_PER_BLOCK * TRANSACTION_CHARS },
  'Transaction.raw': { needs: 'fullTransactions', chars: TRANSACTION_CHARS },
  'Transaction.rawReceipt': { needs: 'receipts', chars: RECEIPT_CHARS },
};
