import type { GraphError } from '../../errors.ts';
import { bloomShowsLogs } from '../../ethereum/bloom.ts';
import { EMPTY_TRANSACTIONS_ROOT, logsContradiction } from '../../ethereum/header-checks.ts';
import { sameData } from '../../ethereum/hex.ts';
import { toRpcLogFilter } from '../../ethereum/log-filters.ts';
import { logsNotAvailableError, readLogs } from '../../ethereum/log-results.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import type { ResultReader, RpcCall, RpcOutcome } from '../../upstream/rpc/rpc-call.ts';
import type { Head } from '../chain/rpc-header.ts';
import { blockByHashCall } from '../head/rpc-queries.ts';

/** The logs of a block in their order, or the error of the read. */
export type BlockLogsResult = readonly RpcLog[] | GraphError;

const LOGS_READER = { read: readLogs, contradiction: logsContradiction } as ResultReader;
const CONFIRMED_LOGS_READER = { ...LOGS_READER, confirmsEmpty: true };

/**
 * Builds the calls that read the logs of a block. Some nodes return an empty list for a block that they do not have. A bloom
 * with some bits set contradicts such a list. An empty or full bloom does not, because some nodes do not compute blooms: the
 * block itself is then read in the same batch, from the same backend. Source: `eth_getLogs`, `eth_getBlockByHash`.
 */
export function blockLogCalls({ hash, header }: Head): readonly RpcCall[] {
  const filter = toRpcLogFilter({ blockHash: hash }, {});
  const expectsLogs = bloomShowsLogs(header.logsBloom);
  const reader = expectsLogs || sameData(header.transactionsRoot, EMPTY_TRANSACTIONS_ROOT) ? LOGS_READER : CONFIRMED_LOGS_READER;
  const logsCall = { method: 'eth_getLogs', params: [filter], reader, args: [filter, expectsLogs, header] };
  return expectsLogs ? [logsCall] : [logsCall, blockByHashCall(hash)];
}

/** Reads the outcomes of `blockLogCalls`. BLOCK_NOT_AVAILABLE when the node returned no logs and does not have the block. */
export function readBlockLogOutcomes([logsOutcome, blockOutcome]: readonly RpcOutcome[]): BlockLogsResult {
  if ('error' in logsOutcome!) return logsOutcome.error;
  // The reader of the call has checked the type.
  const logs = logsOutcome!.result as readonly RpcLog[];
  if (logs.length > 0 || !blockOutcome) return logs;
  if ('error' in blockOutcome) return blockOutcome.error;
  return blockOutcome.result === null ? logsNotAvailableError() : logs;
}
