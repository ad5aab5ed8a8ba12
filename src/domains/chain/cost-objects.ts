import { BLOCK_LOGS_COST, CALL_EXECUTION_COST, GAS_ESTIMATE_COST, LOG_SEARCH_COST } from '../../ethereum/call-costs.ts';
import { type ArgumentReader, type FieldWeights, FREE_FIELD } from '../../graphql/cost/field-cost.ts';
import {
  ARGUMENT_CHARS,
  ARGUMENTS_PER_CALL,
  addressOf,
  BLOCKS_PER_REORG,
  BLOOM_CHARS,
  CODE_CHARS,
  CONTRACTS_PER_OPERATION,
  contractsOf,
  filterCost,
  INPUT_DATA_CHARS,
  knownBlock,
  LOG_DATA_CHARS,
  LOGS_PER_TRANSACTION,
  link,
  logsIn,
  oneBlock,
  oneCall,
  pageSize,
  receiptField,
  TRANSACTIONS_PER_BLOCK,
  transactionList,
} from './cost-sizes.ts';

/** Maximum number of storage keys in one argument. */
export const MAX_STORAGE_KEYS = 100;
/** Cost of the proof of an account: the node reads about eight trie nodes. */
export const PROOF_COST = 2;
/** Cost of the proof of a storage slot. */
export const STORAGE_PROOF_COST = 0.5;

/** Typical number of nodes of a proof, and hex digits of a node. */
const NODES_PER_PROOF = 8;
const NODE_CHARS = 800;

const storageKeysIn = (args: ArgumentReader): number => {
  const keys = args('storageKeys');
  return Array.isArray(keys) ? Math.min(MAX_STORAGE_KEYS, keys.length) : 0;
};

/** Cost weights of Merkle proofs. */
export const proofWeights: FieldWeights = {
  'Account.proof': { calls: PROOF_COST, size: { assumed: MAX_STORAGE_KEYS, of: storageKeysIn }, sizedFields: ['storageProof'] },
  'AccountProof.accountProof': { size: NODES_PER_PROOF, chars: NODE_CHARS },
  'AccountProof.storageProof': { calls: STORAGE_PROOF_COST },
  'StorageProof.proof': { size: NODES_PER_PROOF, chars: NODE_CHARS },
};

