import { isHeight, quantityOf } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { isBlockMissing } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { LogRangeError, type LogRangeHint } from '../../../upstream/rpc/log-range-limit.ts';
import type { FinalityTag } from '../block/finality.ts';
import { createFilterKeys, type LogCriteria, logRangeOf } from './criteria.ts';
import { assertOneBranch, type SearchRange, SearchWidth, searchInParts } from './range-search.ts';
import type { LogBounds, LogReads } from './reads.ts';

/** Maximum number of parts into which one operation splits its ranges. */
const MAX_SEARCHES = 128;

/**
 * Creates the loader of logs over ranges of blocks, in order, keyed by filter and range. Rejects with RESULT_TOO_LARGE above `maxLogs`.
 * Source: `eth_getLogs`.
 */
export function logLoader(
  snapshot: Snapshot,
  { readBlock, readRange }: LogReads,
  blockOfTag: (tag: FinalityTag) => Promise<RpcBlock | null>,
  maxLogs: number,
) {
  const { session, pin, operation } = snapshot;
  /**
   * The height of `safe` and `finalized`, if the node has a safe or final block; returns any other reference unchanged.
   */
  const heightOfTag = async (ref: BlockRef): Promise<BlockRef> =>
    ref === 'safe' || ref === 'finalized' ? ((await blockOfTag(ref))?.number ?? ref) : ref;

  /** Resolves a tag to a fixed block if the request pins its block. */
  const fixTag = async (ref: BlockRef): Promise<BlockRef> => {
    if (!pin.isPinnedByRequest) return ref;
    return ref === 'pending' ? 'latest' : heightOfTag(ref);
  };

  /** Ends a range at the operation's head; null when the whole range is above the head. */
  const clampToHead = (range: LogBounds, head: Head): LogBounds | null => {
    const heightOf = (ref: BlockRef): BlockRef => (ref === 'latest' ? head.number : ref);
    const [from, to] = [heightOf(range.fromBlock), heightOf(range.toBlock)];
    const last = isHeight(to) && BigInt(to) > BigInt(head.height) ? head.number : to;
    return isHeight(from) && isHeight(last) && BigInt(from) > BigInt(last) ? null : { fromBlock: from, toBlock: last };
  };

  /** The heights of a range, for a search in parts; undefined for a range with a bound that has no height. */
  const toHeights = async ({ fromBlock, toBlock }: LogBounds): Promise<SearchRange | undefined> => {
    const heightOf = (ref: BlockRef) => (ref === 'earliest' ? '0x0' : heightOfTag(ref));
    const [first, last] = [await heightOf(fromBlock), await heightOf(toBlock)];
    if (!isHeight(first) || !isHeight(last) || !Number.isSafeInteger(Number(last))) return undefined;
    return { first: Number(first), last: Number(last) };
  };

  const limit = () => session.capabilities.logRangeLimit;
  let partialSearches = 0;

  /** Searches a range in parts. `rejection`: the hint of a rejected search of the whole range, if there was one. */
  const searchParts = async (range: SearchRange, criteria: LogCriteria, rejection?: LogRangeHint): Promise<readonly RpcLog[]> => {
    let found: readonly RpcLog[] = [];
    const blocks = range.last - range.first + 1;
    const width = new SearchWidth(blocks, limit);
    if (rejection) width.recordRejection(blocks, rejection, Number.POSITIVE_INFINITY);
    const readPart = async ({ first, last }: SearchRange) => {
      const readOne = () => readRange({ fromBlock: quantityOf(first), toBlock: quantityOf(last) }, criteria);
      if (last - first + 1 === blocks) return readOne();
      // Only the limit of the endpoint is certain to apply to the whole range.
      const needed = partialSearches + Math.max(1, Math.ceil((range.last - first + 1) / limit().maxBlocks));
      if (needed > MAX_SEARCHES) throw tooManySearchesError(needed);
      partialSearches += 1;
      const part = readOne();
      // The head is read together with the first part, and compared with the chain after the last part.
      const [logs] = await Promise.all([part, pin.head()]);
      return logs;
    };
    const missing = () => Number.POSITIVE_INFINITY;
    const parts = searchInParts({ range, isBackward: false, width, read: readPart, missing });
    // One part at a time, so that not many more than `maxLogs` are in memory.
    for await (const { logs } of parts) found = limitLogs(maxLogs, found.length === 0 ? logs : found.concat(logs));
    return found;
  };

  /** Reads a range in one search, or in parts if the node limits searches. */
  const readInParts = async (bounds: LogBounds, criteria: LogCriteria): Promise<readonly RpcLog[]> => {
    const isWhole = limit().maxBlocks === Number.POSITIVE_INFINITY && !operation.trust?.requested.has('logs');
    const heights = isWhole && !(isHeight(bounds.fromBlock) && isHeight(bounds.toBlock)) ? undefined : await toHeights(bounds);
    if (heights) return searchParts(heights, criteria);
    try {
      return await readRange(bounds, criteria);
    } catch (error) {
      if (!(error instanceof LogRangeError)) throw error;
      const rejected = await toHeights(bounds);
      if (!rejected || rejected.first >= rejected.last) throw error;
      return searchParts(rejected, criteria, error.hint);
    }
  };

  const read = async (criteria: LogCriteria): Promise<readonly RpcLog[]> => {
    const requested = logRangeOf(criteria);
    if ('blockHash' in requested) return readBlock(requested.blockHash, criteria);
    const { fromBlock, toBlock } = requested;
    const needsHead = fromBlock === 'latest' || toBlock === 'latest';
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

  const load = async (criteria: LogCriteria): Promise<readonly RpcLog[]> => {
    const logs = limitLogs(maxLogs, await read(criteria));
    await assertOneBranch(snapshot, partialSearches);
    return logs;
  };

  return createEntityLoader(load, createFilterKeys());
}

function limitLogs(limit: number, logs: readonly RpcLog[]): readonly RpcLog[] {
  if (logs.length <= limit) return logs;
  const message = `At least ${logs.length} logs match. Request at most ${limit}, with fewer blocks or a narrower filter, or use \`logsConnection\`.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: logs.length });
}

function tooManySearchesError(actual: number): GraphError {
  const message = `The node limits log searches so that this one needs at least ${actual}. Request fewer blocks, so that ${MAX_SEARCHES} suffice, or use \`logsConnection\`.`;
  return new GraphError('RESULT_TOO_LARGE', message, { source: 'node', method: 'eth_getLogs', limit: MAX_SEARCHES, actual });
}
