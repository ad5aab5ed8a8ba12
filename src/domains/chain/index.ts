import type { Domain } from '../../graphql/domain.ts';
import type { Node } from '../../upstream/node.ts';
import { type ChainLimits, type ChainLoaders, chainLoaders } from './loaders/index.ts';
import { resolvers } from './resolvers/index.ts';
import { weights } from './weights.ts';

export { probe } from './loaders/node.ts';

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts. */
export const chain: Domain<'chain', { readonly node: Node } & ChainLimits, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers,
  weights,
  open:
    ({ node, ...limits }) =>
    ({ signal }) =>
      chainLoaders(node, limits, signal),
};
