import type { Logger } from 'pino';
import { checkDefaultChain } from '../config/chains-file.ts';
import { assembleSettings, type CoreSettings } from '../config/core-settings.ts';
import { checkSettings, isSubgraph } from '../config/setting-checks.ts';
import { serviceLimits } from '../config/settings.ts';
import { createDatabase, type Database } from '../database/database.ts';
import { type Domain, servedDomains } from '../domains/domain.ts';
import { metricsOfChains } from '../lib/metrics.ts';
import { version } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import type { ServerOptions } from '../server/context.ts';
import { startServer } from '../server/http.ts';
import { chainLines, createReadinessProbe, domainLines, graphOf } from './enabled-domains.ts';
import { connectEmbeddedNetwork } from './network.ts';
import { nodeProblem, readyMessage } from './ready-message.ts';
import {
  type ChainOptions,
  embeddedParts,
  type FurtherChain,
  furtherChains,
  optionsOfChain,
  startServedChain,
} from './served-chain.ts';
import { callersOf, serverOptions } from './server-options.ts';

/** The parts of a graph that processes of one server share; see WORKERS. */
interface SharedGraph {
  /** Number of processes, which divide the sizes of the cache and of unsent bytes. */
  readonly processes: number;
  /** The further chains, as the primary has read them: a worker that starts later must not read a changed file. */
  readonly chains: readonly FurtherChain[];
  readonly startChain: NonNullable<ChainOptions['startChain']>;
  readonly server: NonNullable<ServerOptions['shared']>;
}

interface ServeOptions {
  /** Secret of a proxy inside this process. */
  readonly ownProxySecret?: string;
  /** @default this process is the whole server */
  readonly shared?: SharedGraph;
}

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
    const observability = createObservability(log);
    const { processes = 1, server: sharedServer } = shared ?? {};
    const { devnet, embedded, embeddedAbis } = embeddedParts(network, installed);
    let database: Database | undefined;
    const openDatabase = () => {
      const url = settings.DATABASE_URL ?? embedded?.database?.url;
      if (url !== undefined) database ??= createDatabase({ url, log });
      return database;
    };
    stops.push(async () => database?.stop());
    const others = shared?.chains ?? furtherChains(settings, installed, devnet);
    const context = {
      services: {
        service: { version, limits: serviceLimits(assembleSettings(served), settings) },
        log,
        openDatabase,
      },
      observeUpstreams: observability.observeUpstreams,
      cacheBytes: Math.ceil(settings.CACHE_BYTES / processes / (1 + others.length)),
      stops,
    };
    const startChain = shared?.startChain;
    const own = { devnet, embedded, embeddedAbis, startChain };
    const started = [
      startServedChain({ settings, domains: served, ...own }, context),
      ...others.map((other) => startServedChain({ ...optionsOfChain(other, settings, installed), startChain }, context)),
    ] as const;
    const [httpFailure] = await Promise.all(started.map(({ chain }) => chain.firstHead));
    const { node, follower, lifetimes } = started[0].chain;
    if (!shared) checkDefaultChain(settings.CHAINS, others, follower.status.chainId);
    const first = started[0].createDomains();
    const further = started.slice(1).map(({ createDomains }) => createDomains(first));
    const { enabled } = first;

    const probe = createReadinessProbe(started[0].chain, enabled, further);
    const server = await startServer({
      ...serverOptions(settings, devnet, processes),
      ownProxySecret,
      shared: sharedServer,
      ...graphOf([first, ...further], settings, lifetimes),
      probe,
      callers,
      rateLimits: { requestsPerMinute: settings.RATE_LIMIT_REQUESTS, costPerMinute: settings.RATE_LIMIT_COST },
      routes: enabled.flatMap(({ running }) => running.routes ?? []),
      observers: observability.operationObservers,
      metrics: [...observability.metrics, ...metricsOfChains([first, ...further], further.length > 0)],
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
        domainLines: [...(await domainLines(settings.DOMAIN.length > 0 ? served : installed, enabled)), ...chainLines(others)],
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
