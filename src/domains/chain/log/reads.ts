import { bloomShowsLogs, isEmptyBloom } from '../../../ethereum/bloom.ts';
import { type Data, isBlockHash, isHeight, quantityOf } from '../../../ethereum/hex.ts';
import { bloomMayMatch, isUnfiltered, type LogFilter, type LogRange, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import { forEachYielding } from '../../../lib/operation-budget.ts';
import { otherBranchError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { RpcHeader } from '../../../sync/head/follower.ts';
import { areLogsRefused, confirmedLogsBy, logsBy } from './methods.ts';

/** Inclusive bounds of a search, as heights or tags. */
export type LogBounds = Exclude<LogRange, { readonly blockHash: Data }>;

/** Reads logs with one call each, and checks them against the headers that are known. */
export interface LogReads {
  /** Reads the logs of one block by its hash. */
  readBlock(hash: Data, criteria: LogFilter): Promise<readonly RpcLog[]>;
  /** Reads the logs of a range. Rejects with LogRangeError when the node would serve a narrower range. */
  readRange(bounds: LogBounds, criteria: LogFilter): Promise<readonly RpcLog[]>;
  /** Releases the results of a range, so that they can be freed. */
  releaseRange(bounds: LogBounds, criteria: LogFilter): void;
}

/** Blocks below the head whose bloom filters are checked: a node that lags omits their logs without an error. */
const BLOOM_CHECK_DEPTH = 32;

/** Creates the reads of one operation. Source: `eth_getLogs`. */
export function createLogReads({ calls, node, session, pin, availability, operation }: Snapshot): LogReads {
  const readBlock = async (hash: Data, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const filter = toRpcLogFilter({ blockHash: hash }, criteria);
    const header = pin.header(hash)?.header;
    const bloom = header?.logsBloom;
    const expectsLogs = isUnfiltered(criteria) && bloomShowsLogs(bloom);
    const found = await availability.readAt(hash, logsBy, filter, expectsLogs, header);
    if (found.length > 0) {
      // A cached result was perhaps read before the header was known.
      const isRefused = header && areLogsRefused(node, found, filter, header);
      return isRefused ? calls.refetch(logsBy, filter, expectsLogs, header) : found;
    }
    // An empty list is permanent only if the block's bloom filter confirms it.
    if (bloom && !isEmptyBloom(bloom) && !bloomMayMatch(bloom, criteria)) {
      calls.cachePermanently(logsBy, found, filter);
      return found;
    }
    return session.capabilities.logFilterDialect.isProven ? found : calls.refetch(confirmedLogsBy, filter);
  };

  /**
   * Checks the logs of a range against the headers that are known. Rejects logs of another branch. Reads a block by hash where its bloom
   * filter may match and the node, which may lag, has returned none of its logs, and where the logs contradict the header.
   */
  const checkAgainstHeaders = async (
    found: readonly RpcLog[],
    bounds: LogBounds,
    criteria: LogFilter,
  ): Promise<readonly RpcLog[]> => {
    const head = pin.knownHead;
    if (!head) return found;
    const first = Math.max(isHeight(bounds.fromBlock) ? Number(bounds.fromBlock) : 0, head.height - BLOOM_CHECK_DEPTH);
    const last = isHeight(bounds.toBlock) ? Number(bounds.toBlock) : head.height;
    const recentLogs = new Map<number, RpcLog[]>();
    await forEachYielding(found, operation.budget, (log) => {
      const { blockNumber, blockHash } = log;
      if (blockNumber && blockHash && pin.isCanonical(blockNumber, blockHash) === false) throw otherBranchError();
      const height = Number(blockNumber);
      if (height < first) return;
      const logs = recentLogs.get(height);
      if (logs) logs.push(log);
      else recentLogs.set(height, [log]);
    });
    const filter = toRpcLogFilter(bounds, criteria);
    const isIncomplete = (header: RpcHeader, logs: readonly RpcLog[] | undefined): boolean =>
      logs
        ? areLogsRefused(node, logs, filter, header)
        : !!header.logsBloom && !isEmptyBloom(header.logsBloom) && bloomMayMatch(header.logsBloom, criteria);
    const blockReads = new Map<number, Promise<readonly RpcLog[]>>();
    for (let height = first; height <= last; height++) {
      const header = pin.header(pin.resolveRef(quantityOf(height)))?.header;
      if (header && isIncomplete(header, recentLogs.get(height))) blockReads.set(height, readBlock(header.hash, criteria));
    }
    if (blockReads.size === 0) return found;
    const missing = (await Promise.all(blockReads.values())).flat();
    if (missing.length === 0) return found;
    const complete = found.filter(({ blockNumber }) => !blockReads.has(Number(blockNumber)));
    return [...complete, ...missing].sort(byPosition);
  };

  return {
    readBlock,
    async readRange(bounds, criteria) {
      const filter = toRpcLogFilter(bounds, criteria);
      const found = await checkAgainstHeaders(await calls.call(logsBy, filter), bounds, criteria);
      // The hash of the upper bound determines all blocks below it. An empty list is not cached: the node may lag.
      const top = isHeight(bounds.fromBlock) && isHeight(bounds.toBlock) ? pin.resolveRef(bounds.toBlock) : bounds.toBlock;
      if (found.length > 0 && isBlockHash(top)) {
        calls.cacheWhileCanonical(logsBy, found, { number: bounds.toBlock, hash: top }, filter);
      }
      return found;
    },
    releaseRange: (bounds, criteria) => calls.release(logsBy, toRpcLogFilter(bounds, criteria)),
  };
}

const byPosition = (a: RpcLog, b: RpcLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);
