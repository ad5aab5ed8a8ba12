import type { Evidence, FieldEvidence } from '../../operation/trust.ts';

/** A value that the header of its block, the field above it or the request determines. */
const PROVEN: readonly Evidence[] = [];

/** The entries of fields of one type that depend on the same evidence. */
const fieldsOf = (type: string, evidence: readonly Evidence[], ...names: readonly string[]): FieldEvidence =>
  Object.fromEntries(names.map((name) => [`${type}.${name}`, evidence]));

/** The entries of types all of whose fields are proven. */
const provenTypes = (...types: readonly string[]): FieldEvidence =>
  Object.fromEntries(types.map((type) => [`${type}.*`, PROVEN]));

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
  ...fieldsOf('Service', PROVEN, 'version', 'limits'),
  ...fieldsOf('Subscription', PROVEN, 'newHeads', 'reorgs'),
  ...fieldsOf('Subscription', ['logs'], 'logs', 'logPages'),

  ...provenTypes(
    'ServiceLimit',
    'Reorg',
    'BlockHeader',
    'Withdrawal',
    'AccessTuple',
    'Authorization',
    'AccountProof',
    'StorageProof',
  ),
  ...provenTypes('AccountAccess', 'SlotChanges', 'StorageChange', 'BalanceChange', 'NonceChange', 'CodeChange'),
  ...provenTypes('DecodedCall', 'DecodedEvent', 'DecodedError', 'DecodedArgument', 'PageInfo', 'BlockConnection', 'BlockEdge'),
  ...provenTypes('TransactionConnection', 'TransactionEdge', 'LogConnection', 'LogEdge', 'LogPage'),

  ...fieldsOf('Block', PROVEN, 'id', 'number', 'hash', 'parentHash', 'stateRoot', 'transactionsRoot', 'receiptsRoot'),
  ...fieldsOf('Block', PROVEN, 'logsBloom', 'nonce', 'miner', 'extraData', 'mixHash', 'difficulty', 'timestamp', 'timestampISO'),
  ...fieldsOf('Block', PROVEN, 'gasLimit', 'gasUsed', 'baseFeePerGas', 'blobGasUsed', 'excessBlobGas', 'withdrawalsRoot'),
  ...fieldsOf('Block', PROVEN, 'parentBeaconBlockRoot', 'requestsHash', 'slotNumber', 'blockAccessListHash', 'ommerHash'),
  ...fieldsOf('Block', PROVEN, 'account', 'accessList', 'rawHeader', 'raw'),
  'Block.parent': ['block'],
  ...fieldsOf('Block', ['transactionList'], 'transactions', 'transactionHashes', 'transactionCount', 'transactionAt'),
  'Block.transactionsConnection': ['transactionList', 'senders'],
  'Block.receipts': IN_RECEIPT,
  'Block.logs': LOGS,
  'Block.withdrawals': ['withdrawals'],
  ...fieldsOf('Block', ['ommerList'], 'ommerCount', 'ommerHashes'),
  ...fieldsOf('Block', ['ommers'], 'ommers', 'ommerAt'),
  'BlockHeader.block': ['block'],

  ...fieldsOf('Transaction', ['transactions'], 'id', 'hash', 'nonce', 'to', 'value', 'valueIn', 'gas', 'inputData', 'decoded'),
  ...fieldsOf('Transaction', ['transactions'], 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas', 'blobVersionedHashes'),
  ...fieldsOf('Transaction', ['transactions'], 'authorizationList', 'type', 'accessList', 'r', 's', 'v', 'yParity', 'raw'),
  ...fieldsOf('Transaction', IN_BLOCK, 'index', 'blockHash', 'blockNumber', 'state'),
  ...fieldsOf('Transaction', IN_RECEIPT, 'receipt', 'status', 'gasUsed', 'cumulativeGasUsed', 'rawReceipt'),
  'Transaction.logs': LOGS,
  ...fieldsOf('Transaction', ['position', 'block'], 'block', 'blockTimestamp'),
  ...fieldsOf('Receipt', ['position', 'block'], 'block', 'blockTimestamp'),
  ...fieldsOf('Log', [...LOGS, 'block'], 'block', 'blockTimestamp'),

  ...fieldsOf('Receipt', IN_RECEIPT, 'cumulativeGasUsed', 'gasUsed', 'logsBloom', 'status', 'succeeded', 'type'),
  ...fieldsOf('Receipt', ['transactionList', 'position'], 'transactionHash', 'transaction', 'transactionIndex'),
  ...fieldsOf('Receipt', IN_BLOCK, 'blockHash', 'blockNumber'),
  'Receipt.logs': LOGS,

  ...fieldsOf('Log', LOGS, 'id', 'index', 'account', 'topics', 'data', 'decoded', 'removed', 'cursor'),
  ...fieldsOf('Log', LOGS, 'blockHash', 'blockNumber'),
  ...fieldsOf('Log', ['receipts', 'logs', 'transactionList'], 'transaction', 'transactionHash', 'transactionIndex'),

  ...fieldsOf('Account', PROVEN, 'address', '_at'),
  'Account.id': ['block'],
  ...fieldsOf('Account', ['state', 'block'], 'balance', 'balanceIn', 'transactionCount', 'code', 'isContract'),
  ...fieldsOf('Account', ['state', 'block'], 'storage', 'mappingStorage', 'arrayStorage', 'storageMany', 'proof'),
};
