import { sameNumber } from '../../../ethereum/block-results.ts';
import { bloomShowsLogs, isEmptyBloom } from '../../../ethereum/bloom.ts';
import { type Data, isBlockHash, sameData } from '../../../ethereum/hex.ts';
import {
  bloomMayMatch,
  isUnfiltered,
  type LogFilter,
  type LogRange,
  matchesFilter,
  toRpcLogFilter,
} from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { receiptsOf } from '../transaction/methods.ts';
import { createFilterKeys } from './criteria.ts';
import { areLogsRefused, confirmedLogsBy, logsBy } from './methods.ts';

interface BlockLogsRead {
  readonly block: RpcBlock;
  /** The reference under which the logs were prefetched, or the block's hash. */
  readonly ref: BlockRef;
  readonly filter: LogFilter;
}

export type BlockLogsLoader = ReturnType<typeof blockLogsLoader>;

export const logRangeOfBlock = (ref: BlockRef): LogRange =>
  isBlockHash(ref) ? { blockHash: ref } : { fromBlock: ref, toBlock: ref };

/**
 * Creates the loader of the logs of a block, in order, keyed by block and filter. Logs that were read by height are used only if they belong
 * to the block; otherwise they are read again by hash. Source: `eth_getLogs`.
 */
export function blockLogsLoader({ calls, node, session, availability }: Snapshot) {
  /** Whether the block certainly has matching logs: its bloom filter has bits set, or its cached receipts have such logs. */
  const hasLogs = ({ hash, logsBloom, transactions }: RpcBlock, filter: LogFilter): boolean => {
    if (isUnfiltered(filter) && bloomShowsLogs(logsBloom) && transactions?.length !== 0) return true;
    const receipts = calls.getCached(receiptsOf, hash)?.value;
    return receipts?.some(({ logs }) => logs.some((log) => matchesFilter(log, filter))) ?? false;
  };

  const read = async ({ block, ref, filter }: BlockLogsRead): Promise<readonly RpcLog[]> => {
    if (!isBlockHash(ref)) {
      const byHeight = toRpcLogFilter(logRangeOfBlock(ref), filter);
      const prefetched = await calls.call(logsBy, byHeight);
      if (areOwnLogs(block, prefetched, filter) && !areLogsRefused(node, prefetched, byHeight, block)) {
        calls.cachePermanently(logsBy, prefetched, toRpcLogFilter({ blockHash: block.hash.toLowerCase() }, filter));
        return prefetched;
      }
    }
    const byHash = toRpcLogFilter({ blockHash: block.hash }, filter);
    const mustHaveLogs = hasLogs(block, filter);
    const logs = await availability.readAt(block.hash, logsBy, byHash, mustHaveLogs, block);
    if (logs.length > 0) {
      const isValid = areOwnLogs(block, logs, filter) && !areLogsRefused(node, logs, byHash, block);
      return isValid ? logs : calls.refetch(logsBy, byHash, mustHaveLogs, block);
    }
    // An empty list is permanent only if the block's bloom filter or its transactions confirm it.
    if (!mustHaveLogs && areOwnLogs(block, logs, filter)) {
      calls.cachePermanently(logsBy, logs, byHash);
      return logs;
    }
    const isDoubtful = mustHaveLogs || !session.capabilities.logFilterDialect.isProven;
    return isDoubtful ? calls.refetch(confirmedLogsBy, byHash, mustHaveLogs, block) : logs;
  };

  const keyOf = createFilterKeys();
  return createEntityLoader(read, ({ block: { hash, number }, filter }) => `${hash} ${number} ${keyOf(filter)}`);
}

/**
 * Whether logs belong to the block. An empty list does when the block has no transactions, or a bloom filter that excludes matches; an empty
 * bloom filter proves nothing, since some chains leave it empty.
 */
function areOwnLogs({ hash, number, logsBloom, transactions }: RpcBlock, logs: readonly RpcLog[], filter: LogFilter): boolean {
  if (logs.length > 0)
    return logs.every(({ blockHash, blockNumber }) => sameData(blockHash, hash) && sameNumber(blockNumber, number));
  return transactions?.length === 0 || !(isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom, filter));
}

/** Groups logs by transaction hash in lower case. */
export function groupByTransaction(logs: readonly RpcLog[]): Map<Data, RpcLog[]> {
  const groups = new Map<Data, RpcLog[]>();
  for (const log of logs) {
    const hash = String(log.transactionHash).toLowerCase();
    const group = groups.get(hash);
    if (group) group.push(log);
    else groups.set(hash, [log]);
  }
  return groups;
}
