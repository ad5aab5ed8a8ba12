import { BLOCK_LOGS_COST, FILTER_VALUE_COST, LOG_SEARCH_COST } from '../../../ethereum/call-costs.ts';
import { type BlockOfLogs, logsContradiction } from '../../../ethereum/header-checks.ts';
import { type Data, isHeight, type Quantity } from '../../../ethereum/hex.ts';
import { countFilterValues, type RpcLogFilter } from '../../../ethereum/log-filters.ts';
import { readLogs } from '../../../ethereum/log-results.ts';
import { rpcMethod } from '../../../snapshot/state-methods.ts';

/** Logs that match a filter, in order. */
export const logsBy = {
  ...rpcMethod('eth_getLogs', readLogs, (filter: RpcLogFilter, _expectsLogs?: boolean, _block?: BlockOfLogs) => [filter]),
  contradiction: logsContradiction,
  blockHash: (filter: RpcLogFilter): Data | undefined => ('blockHash' in filter ? filter.blockHash : undefined),
  height: (filter: RpcLogFilter): Quantity | undefined =>
    'blockHash' in filter || !isHeight(filter.fromBlock) || !isHeight(filter.toBlock) ? undefined : filter.toBlock,
  cost: (filter: RpcLogFilter) =>
    (isOneBlock(filter) ? BLOCK_LOGS_COST : LOG_SEARCH_COST) +
    FILTER_VALUE_COST * countFilterValues(filter.address, filter.topics),
};

const isOneBlock = (filter: RpcLogFilter): boolean => 'blockHash' in filter || filter.fromBlock === filter.toBlock;

/** Variant of `logsBy` that confirms an empty list, because no known fact of the block explains the empty list. */
export const confirmedLogsBy = { ...logsBy, confirmsEmpty: true };
