import type { QueryResolvers } from '../../../generated/chain.ts';
import { blockPlan, headerPlan, needsTransaction, selectsOnlyHeight, transactionPlanByReceipt } from '../plan.ts';
import { networkReads, queryReads } from '../rpc-methods.ts';
import { findBlock, resolveAccount } from './links.ts';
import { methodResolvers } from './method-resolvers.ts';

export const chainQueryResolvers: QueryResolvers = {
  ...methodResolvers(queryReads),
  block: (_query, args, { chain }, info) => findBlock(args, chain, info),
  blocks: (_query, { from, to }, { chain }, info) =>
    chain.blocks(from ?? null, to ?? null, selectsOnlyHeight(info) ? null : blockPlan(info), headerPlan(info).needs),
  transaction: (_query, { hash }, { chain }, info) => chain.findTransaction(hash, transactionPlanByReceipt(info)),
  receipt: (_query, { hash }, { chain }, info) => chain.findReceipt(hash, needsTransaction(info)),
  logs: (_query, { filter }, { chain }) => chain.logs(filter),
  account: (_query, { address }, context, info) => resolveAccount({ address, at: 'latest' }, context, info),
  syncing: (_query, _args, { chain }) => chain.syncing(),
  maxPriorityFeePerGas: (_query, _args, { chain }) => chain.maxPriorityFeePerGas(),
  network: () => ({}),
};

export const chainNetworkResolvers = methodResolvers(networkReads);
