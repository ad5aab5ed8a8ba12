import type { BlockHeaderResolvers, ReorgResolvers } from '../../../generated/chain.ts';
import { accountAt, blockLink } from './links.ts';

export const BlockHeader: BlockHeaderResolvers = {
  ommerHash: ({ sha3Uncles }) => sha3Uncles!,
  miner: ({ miner }, { block }, context, info) => accountAt(miner, block, context, info),
  block: ({ number, hash }, _args, context, info) => blockLink({ blockNumber: number, blockHash: hash }, context, info),
};

export const Reorg: ReorgResolvers = {
  commonAncestor: ({ commonAncestor }, _args, context, info) => blockLink(commonAncestor, context, info),
};
