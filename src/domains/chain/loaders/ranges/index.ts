import type { BlockLoader } from '../block/blocks.ts';
import { blockListReader } from './block-list.ts';
import { blockTimeReader } from './block-times.ts';
import type { RangeReads } from './range-reads.ts';

/** Creates one operation's readers of ranges of blocks, and of the transactions in them. */
export const rangeLoaders = (reads: RangeReads, blocks: BlockLoader) => ({
  blocks: blockListReader(reads),
  heightAtTime: blockTimeReader(reads, blocks),
});
