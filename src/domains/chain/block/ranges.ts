import { type Quantity, toBigInt } from '../../../ethereum/hex.ts';
import type { QueryBlocksArgs } from '../../../generated/chain.ts';
import { WindowedList } from '../../../graphql/executor/list-writer.ts';
import { GraphError } from '../../../lib/errors.ts';
import { type ChainBlock, partialBlock } from '../model.ts';
import { transactionPageReader } from '../transaction/connection.ts';
import { transactionRangeReader } from '../transaction/load-connection.ts';
import { blockPageReader } from './load-connection.ts';
import type { BlockPlan } from './plan.ts';
import { assertAscending, blockSourceOf, cursorCheck, heightsOf, type RangeReads } from './range-reads.ts';
import { blockTimeReader } from './times.ts';
import { blocksPerWindow, heightsInRange } from './windows.ts';

/**
 * Creates the reader of `Query.blocks`: the blocks of an inclusive range up to the head, or the last ones, in windows. `plan`: null when only
 * heights are selected. Rejects with RESULT_TOO_LARGE above `maxBlocks`.
 */
function blockListReader(reads: RangeReads) {
  const { snapshot, maxBlocks, windows } = reads;
  const { pin } = snapshot;

  /** The heights of a range up to the head. Reads the head only if the range may reach it. */
  const heightsBetween = async (from: Quantity, to: Quantity | null, needsHash: boolean): Promise<Quantity[]> => {
    const first = toBigInt(from);
    const needsHead = to === null || !needsHash || toBigInt(to) - first >= maxBlocks;
    const head = pin.knownHead ?? (needsHead || pin.isUnresolved ? await pin.head() : undefined);
    const last = to === null ? BigInt(head!.height) : toBigInt(to);
    if (to === null || !head || last > head.height) pin.recordHeadRead();
    return heightsInRange(first, head && head.height < last ? BigInt(head.height) : last, maxBlocks);
  };

  const lastHeights = async (count: number): Promise<Quantity[]> => {
    if (count < 0) throw new GraphError('BAD_USER_INPUT', `Invalid \`last\`. Pass a number from 0 to ${maxBlocks}.`);
    if (count > maxBlocks) {
      const message = `\`last\` is ${count}. Request at most ${maxBlocks} blocks at a time.`;
      throw new GraphError('RESULT_TOO_LARGE', message, { limit: maxBlocks, actual: count, setting: 'MAX_BLOCKS' });
    }
    const { height } = await pin.head();
    pin.recordHeadRead();
    return heightsOf({ first: Math.max(0, height - count + 1), last: height });
  };

  return async (
    { from, to, last }: QueryBlocksArgs,
    plan: BlockPlan | null,
    needs: readonly string[] | undefined,
  ): Promise<readonly ChainBlock[]> => {
    const isLast = last !== null && last !== undefined;
    if (isLast && (from || to)) throw new GraphError('BAD_USER_INPUT', '`last` is given with a range. Pass either of them.');
    if (!isLast && !from) {
      throw new GraphError('BAD_USER_INPUT', '`from` is missing. Pass the first height of the range, or `last`.');
    }
    assertAscending({ from, to });
    const heights = isLast ? await lastHeights(last) : await heightsBetween(from!, to ?? null, plan !== null);
    if (!plan) return heights.map((number) => partialBlock({ number }));
    const source = blockSourceOf(reads, plan, needs);
    return WindowedList.asArray((write) => windows.read(heights, plan, blocksPerWindow(plan), source, write));
  };
}

/** Creates one operation's readers of ranges of blocks, and of the transactions in them. */
export function rangeLoaders(reads: RangeReads) {
  const checkCursor = cursorCheck(reads);
  return {
    blocks: blockListReader(reads),
    heightAtTime: blockTimeReader(reads),
    blockPage: blockPageReader(reads, checkCursor),
    transactionPage: transactionPageReader(reads),
    transactionRangePage: transactionRangeReader(reads, checkCursor),
  };
}
