import { type Data, isBlockHash, isHeight, quantityOf } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcLog } from '../../../ethereum/rpc-types.ts';
import { type BidirectionalPageArgs, type PageRequest, pageRequestOf } from '../../../graphql/connections.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { FinalityReader, FinalityTag } from '../block/finality.ts';
import { createFilterKeys, type LogCriteria, logRangeOf } from './criteria.ts';
import { decodeLogCursor, encodeLogCursor, type LogPosition, logCursorOf, MAX_LOG_INDEX } from './cursor.ts';
import type { LogDensities, SearchRange } from './range-search.ts';
import type { LogBounds, LogReads } from './reads.ts';
import { assertOrderedIndexes, createPageSearch, type PageCursors, sectionBetween } from './section-search.ts';

/** Identifies a page: a filter with its blocks, and the arguments of the page. */
export interface LogPageKey {
  readonly criteria: LogCriteria;
  readonly args: BidirectionalPageArgs;
}

/**
 * Creates the loader of pages of logs. It searches only the blocks that the page needs, starting at its cursor. All
 * blocks are on the chain of the operation's head. Rejects with CURSOR_EXPIRED for a cursor of an abandoned block.
 * Source: `eth_getLogs`.
 */
export function logPageLoader(
  snapshot: Snapshot,
  reads: LogReads,
  { blockOfTag, assertCanonicalCursor }: FinalityReader,
  densities: LogDensities,
  maxLogs: number,
) {
  const { calls, pin, operation } = snapshot;
  const searchSection = createPageSearch(snapshot, reads, densities);

  const heightOf = async (ref: BlockRef, head: Head): Promise<bigint> => {
    if (isHeight(ref)) return BigInt(ref);
    if (ref === 'earliest') return 0n;
    if (ref === 'latest') return BigInt(head.height);
    const block = await blockOfTag(ref as FinalityTag);
    if (block) return BigInt(block.number!);
    throw new GraphError('METHOD_NOT_SUPPORTED', `The node has no ${ref} block. Pass another bound.`, { source: 'node' });
  };

  /** Returns the heights of a range, up to the operation's head. */
  const resolveRange = async ({ fromBlock, toBlock }: LogBounds): Promise<SearchRange> => {
    if (toBlock === 'pending') throw new GraphError('BAD_USER_INPUT', PENDING_RANGE_MESSAGE);
    const head = await pin.head();
    const [first, last] = [await heightOf(fromBlock, head), await heightOf(toBlock, head)];
    if (!isHeight(fromBlock) || !isHeight(toBlock) || last > head.height) pin.recordHeadRead();
    const end = BigInt(head.height);
    // A range above the head is empty.
    return { first: Number(first > end ? end + 1n : first), last: Number(last > end ? end : last) };
  };

  /**
   * Rejects with CURSOR_EXPIRED or BLOCK_NOT_AVAILABLE unless the block of a cursor is canonical. If `logs` contains
   * logs of that block, this check sends no request.
   */
  const assertCanonical = async (cursor: LogPosition, logs: readonly RpcLog[]): Promise<void> => {
    const sibling = logs.find(({ blockNumber }) => Number(blockNumber) === cursor.height);
    await assertCanonicalCursor(cursor, EXPIRED_CURSOR_MESSAGE, sibling && (async () => sibling.blockHash!));
  };

  /** Rejects a cursor that is known to be invalid without a request. */
  const checkCursor = (cursor: LogPosition, head: Head): void => {
    const detail = pin.isPinnedByRequest ? { retryable: false } : {};
    if (cursor.height > head.height) throw new GraphError('BLOCK_NOT_AVAILABLE', FUTURE_CURSOR_MESSAGE, detail);
    if (pin.isCanonical(quantityOf(cursor.height), cursor.hash) === false)
      throw new GraphError('CURSOR_EXPIRED', EXPIRED_CURSOR_MESSAGE);
    operation.dependencies.addBlock(cursor.hash, cursor.height);
  };

  /** The cursor with which the next page continues after a page that ended before it was full. */
  const cursorAfterSearch = async (height: number, isBackward: boolean): Promise<string> => {
    const number = quantityOf(height);
    const ref = pin.resolveRef(number);
    if (!isBlockHash(ref)) operation.trust?.addUnproven('block');
    const hash = isBlockHash(ref) ? ref : (await calls.call(blockBy, number, false))?.hash;
    if (!hash) throw chainChangedError();
    // After all logs of the block, or before all of them. No log has this position, so the next page skips no log.
    return encodeLogCursor({ height, hash, index: isBackward ? 0 : MAX_LOG_INDEX, removed: false });
  };

  const readRangePage = async (bounds: LogBounds, request: PageRequest, cursors: PageCursors, criteria: LogCriteria) => {
    const range = await resolveRange(bounds);
    const head = await pin.head();
    const { after, before } = cursors;
    for (const cursor of [after, before]) if (cursor) checkCursor(cursor, head);
    const section = sectionBetween(range, cursors);
    const [near, far] = request.isBackward ? [before, after] : [after, before];
    if (far) await assertCanonical(far, []);
    const isEmpty = request.size === 0 || section.first > section.last;
    if (near && isEmpty) await assertCanonical(near, []);
    const { logs, end } = isEmpty
      ? { logs: [], end: undefined }
      : await searchSection(section, request, criteria, async (found) => near && assertCanonical(near, found));
    pin.assertHeadCanonical();
    const isComplete = section.first > section.last || end === (request.isBackward ? section.first : section.last);
    const page = {
      ...cutPage(logs, request, isComplete, startsInside(range, request.isBackward, near)),
      searchedTo: lastCompleteBlock(logs, request, section, end, far),
    };
    if (isComplete || end === undefined || logs.length >= request.size) return page;
    const cursor = await cursorAfterSearch(end, request.isBackward);
    return { ...page, pageInfo: { ...page.pageInfo, [request.isBackward ? 'startCursor' : 'endCursor']: cursor } };
  };

  const readBlockPage = async (hash: Data, request: PageRequest, cursors: PageCursors, criteria: LogCriteria) => {
    for (const cursor of [cursors.after, cursors.before])
      if (cursor && cursor.hash !== hash.toLowerCase()) throw new GraphError('BAD_USER_INPUT', FOREIGN_CURSOR_MESSAGE);
    const { includes } = sectionBetween({ first: 0, last: Number.MAX_SAFE_INTEGER }, cursors);
    const logs = await reads.readBlock(hash, criteria);
    assertOrderedIndexes(logs);
    const hasEarlier = (request.isBackward ? cursors.before : cursors.after) !== undefined;
    return { ...cutPage(logs.filter(includes), request, true, hasEarlier), searchedTo: null };
  };

  const readPage = async ({ criteria, args }: LogPageKey) => {
    const request = pageRequestOf(args, { maxSize: maxLogs, setting: 'MAX_LOGS' });
    const cursors = { after: decodeCursor(request.after), before: decodeCursor(request.before) };
    const bounds = logRangeOf(criteria);
    return 'blockHash' in bounds
      ? readBlockPage(bounds.blockHash, request, cursors, criteria)
      : readRangePage(bounds, request, cursors, criteria);
  };

  const filterKey = createFilterKeys();
  return createEntityLoader(readPage, ({ criteria, args: { first, last, after, before } }) =>
    JSON.stringify([filterKey(criteria), first, last, after, before]),
  );
}

