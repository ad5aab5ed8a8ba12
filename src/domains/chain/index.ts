import type { Domain } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { chainWeights } from './costs.ts';
import { createFinalityMarkers } from './loaders/finality.ts';
import { type ChainLimits, type ChainLoaders, chainLoaders } from './loaders/index.ts';
import { chainResolvers } from './resolvers/index.ts';
import {
  type ChainSubscriptionSources,
  createChainSubscriptions,
  UNAVAILABLE_CHAIN_SUBSCRIPTIONS,
} from './subscriptions/index.ts';

export { pendingSubscriptionMethods } from './rpc-methods.ts';

export interface ChainSettings extends ChainLimits {
  /** What subscriptions are told from; without it they are refused. */
  readonly subscriptionSources?: ChainSubscriptionSources | undefined;
}

/** The chain as a node serves it: blocks, transactions, receipts, logs and accounts, and what becomes of them. */
export const chain: Domain<'chain', ChainSettings, Snapshot, ChainLoaders> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers: chainResolvers,
  weights: chainWeights,
  create: ({ subscriptionSources, ...limits }) => {
    const sources = {
      ...limits,
      finalityMarkers: createFinalityMarkers(),
      subscriptions: subscriptionSources ? createChainSubscriptions(subscriptionSources) : UNAVAILABLE_CHAIN_SUBSCRIPTIONS,
    };
    return (view) => chainLoaders(sources, view);
  },
};
