import { formatEther, formatUnits } from 'ethers';
import { equalRows, pluck, quantityOfWord, type SeedRow } from './rows.ts';

const TRANSACTION = 'transaction(hash: $transaction)';
const RECEIPT = 'receipt(hash: $transaction)';

/** The decimal form of an amount of wei without trailing zeros. */
export const inEther = (wei: string): string => formatEther(wei).replace(/\.0$/, '');

/** Transactions and receipts. */
export const transactionRows: readonly SeedRow[] = [
  ['Query.transaction', [TRANSACTION, 'inputData'], ({ transaction }) => transaction.input],
  ...equalRows(
    'Transaction',
    [TRANSACTION],
    ({ transaction }) => transaction,
    'hash blockHash blockNumber gas gasPrice nonce value v',
    { inputData: 'input', index: 'transactionIndex' },
  ),
  ['Transaction.r', [TRANSACTION, 'r'], ({ transaction }) => quantityOfWord(transaction.r)],
  ['Transaction.s', [TRANSACTION, 's'], ({ transaction }) => quantityOfWord(transaction.s)],
  ['Transaction.block', [TRANSACTION, 'block', 'stateRoot'], ({ block }) => block.stateRoot],
  ['Transaction.from', [TRANSACTION, 'from', 'address'], ({ transaction }) => transaction.from],
  ['Transaction.to', [TRANSACTION, 'to', 'address'], ({ transaction }) => transaction.to],
  [
    'Transaction.gasPriceIn',
    [TRANSACTION, 'gasPriceIn(unit: GWEI)'],
    ({ transaction }) => formatUnits(transaction.gasPrice, 'gwei').replace(/\.0$/, ''),
  ],
  ['Transaction.valueIn', [TRANSACTION, 'valueIn(unit: ETHER)'], ({ transaction }) => inEther(transaction.value)],
  ['Transaction.state', [TRANSACTION, 'state'], ({ transaction }) => (transaction.blockHash ? 'MINED' : 'PENDING')],
  ['Transaction.receipt', [TRANSACTION, 'receipt', 'gasUsed'], ({ receipt }) => receipt.gasUsed],
  ['Transaction.cumulativeGasUsed', [TRANSACTION, 'cumulativeGasUsed'], ({ receipt }) => receipt.cumulativeGasUsed],
  ['Transaction.gasUsed', [TRANSACTION, 'gasUsed'], ({ receipt }) => receipt.gasUsed],
  [
    'Transaction.createdContract',
    ['transaction(hash: $creation)', 'createdContract', 'address'],
    ({ creation }) => creation.contractAddress,
  ],
  ['Transaction.logs', [TRANSACTION, 'logs', 'data'], ({ receipt }) => pluck('data', receipt.logs)],
  ['Transaction.status', [TRANSACTION, 'status'], ({ receipt }) => receipt.status],
  ['Query.receipt', [RECEIPT, 'gasUsed'], ({ receipt }) => receipt.gasUsed],
  ...equalRows(
    'Receipt',
    [RECEIPT],
    ({ receipt }) => receipt,
    'transactionHash transactionIndex blockHash blockNumber cumulativeGasUsed gasUsed logsBloom root status',
  ),
  ['Receipt.from', [RECEIPT, 'from', 'address'], ({ receipt }) => receipt.from],
  ['Receipt.to', [RECEIPT, 'to', 'address'], ({ receipt }) => receipt.to],
  ['Receipt.contract', ['receipt(hash: $creation)', 'contract', 'address'], ({ creation }) => creation.contractAddress],
  ['Receipt.logs', [RECEIPT, 'logs', 'topics'], ({ receipt }) => pluck('topics', receipt.logs)],
  ['Receipt.succeeded', [RECEIPT, 'succeeded'], ({ receipt }) => receipt.status === '0x1'],
];
