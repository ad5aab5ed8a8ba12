import { GraphError } from '../../../../errors.ts';
import { type Quantity, quantityOf, sameData } from '../../../../ethereum/hex.ts';
import { chainChangedError } from '../../../../snapshot/block-availability.ts';
import type { ChainBlock } from '../../model.ts';

/** Returns the heights of an inclusive range. Throws RESULT_TOO_LARGE above `limit`. */
export function heightsInRange(from: bigint, to: bigint, limit: number): Quantity[] {
  const count = to < from ? 0 : Number(to - from) + 1;
  if (count > limit) {
    const message = `The range has ${count} blocks. Request at most ${limit} at a time.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: count });
  }
  return Array.from({ length: count }, (_, i) => quantityOf(from + BigInt(i)));
}

/** Throws BLOCK_NOT_AVAILABLE when consecutive blocks are of different branches. */
export function checkParentHashes(blocks: readonly ChainBlock[]): void {
  for (let i = 1; i < blocks.length; i++) {
    if (!sameData(blocks[i]!.parentHash, blocks[i - 1]!.hash)) throw chainChangedError();
  }
}

/** Returns the blocks before the first null, which must be above the head: a missing block below a present one is an error of the node. */
export function untilHead(found: readonly (ChainBlock | null)[]): readonly ChainBlock[] {
  const end = found.indexOf(null);
  if (end !== -1 && found.slice(end).some((block) => block !== null)) {
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
  }
  return (end === -1 ? found : found.slice(0, end)) as readonly ChainBlock[];
}
