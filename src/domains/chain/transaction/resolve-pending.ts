import type { PendingBlockResolvers, PendingResolvers } from '../../../generated/chain.ts';
import { blockPlan, headerPlan } from '../block/plan.ts';
import { resolveCall, resolveGasEstimate } from '../call/resolve.ts';
import { resolveAccount, resolveAccountAt } from '../links.ts';

const PENDING_STATE = { at: 'pending' };

export const chainPendingResolvers: PendingResolvers = {
  transactionCount: (plan, _args, { chain }) => chain.pending.transactionCount(plan),
  transactions: (plan, _args, { chain }) => chain.pending.transactions(plan),
  account: (_pending, { address }, context, info) => resolveAccount({ address, ...PENDING_STATE }, context, info),
  call: (_pending, { data }, context, info) => resolveCall(data, PENDING_STATE, context, info),
  estimateGas: (_pending, { data }, context) => resolveGasEstimate(data, PENDING_STATE, context),
  block: (plan, _args, { chain }) => chain.pending.block(plan),
  transactionAt: (plan, { index }, { chain }) => chain.pending.transactionAt(index, plan),
  ommerCount: (plan, _args, { chain }) => chain.pending.ommerCount(plan),
  ommerAt: (_pending, { index }, { chain }) => chain.pending.ommerAt(index),
  logs: (_pending, { filter }, { chain }) => chain.pending.logs(filter),
};

export const chainPendingBlockResolvers: PendingBlockResolvers = {
  ommerHash: ({ sha3Uncles }) => sha3Uncles,
  ommerHashes: ({ uncles }) => uncles ?? null,
  miner: ({ miner }, { block }, context, info) => resolveAccountAt(miner, block, context, info),
  parent: ({ parentHash }, _args, { chain }, info) =>
    chain.blocks.fromHeader(parentHash, headerPlan(info).needs) ?? chain.blocks.load(parentHash, blockPlan(info)),
};
