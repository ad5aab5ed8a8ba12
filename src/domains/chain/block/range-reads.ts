import { type Data, type Quantity, quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { BlockPosition } from './cursors.ts';
import type { FinalityReader } from './finality.ts';
import type { BlockReads } from './reads.ts';

/** The reads of one operation from which its reads of ranges are composed. */
export interface RangeReads {
  readonly snapshot: Snapshot;
  readonly blocks: BlockReads;
  readonly finality: FinalityReader;
  readonly maxBlocks: number;
}

/** Message of CURSOR_EXPIRED: a reorg has removed the block of a cursor, so that a page after it could have a gap. */
export const CURSOR_REMOVED_MESSAGE = 'A reorg has removed the block of the cursor. Read the list again without the cursor.';

/**
 * Rejects with CURSOR_EXPIRED unless the block of a cursor is the head of the operation or its ancestor, and with
 * BLOCK_NOT_AVAILABLE if the block is above the head, because another server may have returned the cursor. Sends no
 * call for a block that the server knows as canonical, and no call for a block whose child is read anyway
 * (`readChild`). For any other block it requests the block at the height, in the tick of the call.
 */
export async function checkCursor(
  { finality }: RangeReads,
  cursor: BlockPosition,
  head: Head,
  readChild?: () => Promise<{ readonly parentHash: Data } | null>,
): Promise<void> {
  if (cursor.height > head.height) {
    const message = 'The block of the cursor is above the head of this operation. Send the operation again.';
    throw new GraphError('BLOCK_NOT_AVAILABLE', message);
  }
  const readHash = readChild && (async () => (await readChild())?.parentHash);
  await finality.assertCanonicalCursor(cursor, CURSOR_REMOVED_MESSAGE, readHash);
}

/** An inclusive range of heights; empty if `first` is above `last`. */
export type BlockRange = Readonly<Record<'first' | 'last', number>>;

/** The heights of a range, ascending. */
export const heightsOf = ({ first, last }: BlockRange): Quantity[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => quantityOf(first + i));

/**
 * The range of the arguments, from genesis if the start is omitted, without an end if the end is omitted. A height
 * above the head need not be exact. Throws BAD_USER_INPUT if both ends are given in reverse; a range with an open end
 * may be empty.
 */
export function rangeOf({ from, to }: Partial<Record<'from' | 'to', Quantity | null | undefined>>): BlockRange {
  if (from && to && toBigInt(from) > toBigInt(to)) {
    throw new GraphError('BAD_USER_INPUT', '`from` is above `to`. Pass the lower height as `from`.');
  }
  return { first: Number(from ?? 0), last: Number(to ?? Number.POSITIVE_INFINITY) };
}
