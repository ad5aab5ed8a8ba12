import { DEFAULT_LIST_SIZE, type FieldWeights, FREE_FIELD, LOG_SEARCH_COST } from '../../../graphql/pipeline/cost/field-cost.ts';
import { DEFAULT_MAX_BLOCKS } from '../settings.ts';
import {
  addressOf,
  blocksRange,
  contractsOf,
  countOfBlocks,
  feeHistorySize,
  filterCost,
  foundLogs,
  link,
  namedBlock,
  oneBlock,
  oneCall,
  searchedBlocks,
} from './sizes.ts';

/** Cost weights of the root fields, of the references to entities, and of `Network`. The cost of a subscription is that of one event. */
export const rootWeights: FieldWeights = {
  'Query.block': { ...oneBlock, heights: namedBlock },
  'Query.blocks': { ...oneBlock, size: { assumed: DEFAULT_MAX_BLOCKS, of: countOfBlocks }, heights: blocksRange },
  'Query.transaction': { calls: 1, returns: 'transactions' },
  'Query.receipt': { calls: 1, returns: 'transactions' },
  'Query.logs': {
    fixedCalls: LOG_SEARCH_COST,
    input: filterCost,
    size: foundLogs,
    isAssumed: true,
    returns: 'transactions',
    blockCount: searchedBlocks,
    addresses: contractsOf,
  },
  'Query.account': { addresses: addressOf },
  'Query.pending': { returns: 'blocks' },
  'Query.network': link,
  'Query.service': link,
  'Query.feeHistory': { calls: 1, size: feeHistorySize, sizedFields: ['blocks'] },
  'Query.*': oneCall,
  // References to entities: those of an account and of a transaction cost what is selected on them.
  '_Entity.Account': link,
  '_Entity.Block': { ...oneBlock, knownFields: new Set(['number', '__typename']) },
  '_Entity.Transaction': { returns: 'transactions' },
  '_Entity.Receipt': { calls: 1, knownFields: new Set(['transactionHash', '__typename']), returns: 'transactions' },
  'Mutation.sendRawTransaction': oneCall,
  'Mutation.submitTransaction': { calls: 1, returns: 'transactions' },
  'SubmitTransactionPayload.transaction': oneCall,
  'SubmitTransactionPayload.receipt': oneCall,
  'FeeHistory.nextBaseFeePerGas': oneCall,
  'FeeHistoryBlock.block': oneBlock,
  'Subscription.newHeads': FREE_FIELD,
  'Subscription.reorgs': FREE_FIELD,
  'Subscription.logs': { returns: 'transactions' },
  'Subscription.pendingTransactions': { returns: 'transactions' },
  // One lookup by hash per new head.
  'Subscription.transactionStatus': { calls: 1, returns: 'transactions' },
  'Network.accounts': { fixedCalls: 1, size: DEFAULT_LIST_SIZE },
  'Network.*': oneCall,
  'Service.*': FREE_FIELD,
  // A search over a long chain, in the cheapest case of one call for each height.
  'Service.availableRange': { fixedCalls: 30 },
};
