import type { Data } from '../../ethereum/hex.ts';
import type { Resolvers } from '../../generated/chain.ts';
import type { StreamingResolvers } from '../../graphql/stream.ts';
import type { Metric } from '../../lib/metrics.ts';
import type { SourceHealth } from '../../sync/source-health.ts';
import { defineDomain } from '../domain.ts';
import { accountResolvers } from './account/resolve.ts';
import { blockResolvers } from './block/resolve.ts';
import { callResolvers } from './call/resolve.ts';
import { chainWeights } from './cost.ts';
import { chainEvidence } from './evidence.ts';
import { createChainLoaders } from './load.ts';
import { logResolvers } from './log/resolve.ts';
import { queryResolvers } from './resolve-query.ts';
import { chainSettings } from './settings.ts';
import { createStreams } from './streams/index.ts';
import { streamResolvers } from './streams/resolve.ts';
import { subscriptionResolvers } from './subscriptions/resolve.ts';
import { traceResolvers } from './trace/resolve.ts';
import { transactionResolvers } from './transaction/resolve.ts';

/**
 * The resolvers of the chain. A field without a resolver is the property of the node's object with the name of the
 * field.
 */
const chainResolvers: StreamingResolvers<Resolvers> = {
  ...accountResolvers,
  ...blockResolvers,
  ...callResolvers,
  ...logResolvers,
  ...queryResolvers,
  ...subscriptionResolvers,
  ...traceResolvers,
  ...transactionResolvers,
  Query: { ...queryResolvers.Query, ...streamResolvers.Query },
  Mutation: { ...transactionResolvers.Mutation, ...streamResolvers.Mutation },
};

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
    // All processes of a server report the failure of one follower.
    aggregator: 'max',
  }));

/** Blocks, transactions, receipts, logs and accounts of an Ethereum node, with subscriptions to them. */
export const chain = defineDomain({
  name: 'chain',
  schema: 'schema/chain',
  settings: chainSettings,
  resolvers: chainResolvers,
  weights: chainWeights,
  evidence: chainEvidence,
  errorSource: 'node',
  exampleQuery: '{ block { number timestampISO transactions { hash valueIn from { address balanceIn } } } }',
  create({ settings, service, chainId, embedded, openDatabase, feed, snapshotSources, abis, log }) {
    const { MAX_STREAMS: maxStreams, STREAM_RETENTION_DAYS: retentionDays } = settings;
    const streams = createStreams(openDatabase(), { chainId, maxStreams, retentionDays, log });
    const loaders = createChainLoaders({
      maxBlocks: settings.MAX_BLOCKS,
      maxLogs: settings.MAX_LOGS,
      confirmations: settings.CONFIRMATIONS,
      isDropIn: settings.COMPATIBILITY === 'eip1767',
      tournament: settings.TOURNAMENT_ADDRESS ?? (embedded?.services.tournament as { address: Data } | undefined)?.address,
      ...{ service, abis, streams },
      subscriptionSources: { feed, snapshotSources },
    });
    const metrics = chainMetrics(feed.sourceHealth);
    return { loaders, metrics, stop: streams.stop };
  },
});
