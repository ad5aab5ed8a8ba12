import { GraphError } from '../../../errors.ts';
import type { QueryBlockArgs } from '../../../generated/chain.ts';
import type { ChainLoaders } from '../loaders/index.ts';
import type { ChainBlock } from '../model.ts';

type FoundBlock = ChainBlock | null | Promise<ChainBlock | null>;

/**
 * Returns the block that was found. In drop-in mode, throws BLOCK_NOT_AVAILABLE when the node does not know the requested hash: execution
 * clients distinguish it from an unknown number, which is null.
 */
export const requireKnownHash = ({ hash }: QueryBlockArgs, { isDropIn }: ChainLoaders, found: FoundBlock): FoundBlock =>
  isDropIn && hash ? Promise.resolve(found).then(throwIfNull) : found;

function throwIfNull(block: ChainBlock | null): ChainBlock {
  if (block) return block;
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have a block with this hash.');
}
