import type { Domain } from '../../graphql/domain.ts';
import { openMarks } from './loaders/finality.ts';
import { type ChainLoaders, type ChainSources, chainLoaders } from './loaders/index.ts';
import { resolvers } from './resolvers/index.ts';
import { weights } from './weights.ts';

export { probe } from './loaders/node.ts';
export { type ChainMemory, openMemory } from './memory.ts';

/** What the chain is read from, and what bounds an answer. */
export type ChainUpstreams = Omit<ChainSources, 'marks'>;

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts. */
export const chain: Domain<'chain', ChainUpstreams, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers,
  weights,
  open: (upstreams) => {
    const sources = { ...upstreams, marks: openMarks() };
    return (operation) => chainLoaders(sources, operation);
  },
};
