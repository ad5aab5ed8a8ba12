import { readBlock, readOmmer, readPendingTransaction } from '../../../ethereum/block-results.ts';
import { BLOCK_LOGS_COST, WHOLE_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { nullable, quantity } from '../../../ethereum/decoders.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { RpcLogFilter } from '../../../ethereum/log-filters.ts';
import { readLogs, readReceipts } from '../../../ethereum/log-results.ts';
import type { RpcPendingBlock } from '../../../ethereum/rpc-types.ts';
import { parameterlessMethod, rpcMethod } from '../../../snapshot/state-methods.ts';

/** The tag of the pending block and its state. Results at it are never cached: the methods name no block of a result. */
export const PENDING = 'pending';

/** The pending block; null when the node has none. */
export const pendingBlockBy = {
  ...rpcMethod(
    'eth_getBlockByNumber',
    (result: unknown, full: boolean) => readBlock(result, PENDING, full) as RpcPendingBlock | null,
    (full: boolean) => [PENDING, full],
  ),
  cost: (full: boolean) => (full ? WHOLE_BLOCK_COST : 1),
};

const countAtPending = (name: string) => ({ ...parameterlessMethod(name, nullable(quantity)), params: () => [PENDING] });

/** Number of transactions of the pending block; null when the node has none. */
export const pendingTransactionCount = countAtPending('eth_getBlockTransactionCountByNumber');

/** Number of ommers of the pending block; null when the node has none. */
export const pendingOmmerCount = countAtPending('eth_getUncleCountByBlockNumber');

/** A transaction of the pending block; null when out of bounds. */
export const pendingTransactionAt = rpcMethod(
  'eth_getTransactionByBlockNumberAndIndex',
  readPendingTransaction,
  (index: Quantity) => [PENDING, index],
);

/** An ommer of the pending block; null when out of bounds. */
export const pendingOmmerAt = rpcMethod(
  'eth_getUncleByBlockNumberAndIndex',
  (result: unknown, _index: Quantity) => readOmmer(result, undefined),
  (index: Quantity) => [PENDING, index],
);

/** Logs of the pending block that match a filter. */
export const pendingLogsBy = {
  ...rpcMethod(
    'eth_getLogs',
    (result: unknown, filter: RpcLogFilter) => readLogs(result, filter),
    (filter: RpcLogFilter) => [filter],
  ),
  cost: () => BLOCK_LOGS_COST,
};

/** Receipts of the pending block, for nodes that do not search its logs. */
export const pendingReceipts = {
  ...rpcMethod(
    'eth_getBlockReceipts',
    (result: unknown) => readReceipts(result, PENDING),
    () => [PENDING],
  ),
  cost: () => WHOLE_BLOCK_COST,
};
