import { WHOLE_BLOCK_COST } from '../../ethereum/call-costs.ts';
import { MAX_PAGE_SIZE } from '../../graphql/connections.ts';
import type { FieldWeight, FieldWeights } from '../../graphql/cost/field-cost.ts';
import { objectWeights, proofWeights } from './cost-objects.ts';
import { rootWeights } from './cost-query.ts';
import {
  BLOOM_CHARS,
  INPUT_DATA_CHARS,
  LOG_DATA_CHARS,
  LOGS_PER_TRANSACTION,
  maxBlocksOf,
  oneBlock,
  oneCall,
  pageSize,
  TRANSACTIONS_PER_BLOCK,
} from './cost-sizes.ts';

/** Typical lengths in hex: a header and a receipt contain a bloom filter, a log an address and topics. */
const HEADER_CHARS = BLOOM_CHARS + 700;
const TRANSACTION_CHARS = INPUT_DATA_CHARS + 400;
const RECEIPT_CHARS = BLOOM_CHARS + LOGS_PER_TRANSACTION * (LOG_DATA_CHARS + 250);

/** Cost weights of encoded blocks, transactions and receipts. */
const rawWeights: FieldWeights = {
  'Block.rawHeader': { chars: HEADER_CHARS },
  // The block with full transactions, which is charged again for fields of the transactions.
  'Block.raw': { calls: WHOLE_BLOCK_COST, chars: HEADER_CHARS + TRANSACTIONS_PER_BLOCK * TRANSACTION_CHARS },
  'Transaction.raw': { needs: 'fullTransactions', chars: TRANSACTION_CHARS },
  'Transaction.rawReceipt': { needs: 'receipts', chars: RECEIPT_CHARS },
};

const sizedFields = ['nodes', 'edges'];
const pageOfTransactions = { size: pageSize(() => MAX_PAGE_SIZE), sizedFields };

/** A block whose height is known. */
const blockOfPage: FieldWeight = { ...oneBlock, knownFields: new Set(['number', '__typename']) };

/** Cost weights of the pages of blocks and transactions. */
const pageWeights: FieldWeights = {
  'Query.blocksConnection': { size: pageSize(maxBlocksOf), sizedFields },
  'BlockConnection.nodes': blockOfPage,
  'BlockEdge.node': blockOfPage,
  'BlockEdge.cursor': oneCall,
  // The first and the last block of the page.
  'BlockConnection.pageInfo': { calls: 2 },
  // The number of blocks that are searched depends on the chain; it is limited during execution.
  'Query.transactionsConnection': { ...pageOfTransactions, fixedCalls: WHOLE_BLOCK_COST, returns: 'blocks' },
  'Block.transactionsConnection': {
    ...pageOfTransactions,
    // A filter needs full transactions.
    argumentCalls: { argument: 'filter', calls: WHOLE_BLOCK_COST },
  },
};

/** Cost weights of the chain's fields. */
export const chainWeights: FieldWeights = { ...rootWeights, ...objectWeights, ...pageWeights, ...proofWeights, ...rawWeights };
