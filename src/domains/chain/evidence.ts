import type { Evidence, FieldEvidence } from '../../operation/trust.ts';

/** A value that the header of its block, the field above it or the request determines. */
const PROVEN: readonly Evidence[] = [];

/** The entries of fields of one type that depend on the same evidence. */
const fieldsOf = (type: string, evidence: readonly Evidence[], ...names: readonly string[]): FieldEvidence =>
  Object.fromEntries(names.map((name) => [`${type}.${name}`, evidence]));

const LOGS: readonly Evidence[] = ['receipts', 'logs'];
const IN_RECEIPT: readonly Evidence[] = ['receipts'];
const IN_BLOCK: readonly Evidence[] = ['position'];

/**
 * What proves the values of the chain. Without an entry are values that no header commits to: senders, and what follows from them; prices; results of
 * calls; pending data; finality.
 */
export const chainEvidence: FieldEvidence = {
  ...fieldsOf('Query', ['block'], 'block', 'blocks', 'blocksConnection'),
  ...fieldsOf('Query', ['logs', 'block'], 'logs', 'logsConnection'),
  ...fieldsOf('Query', PROVEN, 'account', 'service', '_service'),
  'Query.transaction': ['transactions'],
  'Query.receipt': IN_RECEIPT,
  'Query._entities': ['block', 'transactions', 'receipts'],
  'Service.version': PROVEN,
  'Service.limits': PROVEN,
  'ServiceLimit.*': PROVEN,
  'Subscription.newHeads': PROVEN,
  'Subscription.reorgs': PROVEN,
  'Subscription.logs': ['logs'],
  'Reorg.*': PROVEN,

  ...fieldsOf(
    'Block',
    PROVEN,
    'id',
    'number',
    'hash',
    'parentHash',
    'stateRoot',
    'transactionsRoot',
    'receiptsRoot',
    'logsBloom',
  ),
  ...fieldsOf('Block', PROVEN, 'nonce', 'miner', 'extraData', 'mixHash', 'difficulty', 'timestamp', 'timestampISO', 'ommerHash'),
  ...fieldsOf('Block', PROVEN, 'gasLimit', 'gasUsed', 'baseFeePerGas', 'blobGasUsed', 'excessBlobGas', 'withdrawalsRoot'),
  ...fieldsOf('Block', PROVEN, 'slotNumber', 'blockAccessListHash', 'account', 'rawHeader', 'raw'),
  'Block.parent': ['block'],
  ...fieldsOf('Block', ['transactionList'], 'transactions', 'transactionHashes', 'transactionCount', 'transactionAt'),
  'Block.transactionsConnection': ['transactionList', 'senders'],
  'Block.receipts': IN_RECEIPT,
  'Block.logs': LOGS,
  'Block.withdrawals': ['withdrawals'],
  ...fieldsOf('Block', ['ommers'], 'ommers', 'ommerAt', 'ommerCount', 'ommerHashes'),
  'BlockHeader.block': ['block'],
  'BlockHeader.*': PROVEN,
  'Withdrawal.*': PROVEN,
  'BlockConnection.*': PROVEN,
  'BlockEdge.*': PROVEN,
  'PageInfo.*': PROVEN,
  'TransactionConnection.*': PROVEN,
  'TransactionEdge.*': PROVEN,

  ...fieldsOf(
    'Transaction',
    ['transactions'],
    'nonce',
    'to',
    'value',
    'valueIn',
    'gas',
    'inputData',
    'decoded',
    'type',
    'accessList',
  ),
  ...fieldsOf('Transaction', ['transactions'], 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas', 'blobVersionedHashes'),
  ...fieldsOf('Transaction', ['transactions'], 'id', 'hash', 'r', 's', 'v', 'yParity', 'raw'),
  ...fieldsOf('Transaction', IN_BLOCK, 'index', 'blockHash', 'blockNumber', 'state'),
  ...fieldsOf('Transaction', IN_RECEIPT, 'receipt', 'status', 'gasUsed', 'cumulativeGasUsed', 'rawReceipt'),
  'Transaction.logs': LOGS,
  'AccessTuple.*': PROVEN,
  'Transaction.block': ['position', 'block'],
  'Receipt.block': ['position', 'block'],
  'Log.block': [...LOGS, 'block'],

  ...fieldsOf('Receipt', IN_RECEIPT, 'cumulativeGasUsed', 'gasUsed', 'logsBloom', 'status', 'succeeded', 'type'),
  ...fieldsOf('Receipt', ['transactionList', 'position'], 'transactionHash', 'transaction', 'transactionIndex'),
  ...fieldsOf('Receipt', IN_BLOCK, 'blockHash', 'blockNumber'),
  'Receipt.logs': LOGS,

  ...fieldsOf('Log', LOGS, 'id', 'index', 'account', 'topics', 'data', 'decoded', 'removed', 'cursor'),
  ...fieldsOf('Log', LOGS, 'blockHash', 'blockNumber'),
  ...fieldsOf('Log', ['receipts', 'logs', 'transactionList'], 'transaction', 'transactionHash', 'transactionIndex'),
  'LogConnection.*': PROVEN,
  'LogEdge.*': PROVEN,
  'DecodedCall.*': PROVEN,
  'DecodedEvent.*': PROVEN,
  'DecodedArgument.*': PROVEN,

  ...fieldsOf('Account', PROVEN, 'address', '_at'),
  'Account.id': ['block'],
  ...fieldsOf('Account', ['state', 'block'], 'balance', 'balanceIn', 'transactionCount', 'code', 'isContract'),
  ...fieldsOf('Account', ['state', 'block'], 'storage', 'mappingStorage', 'proof'),
  'AccountProof.*': PROVEN,
  'StorageProof.*': PROVEN,
};
