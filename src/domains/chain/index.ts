import type { Domain } from '../../graphql/domain.ts';
import type { View } from '../../view/index.ts';
import { openMarks } from './loaders/finality.ts';
import { type ChainLimits, type ChainLoaders, chainLoaders } from './loaders/index.ts';
import { resolvers } from './resolvers/index.ts';
import { weights } from './weights.ts';

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts. */
export const chain: Domain<'chain', ChainLimits, View, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers,
  weights,
  open: (limits) => {
    const sources = { ...limits, marks: openMarks() };
    return (view) => chainLoaders(sources, view);
  },
};
