import { type Data, type Quantity, quantityOf, sameData } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { ChainBlock } from '../model.ts';

/** Returns the heights of an inclusive range. Throws RESULT_TOO_LARGE above `limit`. */
export function heightsInRange(from: bigint, to: bigint, limit: number): Quantity[] {
  const count = to < from ? 0 : Number(to - from) + 1;
  if (count > limit) {
    const message = `The range has ${count} blocks. Request at most ${limit} at a time.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: count });
  }
  return Array.from({ length: count }, (_, i) => quantityOf(from + BigInt(i)));
}

/** Checks the blocks of a range, which are passed in order. */
export class BlockSequence {
  /** Whether a height above the head has been passed. */
  isAtHead = false;
  readonly #checksParentHashes: () => boolean;
  #previousHash: Data | undefined;

  constructor(checksParentHashes: () => boolean) {
    this.#checksParentHashes = checksParentHashes;
  }

  /**
   * Whether the range includes the next block; a null is above the head. Throws BLOCK_NOT_AVAILABLE when a block follows a null, which is an
   * error of the node, or a block of another branch.
   */
  includes(block: ChainBlock | null): block is ChainBlock {
    if (block === null) {
      this.isAtHead = true;
      return false;
    }
    if (this.isAtHead) throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
    const isChild = this.#previousHash === undefined || sameData(block.parentHash, this.#previousHash);
    if (!isChild && this.#checksParentHashes()) throw chainChangedError();
    this.#previousHash = block.hash;
    return true;
  }
}
