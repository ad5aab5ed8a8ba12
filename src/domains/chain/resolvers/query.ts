import type { QueryResolvers } from '../../../generated/chain.ts';
import { blockPlan, headerPlan, onlyHeight, planByReceipt, wantsTransaction } from '../plan.ts';
import { networkReads, queryReads } from '../rpc-methods.ts';
import { accountLink, findBlock } from './links.ts';
import { reads } from './reads.ts';

export const Query: QueryResolvers = {
  ...reads(queryReads),
  block: (_query, args, { chain }, info) => findBlock(args, chain, info),
  blocks: (_query, { from, to }, { chain }, info) =>
    chain.blocks(from ?? null, to ?? null, onlyHeight(info) ? null : blockPlan(info), headerPlan(info).needs),
  transaction: (_query, { hash }, { chain }, info) => chain.findTransaction(hash, planByReceipt(info)),
  receipt: (_query, { hash }, { chain }, info) => chain.findReceipt(hash, wantsTransaction(info)),
  logs: (_query, { filter }, { chain }) => chain.logs(filter),
  account: (_query, { address }, context, info) => accountLink({ address, at: 'latest' }, context, info),
  syncing: (_query, _args, { chain }) => chain.syncing(),
  maxPriorityFeePerGas: (_query, _args, { chain }) => chain.maxPriorityFeePerGas(),
  network: () => ({}),
};

export const Network = reads(networkReads);
