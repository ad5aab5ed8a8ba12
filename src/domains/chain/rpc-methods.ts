import { readOmmer, readTransaction, readTransactionAt, sameNumber } from '../../ethereum/block-results.ts';
import { boolean, data, label, list, listIn, object, orNull, quantity, word, wrong } from '../../ethereum/decoders.ts';
import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import type { WireFilter } from '../../ethereum/log-filters.ts';
import { readLogs, readReceipt, readReceipts } from '../../ethereum/log-results.ts';
import type { BlockRef, RpcFeeHistory, RpcSyncState } from '../../ethereum/rpc-types.ts';
import { BLOCK_LOGS, LOG_SEARCH, RECEIPT_IN_BLOCK, WHOLE_BLOCK } from '../../graphql/pipeline/cost/field-cost.ts';
import { atHash, blockNumber, method, plain, type StateRef, stateAtHash, twin } from '../../snapshot/state-methods.ts';
import type { Place } from '../../upstream/rpc/operation-calls.ts';
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
/** With the hash that the block lists; null when out of bounds. */
export const transactionAt = {
  ...method(
    twin('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
    readTransactionAt,
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...atHash,
};
/** In block shape, with the hash that the block lists; null when out of bounds, or when the node has lost it. */
export const ommerAt = {
  ...method(
    twin('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
    (result: unknown, _ref: Data, _index: Quantity, hash: Data | undefined) => readOmmer(result, hash),
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...atHash,
};

/** Null for an unknown hash; a pending transaction comes without a block. */
export const transactionBy = {
  ...method('eth_getTransactionByHash', readTransaction, (hash: Data) => [hash]),
  placeOf: placeIn,
};
/** Null while the transaction is pending, and for an unknown hash. */
export const receiptBy = {
  ...method('eth_getTransactionReceipt', readReceipt, (hash: Data) => [hash]),
  placeOf: placeIn,
};
/** The same for each transaction of one block, from a node that does not return the receipts of a block together. */
export const receiptInBlock = { ...receiptBy, cost: () => RECEIPT_IN_BLOCK };
/**
 * All receipts of a block, in order, one for each of its transactions where their hashes are given; null when the node knows no such block.
 * Younger than the other methods, and not everywhere.
 */
export const receiptsOf = {
  ...method('eth_getBlockReceipts', readReceipts, (ref: BlockRef, _hashes?: readonly Data[]) => [ref]),
  ...atHash,
  cost: () => WHOLE_BLOCK,
};

/** Logs that pass a filter, in order. */
export const logsBy = {
  ...method('eth_getLogs', readLogs, (filter: WireFilter, _isSome?: boolean) => [filter]),
  isFact: (filter: WireFilter): boolean => 'blockHash' in filter,
  cost: (filter: WireFilter) => (isOneBlock(filter) ? BLOCK_LOGS : LOG_SEARCH),
};

const isOneBlock = (filter: WireFilter): boolean => 'blockHash' in filter || filter.fromBlock === filter.toBlock;

function readFeeHistory(result: unknown, number: Quantity): RpcFeeHistory {
  const history = object<RpcFeeHistory>()(result);
  const { oldestBlock, baseFeePerGas } = history;
  if (!sameNumber(oldestBlock, number)) throw wrong('the fees of the requested block');
  listIn(baseFeePerGas)?.forEach(orNull(quantity));
  return history;
}

/** The same for an empty list that nothing known of the block explains. */
export const confirmedLogsBy = { ...logsBy, confirmsEmpty: true };

/** Base fee of one block and of the block after it; only for the most recent block do all nodes tell the latter right. */
export const baseFees = method('eth_feeHistory', readFeeHistory, (number: Quantity) => [quantityOf(1), number, []]);

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
