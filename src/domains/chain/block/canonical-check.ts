import { type Data, isBlockHash, type Quantity, sameData } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';

/**
 * Returns whether a block is the head of the operation or its ancestor; undefined if the node lacks a block at the height. `readHash` returns the hash
 * at the height where another read has it, instead of a request.
 */
export type CanonicalCheck = (
  number: Quantity,
  hash: Data,
  readHash?: () => Promise<Data | undefined>,
) => Promise<boolean | undefined>;

/** The error when the node lacks the block of a cursor, so that nothing shows whether a reorg has removed it. */
export const cursorBlockMissingError = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks the block of the cursor. Send the operation again.');

/** Creates the check of one operation: by the follower, else by the node's block at the height. */
export function canonicalCheck({ calls, pin }: Snapshot): CanonicalCheck {
  /** Refetches if reorgs cannot be detected: a block that was cached before the head was read may be on another branch. */
  const blocksAtHeight = createEntityLoader(
    (number: Quantity) => (pin.canDetectReorgs ? calls.call(blockBy, number, false) : calls.refetch(blockBy, number, false)),
    (number) => number,
  );
  const hashAt = async (number: Quantity): Promise<Data | undefined> => (await blocksAtHeight.load(number))?.hash;

  return async (number, hash, readHash = () => hashAt(number)) => {
    const isKnown = pin.isCanonical(number, hash);
    if (isKnown !== undefined) return isKnown;
    const ref = pin.resolveRef(number);
    const found = isBlockHash(ref) ? ref : await readHash();
    return found === undefined ? undefined : sameData(found, hash);
  };
}
