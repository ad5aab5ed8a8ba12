import { sameNumber } from '../../../ethereum/block-results.ts';
import { bloomShowsLogs, isEmptyBloom } from '../../../ethereum/bloom.ts';
import { type BlockOfLogs, logsContradiction } from '../../../ethereum/header-checks.ts';
import { type Data, isBlockHash, isHeight, quantityOf, sameData } from '../../../ethereum/hex.ts';
import {
  bloomMayMatch,
  isUnfiltered,
  type LogFilter,
  type LogRange,
  matchesFilter,
  type RpcLogFilter,
  toRpcLogFilter,
} from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import { forEachYielding } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { otherBranchError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { receiptsOf } from '../../../snapshot/state-methods.ts';
import type { RpcHeader } from '../../../sync/head/follower.ts';
import type { RpcNode } from '../../../upstream/rpc/node.ts';
import { createFilterKeys } from './criteria.ts';
import { confirmedLogsBy, logsBy } from './methods.ts';

/** The known facts of the block of some logs. */
type KnownBlock = BlockOfLogs & Pick<RpcBlock, 'hash'>;

/**
 * Whether the server must refuse logs because they contradict their block. Logs that were read before the block was
 * known need this check.
 */
const areLogsRefused = ({ headerChecks }: RpcNode, logs: readonly RpcLog[], filter: RpcLogFilter, block: BlockOfLogs): boolean =>
  headerChecks.errorOf(logsBy.name, logs, logsContradiction(logs, filter, undefined, block)) !== undefined;

/** Whether logs belong to this block and contradict none of its known facts. */
const fitsBlock = (node: RpcNode, logs: readonly RpcLog[], filter: RpcLogFilter, block: KnownBlock): boolean =>
  logs.every(({ blockHash, blockNumber }) => sameData(blockHash, block.hash) && sameNumber(blockNumber, block.number)) &&
  !areLogsRefused(node, logs, filter, block);

/**
 * Whether a block certainly has no matching logs: it has no transactions, or a bloom filter that excludes matches. An empty bloom filter
 * proves nothing, since some chains leave it empty.
 */
export const excludesLogs = (
  { logsBloom, transactions }: Pick<BlockOfLogs, 'logsBloom' | 'transactions'>,
  filter: LogFilter,
): boolean => transactions?.length === 0 || (!isEmptyBloom(logsBloom) && !bloomMayMatch(logsBloom!, filter));

/** Reads the logs of one block by its hash. `mustHaveLogs`: it certainly has matching logs. Source: `eth_getLogs`. */
async function readLogsByHash(
  { calls, node, session, availability }: Snapshot,
  hash: Data,
  criteria: LogFilter,
  mustHaveLogs: boolean,
  block: KnownBlock | undefined,
): Promise<readonly RpcLog[]> {
  const filter = toRpcLogFilter({ blockHash: hash }, criteria);
  const logs = await availability.readAt(hash, logsBy, filter, mustHaveLogs, block);
  if (logs.length > 0) {
    // A cached result may have been read before the block was known.
    const isValid = !block || fitsBlock(node, logs, filter, block);
    return isValid ? logs : calls.refetch(logsBy, filter, mustHaveLogs, block);
  }
  // An empty list is permanent only if the block's bloom filter or its transactions confirm it.
  if (!mustHaveLogs && block && excludesLogs(block, criteria)) {
    calls.cachePermanently(logsBy, logs, filter);
    return logs;
  }
  const isDoubtful = mustHaveLogs || !session.capabilities.logFilterDialect.isProven;
  return isDoubtful ? calls.refetch(confirmedLogsBy, filter, mustHaveLogs, block) : logs;
}

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
 * Creates the loader of the logs of a block, in order, keyed by block and filter. Uses logs that were read by height
 * only if they belong to the block; otherwise reads them again by hash. Source: `eth_getLogs`.
 */
export function blockLogsLoader(snapshot: Snapshot) {
  const { calls, node, operation } = snapshot;
  /**
   * Whether the block certainly has matching logs: its bloom filter has bits set, or its cached receipts contain
   * matching logs.
   */
  const hasLogs = ({ hash, logsBloom, transactions }: RpcBlock, filter: LogFilter): boolean => {
    if (isUnfiltered(filter) && bloomShowsLogs(logsBloom) && transactions?.length !== 0) return true;
    const receipts = calls.getCached(receiptsOf, hash)?.value;
    return receipts?.some(({ logs }) => logs.some((log) => matchesFilter(log, filter))) ?? false;
  };

  const read = async ({ block, ref, filter }: BlockLogsRead): Promise<readonly RpcLog[]> => {
    operation.trust?.addUnproven('logs');
    if (!isBlockHash(ref)) {
      const byHeight = toRpcLogFilter(logRangeOfBlock(ref), filter);
      const prefetched = await calls.call(logsBy, byHeight);
      if (prefetched.length > 0 ? fitsBlock(node, prefetched, byHeight, block) : excludesLogs(block, filter)) {
        calls.cachePermanently(logsBy, prefetched, toRpcLogFilter({ blockHash: block.hash.toLowerCase() }, filter));
        return prefetched;
      }
    }
    return readLogsByHash(snapshot, block.hash, filter, hasLogs(block, filter), block);
  };

  const keyOf = createFilterKeys();
  return createEntityLoader(read, ({ block: { hash, number }, filter }) => `${hash} ${number} ${keyOf(filter)}`);
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

/** Inclusive bounds of a search, as heights or tags. */
export type LogBounds = Exclude<LogRange, { readonly blockHash: Data }>;

/** Reads logs, each filter with one call, and checks them against the known headers. */
export type LogReads = ReturnType<typeof createLogReads>;

/** Blocks below the head whose bloom filters are checked: a node that lags omits their logs without an error. */
const BLOOM_CHECK_DEPTH = 32;

/** Creates the reads of one operation. Source: `eth_getLogs`. */
export function createLogReads(snapshot: Snapshot) {
  const { calls, node, pin, operation } = snapshot;
  const readBlock = (hash: Data, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const header = pin.header(hash)?.header;
    const mustHaveLogs = isUnfiltered(criteria) && bloomShowsLogs(header?.logsBloom);
    return readLogsByHash(snapshot, hash, criteria, mustHaveLogs, header);
  };

  /**
   * Checks the logs of a range against the headers that are known. Rejects logs of another branch. Reads the logs of a
   * block by hash if its bloom filter may match but the node, which may lag, has returned no logs of it, and if the
   * logs contradict the header.
   */
  const checkAgainstHeaders = async (
    found: readonly RpcLog[],
    bounds: LogBounds,
    criteria: LogFilter,
  ): Promise<readonly RpcLog[]> => {
    const head = pin.knownHead;
    if (!head) return found;
    // The height of a safe or final block is not known here: NaN, so that no block counts as missing.
    const heightIn = (ref: BlockRef): number => {
      if (isHeight(ref)) return Number(ref);
      if (ref === 'earliest') return 0;
      return ref === 'safe' || ref === 'finalized' ? Number.NaN : head.height;
    };
    const first = Math.max(heightIn(bounds.fromBlock), head.height - BLOOM_CHECK_DEPTH);
    const last = heightIn(bounds.toBlock);
    const recentLogs = new Map<number, RpcLog[]>();
    await forEachYielding(found, operation.budget, (log) => {
      const { blockNumber, blockHash } = log;
      if (blockNumber && blockHash && pin.isCanonical(blockNumber, blockHash) === false) throw otherBranchError();
      const height = Number(blockNumber);
      if (!(height >= first)) return;
      const logs = recentLogs.get(height);
      if (logs) logs.push(log);
      else recentLogs.set(height, [log]);
    });
    const filter = toRpcLogFilter(bounds, criteria);
    const isIncomplete = (header: RpcHeader, logs: readonly RpcLog[] | undefined): boolean =>
      logs
        ? areLogsRefused(node, logs, filter, header)
        : !isEmptyBloom(header.logsBloom) && bloomMayMatch(header.logsBloom!, criteria);
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
    /** Reads the logs of one block by its hash. */
    readBlock,
    /**
     * Reads the logs of a range. Rejects with LogRangeError when the node rejects the range but may accept a narrower
     * range.
     */
    async readRange(bounds: LogBounds, criteria: LogFilter): Promise<readonly RpcLog[]> {
      const filter = toRpcLogFilter(bounds, criteria);
      const found = await checkAgainstHeaders(await calls.call(logsBy, filter), bounds, criteria);
      // The hash of the upper bound determines all blocks below it. An empty list is not cached: the node may lag.
      const top = isHeight(bounds.fromBlock) && isHeight(bounds.toBlock) ? pin.resolveRef(bounds.toBlock) : bounds.toBlock;
      if (found.length > 0 && isBlockHash(top)) {
        calls.cacheWhileCanonical(logsBy, found, { number: bounds.toBlock, hash: top }, filter);
      }
      return found;
    },
    /** Releases the results of a range, so that they can be freed. */
    releaseRange: (bounds: LogBounds, criteria: LogFilter) => calls.release(logsBy, toRpcLogFilter(bounds, criteria)),
  };
}

/** In chain order. Pending logs, which have no height, are last, in their given order: `Array.sort` is stable. */
const byPosition = (a: RpcLog, b: RpcLog): number =>
  Number(!a.blockNumber) - Number(!b.blockNumber) ||
  Number(a.blockNumber) - Number(b.blockNumber) ||
  Number(a.transactionIndex) - Number(b.transactionIndex) ||
  Number(a.logIndex) - Number(b.logIndex);
