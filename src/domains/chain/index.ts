import { type AbiRegistry, createAbiRegistry } from '../../ethereum/abi/registry.ts';
import type { Metric } from '../../lib/metrics.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { checkSyncReadiness } from '../../sync/head/head-status.ts';
import type { SourceHealth } from '../../sync/source-health.ts';
import { defineDomain } from '../domain.ts';
import { createFinalityMarkers } from './block/finality.ts';
import { chainWeights } from './cost.ts';
import { type ChainLimits, ChainLoaders } from './load.ts';
import { LogDensities } from './log/range-search.ts';
import { chainResolvers } from './resolve.ts';
import { chainSettings } from './settings.ts';
import { type ChainSubscriptionSources, createChainSubscriptions } from './subscriptions/index.ts';

/** Sources of subscription events, by the prefix of their metric. */
const SUBSCRIPTION_SOURCES = {
  logs: 'logs',
  pending_transactions: 'pendingTransactions',
  transaction_status: 'transactionStatus',
};

const chainMetrics = (health: SourceHealth): readonly Metric[] =>
  Object.entries(SUBSCRIPTION_SOURCES).map(([prefix, source]) => ({
    name: `${prefix}_failing_seconds`,
    help: `Time for which reads of subscription events (${source}) have failed; 0 while they succeed or there is no subscriber.`,
    value: () => health.failingMs(source) / 1000,
  }));

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
}: ChainLoaderOptions): (snapshot: Snapshot) => ChainLoaders {
  const shared = { abis, finalityMarkers: createFinalityMarkers(), logDensities: new LogDensities() };
  const sources = { ...limits, ...shared, subscriptions: createChainSubscriptions(subscriptionSources) };
  return (snapshot) => new ChainLoaders(sources, snapshot);
}

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
