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
import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import type { RpcLogFilter } from '../../ethereum/log-filters.ts';
import { readLogs, readReceipt, readReceipts } from '../../ethereum/log-results.ts';
import type { BlockRef, RpcFeeHistory, RpcSyncState } from '../../ethereum/rpc-types.ts';
import {
  BLOCK_LOGS_COST,
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
import type { BlockPointer } from '../../upstream/rpc/operation-calls.ts';
import type { BlockLocation } from './model.ts';

const containingBlockRef = (found: BlockLocation | null): BlockPointer | undefined =>
  found?.blockNumber && found.blockHash ? { number: found.blockNumber, hash: found.blockHash } : undefined;

/** Reads that answer a field of `Query` by the same name. Prices are wei per gas. */
export const queryReads = {
  gasPrice: parameterlessMethod('eth_gasPrice', quantity),
  chainID: parameterlessMethod('eth_chainId', quantity),
};

/** Null while the node is not synchronising. */
export const syncState = parameterlessMethod('eth_syncing', (result) =>
  result === false ? null : object<RpcSyncState>()(result),
);

/** Reads that answer a field of `Network` by the same name. */
export const networkReads = {
  networkID: parameterlessMethod('net_version', versionString),
  protocolVersion: parameterlessMethod('eth_protocolVersion', versionString),
  listening: parameterlessMethod('net_listening', boolean),
  blockNumber: latestBlockNumber,
  accounts: parameterlessMethod('eth_accounts', list(data)),
};

/** Reads that answer a field of `Account` by the same name, with the field's own arguments. Amounts are wei. */
export const accountReads = {
  balance: { name: 'eth_getBalance', read: quantity, ...immutableStateAtBlockHash },
  transactionCount: { name: 'eth_getTransactionCount', read: quantity, ...immutableStateAtBlockHash },
  code: { name: 'eth_getCode', read: data, ...immutableStateAtBlockHash },
  storage: {
    ...rpcMethod('eth_getStorageAt', word, (address: Data, at: BlockParameter, slot: Data) => [address, slot, at]),
    ...immutableStateAtBlockHash,
  },
};

/** Null when the node knows no such block. */
export const transactionCountBy = {
  ...rpcMethod(
    byNumberOrHash('eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'),
    nullable(quantity),
    (ref: BlockRef) => [ref],
  ),
  ...immutableAtBlockHash,
};
/** Null when the node knows no such block. */
export const ommerCountBy = {
  ...rpcMethod(
    byNumberOrHash('eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'),
    nullable(quantity),
    (ref: BlockRef) => [ref],
  ),
  ...immutableAtBlockHash,
};
/** With the hash that the block lists; null when out of bounds. */
export const transactionAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'),
    readTransactionAt,
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
};
/** In block shape, with the hash that the block lists; null when out of bounds, or when the node has lost it. */
export const ommerAt = {
  ...rpcMethod(
    byNumberOrHash('eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'),
    (result: unknown, _ref: Data, _index: Quantity, hash: Data | undefined) => readOmmer(result, hash),
    (ref: Data, index: Quantity, _hash: Data | undefined) => [ref, index],
  ),
  ...immutableAtBlockHash,
};

/** Null for an unknown hash; a pending transaction comes without a block. */
export const transactionBy = {
  ...rpcMethod('eth_getTransactionByHash', readTransaction, (hash: Data) => [hash]),
  inclusionBlock: containingBlockRef,
};
/** Null while the transaction is pending, and for an unknown hash. */
export const receiptBy = {
  ...rpcMethod('eth_getTransactionReceipt', readReceipt, (hash: Data) => [hash]),
  inclusionBlock: containingBlockRef,
};
/** The same for each transaction of one block, from a node that does not return the receipts of a block together. */
export const receiptInBlock = { ...receiptBy, cost: () => RECEIPT_IN_BLOCK_COST };
/**
 * All receipts of a block, in order, one for each of its transactions where their hashes are given; null when the node knows no such block.
 * Younger than the other methods, and not everywhere.
 */
export const receiptsOf = {
  ...rpcMethod('eth_getBlockReceipts', readReceipts, (ref: BlockRef, _hashes?: readonly Data[]) => [ref]),
  ...immutableAtBlockHash,
  cost: () => WHOLE_BLOCK_COST,
};

/** Logs that pass a filter, in order. */
export const logsBy = {
  ...rpcMethod('eth_getLogs', readLogs, (filter: RpcLogFilter, _isSome?: boolean) => [filter]),
  isImmutable: (filter: RpcLogFilter): boolean => 'blockHash' in filter,
  cost: (filter: RpcLogFilter) => (isOneBlock(filter) ? BLOCK_LOGS_COST : LOG_SEARCH_COST),
};

const isOneBlock = (filter: RpcLogFilter): boolean => 'blockHash' in filter || filter.fromBlock === filter.toBlock;

function readFeeHistory(result: unknown, number: Quantity): RpcFeeHistory {
  const history = object<RpcFeeHistory>()(result);
  const { oldestBlock, baseFeePerGas } = history;
  if (!sameNumber(oldestBlock, number)) throw invalidShape('the fees of the requested block');
  listOrNull(baseFeePerGas)?.forEach(nullable(quantity));
  return history;
}

/** The same for an empty list that nothing known of the block explains. */
export const confirmedLogsBy = { ...logsBy, confirmsEmpty: true };

/** Base fee of one block and of the block after it; only for the most recent block do all nodes tell the latter right. */
export const baseFees = rpcMethod('eth_feeHistory', readFeeHistory, (number: Quantity) => [quantityOf(1), number, []]);

export const priorityFee = parameterlessMethod('eth_maxPriorityFeePerGas', quantity);

/** The hash of the transaction as the node sees it; zeros when it has none yet. */
export const sendRaw = rpcMethod('eth_sendRawTransaction', data, (bytes: Data) => [bytes]);
