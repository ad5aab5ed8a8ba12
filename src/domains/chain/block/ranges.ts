import type { Quantity } from '../../../ethereum/hex.ts';
import type { PageInfo, QueryBlocksArgs, QueryBlocksConnectionArgs } from '../../../generated/chain.ts';
import { pageRequestOf } from '../../../graphql/connections.ts';
import { WindowedList } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { type BlockPage, type ChainBlock, partialBlock } from '../model.ts';
import { transactionPageReader } from '../transaction/connection.ts';
import { transactionRangeReader } from '../transaction/load-connection.ts';
import { decodeBlockCursor, encodeCursor } from './cursors.ts';
import { type BlockPagePlan, type BlockPlan, HEADER_ONLY_PLAN } from './plan.ts';
import { checkCursor, heightsOf, type RangeReads, rangeOf, throwBlockMissing } from './range-reads.ts';
import { blockTimeReader } from './times.ts';
import { BlockWindows, blocksPerWindow } from './windows.ts';

/**
 * Creates the reader of `Query.blocks`: the blocks of an inclusive range up to the head, or the last ones, in windows. `plan`: null when only
 * heights are selected. Rejects with RESULT_TOO_LARGE above `maxBlocks`.
 */
function blockListReader({ snapshot: { pin }, maxBlocks }: RangeReads, windows: BlockWindows) {
  const assertAllowed = (count: number): void => {
    if (count <= maxBlocks) return;
    const message = `The range has ${count} blocks. Request at most ${maxBlocks} at a time.`;
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

  return async (
    args: QueryBlocksArgs,
    plan: BlockPlan | null,
    needs: readonly string[] | undefined,
  ): Promise<readonly ChainBlock[]> => {
    const { from, to } = args;
    const last = args.last ?? undefined;
    if (last !== undefined && (from || to))
      throw new GraphError('BAD_USER_INPUT', '`last` is given with a range. Pass either of them.');
    if (last === undefined && !from)
      throw new GraphError('BAD_USER_INPUT', '`from` is missing. Pass the first height of the range, or `last`.');
    const heights = last === undefined ? await heightsBetween(args, plan !== null) : await lastHeights(last);
    if (!plan) return heights.map((number) => partialBlock({ number }));
    return WindowedList.asArray((write) => windows.read({ heights, plan, needs, mayEnd: true }, write));
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
    const list = { heights, plan: contents, needs: plan.needs, mayEnd: false };
    // Without its contents, which the list may have released.
    const readBlock = async (height: Quantity) =>
      blocks.fromHeader(height, ['number', 'hash', 'parentHash']) ?? blocks.loader.load(height, contents.full);
    if (after || before) {
      // Requested together with the check of the cursors.
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
    blockPage: blockPageReader(reads, windows),
    transactionPage: transactionPageReader(reads),
    transactionRangePage: transactionRangeReader(reads),
  };
}
