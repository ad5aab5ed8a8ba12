import type { Domain } from '../../graphql/domain.ts';
import type { View } from '../../snapshot/index.ts';
import { weights } from './costs.ts';
import { openMarks } from './loaders/finality.ts';
import { type ChainLimits, type ChainLoaders, chainLoaders } from './loaders/index.ts';
import { resolvers } from './resolvers/index.ts';
import { type LiveSources, NO_LIVE, openLive } from './subscriptions/index.ts';

export { pendingSubscriptions } from './rpc-methods.ts';

export interface ChainSettings extends ChainLimits {
  /** What subscriptions are told from; without it they are refused. */
  readonly live?: LiveSources | undefined;
}

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts, and what becomes of them. */
export const chain: Domain<'chain', ChainSettings, View, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers,
  weights,
  open: ({ live, ...limits }) => {
    const sources = { ...limits, marks: openMarks(), live: live ? openLive(live) : NO_LIVE };
    return (view) => chainLoaders(sources, view);
  },
};
