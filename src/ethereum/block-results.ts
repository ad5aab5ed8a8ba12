import { asObject, invalidShape } from './decoders.ts';
import { type Data, isBlockHash, isHeight, isQuantity, type Quantity, sameData, toQuantity } from './hex.ts';
import type { BlockRef, RpcAccessTuple, RpcBlock, RpcTransaction } from './rpc-types.ts';
import { asPending } from './transaction-values.ts';

/** Whether an optional property has no value. */
export const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Whether a value has the length of 32 bytes; the scalars check the digits. */
export const isHash = (value: unknown): value is Data => typeof value === 'string' && value.length === 66;

const isAddress = (value: unknown): boolean => typeof value === 'string' && value.length === 42;

export const isHashOrNullish = (value: unknown): boolean => isNullish(value) || isHash(value);

export const isAddressOrNullish = (value: unknown): boolean => isNullish(value) || isAddress(value);

/** Checks the canonical form first, because it needs no conversion and nearly all numbers have this form. */
export const isNumberOrNullish = (value: unknown): boolean =>
  isNullish(value) || isQuantity(value, 64) || toQuantity(value, 64) !== undefined;

/** Whether two values are equal as numbers; nodes disagree on leading zeros and case. */
export const sameNumber = (a: unknown, b: unknown): boolean => {
  if (a === b) return typeof a === 'string';
  const number = toQuantity(a, 64);
  return number !== undefined && number === toQuantity(b, 64);
};

/**
 * Reads a block by height, tag or hash: null, or the block with the requested height or hash. Like the other readers,
 * this reader checks the values that this server uses as keys, arguments or lists; the scalars check the rest. Plain
 * loops, since a block has hundreds of transactions.
 */
export function readBlock(value: unknown, ref: BlockRef, full: boolean): RpcBlock | null {
  if (isNullish(value)) return null;
  const block = decodeBlock(value);
  if (isBlockHash(ref) ? !sameData(block.hash, ref) : isHeight(ref) && !sameNumber(block.number, ref)) {
    throw invalidShape('the requested block');
  }
  // Nodes disagree on which properties a pending block has.
  if (ref !== 'pending' && (!isHash(block.hash) || isNullish(block.number)))
    throw invalidShape('a block with a hash and a number');
  if (!isNullish(block.transactions)) checkTransactions(block, block.transactions, full, ref !== 'pending');
  return block;
}

/** Reads an ommer: null, or the block with the hash that its including block lists. */
export function readOmmer(value: unknown, hash: Data | undefined): RpcBlock | null {
  if (isNullish(value)) return null;
  const ommer = decodeBlock(value);
  if (hash !== undefined && !sameData(ommer.hash, hash)) throw invalidShape('the requested ommer');
  return ommer;
}

function decodeBlock(value: unknown): RpcBlock {
  const block = asObject<RpcBlock>(value, 'a block');
  const { hash, parentHash, number, miner, uncles, withdrawals } = block;
  if (!isHashOrNullish(hash) || !isHashOrNullish(parentHash)) throw invalidShape('a block with a hash');
  if (!isNumberOrNullish(number) || !isAddressOrNullish(miner)) throw invalidShape('a block');
  checkList(uncles, isHash, 'ommer hashes');
  checkList(withdrawals, isObject, 'withdrawals');
  return block;
}

function checkTransactions({ hash, number }: RpcBlock, transactions: unknown, full: boolean, isMined: boolean): void {
  if (!Array.isArray(transactions)) throw invalidShape('a list of transactions');
  for (let i = 0; i < transactions.length; i++) {
    const entry: unknown = transactions[i];
    if (typeof entry === 'string') {
      if (full || !isHash(entry)) throw invalidShape('a list of transactions');
      continue;
    }
    const transaction = decodeTransaction(entry);
    if (isMined && !isNullish(hash)) checkPosition(transaction, hash, number, i);
  }
}

function checkPosition({ blockHash, blockNumber, transactionIndex }: RpcTransaction, hash: Data, number: Quantity, i: number) {
  if (!sameData(blockHash, hash) || !sameNumber(blockNumber, number) || Number(transactionIndex ?? Number.NaN) !== i) {
    throw invalidShape('a transaction with its position in the block');
  }
}

function decodeTransaction(value: unknown): RpcTransaction {
  const transaction = asObject<RpcTransaction>(value, 'a transaction');
  const { hash, blockHash, blockNumber, transactionIndex, from, to, accessList, blobVersionedHashes, authorizationList } =
    transaction;
  if (!isHash(hash) || !isHashOrNullish(blockHash)) throw invalidShape('a transaction with a hash');
  if (!isNumberOrNullish(blockNumber) || !isNumberOrNullish(transactionIndex))
    throw invalidShape('a transaction with a position');
  if (!isAddressOrNullish(from) || !isAddressOrNullish(to)) throw invalidShape('a transaction with addresses');
  if (!isNullish(blobVersionedHashes)) checkList(blobVersionedHashes, isHash, 'blob hashes');
  if (!isNullish(accessList)) checkAccessList(accessList);
  if (!isNullish(authorizationList)) checkList(authorizationList, isObject, 'an authorization list');
  return transaction;
}

function checkAccessList(accessList: unknown): void {
  checkList(accessList, isObject, 'an access list');
  for (const { storageKeys } of accessList as readonly { storageKeys?: unknown }[]) {
    if (!Array.isArray(storageKeys)) throw invalidShape('an access list');
  }
}

/** Reads an access list. */
export function readAccessTuples(value: unknown): readonly RpcAccessTuple[] {
  if (isNullish(value)) throw invalidShape('an access list');
  checkAccessList(value);
  return value as readonly RpcAccessTuple[];
}

function readRequested(value: unknown, isRequested: (transaction: RpcTransaction) => boolean): RpcTransaction | null {
  if (isNullish(value)) return null;
  const transaction = decodeTransaction(value);
  if (!isRequested(transaction)) throw invalidShape('the requested transaction');
  return transaction;
}

/** Reads a transaction by its hash: null, or the transaction with that hash, pending or mined. */
export function readTransaction(value: unknown, hash: Data): RpcTransaction | null {
  const transaction = readRequested(value, (found) => sameData(found.hash, hash));
  return transaction && isNullish(transaction.blockHash) ? asPending(transaction) : transaction;
}

/** Reads a transaction by block hash and index: null, or the transaction at that position, with the given hash if there is one. */
export const readTransactionAt = (value: unknown, ref: Data, index: Quantity, hash: Data | undefined) =>
  readRequested(value, (found) => {
    const isAtPosition = sameData(found.blockHash, ref) && sameNumber(found.transactionIndex, index);
    return isAtPosition && (hash === undefined || sameData(found.hash, hash));
  });

/** Reads a transaction of the pending block by index: null, or a transaction that states no other position. */
export const readPendingTransaction = (value: unknown, index: Quantity) =>
  readRequested(value, ({ transactionIndex }) => isNullish(transactionIndex) || sameNumber(transactionIndex, index));

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkList(list: unknown, isItem: (item: unknown) => boolean, expected: string): void {
  if (isNullish(list)) return;
  if (!Array.isArray(list) || !list.every(isItem)) throw invalidShape(expected);
}
