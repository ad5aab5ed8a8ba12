import type { Logger } from 'pino';
import { readAbiFiles } from '../config/abi-files.ts';
import { assembleSettings, type CoreSettings } from '../config/core-settings.ts';
import { checkSettings } from '../config/setting-checks.ts';
import { serviceLimits } from '../config/settings.ts';
import { readTokenLists } from '../config/token-lists.ts';
import { type Domain, isSubgraph, servedDomains } from '../domains/domain.ts';
import { withTimeout } from '../lib/abort.ts';
import type { GraphError } from '../lib/errors.ts';
import { version } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import { startServer } from '../server/http.ts';
import { cacheMetrics, createEventReads } from '../snapshot/event-reads.ts';
import { createRpcResultCache } from '../snapshot/rpc-result-cache.ts';
import { createChainFeed } from '../sync/feed.ts';
import { startFollower } from '../sync/head/follower.ts';
import { createHeadSchedule, trackFinalizedHeight } from '../sync/head/head-schedule.ts';
import { headMetrics } from '../sync/head/head-status.ts';
import { errorLogFields } from '../sync/head/rpc-queries.ts';
import { fullTransactionSubscriptions } from '../sync/pending/pending-transactions.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import { createRpcNode } from '../upstream/rpc/node.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { createReadinessProbe, domainLines, type EnabledDomain, graphOf } from './enabled-domains.ts';
import { connectEmbeddedNetwork, embeddedServices, type NetworkDescription } from './network.ts';
import { nodeProblem, readyMessage } from './ready-message.ts';
import { callersOf, serverOptions } from './server-options.ts';

/** Time that the start waits for the chain id and the head of the node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/** A graph that accepts requests. */
export type RunningGraph = Awaited<ReturnType<typeof serve>>;

/**
 * Starts a graph of these domains: upstreams, head tracking, domains, server. When a part cannot start, stops the other
 * parts and rejects. An unreachable node does not end the start: `/readyz` reports it. `ownProxySecret` is the secret
 * of a proxy inside this process.
 */
export async function serve(settings: CoreSettings, installed: readonly Domain[], log: Logger, ownProxySecret?: string) {
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
    const tournamentName = devnet && { address: devnet.tournament.address, contractName: 'Tournament', fragments: [] };
    const abis = readAbiFiles(settings.ABI_DIR, tournamentName && [tournamentName]);
    const tokenLists = readTokenLists(settings.TOKEN_LISTS, devnet ? [devnet.tokenList] : []);
    const observability = createObservability(log);
    const { upstreamObserver } = observability;
    const { node, follower, feed, lifetimes, firstHead } = startChain(settings, devnet, log, upstreamObserver);
    stops.push(
      () => node.close(),
      () => follower.stop(),
      () => feed.stop(),
      async () => lifetimes.finalizedHeight.stop(),
    );
    const httpFailure = await firstHead;

    const cache = settings.CACHE_BYTES === 0 ? undefined : createRpcResultCache(settings.CACHE_BYTES, follower);
    const snapshotSources = { node, follower, cache, eventReads: createEventReads(feed) };
    const embedded = network && embeddedServices(network);
    const service = { version, limits: serviceLimits(assembleSettings(served), settings) };
    const services = { service, node, follower, feed, snapshotSources, embedded, abis, tokenLists, log, upstreamObserver };
    const enabled: EnabledDomain[] = [];
    for (const domain of served) {
      const running = domain.create({ settings, ...services });
      enabled.push({ domain, running });
      stops.push(async () => running.stop?.());
    }

    const probe = createReadinessProbe(node, follower, enabled);
    const server = await startServer({
      ...serverOptions(settings, devnet),
      ownProxySecret,
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
        version,
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

/**
 * Creates the node that RPC_URL names, or the node of the embedded network, and follows its head. `firstHead` resolves when the chain id and the
 * first head are known, or after two seconds; with the failure of HTTP if the node responds over its WebSocket only.
 */
function startChain(settings: CoreSettings, devnet: NetworkDescription | undefined, log: Logger, observer: UpstreamObserver) {
  const { RPC_URL, RPC_WS_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize, HEADER_CHECKS: headerChecks } = settings;
  const urls = RPC_URL ?? [devnet!.nodeService.http];
  const node = createRpcNode({ urls, maxBatchSize, timeoutMs, log, observer, headerChecks });
  let httpFailure: GraphError | undefined;
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((error) => {
    httpFailure = error as GraphError;
    return undefined;
  });
  const url = RPC_WS_URL ?? devnet?.nodeService.ws;
  const { createSession: createSource } = node;
  const shared = { createSource, timeoutMs, headerChecks: node.headerChecks, log };
  const follower = startFollower({ ...shared, url, chainId, maxBatchSize });
  // If the WebSocket serves another chain than before, HTTP results may be of another chain too.
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const feed = createChainFeed({
    ...shared,
    follower,
    fullTransactionSubscriptions: fullTransactionSubscriptions(settings.NODE_METHODS),
  });
  // Without a head, the follower logs the failure.
  const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready).catch(() => {});
  const firstHead = Promise.all([chainId, head]).then(() => {
    if (!httpFailure || !follower.head || follower.status.transport === 'polling') return undefined;
    log.warn({ endpoint: httpFailure.endpoint, ...errorLogFields(httpFailure) }, 'the node responds over its WebSocket only');
    return httpFailure;
  });
  const lifetimes = { finalizedHeight: trackFinalizedHeight(follower), headSchedule: createHeadSchedule(follower) };
  return { node, follower, feed, lifetimes, firstHead };
}
