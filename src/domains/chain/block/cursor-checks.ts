import { type Data, quantityOf } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { cursorBlockMissingError } from './canonical-check.ts';
import type { BlockPosition } from './cursors.ts';
import type { RangeReads } from './range-reads.ts';

/** Resolves if the block of a cursor is the head of the operation or its ancestor; else rejects with CURSOR_EXPIRED. */
export type CursorCheck = (
  position: BlockPosition,
  head: Head,
  readChild?: () => Promise<{ readonly parentHash: Data } | null>,
) => Promise<void>;

/** CURSOR_EXPIRED: a reorg has removed the block of a cursor, so that a page after it could have a gap. */
export const cursorRemovedError = () =>
  new GraphError('CURSOR_EXPIRED', 'A reorg has removed the block of the cursor. Read the list again without the cursor.');

/**
 * Creates the check of cursors. It needs no call for a block that the server knows as canonical, and none for a block whose child is read
 * anyway (`readChild`). For any other it reads the block of the height, in the tick in which it is called. Rejects with BLOCK_NOT_AVAILABLE for
 * a block above the head, which another server may have returned.
 */
export function cursorCheck({ snapshot: { operation }, checkCanonical }: RangeReads): CursorCheck {
  return async (position, head, readChild) => {
    if (position.height > head.height) {
      const message = 'The block of the cursor is above the head of this operation. Send the operation again.';
      throw new GraphError('BLOCK_NOT_AVAILABLE', message);
    }
    const readHash = readChild && (async () => (await readChild())?.parentHash);
    const isCanonical = await checkCanonical(quantityOf(position.height), position.hash, readHash);
    if (isCanonical === undefined) throw cursorBlockMissingError();
    if (!isCanonical) throw cursorRemovedError();
    operation.dependencies.addBlock(position.hash, position.height);
  };
}
