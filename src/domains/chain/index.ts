import { defineDomain } from '../../domain.ts';
import { type AbiRegistry, createAbiRegistry } from '../../ethereum/abi/registry.ts';
import type { Operation } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { checkSyncReadiness } from '../../sync/head/readiness.ts';
import type { ChainOperation } from './context.ts';
import { chainWeights } from './costs/index.ts';
import { createFinalityMarkers } from './loaders/finality.ts';
import { type ChainLimits, chainLoaders } from './loaders/index.ts';
import { LogDensities } from './loaders/log-search/log-densities.ts';
import { chainMetrics } from './metrics.ts';
import { chainResolvers } from './resolvers/index.ts';
import { chainSettings } from './settings.ts';
import { type ChainSubscriptionSources, createChainSubscriptions } from './subscriptions/index.ts';

export interface ChainLoaderOptions extends ChainLimits {
  readonly subscriptionSources: ChainSubscriptionSources;
  /** The standards when omitted. */
  readonly abis?: AbiRegistry;
}

/** Returns the factory of each operation's chain loaders. */
export function createChainLoaders({
  subscriptionSources,
  abis = createAbiRegistry(),
  ...limits
}: ChainLoaderOptions): (snapshot: Snapshot) => ChainOperation {
  const sources = { ...limits, abis, finalityMarkers: createFinalityMarkers(), logDensities: new LogDensities() };
  const subscriptions = createChainSubscriptions(subscriptionSources);
  return (snapshot) => ({
    ...chainLoaders(sources, snapshot),
    subscriptions,
    waitUntilMined: (hash, waitMs) =>
      subscriptions.waitUntilMined(hash, Math.min(waitMs, maxWaitMs(snapshot.operation)), snapshot.operation.signal),
  });
}

/** Share of the remaining time of an operation that it may wait; the rest is for reading and sending the result. */
const MAX_WAIT_SHARE = 0.8;

const maxWaitMs = ({ deadline = Number.POSITIVE_INFINITY }: Operation): number =>
  Math.max(0, MAX_WAIT_SHARE * (deadline - performance.now()));

/** Blocks, transactions, receipts, logs and accounts of an Ethereum node, with subscriptions to them. */
export const chain = defineDomain({
  name: 'chain',
  schema: 'schema/chain',
  settings: chainSettings,
  resolvers: chainResolvers,
  weights: chainWeights,
  errorSource: 'node',
  exampleQuery: '{ block { number timestamp transactions { hash value from { address balance } } } }',
  create: ({ settings, service, follower, feed, snapshotSources, abis }) => ({
    loaders: createChainLoaders({
      maxBlocks: settings.MAX_BLOCKS,
      maxLogs: settings.MAX_LOGS,
      isDropIn: settings.COMPATIBILITY === 'eip1767',
      service,
      abis,
      subscriptionSources: { feed, snapshotSources },
    }),
    metrics: chainMetrics(feed.sourceHealth),
    ready: async () => checkSyncReadiness(follower, feed.sourceHealth),
  }),
});
