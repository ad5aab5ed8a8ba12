import type { WireFilter } from '../../evm/filters.ts';
import { type Data, type Quantity, quantityOf } from '../../evm/hex.ts';
import type { BlockRef, RpcBlock, RpcFeeHistory, RpcLog, RpcReceipt, RpcSyncState, RpcTransaction } from '../../evm/rpc.ts';
import { boolean, data, label, list, object, orNull, quantity, word } from '../../evm/shapes.ts';
import { BLOCK_LOGS, LOG_SEARCH, RECEIPT_IN_BLOCK, WHOLE_BLOCK } from '../../graphql/limits-weights.ts';
import type { Place } from '../../upstream/calls.ts';
import { atHash, blockNumber, method, plain, type StateRef, stateAtHash, twin } from '../../view/methods.ts';
import type { InBlock } from './model.ts';

const placeIn = (found: InBlock | null): Place | undefined =>
  found?.blockNumber && found.blockHash ? { number: found.blockNumber, hash: found.blockHash } : undefined;

/** Reads that answer a field of `Query` by the same name. Prices are wei per gas. */
export const queryReads = {
  gasPrice: plain('eth_gasPrice', quantity),
  chainID: plain('eth_chainId', quantity),
};

/** Null while the node is not synchronising. */
export const syncState = plain('eth_syncing', (result) => (result === false ? null : object<RpcSyncState>()(result)));

/** Reads that answer a field of `Network` by the same name. */
export const networkReads = {
  networkID: plain('net_version', label),
  protocolVersion: plain('eth_protocolVersion', label),
  listening: plain('net_listening', boolean),
  blockNumber,
  accounts: plain('eth_accounts', list(data)),
};

/** Reads that answer a field of `Account` by the same name, with the field's own arguments. Amounts are wei. */
export const accountReads = {
  balance: { name: 'eth_getBalance', read: quantity, ...stateAtHash },
  transactionCount: { name: 'eth_getTransactionCount', read: quantity, ...stateAtHash },
  code: { name: 'eth_getCode', read: data, ...stateAtHash },
  storage: {
    ...method('eth_getStorageAt', word, (address: Data, at: StateRef, slot: Data) => [address, slot, at]),
    ...stateAtHash,
  },
};

/** Null when the node knows no such block. */
export const transactionCountBy = {
  ...method(
    twin('eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'),
    orNull(quantity),
    (ref: BlockRef) => [ref],
  ),
  ...atHash,
};
/** Null when the node knows no such block. */
export const ommerCountBy = {
  ...method(twin('eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'), orNull(quantity), (ref: BlockRef) => [ref]),
  ...atHash,
};
/** Null when out of bounds. */
export const transactionAt = {
  ...method(
    twin('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
    orNull(object<RpcTransaction>()),
    (ref: BlockRef, index: Quantity) => [ref, index],
  ),
  ...atHash,
};
/** In block shape; null when out of bounds, or when the node has lost it. */
export const ommerAt = {
  ...method(
    twin('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
    orNull(object<RpcBlock>()),
    (ref: BlockRef, index: Quantity) => [ref, index],
  ),
  ...atHash,
};

/** Null for an unknown hash; a pending transaction comes without a block. */
export const transactionBy = {
  ...method('eth_getTransactionByHash', orNull(object<RpcTransaction>()), (hash: Data) => [hash]),
  placeOf: placeIn,
};
/** Null while the transaction is pending, and for an unknown hash. */
export const receiptBy = {
  ...method('eth_getTransactionReceipt', orNull(object<RpcReceipt>()), (hash: Data) => [hash]),
  placeOf: placeIn,
};
/** The same for each transaction of one block, from a node that does not return the receipts of a block together. */
export const receiptInBlock = { ...receiptBy, cost: () => RECEIPT_IN_BLOCK };
/** All receipts of a block, in order; null when the node knows no such block. Younger than the other methods, and not everywhere. */
export const receiptsOf = {
  ...method('eth_getBlockReceipts', orNull(list(object<RpcReceipt>())), (ref: BlockRef) => [ref]),
  ...atHash,
  cost: () => WHOLE_BLOCK,
};

export const logsBy = {
  ...method('eth_getLogs', list(object<RpcLog>()), (filter: WireFilter) => [filter]),
  isFact: (filter: WireFilter): boolean => 'blockHash' in filter,
  cost: (filter: WireFilter) => (isOneBlock(filter) ? BLOCK_LOGS : LOG_SEARCH),
};

const isOneBlock = (filter: WireFilter): boolean => 'blockHash' in filter || filter.fromBlock === filter.toBlock;

/** Base fee of one block and of the block after it; only for the most recent block do all nodes tell the latter right. */
export const baseFees = method('eth_feeHistory', object<RpcFeeHistory>(), (number: Quantity) => [quantityOf(1), number, []]);

export const priorityFee = plain('eth_maxPriorityFeePerGas', quantity);

/** The hash of the transaction as the node sees it; zeros when it has none yet. */
export const sendRaw = method('eth_sendRawTransaction', data, (bytes: Data) => [bytes]);

/** Subscriptions to whole pending transactions that a node may have under a prefix of its own, beside the standard's. */
const PENDING = {
  svc: ['svc_newFullPendingTransactions'],
  alchemy: ['alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions'],
  plain: [],
};

/** Those to be tried, in this order, by the setting that says which methods a node has. */
export const pendingSubscriptions = (prefix: 'auto' | keyof typeof PENDING): readonly string[] =>
  prefix === 'auto' ? [...PENDING.svc, ...PENDING.alchemy] : PENDING[prefix];
