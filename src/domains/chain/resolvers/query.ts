import { GraphError } from '../../../errors.ts';
import type { QueryBlockArgs, QueryResolvers } from '../../../generated/chain.ts';
import type { ChainLoaders } from '../loaders/index.ts';
import { networkReads, queryReads } from '../methods.ts';
import { blockPlan, headerPlan, onlyCounts, onlyHeight, onlyKnown, planByReceipt, wantsTransaction } from '../plan.ts';
import { accountLink } from './links.ts';
import { reads } from './reads.ts';

type Info = Parameters<typeof blockPlan>[0];

/** A block by number, hash or tag, at the price of what is selected of it. */
function findBlock({ number, hash, tag }: QueryBlockArgs, chain: ChainLoaders, info: Info) {
  const given = [number, hash, tag].filter((name) => name !== null && name !== undefined);
  if (given.length > 1) throw new GraphError('BAD_USER_INPUT', 'Name a block by one of number, hash and tag.');
  const ref = number ?? hash ?? (tag ?? 'latest').toLowerCase();
  if (ref === 'latest' && onlyKnown(info)) return chain.headPart();
  const known = chain.fromHeader(ref, headerPlan(info).needs);
  if (known) return known;
  if (ref === 'latest') return chain.latest(blockPlan(info));
  if (ref === 'safe' || ref === 'finalized') return chain.marked(ref, blockPlan(info));
  const counts = (number || hash) && onlyCounts(info, number ? 'number' : 'hash');
  return counts ? chain.counts(ref, counts) : chain.block(ref, blockPlan(info));
}

export const Query: QueryResolvers = {
  ...reads(queryReads),
  block: (_query, args, { chain }, info) => findBlock(args, chain, info),
  blocks: (_query, { from, to }, { chain }, info) =>
    chain.blocks(from ?? null, to ?? null, onlyHeight(info) ? null : blockPlan(info), headerPlan(info).needs),
  transaction: (_query, { hash }, { chain }, info) => chain.findTransaction(hash, planByReceipt(info)),
  receipt: (_query, { hash }, { chain }, info) => chain.findReceipt(hash, wantsTransaction(info)),
  logs: (_query, { filter }, { chain }) => chain.logs(filter),
  account: (_query, { address }, context, info) => accountLink({ address, at: 'latest' }, context, info),
  maxPriorityFeePerGas: (_query, _args, { chain }) => chain.maxPriorityFeePerGas(),
  network: () => ({}),
};

export const Network = reads(networkReads);
