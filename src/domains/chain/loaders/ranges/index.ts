import { blockListReader } from './block-list.ts';
import { blockPageReader } from './block-pages.ts';
import { blockTimeReader } from './block-times.ts';
import { cursorCheck } from './cursor-checks.ts';
import type { RangeReads } from './range-reads.ts';
import { transactionPageReader } from './transaction-pages.ts';
import { transactionRangeReader } from './transaction-range.ts';

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
