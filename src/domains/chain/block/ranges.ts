import { isNullish } from '../../../ethereum/block-results.ts';
import { type Quantity, quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import { searchTimestamp, type TimedBlock, type TimestampBounds } from '../../../ethereum/timestamp-search.ts';
import type { PageInfo, QueryBlocksArgs, QueryBlocksConnectionArgs } from '../../../generated/chain.ts';
import { pageRequestOf } from '../../../graphql/connections.ts';
import { WindowedList } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { throwBlockMissing } from '../../../snapshot/block-availability.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { type BlockPage, type ChainBlock, partialBlock } from '../model.ts';
import { transactionPageReader } from '../transaction/connection.ts';
import { transactionRangeReader } from '../transaction/load-connection.ts';
import { decodeBlockCursor, encodeCursor } from './cursors.ts';
import { type BlockPagePlan, type BlockPlan, HEADER_ONLY_PLAN } from './plan.ts';
import { checkCursor, heightsOf, type RangeReads, rangeOf } from './range-reads.ts';
import { BlockWindows, blocksPerWindow } from './windows.ts';

const timedBlock = ({ height, header }: Head): TimedBlock => ({ height, timestamp: toBigInt(header.timestamp) });

/**
 * Creates the reader of the height of the latest block at or before a time in seconds; null if the first block is after
 * the time. First searches the headers of the follower, which needs no call, then the node's blocks. Rejects with
 * HISTORY_PRUNED if the node has pruned the result, with BLOCK_NOT_AVAILABLE if it returns null for it. Source:
 * `eth_getBlockByNumber`, at most 25 times for 2^25 blocks, and once more for a pruned result.
 */
function blockTimeReader({ snapshot, blocks }: RangeReads) {
  const { pin, follower, operation } = snapshot;

  /**
   * The timestamp of a block, or the error for a pruned block: some nodes return null or a nonstandard error for a
   * pruned block.
   */
  const probe = async (height: number): Promise<bigint | GraphError> => {
    const number = quantityOf(height);
    try {
      const block = blocks.fromHeader(number, ['timestamp']) ?? (await blocks.loader.load(number, false));
      if (block) return toBigInt(block.timestamp);
      return new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block that the search by time needs.');
    } catch (error) {
      if (hasCode(error, 'HISTORY_PRUNED') || hasCode(error, 'UPSTREAM_ERROR')) return error;
      throw error;
    }
  };

  /** The bounds that are known without a call. The oldest known header separates the blocks to read from the node from the known blocks. */
  const boundsFor = (time: bigint, head: Head): TimestampBounds => {
    const upper = timedBlock(head);
    const { oldest } = follower;
    const isAncestor = oldest && oldest.height < head.height && pin.isCanonical(oldest.number, oldest.hash);
    if (!isAncestor) return { lower: undefined, upper, later: undefined };
    const known = timedBlock(oldest);
    return known.timestamp <= time ? { lower: known, upper, later: undefined } : { lower: undefined, upper: known, later: upper };
  };

  return async (seconds: Quantity): Promise<Quantity | null> => {
    const time = toBigInt(seconds);
    operation.trust?.addUnproven('block');
    const head = await pin.head();
    if (timedBlock(head).timestamp <= time) {
      pin.recordHeadRead();
      return head.number;
    }
    const search = searchTimestamp(time, boundsFor(time, head));
    let step = search.next();
    let pruned: { readonly height: number; readonly error: GraphError } | undefined;
    while (!step.done) {
      const result = await probe(step.value);
      if (typeof result !== 'bigint') pruned = { height: step.value, error: result };
      step = search.next(typeof result === 'bigint' ? result : { earliest: earliestIn(result) });
    }
    if (pruned && pruned.height === step.value) {
      // Pruned nodes retain genesis, which shows whether the time is before the whole chain.
      const genesis = await probe(0);
      if (typeof genesis !== 'bigint' || genesis <= time) throw pruned.error;
      operation.dependencies.addHeight(0);
      return null;
    }
    // The result follows from the timestamps of the block and of its child.
    operation.dependencies.addHeight(step.value === null ? 0 : step.value + 1);
    return step.value === null ? null : quantityOf(step.value);
  };
}

const earliestIn = ({ extensions: { earliest } }: GraphError): number | undefined =>
  typeof earliest === 'string' ? Number(earliest) : undefined;

/**
 * Creates the reader of `Query.blocks`: the blocks of an inclusive range up to the head, the last blocks, or blocks by height or hash, in
 * windows. `plan`: null when only heights are selected. Rejects with RESULT_TOO_LARGE above `maxBlocks`.
 */
function blockListReader({ snapshot: { pin }, maxBlocks }: RangeReads, windows: BlockWindows) {
  const assertAllowed = (count: number): void => {
    if (count <= maxBlocks) return;
    const message = `The list has ${count} blocks. Request at most ${maxBlocks} at a time.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit: maxBlocks, actual: count, setting: 'MAX_BLOCKS' });
  };

  /** The heights of a range up to the head. Reads the head only if the range may reach it. */
  const heightsBetween = async (args: QueryBlocksArgs, needsHash: boolean): Promise<Quantity[]> => {
    const { first, last: end } = rangeOf(args);
    const needsHead = !needsHash || end - first >= maxBlocks || pin.isUnresolved;
    const head = pin.knownHead ?? (needsHead ? await pin.head() : undefined);
    if (!head || end > head.height) pin.recordHeadRead();
    const last = Math.min(end, head?.height ?? end);
    assertAllowed(last - first + 1);
    return heightsOf({ first, last });
  };

  const lastHeights = async (count: number): Promise<Quantity[]> => {
    if (count < 0) throw new GraphError('BAD_USER_INPUT', `Invalid \`last\`. Pass a number from 0 to ${maxBlocks}.`);
    assertAllowed(count);
    const { height } = await pin.head();
    pin.recordHeadRead();
    return heightsOf({ first: Math.max(0, height - count + 1), last: height });
  };

  return async (args: QueryBlocksArgs, plan: BlockPlan | null, needs: readonly string[] | undefined) => {
    const last = args.last ?? undefined;
    const named = args.numbers ?? args.hashes;
    if (
      [args.from ?? args.to, last, args.numbers, args.hashes].filter((given) => !isNullish(given)).length !== 1 ||
      (args.to && !args.from)
    ) {
      throw new GraphError('BAD_USER_INPUT', 'Pass one of `from` with or without `to`, `last`, `numbers` and `hashes`.');
    }
    if (named) assertAllowed(named.length);
    const refs = named ?? (last === undefined ? await heightsBetween(args, plan !== null) : await lastHeights(last));
    if (!plan && !named) return refs.map((number) => partialBlock({ number }));
    const list = { refs, plan: plan ?? HEADER_ONLY_PLAN, needs, mayEnd: !named };
    return WindowedList.asArray<ChainBlock>((write) => windows.read(list, write));
  };
}

