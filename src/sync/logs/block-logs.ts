import { GraphError } from '../../errors.ts';
import { sameData } from '../../ethereum/hex.ts';
import { showsLogs, wireFilter } from '../../ethereum/log-filters.ts';
import { readLogs } from '../../ethereum/log-results.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import type { ResultReader, RpcCall, RpcOutcome } from '../../upstream/rpc/http-batches.ts';
import type { Head } from '../chain/rpc-header.ts';
import { byHash } from '../head/rpc-queries.ts';

/** The logs of a block in their order, or why they were not told. */
export type ToldLogs = readonly RpcLog[] | GraphError;

const LOGS = { read: readLogs } as ResultReader;
const CONFIRMED_LOGS = { read: readLogs, confirmsEmpty: true } as ResultReader;

/** The root of no transactions: such a block has no logs. */
const NO_TRANSACTIONS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/**
 * The calls for the logs of a block. A node that lacks a block should say so when it is asked for its logs by hash, and some say that there are
 * none. A bloom that shows logs tells the two apart. An empty or full one does not, as nodes may not compute blooms: then the block
 * itself is asked for in the same breath, of the same backend.
 */
export function callsFor({ hash, header }: Head): readonly RpcCall[] {
  const filter = wireFilter({ blockHash: hash }, {});
  const isSome = showsLogs(header.logsBloom);
  const reader = isSome || sameData(header.transactionsRoot, NO_TRANSACTIONS) ? LOGS : CONFIRMED_LOGS;
  const logs = { method: 'eth_getLogs', params: [filter], reader, args: [filter, isSome] };
  return isSome ? [logs] : [logs, byHash(hash)];
}

/** What came of them. */
export function logsIn([logs, block]: readonly RpcOutcome[]): ToldLogs {
  if ('error' in logs!) return logs.error;
  // The reader of the call gave the result.
  const told = logs!.result as readonly RpcLog[];
  if (told.length > 0 || !block) return told;
  if ('error' in block) return block.error;
  return block.result === null ? lacking() : told;
}

const lacking = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the logs of that block.', { method: 'eth_getLogs' });
