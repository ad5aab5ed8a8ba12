import {
  BLOCK_LOGS_COST,
  CALL_EXECUTION_COST,
  GAS_ESTIMATE_COST,
  LOG_SEARCH_COST,
  PROOF_COST,
  STORAGE_PROOF_COST,
  TRACE_COST,
  WHOLE_BLOCK_COST,
} from '../../ethereum/call-costs.ts';
import { MAX_PAGE_SIZE } from '../../graphql/connections.ts';
import { DEFAULT_LIST_SIZE, type FieldWeight, type FieldWeights, FREE_FIELD, weightsOf } from '../../graphql/cost/field-cost.ts';
import { MAX_STORAGE_KEYS } from './account/methods.ts';
import * as sizes from './cost-sizes.ts';
import { DEFAULT_MAX_BLOCKS } from './settings.ts';
import { RECEIPT_FIELD_NAMES } from './transaction/plan.ts';

const oneCall: FieldWeight = { calls: 1 };
/** An object whose key is known: only the fields selected on it have a cost. */
const link = FREE_FIELD;
/** A block contains transactions and receipts; the transactions of other fields are fetched one by one. */
const oneBlock: FieldWeight = { calls: 1, returns: 'containers' };
const knownBlock: FieldWeight = { ...oneBlock, knownFields: new Set(['id', 'number', 'hash', '__typename']) };
/** The time of a block, which many nodes return with the object. */
const blockTime: FieldWeight = { calls: 1, returns: 'ownContainer' };
/** A block whose height is known. */
const blockAtHeight: FieldWeight = { ...oneBlock, knownFields: new Set(['number', '__typename']) };
/** The block of a transaction, receipt or log. */
const ownBlock: FieldWeight = { ...knownBlock, returns: 'ownContainer' };
const oneTransaction: FieldWeight = { calls: 1, returns: 'items' };
const transactionList: FieldWeight = { size: sizes.transactionsOfBlock };
const sameAddresses: FieldWeight = { distinct: { keys: 'same' } };
const bloom: FieldWeight = { chars: sizes.BLOOM_CHARS };
const executedCall: FieldWeight = { calls: CALL_EXECUTION_COST };
const accountOfArgument: FieldWeight = { distinct: { keys: sizes.addressOf } };

/** The lists of a connection that have the length of its page. */
const sizedFields = ['nodes', 'edges'];
const pageOfTransactions = { size: sizes.pageSize(() => MAX_PAGE_SIZE), sizedFields };
const pageOfLogs: FieldWeight = { fixedCalls: LOG_SEARCH_COST, returns: 'items', size: sizes.pageOfLogs, sizedFields };
const filteredLogs: FieldWeight = { argument: sizes.filterCost, distinct: { keys: sizes.contractsOf } };
/** One search reads the logs of all duels. */
const logOfDuel: FieldWeight = { distinct: { keys: () => ['logs of duels'], calls: LOG_SEARCH_COST }, returns: 'items' };
const logsOfBlock: FieldWeight = { ...filteredLogs, fixedCalls: BLOCK_LOGS_COST };

