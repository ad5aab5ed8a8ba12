import { forEachYielding } from '../../../budget/yielding-loops.ts';
import { GraphError } from '../../../errors.ts';
import { type Data, isBlockHash, isHeight, quantityOf } from '../../../ethereum/hex.ts';
import {
  bloomMayMatch,
  bloomShowsLogs,
  isEmptyBloom,
  isUnfiltered,
  type LogFilter,
  type LogRange,
  toRpcLogFilter,
} from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../graphql/entity-loader.ts';
import { isBlockMissing, otherBranchError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { confirmedLogsBy, logsBy } from '../rpc-methods/logs.ts';
import { createFilterKeys } from './filter-keys.ts';
import type { FinalityTag } from './finality.ts';
import { type LogCriteria, logRangeOf } from './log-criteria.ts';

type LogHeightRange = Exclude<LogRange, { readonly blockHash: Data }>;

const LATEST = 'latest';

/** Blocks below the head whose bloom filters are checked: a node that lags omits their logs without an error. */
const BLOOM_CHECK_DEPTH = 32;

/** Maximum number of splits of one operation's ranges: with a provider's limit of 10,000 blocks they cover some 300,000. */
const MAX_RANGE_SPLITS = 64;

/** Whether the node would serve a narrower range. */
const isRangeTooWide = (error: unknown): boolean =>
  error instanceof GraphError && error.code === 'RESULT_TOO_LARGE' && error.extensions.source === 'node';

/** Splits a range into halves; undefined when it is one block or has a tag. */
function splitRange({ fromBlock, toBlock }: LogHeightRange): readonly [LogHeightRange, LogHeightRange] | undefined {
  if (!isHeight(fromBlock) || !isHeight(toBlock)) return undefined;
  const [first, last] = [BigInt(fromBlock), BigInt(toBlock)];
  if (first >= last) return undefined;
  const middle = (first + last) / 2n;
  return [
    { fromBlock, toBlock: quantityOf(middle) },
    { fromBlock: quantityOf(middle + 1n), toBlock },
  ];
}

/**
 * Creates the loader of logs over ranges of blocks, in order, keyed by filter and range. Rejects with RESULT_TOO_LARGE above `maxLogs`.
 * Source: `eth_getLogs`.
 */
export function logLoader(
  { calls, session, pin, availability, operation }: Snapshot,
  blockOfTag: (tag: FinalityTag) => Promise<RpcBlock | null>,
  maxLogs: number,
) {
  const readBlock = async (hash: Data, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const filter = toRpcLogFilter({ blockHash: hash }, criteria);
    const bloom = pin.header(hash)?.header.logsBloom;
    const found = await availability.readAt(hash, logsBy, filter, isUnfiltered(criteria) && bloomShowsLogs(bloom));
    if (found.length > 0) return found;
    // An empty list is permanent only if the block's bloom filter confirms it.
    if (bloom && !isEmptyBloom(bloom) && !bloomMayMatch(bloom, criteria)) {
      calls.cachePermanently(logsBy, found, filter);
      return found;
    }
    return session.capabilities.logFilterDialect.isProven ? found : calls.refetch(confirmedLogsBy, filter);
  };

  /** Replaces a tag that moves with the chain if the request names its block. */
  const fixTag = async (ref: BlockRef): Promise<BlockRef> => {
    if (!pin.isPinnedByRequest) return ref;
    if (ref === 'pending') return LATEST;
    return ref === 'safe' || ref === 'finalized' ? ((await blockOfTag(ref))?.number ?? ref) : ref;
  };

  /** Ends a range at the operation's head; null when the whole range is above the head. */
  const clampToHead = (range: LogHeightRange, head: Head): LogHeightRange | null => {
    const heightOf = (ref: BlockRef): BlockRef => (ref === LATEST ? head.number : ref);
    const [from, to] = [heightOf(range.fromBlock), heightOf(range.toBlock)];
    const last = isHeight(to) && BigInt(to) > BigInt(head.height) ? head.number : to;
    return isHeight(from) && isHeight(last) && BigInt(from) > BigInt(last) ? null : { fromBlock: from, toBlock: last };
  };

  /**
   * Checks the logs of a range against the headers that are known. Rejects logs of another branch. Reads a block by hash where its bloom
   * filter may match and the node, which may lag, has returned none of its logs.
   */
  const checkAgainstHeaders = async (
    found: readonly RpcLog[],
    range: LogHeightRange,
    criteria: LogFilter,
  ): Promise<readonly RpcLog[]> => {
    const head = pin.knownHead;
    if (!head) return found;
    const heightsWithLogs = new Set<number>();
    await forEachYielding(found, operation.budget, ({ blockNumber, blockHash }) => {
      if (blockNumber && blockHash && pin.isCanonical(blockNumber, blockHash) === false) throw otherBranchError();
      heightsWithLogs.add(Number(blockNumber));
    });
    const first = Math.max(isHeight(range.fromBlock) ? Number(range.fromBlock) : 0, head.height - BLOOM_CHECK_DEPTH);
    const last = isHeight(range.toBlock) ? Number(range.toBlock) : head.height;
    const blockReads: Promise<readonly RpcLog[]>[] = [];
    for (let height = first; height <= last; height++) {
      const header = heightsWithLogs.has(height) ? undefined : pin.header(pin.resolveRef(quantityOf(height)))?.header;
      if (header?.logsBloom && !isEmptyBloom(header.logsBloom) && bloomMayMatch(header.logsBloom, criteria)) {
        blockReads.push(readBlock(header.hash, criteria));
      }
    }
    if (blockReads.length === 0) return found;
    const missing = (await Promise.all(blockReads)).flat();
    return missing.length === 0 ? found : [...found, ...missing].sort(byPosition);
  };

  const readRange = async (range: LogHeightRange, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const filter = toRpcLogFilter(range, criteria);
    const found = await checkAgainstHeaders(await calls.call(logsBy, filter), range, criteria);
    // The hash of the upper bound determines all blocks below it. An empty list is not cached: the node may lag.
    const top = isHeight(range.fromBlock) && isHeight(range.toBlock) ? pin.resolveRef(range.toBlock) : range.toBlock;
    if (found.length > 0 && isBlockHash(top)) {
      calls.cacheWhileCanonical(logsBy, found, { number: range.toBlock, hash: top }, filter);
    }
    return found;
  };

  let splits = 0;

  /** Reads a range, in halves where the node rejects it as too wide. One half at a time, so that no more than `maxLogs` are in memory. */
  const readInParts = async (range: LogHeightRange, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    try {
      return await readRange(range, criteria);
    } catch (error) {
      const halves = isRangeTooWide(error) ? splitRange(range) : undefined;
      if (!halves || splits === MAX_RANGE_SPLITS) throw error;
      splits += 1;
      const lower = limitLogs(maxLogs, await readInParts(halves[0], criteria));
      return [...lower, ...(await readInParts(halves[1], criteria))];
    }
  };

  const read = async (criteria: LogCriteria): Promise<readonly RpcLog[]> => {
    const requested = logRangeOf(criteria);
    if ('blockHash' in requested) return readBlock(requested.blockHash, criteria);
    const { fromBlock, toBlock } = requested;
    if (isHeight(fromBlock) && isHeight(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) return [];
    const needsHead = fromBlock === LATEST || toBlock === LATEST;
    const head = pin.knownHead ?? (needsHead || pin.isUnresolved ? await pin.head() : undefined);
    if (!isHeight(fromBlock) || !isHeight(toBlock) || !head || BigInt(toBlock) > head.height) pin.recordHeadRead();
    const range = head ? clampToHead({ fromBlock: await fixTag(fromBlock), toBlock: await fixTag(toBlock) }, head) : requested;
    if (!range) return [];
    if (head && range.fromBlock === head.number && range.toBlock === head.number) return readBlock(head.hash, criteria);
    try {
      return await readInParts(range, criteria);
    } catch (error) {
      if (head || !isBlockMissing(error)) throw error;
      const clamped = clampToHead(requested, await pin.head());
      return clamped ? readInParts(clamped, criteria) : [];
    }
  };

  return createEntityLoader(async (criteria: LogCriteria) => limitLogs(maxLogs, await read(criteria)), createFilterKeys());
}

const byPosition = (a: RpcLog, b: RpcLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

function limitLogs(limit: number, logs: readonly RpcLog[]): readonly RpcLog[] {
  if (logs.length <= limit) return logs;
  const message = `At least ${logs.length} logs match. Request at most ${limit}, with fewer blocks or a narrower filter.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: logs.length });
}
