import { MAX_PAGE_SIZE } from '../../../graphql/connections.ts';
import { type FieldWeight, type FieldWeights, WHOLE_BLOCK_COST } from '../../../graphql/pipeline/cost/field-cost.ts';
import { maxBlocksOf, oneBlock, oneCall, pageSize } from './sizes.ts';

const sizedFields = ['nodes', 'edges'];
const pageOfTransactions = { size: pageSize(() => MAX_PAGE_SIZE), sizedFields };

/** A block whose height is known. */
const blockOfPage: FieldWeight = { ...oneBlock, knownFields: new Set(['number', '__typename']) };

/** Cost weights of the pages of blocks and transactions. */
export const pageWeights: FieldWeights = {
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