/** Cost weights of the chain's fields and of references to its entities. The cost of a subscription is the cost of one event. */
export const chainWeights: FieldWeights = {
  'Query.block': { ...oneBlock, argument: { name: 'timestamp', calls: sizes.TIME_SEARCH_COST } },
  'Query.blocks': { ...oneBlock, size: { assumed: DEFAULT_MAX_BLOCKS, of: sizes.countOfBlocks } },
  'Query.blocksConnection': { size: sizes.pageSize(sizes.maxBlocksOf), sizedFields },
  'Query.transaction': oneTransaction,
  // The number of blocks that are searched depends on the chain; it is limited during execution.
  'Query.transactionsConnection': { ...pageOfTransactions, fixedCalls: WHOLE_BLOCK_COST, returns: 'containers' },
  'Query.receipt': oneTransaction,
  'Query.logs': { ...filteredLogs, fixedCalls: sizes.logSearch, returns: 'items', size: sizes.foundLogs },
  'Query.logsConnection': { ...pageOfLogs, ...filteredLogs, size: { ...sizes.pageOfLogs, containers: sizes.blocksOfFilter } },
  'Query.account': accountOfArgument,
  'Query.pending': { returns: 'containers' },
  ...weightsOf(link, 'Query.network', 'Query.service'),
  'Query.simulate': { fixedCalls: sizes.simulationCost, size: sizes.simulatedCalls, sizedFields: ['calls', 'blocks'] },
  'Query.createAccessList': { fixedCalls: CALL_EXECUTION_COST },
  'Query.feeHistory': { calls: 1, size: sizes.feeHistorySize, sizedFields: ['blocks'] },
  'Query.*': oneCall,
  // References to an account and to a transaction have only the cost of the fields that are selected on them.
  '_Entity.Account': link,
  '_Entity.Block': blockAtHeight,
  '_Entity.Transaction': { returns: 'items' },
  '_Entity.Receipt': { ...oneTransaction, knownFields: new Set(['transactionHash', '__typename']) },
  'Mutation.sendRawTransaction': oneCall,
  'Mutation.submitTransaction': oneTransaction,
  ...weightsOf(oneCall, 'SubmitTransactionPayload.transaction', 'SubmitTransactionPayload.receipt'),
  'Query.streams': { fixedCalls: 1, size: DEFAULT_LIST_SIZE },
  ...weightsOf({ fixedCalls: 1 }, 'Mutation.acknowledge', 'Mutation.deleteStream'),
  ...weightsOf(FREE_FIELD, 'Subscription.newHeads', 'Subscription.reorgs'),
  ...weightsOf({ returns: 'items' }, 'Subscription.logs', 'Subscription.pendingTransactions'),
  'Subscription.logPages': { returns: 'items', size: DEFAULT_LIST_SIZE, sizedFields: ['nodes'] },
  // One lookup by hash per new head.
  'Subscription.transactionStatus': oneTransaction,
  ...weightsOf(oneCall, 'TransactionStatusUpdate.receipt', 'TransactionStatusUpdate.succeeded'),
  'Network.accounts': { fixedCalls: 1, size: DEFAULT_LIST_SIZE },
  'Network.*': oneCall,
  ...weightsOf({ size: 20 }, 'ForkConfig.precompiles', 'ForkConfig.systemContracts'),
  // A search over a long chain, in the cheapest case of one call for each height.
  'Service.availableRange': { fixedCalls: 30 },

  ...weightsOf({ fixedCalls: CALL_EXECUTION_COST }, 'AccessListResult.revertReason', 'AccessListResult.revertError'),
  ...weightsOf(FREE_FIELD, 'CallResult.revertReason', 'SimulatedCall.revertReason', 'ContractRead.revertError'),
  ...weightsOf(FREE_FIELD, 'CallResult.revertError', 'SimulatedCall.revertError'),
  'ContractRead.results': { size: sizes.OUTPUTS_PER_READ },
  'CallResult.gasUsed': executedCall,
  'Simulation.block': oneBlock,
  ...weightsOf({ size: sizes.LOGS_PER_TRANSACTION }, 'SimulatedCall.logs', 'SimulatedCall.transfers'),
  // The size of `Simulation.blocks` is that of the calls of all blocks.
  ...weightsOf({ size: 1 }, 'SimulatedBlock.calls', 'SimulatedBlock.transactions', 'SimulatedBlock.transactionHashes'),
  ...weightsOf(link, 'SimulatedBlock.miner', 'SimulatedTransaction.from', 'SimulatedTransaction.to', 'SimulatedLog.account'),
  ...weightsOf({ size: 3 }, 'SimulatedLog.topics', 'Log.topics', 'DecodedEvent.arguments'),
  ...weightsOf({ chars: sizes.LOG_DATA_CHARS }, 'SimulatedLog.data', 'Log.data', 'Log.decoded'),
  'SimulatedTransaction.inputData': { chars: sizes.INPUT_DATA_CHARS },
  'NativeTransfer.*': link,
  'FeeHistory.nextBaseFeePerGas': oneCall,
  'FeeHistoryBlock.block': oneBlock,

  ...weightsOf(FREE_FIELD, 'Account.address', 'Account.id'),
  'Account.read': executedCall,
  'Account.code': { ...oneCall, chars: sizes.CODE_CHARS },
  'Account.proof': {
    calls: PROOF_COST,
    // The call contains the proofs of the keys, whatever is selected of them.
    fixedCalls: {
      assumed: STORAGE_PROOF_COST * MAX_STORAGE_KEYS,
      of: (args) => STORAGE_PROOF_COST * sizes.storageKeysIn(args),
    },
    size: { assumed: MAX_STORAGE_KEYS, of: sizes.storageKeysIn },
    sizedFields: ['storageProof'],
  },
  'Account.storageMany': { calls: 1, size: sizes.slotsIn },
  'Account.*': oneCall,
  ...weightsOf({ size: sizes.NODES_PER_PROOF, chars: sizes.NODE_CHARS }, 'AccountProof.accountProof', 'StorageProof.proof'),

  'BlockHeader.miner': link,
  ...weightsOf(
    bloom,
    'BlockHeader.logsBloom',
    'Block.logsBloom',
    'PendingBlock.logsBloom',
    'SimulatedBlock.logsBloom',
    'Receipt.logsBloom',
  ),
  'BlockHeader.block': oneBlock,
  'Reorg.commonAncestor': knownBlock,
  ...weightsOf({ size: sizes.BLOCKS_PER_REORG }, 'Reorg.dropped', 'Reorg.added'),
  ...weightsOf(blockAtHeight, 'BlockConnection.nodes', 'BlockEdge.node'),
  // The first and the last block of the page.
  'BlockConnection.pageInfo': { calls: 2 },
  'BlockEdge.cursor': oneCall,
  'Block.miner': link,
  // The head and the finalized block are read once for all operations.
  ...weightsOf(FREE_FIELD, 'Block.confirmations', 'Block.finalized'),
  'Block.parent': knownBlock,
  'Block.ommers': { ...oneBlock, size: 2 },
  'Block.ommerAt': oneBlock,
  // The header of the child, or the node's prediction when there is no child.
  'Block.nextBaseFeePerGas': { calls: 2 },
  ...weightsOf(transactionList, 'Block.transactions', 'Block.transactionHashes'),
  'Block.transactionAt': oneTransaction,
  // A filter needs full transactions.
  'Block.transactionsConnection': { ...pageOfTransactions, argument: { name: 'filter', calls: WHOLE_BLOCK_COST } },
  'Block.receipts': { ...transactionList, needs: sizes.receipts },
  'Block.logs': { ...logsOfBlock, size: sizes.transactionsOfBlock },
  'Block.withdrawals': { size: 16 },
  'Block.account': accountOfArgument,
  'Block.call': executedCall,
  ...weightsOf({ calls: GAS_ESTIMATE_COST }, 'Block.estimateGas', 'Pending.estimateGas'),
  // About the average of a mainnet block.
  'Block.accessList': { fixedCalls: WHOLE_BLOCK_COST, size: 300 },
  ...weightsOf({ size: 3 }, 'AccountAccess.storageChanges', 'AccountAccess.storageReads', 'AccountAccess.balanceChanges'),
  ...weightsOf({ size: 1 }, 'AccountAccess.nonceChanges', 'AccountAccess.codeChanges', 'SlotChanges.changes'),
  'CodeChange.code': { chars: sizes.CODE_CHARS },
  'Block.rawHeader': { chars: sizes.HEADER_CHARS },
  // The block with full transactions; the cost of the block counts again for fields of the transactions.
  'Block.raw': {
    calls: WHOLE_BLOCK_COST,
    chars: sizes.HEADER_CHARS + sizes.TRANSACTIONS_PER_BLOCK * sizes.TRANSACTION_CHARS,
  },
  ...weightsOf({ ...transactionList, calls: TRACE_COST }, 'Block.traces', 'Block.executionTraces'),
  'Transaction.trace': { fixedCalls: TRACE_COST, needs: sizes.fullTransactions, size: sizes.CALLS_PER_TRANSACTION },
  'Transaction.stateDiff': { fixedCalls: TRACE_COST, needs: sizes.fullTransactions, size: sizes.ACCOUNTS_PER_DIFF },
  'Transaction.executionTrace': { calls: TRACE_COST },
  ...weightsOf(link, 'TransactionTrace.transaction', 'ExecutionTrace.transaction'),
  'TransactionTrace.calls': { size: sizes.CALLS_PER_TRANSACTION },
  ...weightsOf(link, 'CallFrame.*', 'AccountDiff.account'),
  ...weightsOf({ chars: sizes.INPUT_DATA_CHARS }, 'CallFrame.input', 'CallFrame.output'),
  'AccountDiff.storage': { size: sizes.ACCOUNTS_PER_DIFF },
  'ExecutionTrace.structLogs': { size: sizes.STEPS_PER_TRANSACTION },
  ...weightsOf({ size: sizes.STACK_WORDS }, 'StructLog.stack', 'StructLog.memory'),
  'StructLog.storage': { size: 1 },
  'Pending.transactions': { fixedCalls: 1, size: sizes.TRANSACTIONS_PER_BLOCK },
  'Pending.account': accountOfArgument,
  'Pending.call': executedCall,
  'Pending.transactionAt': oneTransaction,
  'Pending.ommerAt': oneBlock,
  'Pending.logs': { ...logsOfBlock, size: sizes.LOGS_PER_TRANSACTION * sizes.TRANSACTIONS_PER_BLOCK, returns: 'items' },
  'Pending.*': oneCall,
  'PendingBlock.miner': link,
  'PendingBlock.parent': knownBlock,

  // The hash and position of a transaction are known with its block.
  ...weightsOf(FREE_FIELD, 'Transaction.id', 'Transaction.hash', 'Transaction.index'),
  ...weightsOf(FREE_FIELD, 'Transaction.blockHash', 'Transaction.blockNumber'),
  ...weightsOf(blockTime, 'Transaction.blockTimestamp', 'Receipt.blockTimestamp', 'Log.blockTimestamp'),
  'Transaction.block': ownBlock,
  ...weightsOf({ needs: sizes.receipts }, ...RECEIPT_FIELD_NAMES.map((name) => `Transaction.${name}`)),
  'Transaction.logs': { needs: sizes.receipts, size: sizes.LOGS_PER_TRANSACTION },
  ...weightsOf({ needs: sizes.fullTransactions, chars: sizes.INPUT_DATA_CHARS }, 'Transaction.inputData', 'Transaction.decoded'),
  'Transaction.raw': { needs: sizes.fullTransactions, chars: sizes.TRANSACTION_CHARS },
  'Transaction.rawReceipt': { needs: sizes.receipts, chars: sizes.RECEIPT_CHARS },
  'Transaction.*': { needs: sizes.fullTransactions },
  // The server recovers the signer, which takes about as long as it works for a call.
  'Authorization.authority': oneCall,
  'Receipt.logs': { size: sizes.LOGS_PER_TRANSACTION, distinct: { keys: sizes.contractsOf } },
  'Receipt.block': ownBlock,
  'Receipt.*': link,

  // All events of an operation are one search.
  ...weightsOf(logOfDuel, 'Duel.startLog', 'Duel.endLog', 'Duel.transaction'),
  'Token.transfers': { ...pageOfLogs, ...sameAddresses },
  ...weightsOf(sameAddresses, 'TokenTransfer.log', 'TokenTransferEdge.node'),
  ...weightsOf(sameAddresses, 'TokenTransferConnection.nodes', 'TokenTransferConnection.edges'),
  'TokenTransfer.*': link,
  ...weightsOf(sameAddresses, 'LogConnection.nodes', 'LogConnection.edges', 'LogEdge.node'),
  'Log.account': { distinct: { keys: 'same', assumed: sizes.CONTRACTS_PER_OPERATION } },
  'Log.transaction': link,
  'Log.block': ownBlock,
  ...weightsOf({ size: sizes.ARGUMENTS_PER_CALL }, 'DecodedCall.arguments', 'DecodedError.arguments'),
  'DecodedArgument.value': { chars: sizes.ARGUMENT_CHARS },
  'DecodedArgument.account': link,
};
