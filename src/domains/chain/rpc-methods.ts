import { readOmmer, readTransaction, readTransactionAt, sameNumber } from '../../ethereum/block-results.ts';
import {
  boolean,
  data,
  invalidShape,
  list,
  listOrNull,
  nullable,
  object,
  quantity,
  versionString,
  word,
} from '../../ethereum/decoders.ts';
import { type Data, isHeight, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import { countFilterValues, type RpcLogFilter } from '../../ethereum/log-filters.ts';
import { readLogs, readReceipt, readReceipts } from '../../ethereum/log-results.ts';
import type { BlockRef, RpcFeeHistory, RpcSyncState } from '../../ethereum/rpc-types.ts';
import {
  BLOCK_LOGS_COST,
  FILTER_VALUE_COST,
  LOG_SEARCH_COST,
  RECEIPT_IN_BLOCK_COST,
  WHOLE_BLOCK_COST,
} from '../../graphql/pipeline/cost/field-cost.ts';
import {
  type BlockParameter,
  byNumberOrHash,
  immutableAtBlockHash,
  immutableStateAtBlockHash,
  latestBlockNumber,
  parameterlessMethod,
  rpcMethod,
} from '../../snapshot/state-methods.ts';
import type { BlockPointer } from '../../upstream/rpc/rpc-method.ts';
import type { BlockLocation } from './model.ts';

const inclusionBlockOf = (result: BlockLocation | null): BlockPointer | undefined =>
  result?.blockNumber && result.blockHash ? { number: result.blockNumber, hash: result.blockHash } : undefined;

/** Methods whose result is the field of `Query` with the same name. Prices are in wei per gas. */
export const queryReads = {
  gasPrice: parameterlessMethod('eth_gasPrice', quantity),
  chainID: parameterlessMethod('eth_chainId', quantity),
};

/** Synchronisation progress; null while the node is not synchronising. */
export const syncState = parameterlessMethod('eth_syncing', (result) =>
  result === false ? null : object<RpcSyncState>()(result),
);

/** Methods whose result is the field of `Network` with the same name. */
export const networkReads = {
  networkID: parameterlessMethod('net_version', versionString),
  protocolVersion: parameterlessMethod('eth_protocolVersion', versionString),
  listening: parameterlessMethod('net_listening', boolean),
  blockNumber: latestBlockNumber,
  accounts: parameterlessMethod('eth_accounts', list(data)),
};

/** Methods whose result is the field of `Account` with the same name. Amounts are in wei. */
export const accountReads = {
  balance: { name: 'eth_getBalance', read: quantity, ...immutableStateAtBlockHash },
  transactionCount: { name: 'eth_getTransactionCount', read: quantity, ...immutableStateAtBlockHash },
  code: { name: 'eth_getCode', read: data, ...immutableStateAtBlockHash },
  storage: {
    ...rpcMethod('eth_getStorageAt', word, (address: Data, at: BlockParameter, slot: Data) => [address, slot, at]),
    ...immutableStateAtBlockHash,
  },
};

/** Number of transactions of a block; null when the node does not have the block. */
export const transactionCountBy = {
  ...rpcMethod(
    byNumberOrHash('eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'),
    nullable(quantity),
    (ref: BlockRef) => [ref],
  ),
  ...immutableAtBlockHash,
};
/** Number of ommers of a block; null when the node does not have the block. */
export const ommerCountBy = {
  ...rpcMethod(
    byNumberOrHash('eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'),
    nullable(quantity),
    (ref: BlockRef) => [ref],
  ),
  ...immutableAtBlockHash,
};
/** A transaction by position, checked against the hash that the block lists; null when out of bounds. */
export const transactionAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
    readTransactionAt,
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
};
/** An ommer by position, as a block, checked against the hash that the block lists; null when out of bounds or pruned by the node. */
export const ommerAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
    (result: unknown, _ref: Data, _index: Quantity, hash: Data | undefined) => readOmmer(result, hash),
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
};

/** A transaction by hash; null for an unknown hash. A pending transaction has no block. */
export const transactionBy = {
  ...rpcMethod('eth_getTransactionByHash', readTransaction, (hash: Data) => [hash]),
  inclusionBlock: inclusionBlockOf,
};
/** A receipt by transaction hash; null while the transaction is pending, and for an unknown hash. */
export const receiptBy = {
  ...rpcMethod('eth_getTransactionReceipt', readReceipt, (hash: Data) => [hash]),
  inclusionBlock: inclusionBlockOf,
};
/** `receiptBy` for each transaction of one block, on a node without `eth_getBlockReceipts`. */
export const receiptInBlock = { ...receiptBy, cost: () => RECEIPT_IN_BLOCK_COST };
/**
 * All receipts of a block, in order, checked against the transaction hashes where these are given; null when the node does not have the block.
 * Not every node has this method.
 */
export const receiptsOf = {
  ...rpcMethod('eth_getBlockReceipts', readReceipts, (ref: BlockRef, _hashes?: readonly Data[]) => [ref]),
  ...immutableAtBlockHash,
  cost: () => WHOLE_BLOCK_COST,
};

/** Logs that match a filter, in order. */
export const logsBy = {
  ...rpcMethod('eth_getLogs', readLogs, (filter: RpcLogFilter, _expectsLogs?: boolean) => [filter]),
  blockHash: (filter: RpcLogFilter): Data | undefined => ('blockHash' in filter ? filter.blockHash : undefined),
  height: (filter: RpcLogFilter): Quantity | undefined =>
    'blockHash' in filter || !isHeight(filter.fromBlock) || !isHeight(filter.toBlock) ? undefined : filter.toBlock,
  cost: (filter: RpcLogFilter) =>
    (isOneBlock(filter) ? BLOCK_LOGS_COST : LOG_SEARCH_COST) +
    FILTER_VALUE_COST * countFilterValues(filter.address, filter.topics),
};

const isOneBlock = (filter: RpcLogFilter): boolean => 'blockHash' in filter || filter.fromBlock === filter.toBlock;

function readFeeHistory(result: unknown, number: Quantity): RpcFeeHistory {
  const history = object<RpcFeeHistory>()(result);
  const { oldestBlock, baseFeePerGas } = history;
  if (!sameNumber(oldestBlock, number)) throw invalidShape('the fees of the requested block');
  listOrNull(baseFeePerGas)?.forEach(nullable(quantity));
  return history;
}

/** `logsBy` where an empty list must be confirmed, because nothing known of the block explains it. */
export const confirmedLogsBy = { ...logsBy, confirmsEmpty: true };

/** Base fees of a block and of its child. Some nodes return a wrong fee of the child unless the block is the most recent one. */
export const baseFees = rpcMethod('eth_feeHistory', readFeeHistory, (number: Quantity) => [quantityOf(1), number, []]);

/** The node's suggested priority fee in wei per gas. */
export const priorityFee = parameterlessMethod('eth_maxPriorityFeePerGas', quantity);

/** Submits a signed transaction. Returns its hash as computed by the node; zeros when the node does not know it yet. */
export const sendRaw = rpcMethod('eth_sendRawTransaction', data, (bytes: Data) => [bytes]);
