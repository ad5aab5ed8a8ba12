import type { BlockHeaderResolvers, ReorgResolvers } from '../../../generated/chain.ts';
import { resolveAccountAt, resolveContainingBlock } from './links.ts';

export const chainBlockHeaderResolvers: BlockHeaderResolvers = {
  ommerHash: ({ sha3Uncles }) => sha3Uncles!,
  miner: ({ miner }, { block }, context, info) => resolveAccountAt(miner, block, context, info),
  block: ({ number, hash }, _args, context, info) =>
    resolveContainingBlock({ blockNumber: number, blockHash: hash }, context, info),
};

export const chainReorgResolvers: ReorgResolvers = {
  commonAncestor: ({ commonAncestor }, _args, context, info) => resolveContainingBlock(commonAncestor, context, info),
};
