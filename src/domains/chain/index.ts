import type { Domain } from '../../graphql/domain.ts';
import type { JsonRpc } from '../../upstream/jsonrpc.ts';
import { type ChainLimits, type ChainLoaders, chainLoaders } from './loaders/index.ts';
import { nodeFacts } from './loaders/node.ts';
import { resolvers } from './resolvers/index.ts';

export { probe } from './loaders/node.ts';

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts. */
export const chain: Domain<'chain', { readonly rpc: JsonRpc } & ChainLimits, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers,
  open: ({ rpc, ...limits }) => {
    const facts = nodeFacts(rpc);
    return ({ signal }) => chainLoaders(rpc, facts, limits, signal);
  },
};