/** Cost weights of the fields of blocks, transactions, receipts, logs and accounts. */
export const objectWeights: FieldWeights = {
  'TransactionStatusUpdate.receipt': oneCall,
  'TransactionStatusUpdate.succeeded': oneCall,
  'BlockHeader.miner': link,
  'BlockHeader.logsBloom': { chars: BLOOM_CHARS },
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  'Reorg.dropped': { size: BLOCKS_PER_REORG },
  'Reorg.added': { size: BLOCKS_PER_REORG },
  'Account.address': FREE_FIELD,
  'Account.id': FREE_FIELD,
  'Account.code': { ...oneCall, chars: CODE_CHARS },
  'Account.*': oneCall,
  'Block.miner': link,
  'Block.logsBloom': { chars: BLOOM_CHARS },
  // The head and the finalized block are read once for all operations.
  'Block.confirmations': FREE_FIELD,
  'Block.finalized': FREE_FIELD,
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, and the node's own prediction when there is none.
  'Block.nextBaseFeePerGas': { calls: 2 },
  'Block.transactions': transactionList,
  'Block.transactionHashes': transactionList,
  'Block.transactionAt': { calls: 1, returns: 'transactions' },
  'Block.receipts': { ...transactionList, needs: 'receipts' },
  'Block.logs': {
    fixedCalls: BLOCK_LOGS_COST,
    input: filterCost,
    size: { assumed: TRANSACTIONS_PER_BLOCK, of: logsIn },
    isAssumed: true,
    addresses: contractsOf,
  },
  'Block.withdrawals': { size: 16 },
  'Block.account': { addresses: addressOf },
  'Block.call': { calls: CALL_EXECUTION_COST },
  'Block.estimateGas': { calls: GAS_ESTIMATE_COST },
  'CallResult.revertReason': FREE_FIELD,
  'SimulatedCall.revertReason': FREE_FIELD,
  'CallResult.gasUsed': { calls: CALL_EXECUTION_COST },
  'Pending.transactions': { fixedCalls: 1, size: TRANSACTIONS_PER_BLOCK, isAssumed: true },
  'Pending.account': { addresses: addressOf },
  'Pending.call': { calls: CALL_EXECUTION_COST },
  'Pending.estimateGas': { calls: GAS_ESTIMATE_COST },
  'Pending.transactionAt': { calls: 1, returns: 'transactions' },
  'Pending.ommerAt': oneBlock,
  'Pending.logs': {
    fixedCalls: BLOCK_LOGS_COST,
    input: filterCost,
    size: LOGS_PER_TRANSACTION * TRANSACTIONS_PER_BLOCK,
    isAssumed: true,
    addresses: contractsOf,
    returns: 'transactions',
  },
  'Pending.*': oneCall,
  'PendingBlock.logsBloom': { chars: BLOOM_CHARS },
  'PendingBlock.miner': link,
  'PendingBlock.parent': knownBlock,
  // The hash and position of a transaction are known with its block.
  'Transaction.id': FREE_FIELD,
  'Transaction.hash': FREE_FIELD,
  'Transaction.index': FREE_FIELD,
  'Transaction.blockHash': FREE_FIELD,
  'Transaction.blockNumber': FREE_FIELD,
  'Transaction.block': knownBlock,
  'Transaction.status': receiptField,
  'Transaction.gasUsed': receiptField,
  'Transaction.cumulativeGasUsed': receiptField,
  'Transaction.effectiveGasPrice': receiptField,
  'Transaction.blobGasUsed': receiptField,
  'Transaction.blobGasPrice': receiptField,
  'Transaction.createdContract': receiptField,
  'Transaction.receipt': receiptField,
  'Transaction.revertReason': receiptField,
  'Transaction.logs': { needs: 'receipts', size: LOGS_PER_TRANSACTION },
  'Transaction.inputData': { needs: 'fullTransactions', chars: INPUT_DATA_CHARS },
  'Transaction.decoded': { needs: 'fullTransactions', chars: INPUT_DATA_CHARS },
  'Transaction.*': { needs: 'fullTransactions' },
  'Receipt.logsBloom': { chars: BLOOM_CHARS },
  'Receipt.transaction': link,
  'Receipt.from': link,
  'Receipt.to': link,
  'Receipt.contract': link,
  'Receipt.logs': { size: LOGS_PER_TRANSACTION, addresses: contractsOf },
  'Receipt.block': knownBlock,
  'Token.transfers': {
    fixedCalls: LOG_SEARCH_COST,
    size: pageSize(() => Number.POSITIVE_INFINITY),
    sizedFields: ['nodes', 'edges'],
    returns: 'transactions',
    addresses: 'same',
  },
  'TokenTransfer.from': link,
  'TokenTransfer.to': link,
  'TokenTransfer.log': { addresses: 'same' },
  'TokenTransferConnection.nodes': { addresses: 'same' },
  'TokenTransferConnection.edges': { addresses: 'same' },
  'TokenTransferEdge.node': { addresses: 'same' },
  'LogConnection.nodes': { addresses: 'same' },
  'LogConnection.edges': { addresses: 'same' },
  'LogEdge.node': { addresses: 'same' },
  'Log.account': { addresses: 'same', assumedDistinct: CONTRACTS_PER_OPERATION },
  'Log.transaction': link,
  'Log.block': knownBlock,
  'Log.decoded': { chars: LOG_DATA_CHARS },
  'DecodedEvent.arguments': { size: 3 },
  'DecodedCall.arguments': { size: ARGUMENTS_PER_CALL },
  'DecodedArgument.value': { chars: ARGUMENT_CHARS },
  'DecodedArgument.account': link,
  'Log.topics': { size: 3 },
  'Log.data': { chars: LOG_DATA_CHARS },
};