/** Whether entries may precede the page in the direction of the search: its cursor is inside the range. */
const startsInside = ({ first, last }: SearchRange, isBackward: boolean, start: LogPosition | undefined): boolean =>
  start !== undefined && (isBackward ? start.height <= last : start.height >= first);

/**
 * The last block of a search whose logs are all in the page; null if there is none. `end`: the last block that was searched. `far`: the
 * cursor at which the search ends, which excludes logs of its block.
 */
function lastCompleteBlock(
  logs: readonly RpcLog[],
  { size, isBackward }: PageRequest,
  { first, last }: SearchRange,
  end: number | undefined,
  far: LogPosition | undefined,
): number | null {
  const omitted = logs.at(isBackward ? -1 - size : size);
  const incomplete = omitted ? Number(omitted.blockNumber) : far?.height === end ? end : undefined;
  const height = incomplete === undefined ? end : incomplete + (isBackward ? 1 : -1);
  return height === undefined || height < first || height > last ? null : height;
}

/** Cuts a page, in chain order, off the logs that were found. `isComplete`: no other logs follow them; `hasEarlier`: entries precede the page. */
function cutPage(logs: readonly RpcLog[], { size, isBackward }: PageRequest, isComplete: boolean, hasEarlier: boolean) {
  const cut = isBackward ? logs.slice(Math.max(0, logs.length - size)) : logs.slice(0, size);
  const hasMore = logs.length > size || !isComplete;
  const cursorAt = (index: number): string | null => {
    const log = cut.at(index);
    return log ? logCursorOf(log) : null;
  };
  return {
    logs: cut,
    pageInfo: {
      hasNextPage: isBackward ? hasEarlier : hasMore,
      hasPreviousPage: isBackward ? hasMore : hasEarlier,
      startCursor: cursorAt(0),
      endCursor: cursorAt(-1),
    },
  };
}

const decodeCursor = (text: string | undefined) => (text === undefined ? undefined : decodeLogCursor(text));

const EXPIRED_CURSOR_MESSAGE =
  'A reorg has removed the block of the cursor. Pass the cursor of an earlier log, or request the first page again.';
const FOREIGN_CURSOR_MESSAGE = 'Invalid log cursor: it belongs to another block than `blockHash`. Pass a cursor of this list.';
const FUTURE_CURSOR_MESSAGE = 'The block of the cursor is above the block that this operation reads.';
const PENDING_RANGE_MESSAGE = 'Pending logs have no cursor. Pass `toBlock` or `toBlockTag` instead of `toPending`.';
