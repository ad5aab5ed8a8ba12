import type { Quantity } from '../../../ethereum/hex.ts';
import type { PageInfo, QueryBlocksConnectionArgs } from '../../../generated/chain.ts';
import { type PageRequest, pageRequestOf } from '../../../graphql/connections.ts';
import { WindowedList } from '../../../graphql/executor/list-writer.ts';
import { type BlockPage, type ChainBlock, partialBlock } from '../model.ts';
import { type BlockPosition, decodeBlockCursor, encodeBlockCursor } from './cursors.ts';
import type { BlockPagePlan } from './plan.ts';
import {
  assertAscending,
  type BlockRange,
  blockSourceOf,
  type CursorCheck,
  HEADER_ONLY_PLAN,
  heightsOf,
  type RangeReads,
  rangeUpTo,
  throwBlockMissing,
} from './range-reads.ts';
import { type BlockSource, blocksPerWindow } from './windows.ts';

/** The heights of a page: the heights at one end of the range between the cursors. */
function pageOf({ first, last }: BlockRange, { size, isBackward }: PageRequest, after?: BlockPosition, before?: BlockPosition) {
  const start = after ? Math.max(first, after.height + 1) : first;
  const end = before ? Math.min(last, before.height - 1) : last;
  return isBackward
    ? { first: Math.max(start, end - size + 1), last: end }
    : { first: start, last: Math.min(end, start + size - 1) };
}

/** Creates the reader of pages of blocks. A page of one window is one POST, with the check of its cursors. */
export function blockPageReader(reads: RangeReads, checkCursor: CursorCheck) {
  const { snapshot, maxBlocks, windows, blocks, fromHeader } = reads;
  const { pin, operation } = snapshot;

  return async (args: QueryBlocksConnectionArgs, plan: BlockPagePlan): Promise<BlockPage> => {
    const request = pageRequestOf(args, { maxSize: maxBlocks, setting: 'MAX_BLOCKS' });
    assertAscending(args);
    const [after, before] = [decodeBlockCursor(request.after), decodeBlockCursor(request.before)];
    const head = await pin.head();
    const { range, endsAtHead } = rangeUpTo(args, head);
    const page = pageOf(range, request, after, before);
    const heights = heightsOf(page);
    // A page between two cursors ends at the second one.
    const [first, last] = request.isBackward
      ? [Math.max(range.first, (after?.height ?? -1) + 1), range.last]
      : [range.first, Math.min(range.last, (before?.height ?? range.last + 1) - 1)];
    const hasNextPage = page.last < last;
    if (endsAtHead && !hasNextPage) pin.recordHeadRead();
    else operation.dependencies.addHeight(Math.min(head.height, page.last + 1));

    const contents = plan.blocks ?? HEADER_ONLY_PLAN;
    const blockSource = blockSourceOf(reads, contents, plan.needs);
    // Every block of a page exists, because the head is above it.
    const source: BlockSource = {
      ...blockSource,
      load: async (height) => (await blockSource.load(height)) ?? throwBlockMissing(),
    };
    // Without its contents, which the list may have released.
    const readBlock = async (height: Quantity) =>
      fromHeader(height, ['number', 'hash', 'parentHash']) ?? blocks.load(height, contents.full);
    if (after || before) {
      // Requested together with the check of the cursors.
      if (plan.blocks) for (const height of heights.slice(0, blocksPerWindow(contents))) source.request(height).catch(() => {});
      const isChildRead = after && plan.blocks && page.first === after.height + 1 && heights.length > 0;
      await Promise.all([
        after && checkCursor(after, head, isChildRead ? () => readBlock(heights[0]!) : undefined),
        before && checkCursor(before, head),
      ]);
    }

    const list = <T>(toItem: (of: ChainBlock) => T): readonly T[] =>
      plan.blocks
        ? WindowedList.asArray((write) =>
            windows.read(heights, contents, blocksPerWindow(contents), source, (items) => write(items.map(toItem))),
          )
        : heights.map((number) => toItem(partialBlock({ number })));
    const cursorAt = async (height: Quantity | undefined, isSelected: boolean) => {
      if (!isSelected || height === undefined) return null;
      const found = await readBlock(height);
      return encodeBlockCursor(found ?? throwBlockMissing());
    };
    return {
      nodes: () => list((node) => node),
      edges: () => list((node) => ({ cursor: plan.blocks ? encodeBlockCursor(node) : '', node })),
      async pageInfo(): Promise<PageInfo> {
        const [startCursor, endCursor] = await Promise.all([
          cursorAt(heights[0], plan.startCursor),
          cursorAt(heights.at(-1), plan.endCursor),
        ]);
        return { hasNextPage, hasPreviousPage: page.first > first, startCursor, endCursor };
      },
    };
  };
}
