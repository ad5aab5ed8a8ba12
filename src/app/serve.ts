import type { Logger } from 'pino';
import { readAbiFiles } from '../config/abi-files.ts';
import { assembleSettings, type CoreSettings } from '../config/core-settings.ts';
import { checkSettings } from '../config/setting-checks.ts';
import { serviceLimits } from '../config/settings.ts';
import { readTokenLists } from '../config/token-lists.ts';
import { createDatabase, type Database } from '../database/database.ts';
import { type Domain, isSubgraph, servedDomains } from '../domains/domain.ts';
import { version } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import type { ServerOptions } from '../server/context.ts';
import { startServer } from '../server/http.ts';
import { cacheMetrics, createEventReads } from '../snapshot/event-reads.ts';
import { createLiveCalls } from '../snapshot/live-calls.ts';
import { createRpcResultCache, type ResultSharing, type RpcResultCache } from '../snapshot/rpc-result-cache.ts';
import { headMetrics } from '../sync/head/head-status.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { startChain, stopChain } from './chain.ts';
import { createReadinessProbe, domainLines, type EnabledDomain, graphOf } from './enabled-domains.ts';
import { connectEmbeddedNetwork, embeddedServices } from './network.ts';
import { nodeProblem, readyMessage } from './ready-message.ts';
import { callersOf, serverOptions } from './server-options.ts';

/** The parts of a graph that processes of one server share; see WORKERS. */
interface SharedGraph {
  /** Number of processes, which divide the sizes of the cache and of unsent bytes. */
  readonly processes: number;
  readonly startChain: typeof startChain;
  readonly results: { readonly sharing: ResultSharing; attach(cache: RpcResultCache | undefined): void };
  readonly server: NonNullable<ServerOptions['shared']>;
}

interface ServeOptions {
  /** Secret of a proxy inside this process. */
  readonly ownProxySecret?: string;
  /** @default this process is the whole server */
  readonly shared?: SharedGraph;
}

/** A graph that accepts requests. */
export type RunningGraph = Awaited<ReturnType<typeof serve>>;

/**
 * Starts a graph of these domains: upstreams, head tracking, domains, server. When a part cannot start, stops the other
 * parts and rejects. An unreachable node does not end the start: `/readyz` reports it.
 */
export async function serve(
  settings: CoreSettings,
  installed: readonly Domain[],
  log: Logger,
  { ownProxySecret, shared }: ServeOptions = {},
) {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    checkSettings(settings);
    const callers = await callersOf(settings, log);
    const served = servedDomains(installed, settings);
    const network = await connectEmbeddedNetwork(settings, log);
    if (network) stops.push(() => network.stop());
    const devnet = network?.description;
    const embeddedAbis = devnet && installed.flatMap((domain) => domain.embeddedParts?.({ ...devnet }).abis ?? []);
    const abis = readAbiFiles(settings.ABI_DIR, embeddedAbis);
    const tokenLists = readTokenLists(settings.TOKEN_LISTS, devnet ? [devnet.tokenList] : []);
    const observability = createObservability(log);
    const { upstreamObserver } = observability;
    const start = shared?.startChain ?? startChain;
    const chain = start(settings, devnet, log, upstreamObserver);
    stops.push(() => stopChain(chain));
    const { node, follower, feed, lifetimes, firstHead } = chain;
    const httpFailure = await firstHead;

    const { processes = 1, results, server: sharedServer } = shared ?? {};
    const cacheBytes = Math.ceil(settings.CACHE_BYTES / processes);
    const cache = cacheBytes === 0 ? undefined : createRpcResultCache(cacheBytes, follower, results?.sharing);
    results?.attach(cache);
    const snapshotSources = { node, follower, cache, eventReads: createEventReads(feed), liveCalls: createLiveCalls(node) };
    const embedded = network && embeddedServices(network);
    const service = { version, limits: serviceLimits(assembleSettings(served), settings) };
    const services = { service, node, follower, feed, snapshotSources, embedded, abis, tokenLists, log, upstreamObserver };
    let database: Database | undefined;
    const openDatabase = () => {
      const url = settings.DATABASE_URL ?? embedded?.database?.url;
      if (url !== undefined) database ??= createDatabase({ url, log });
      return database;
    };
    stops.push(async () => database?.stop());
    const enabled: EnabledDomain[] = [];
    for (const domain of served) {
      const running = domain.create({ settings, openDatabase, ...services });
      enabled.push({ domain, running });
      stops.push(async () => running.stop?.());
    }

    const probe = createReadinessProbe(node, follower, enabled);
    const server = await startServer({
      ...serverOptions(settings, devnet, processes),
      ownProxySecret,
      shared: sharedServer,
      ...graphOf(enabled, isSubgraph(settings), snapshotSources, lifetimes),
      probe,
      callers,
      rateLimits: { requestsPerMinute: settings.RATE_LIMIT_REQUESTS, costPerMinute: settings.RATE_LIMIT_COST },
      routes: enabled.flatMap(({ running }) => running.routes ?? []),
      observers: observability.operationObservers,
      metrics: [
        ...observability.metrics,
        ...nodeMetrics(node),
        node.headerChecks.failures,
        ...headMetrics(follower),
        ...cacheMetrics(cache, snapshotSources.eventReads),
        ...enabled.flatMap(({ running }) => running.metrics ?? []),
      ],
      log,
    });
    stops.push(() => server.stop());
    const notificationPath = enabled.find(({ running }) => running.notificationPath)?.running.notificationPath;
    if (notificationPath) network?.deliverNotificationsTo?.(`${server.url}${notificationPath}`);
    return {
      /** URL that the server listens on, without a path. */
      url: server.url,
      /** Rejects with the reason why requests would fail. */
      probe,
      /** URL of `/metrics`, without the path. */
      metricsUrl: server.metricsUrl,
      readyMessage: readyMessage({
        url: server.url,
        metricsUrl: server.metricsUrl === server.url ? undefined : server.metricsUrl,
        nodeLabel: (follower.status.error ?? httpFailure)?.endpoint ?? node.label,
        problem: nodeProblem(follower.status, httpFailure),
        subgraph: isSubgraph(settings) ? served.map(({ name }) => name) : undefined,
        domainLines: await domainLines(settings.DOMAIN.length > 0 ? served : installed, enabled),
        exampleQuery: served.findLast(({ exampleQuery }) => exampleQuery)?.exampleQuery,
        devnet,
      }),
      /** Resolves when the embedded chain exits by itself; undefined without one. */
      devnetExited: network?.exited,
      /** Drains the server, then stops the domains, the head tracking and the upstreams. Without a grace period, closes idle connections at once. */
      async stop(options?: Parameters<typeof server.stop>[0]): Promise<void> {
        await server.stop(options);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
