import { GraphError } from '../errors.ts';
import { isEmptyBloom, wireFilter } from '../evm/filters.ts';
import { sameData, toQuantity } from '../evm/hex.ts';
import type { RpcLog } from '../evm/rpc.ts';
import type { RpcCall, RpcOutcome } from '../upstream/jsonrpc.ts';
import { type Head, readHead } from './head.ts';

/** The logs of a block in their order, or why they were not told. */
export type ToldLogs = readonly RpcLog[] | GraphError;

/**
 * The calls for the logs of a block. A node that lacks a block should say so when it is asked for its logs by hash, and some say that there are
 * none. A bloom with anything in it tells the two apart. An empty one does not, as there are logs that never show in a bloom: then the block
 * itself is asked for in the same breath, of the same backend.
 */
export const callsFor = ({ hash, header }: Head): readonly RpcCall[] => [
  { method: 'eth_getLogs', params: [wireFilter({ blockHash: hash }, {})] },
  ...(isEmptyBloom(header.logsBloom) ? [{ method: 'eth_getBlockByHash', params: [hash, false] }] : []),
];

/** What came of them. */
export function readLogs(head: Head, [logs, block]: readonly RpcOutcome[]): ToldLogs {
  if ('error' in logs!) return logs.error;
  const told = logs!.result;
  if (told === null) return lacking();
  if (!Array.isArray(told) || !told.every((log) => isOf(head, log))) {
    return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node told logs of another block than was asked for, or none at all.', {
      method: 'eth_getLogs',
    });
  }
  if (told.length > 0) return told.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
  if (!block) return lacking();
  if ('error' in block) return block.error;
  return readHead(block.result)?.hash === head.hash ? [] : lacking();
}

const isOf = ({ hash }: Head, log: unknown): boolean =>
  typeof log === 'object' &&
  log !== null &&
  'blockHash' in log &&
  sameData(log.blockHash, hash) &&
  'logIndex' in log &&
  toQuantity(log.logIndex, 32) !== undefined;

const lacking = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the logs of that block.', { method: 'eth_getLogs' });
