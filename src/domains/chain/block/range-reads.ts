import { type Data, type Quantity, quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { ChainBlock, PartialTransaction } from '../model.ts';
import { type CanonicalCheck, cursorBlockMissingError } from './canonical-check.ts';
import type { BlockKey } from './contents.ts';
import type { BlockPosition } from './cursors.ts';
import type { BlockLoader } from './load.ts';
import type { BlockPlan } from './plan.ts';
import type { BlockSource, BlockWindows } from './windows.ts';

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

/** The reads of single blocks of one operation, from which its reads of ranges are composed. */
export interface RangeReads {
  readonly snapshot: Snapshot;
  readonly maxBlocks: number;
  readonly windows: BlockWindows;
  readonly blocks: BlockLoader;
  readonly checkCanonical: CanonicalCheck;
  /** Loads a block with the contents that a plan needs; null when the node does not know it. */
  block(ref: BlockRef, plan: BlockPlan): Promise<RpcBlock | null>;
  /** Requests a block at a height with the contents that a plan needs. */
  prefetchBlock(height: Quantity, plan: BlockPlan): Promise<void>;
  /** Returns a block from its header, if the header is known and has the properties `needs`. */
  fromHeader(ref: BlockRef, needs: readonly string[] | undefined): ChainBlock | undefined;
  releaseBlock(key: BlockKey, plan: BlockPlan): void;
  /** The transactions of a loaded block, full or by position; null for an ommer. */
  transactionsIn(block: RpcBlock): readonly PartialTransaction[] | null;
}

/** The ends of a range of blocks, as a field has them. */
export interface RangeArgs {
  readonly from?: Quantity | null | undefined;
  readonly to?: Quantity | null | undefined;
}

/** An inclusive range of heights; empty if `first` is above `last`. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** The source of blocks whose header may be enough. */
export const blockSourceOf = (
  { fromHeader, prefetchBlock, block }: RangeReads,
  plan: BlockPlan,
  needs: readonly string[] | undefined,
): BlockSource => ({
  request: async (height) => {
    if (!fromHeader(height, needs)) await prefetchBlock(height, plan);
  },
  load: async (height) => fromHeader(height, needs) ?? block(height, plan),
});

/** Throws BAD_USER_INPUT if both ends are given in reverse. A range with an open end may be empty. */
export function assertAscending({ from, to }: RangeArgs): void {
  if (!from || !to || toBigInt(from) <= toBigInt(to)) return;
  throw new GraphError('BAD_USER_INPUT', '`from` is above `to`. Pass the lower height as `from`.');
}

/** The heights of a range, ascending. */
export const heightsOf = ({ first, last }: BlockRange): Quantity[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => quantityOf(first + i));

/** A range up to the head, from genesis where it has no start. `endsAtHead`: whether another head can change its end. */
export function rangeUpTo(
  { from, to }: RangeArgs,
  { height }: Head,
): { readonly range: BlockRange; readonly endsAtHead: boolean } {
  // A height of 64 bits above the head need not be exact.
  const heightOf = (quantity: Quantity | null | undefined, otherwise: number) =>
    quantity ? Number(toBigInt(quantity)) : otherwise;
  const last = heightOf(to, Number.POSITIVE_INFINITY);
  return { range: { first: heightOf(from, 0), last: Math.min(height, last) }, endsAtHead: last > height };
}

/** The plan of a block whose contents are not needed. */
export const HEADER_ONLY_PLAN: BlockPlan = { full: false, receipts: false, allLogs: false, filters: [], ancestors: false };

/** Throws the error for a block that the node lacks, although it is at or below the head of the operation. */
export function throwBlockMissing(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block of the range.');
}
