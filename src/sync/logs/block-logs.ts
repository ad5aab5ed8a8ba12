import { GraphError } from '../../errors.ts';
import { sameData } from '../../ethereum/hex.ts';
import { bloomShowsLogs, toRpcLogFilter } from '../../ethereum/log-filters.ts';
import { readLogs } from '../../ethereum/log-results.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import type { ResultReader, RpcCall, RpcOutcome } from '../../upstream/rpc/rpc-call.ts';
import type { Head } from '../chain/rpc-header.ts';
import { blockByHashCall } from '../head/rpc-queries.ts';

/** The logs of a block in their order, or why they were not told. */
export type BlockLogsResult = readonly RpcLog[] | GraphError;

const LOGS_READER = { read: readLogs } as ResultReader;
const CONFIRMED_LOGS_READER = { read: readLogs, confirmsEmpty: true } as ResultReader;

/** The root of no transactions: such a block has no logs. */
const EMPTY_TRANSACTIONS_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/**
 * The calls for the logs of a block. A node that lacks a block should say so when it is asked for its logs by hash, and some say that there are
 * none. A bloom that shows logs tells the two apart. An empty or full one does not, as nodes may not compute blooms: then the block
 * itself is asked for in the same breath, of the same backend.
 */
export function blockLogCalls({ hash, header }: Head): readonly RpcCall[] {
  const filter = toRpcLogFilter({ blockHash: hash }, {});
  const isSome = bloomShowsLogs(header.logsBloom);
  const reader = isSome || sameData(header.transactionsRoot, EMPTY_TRANSACTIONS_ROOT) ? LOGS_READER : CONFIRMED_LOGS_READER;
  const logs = { method: 'eth_getLogs', params: [filter], reader, args: [filter, isSome] };
  return isSome ? [logs] : [logs, blockByHashCall(hash)];
}

/** What came of them. */
export function readBlockLogOutcomes([logs, block]: readonly RpcOutcome[]): BlockLogsResult {
  if ('error' in logs!) return logs.error;
  // The reader of the call gave the result.
  const told = logs!.result as readonly RpcLog[];
  if (told.length > 0 || !block) return told;
  if ('error' in block) return block.error;
  return block.result === null ? logsNotAvailableError() : told;
}

const logsNotAvailableError = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the logs of that block.', { method: 'eth_getLogs' });
