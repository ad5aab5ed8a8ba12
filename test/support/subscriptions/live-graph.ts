import { coreSettings } from '../../../src/config/core-settings.ts';
import { readSettings } from '../../../src/config/settings.ts';
import { chain as chainDomain } from '../../../src/domains/chain/index.ts';
import { createChainLoaders } from '../../../src/domains/chain/load.ts';
import { chainSettings } from '../../../src/domains/chain/settings.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { CONNECTION_TIMING } from '../../../src/server/clients/client-registry.ts';
import { startServer } from '../../../src/server/http.ts';
import { createEventReads } from '../../../src/snapshot/event-reads.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { cleanups } from '../cleanups.ts';
import { NO_STREAMS } from '../graph/no-streams.ts';
import { type DataOf, dataOf } from '../graph/results.ts';
import { executeOverHttp } from '../graph/running-graph.ts';
import { log } from '../silent-log.ts';
import type { SimChain } from '../simulator/chain.ts';
import { type FeedSetup, type FeedSetupOptions, startFeed } from './feed-setup.ts';

/** The graph of a feed, served on a real socket by this process and assembled as in the program. */
export interface ServedFeed {
  readonly url: string;
  /** Executes a query; throws its errors. */
  execute<const Text extends string, T = DataOf<Text>>(query: Text, variables: Record<string, unknown>): Promise<T>;
  /** A number of `/metrics`, by its name without the prefix. */
  metric(name: string): Promise<number>;
}

/** The graph of a simulated chain. */
export interface LiveGraph extends FeedSetup, ServedFeed {}

// `Token.transfers` belongs to the chain, and the token itself to its own domain.
const schema = composeSchema([chainDomain, tokens]);

export interface LiveGraphOptions extends FeedSetupOptions {
  readonly cacheBytes?: number | undefined;
  readonly operationTimeoutMs?: number | undefined;
}

/** Starts a graph, which stops after the test. */
export async function startLiveGraph(
  chain: SimChain,
  { cacheBytes, operationTimeoutMs, ...options }: LiveGraphOptions = {},
): Promise<LiveGraph> {
  const world = await startFeed(chain, options);
  return { ...world, ...(await serveFeed(world, { cacheBytes, operationTimeoutMs })) };
}

/** Serves a feed, until the end of the test. */
export async function serveFeed(
  { upstream, follower, feed }: Omit<FeedSetup, 'node'>,
  { cacheBytes, operationTimeoutMs }: Pick<LiveGraphOptions, 'cacheBytes' | 'operationTimeoutMs'> = {},
): Promise<ServedFeed> {
  const settings = readSettings({ ...coreSettings, ...chainSettings }, {}, {});
  const snapshotSources = {
    node: upstream,
    follower,
    cache: cacheBytes === 0 ? undefined : createRpcResultCache(cacheBytes ?? settings.CACHE_BYTES, follower),
    eventReads: createEventReads(feed),
  };
  const chainOf = createChainLoaders({
    streams: NO_STREAMS,
    maxBlocks: settings.MAX_BLOCKS,
    maxLogs: settings.MAX_LOGS,
    service: { version: '0.0.0', limits: [] },
    subscriptionSources: { feed, snapshotSources },
  });
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    corsOrigins: [],
    operationTimeoutMs: operationTimeoutMs ?? settings.OPERATION_TIMEOUT_MS,
    maxConnections: settings.MAX_CONNECTIONS,
    maxUnsentBytes: settings.MAX_UNSENT_BYTES,
    maxSubscriptions: settings.MAX_SUBSCRIPTIONS,
    trustedProxies: settings.TRUSTED_PROXIES,
    limits: settings,
    weights: chainDomain.weights,
    schema,
    evidence: chainDomain.evidence,
    contextOf: (operation) => ({ chain: chainOf(new Snapshot(snapshotSources, operation)) }),
    responseCache: undefined,
    follower,
    probe: async () => ({}),
    metrics: [],
    documents: {},
    log,
    // Streams close and open again whenever no client is subscribed for a moment.
    timing: { ...CONNECTION_TIMING, lingerMs: 5, drainGraceMs: 0, drainJitterMs: 50 },
  });
  cleanups.push(() => server.stop());
  return {
    url: server.url,
    execute: (query, variables) => dataOf(executeOverHttp(server.url, query, variables)),
    async metric(name) {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(text)?.[1]);
    },
  };
}
