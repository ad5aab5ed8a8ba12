import type { FeeHistoryBlockResolvers, FeeHistoryResolvers, QueryFeeHistoryArgs } from '../../../generated/chain.ts';
import { selectsOnlyHeight } from '../block/plan.ts';
import type { ChainContext } from '../context.ts';
import { findBlock } from '../links.ts';
import { partialBlock } from '../model.ts';

/** Resolver of `Query.feeHistory`. */
export const resolveFeeHistory = (
  _query: unknown,
  { blockCount, newestBlock, rewardPercentiles }: QueryFeeHistoryArgs,
  { chain }: ChainContext,
) => chain.feeHistory.feeHistory(blockCount!, newestBlock ?? null, rewardPercentiles ?? []);

export const chainFeeHistoryResolvers: FeeHistoryResolvers = {
  nextBaseFeePerGas: (range, _args, { chain }) => chain.feeHistory.baseFeeAfter(range),
};

export const chainFeeHistoryBlockResolvers: FeeHistoryBlockResolvers = {
  block: ({ number }, _args, { chain }, info) =>
    selectsOnlyHeight(info) ? partialBlock({ number }) : findBlock({ number }, chain, info),
};
