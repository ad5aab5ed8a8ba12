import type { Domain } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import type { ChainOperation } from './context.ts';
import { chainWeights } from './costs.ts';
import { createFinalityMarkers } from './loaders/finality.ts';
import { type ChainLimits, chainLoaders } from './loaders/index.ts';
import { chainResolvers } from './resolvers/index.ts';
import { type ChainSubscriptionSources, createChainSubscriptions } from './subscriptions/index.ts';

export { pendingSubscriptionMethods } from './rpc-methods.ts';

/** What the composition root passes to the chain domain. */
export interface ChainSettings extends ChainLimits {
  readonly subscriptionSources: ChainSubscriptionSources;
}

/** The chain domain: blocks, transactions, receipts, logs and accounts of an Ethereum node, and subscriptions to them. */
export const chain: Domain<'chain', ChainSettings, Snapshot, ChainOperation> = {
  name: 'chain',
  schema: 'schema/chain',
  resolvers: chainResolvers,
  weights: chainWeights,
  create: ({ subscriptionSources, ...limits }) => {
    const sources = { ...limits, finalityMarkers: createFinalityMarkers() };
    const subscriptions = createChainSubscriptions(subscriptionSources);
    return (snapshot) => ({ ...chainLoaders(sources, snapshot), subscriptions });
  },
};