/** Creates the reader of pages of blocks. A page of one window is one POST, with the check of its cursors. */
function blockPageReader(reads: RangeReads, windows: BlockWindows) {
  const { snapshot, maxBlocks, blocks } = reads;
  const { pin, operation } = snapshot;

  return async (args: QueryBlocksConnectionArgs, plan: BlockPagePlan): Promise<BlockPage> => {
    const { size, isBackward, ...cursors } = pageRequestOf(args, { maxSize: maxBlocks, setting: 'MAX_BLOCKS' });
    const range = rangeOf(args);
    const [after, before] = [decodeBlockCursor(cursors.after), decodeBlockCursor(cursors.before)];
    const head = await pin.head();
    const rangeEnd = Math.min(head.height, range.last);
    const start = Math.max(range.first, (after?.height ?? -1) + 1);
    const end = Math.min(rangeEnd, (before?.height ?? Number.POSITIVE_INFINITY) - 1);
    const page = isBackward
      ? { first: Math.max(start, end - size + 1), last: end }
      : { first: start, last: Math.min(end, start + size - 1) };
    const heights = heightsOf(page);
    // A page between two cursors ends at the second one.
    const hasNextPage = page.last < (isBackward ? rangeEnd : end);
    const hasPreviousPage = page.first > (isBackward ? start : range.first);
    if (range.last > head.height && !hasNextPage) pin.recordHeadRead();
    else operation.dependencies.addHeight(Math.min(head.height, page.last + 1));

    const contents = plan.blocks ?? HEADER_ONLY_PLAN;
    const list = { refs: heights, plan: contents, needs: plan.needs, mayEnd: false };
    // Load the block without its contents, because the list may have released them.
    const readBlock = async (height: Quantity) => {
      const known = blocks.fromHeader(height, ['number', 'hash', 'parentHash']);
      if (!known) operation.trust?.addUnproven('block');
      return known ?? blocks.loader.load(height, contents.full);
    };
    if (after || before) {
      // Request the blocks together with the check of the cursors.
      if (plan.blocks) for (const height of heights.slice(0, blocksPerWindow(contents))) void windows.request(height, list);
      const isChildRead = after && plan.blocks && page.first === after.height + 1 && heights.length > 0;
      await Promise.all([
        after && checkCursor(reads, after, head, isChildRead ? () => readBlock(heights[0]!) : undefined),
        before && checkCursor(reads, before, head),
      ]);
    }

    const itemsOf = <T>(toItem: (of: ChainBlock) => T): readonly T[] =>
      plan.blocks
        ? WindowedList.asArray((write) => windows.read(list, (items) => write(items.map(toItem))))
        : heights.map((number) => toItem(partialBlock({ number })));
    const cursorAt = async (height: Quantity | undefined, isSelected: boolean) =>
      isSelected && height !== undefined ? encodeCursor((await readBlock(height)) ?? throwBlockMissing()) : null;
    return {
      totalCount() {
        if (range.last > head.height) pin.recordHeadRead();
        return Math.max(0, rangeEnd - range.first + 1);
      },
      nodes: () => itemsOf((node) => node),
      edges: () => itemsOf((node) => ({ cursor: plan.blocks ? encodeCursor(node) : '', node })),
      async pageInfo(): Promise<PageInfo> {
        const [startCursor, endCursor] = await Promise.all([
          cursorAt(heights[0], plan.startCursor),
          cursorAt(heights.at(-1), plan.endCursor),
        ]);
        return { hasNextPage, hasPreviousPage, startCursor, endCursor };
      },
    };
  };
}

/** Creates one operation's readers of ranges of blocks, and of the transactions in them. */
export function rangeLoaders(reads: RangeReads) {
  const windows = new BlockWindows(reads.snapshot, reads.blocks);
  return {
    blocks: blockListReader(reads, windows),
    heightAtTime: blockTimeReader(reads),
    /** The height that is a number of blocks below the head; null before the first block. */
    async heightAtOffset(offset: Quantity): Promise<Quantity | null> {
      const { pin } = reads.snapshot;
      const head = await pin.head();
      pin.recordHeadRead();
      const height = BigInt(head.height) - toBigInt(offset);
      return height < 0n ? null : quantityOf(height);
    },
    blockPage: blockPageReader(reads, windows),
    transactionPage: transactionPageReader(reads),
    transactionRangePage: transactionRangeReader(reads),
  };
}
