import type { Logger } from 'pino';
import { readAbiFiles } from '../config/abi-files.ts';
import { assembleSettings, type CoreSettings } from '../config/core-settings.ts';
import { serviceLimits } from '../config/service-description.ts';
import { readTokenLists } from '../config/token-lists.ts';
import { type Domain, type EmbeddedServices, isSubgraph, type RunningDomain, servedDomains } from '../domains/domain.ts';
import type { FieldWeights } from '../graphql/cost/operation-cost.ts';
import { authenticatedFields } from '../graphql/federation/authenticated-fields.ts';
import { composeSchema } from '../graphql/federation/compose.ts';
import { subgraphSchema } from '../graphql/federation/subgraph.ts';
import { withTimeout } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import { createHostCheck, listenHostNames } from '../lib/hosts.ts';
import { version } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import type { Operation } from '../operation/operation.ts';
import { parseApiKeys } from '../server/callers/api-keys.ts';
import type { CallerSettings } from '../server/callers/caller-reader.ts';
import { startServer } from '../server/http.ts';
import { chainFacts, responseLifetime } from '../snapshot/chain-facts.ts';
import { cacheMetrics, createEventReads } from '../snapshot/event-reads.ts';
import { createSnapshot, type Snapshot, type SnapshotSources } from '../snapshot/index.ts';
import { probeNode } from '../snapshot/node-capabilities.ts';
import { createRpcResultCache } from '../snapshot/rpc-result-cache.ts';
import { createChainFeed } from '../sync/feed.ts';
import { type Follower, startFollower } from '../sync/head/follower.ts';
import { HeadSchedule, trackFinalizedHeight } from '../sync/head/head-schedule.ts';
import { headMetrics, headStatus } from '../sync/head/head-status.ts';
import { fullTransactionSubscriptions } from '../sync/pending/pending-transactions.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import { createRpcNode, type RpcNode } from '../upstream/rpc/node.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { connectEmbeddedNetwork, type EmbeddedNetwork, type NetworkDescription } from './network.ts';
import { readyMessage } from './ready-message.ts';

/** How long the start waits for the chain id and the head of the node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/** Route of the domain that receives the notifications of the embedded network. */
const WEBHOOKS_PATH = '/webhooks';

/** Origins that may use the embedded chain unless CORS_ORIGINS is set: pages in development on this machine. */
const LOOPBACK_ORIGINS: readonly string[] = ['http://localhost:*', 'http://127.0.0.1:*', 'http://[::1]:*'];

/** A graph that accepts requests. */
export interface RunningGraph {
  /** Where the server listens, without a path. */
  readonly url: string;
  /** Where `/metrics` is, without the path. */
  readonly metricsUrl: string;
  readonly readyMessage: string;
  /** Resolves when the embedded chain exits by itself; undefined without one. */
  readonly devnetExited: Promise<void> | undefined;
  /**
   * Drains the server, then stops the domains, the head tracking and the upstreams. Without a grace period, idle connections are closed at
   * once.
   */
  stop(options?: { readonly hasGracePeriod?: boolean }): Promise<void>;
}

/**
 * Starts a graph of these domains: upstreams, head tracking, domains, server. When one of them cannot start, stops the others and rejects.
 * An unreachable node does not end the start: `/readyz` reports it. `ownProxySecret` is that of a proxy inside this process.
 */
export async function serve(
  settings: CoreSettings,
  installed: readonly Domain[],
  log: Logger,
  ownProxySecret?: string,
): Promise<RunningGraph> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    const served = servedDomains(installed, settings);
    const abis = readAbiFiles(settings.ABI_DIR);
    const network = await connectEmbeddedNetwork(settings, log);
    if (network) stops.push(() => network.stop());
    const devnet = network?.description;
    const tokenLists = readTokenLists(settings.TOKEN_LISTS, devnet ? [devnet.tokenList] : []);
    const observability = createObservability(log);
    const { upstreamObserver } = observability;
    const node = createNode(settings, devnet, log, upstreamObserver);
    stops.push(() => node.close());

    const { follower, feed, finalizedHeight, headSchedule, firstHead } = startHeadTracking(settings, devnet, node, log);
    stops.push(
      () => follower.stop(),
      () => feed.stop(),
      async () => finalizedHeight.stop(),
    );
    await firstHead;

    const cache = settings.CACHE_BYTES === 0 ? undefined : createRpcResultCache(settings.CACHE_BYTES, follower);
    const snapshotSources = { node, follower, cache, eventReads: createEventReads(feed) };
    const embedded = network && embeddedServices(network);
    const service = { version, limits: serviceLimits(assembleSettings(served), settings) };
    const enabled: EnabledDomain[] = [];
    for (const domain of served) {
      const running = domain.create({
        settings,
        service,
        node,
        follower,
        feed,
        snapshotSources,
        embedded,
        abis,
        tokenLists,
        log,
        upstreamObserver,
      });
      enabled.push({ domain, running });
      stops.push(async () => running.stop?.());
    }

    const server = await startServer({
      ...serverSettings(settings, devnet),
      ownProxySecret,
      ...graphOf(enabled, isSubgraph(settings), snapshotSources),
      lifetimeOf: (operation) => responseLifetime({ follower, cache, finalizedHeight, headSchedule }, operation),
      probe: createReadinessProbe(node, follower, enabled),
      callers: await callersOf(settings),
      rateLimits: { requestsPerMinute: settings.RATE_LIMIT_REQUESTS, costPerMinute: settings.RATE_LIMIT_COST },
      routes: enabled.flatMap(({ running }) => running.routes ?? []),
      observers: observability.operationObservers,
      metrics: [
        ...observability.metrics,
        ...nodeMetrics(node),
        ...headMetrics(follower),
        ...cacheMetrics(cache, snapshotSources.eventReads),
        ...enabled.flatMap(({ running }) => running.metrics ?? []),
      ],
      log,
    });
    stops.push(() => server.stop());
    const notified = enabled.flatMap(({ running }) => running.routes ?? []).find(({ path }) => path === WEBHOOKS_PATH);
    if (notified) network?.deliverNotificationsTo?.(`${server.url}${notified.path}`);
    return {
      url: server.url,
      metricsUrl: server.metricsUrl,
      readyMessage: readyMessage({
        version,
        url: server.url,
        metricsUrl: server.metricsUrl === server.url ? undefined : server.metricsUrl,
        nodeLabel: node.label,
        subgraph: isSubgraph(settings) ? served.map(({ name }) => name) : undefined,
        domainLines: domainLines(settings.DOMAIN.length > 0 ? served : installed, enabled),
        exampleQuery: served.findLast(({ exampleQuery }) => exampleQuery)?.exampleQuery,
        devnet,
      }),
      devnetExited: network?.exited,
      async stop(options) {
        await server.stop(options);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface EnabledDomain {
  readonly domain: Domain;
  readonly running: RunningDomain;
}

const createNode = (
  settings: CoreSettings,
  devnet: NetworkDescription | undefined,
  log: Logger,
  observer: UpstreamObserver,
): RpcNode =>
  createRpcNode({
    urls: settings.RPC_URL ?? [devnet!.nodeService.http],
    maxBatchSize: settings.RPC_BATCH,
    timeoutMs: settings.RPC_TIMEOUT_MS,
    log,
    observer,
    headerChecks: settings.HEADER_CHECKS,
  });

/** `firstHead` resolves when the chain id and the first head are known, or after two seconds with a warning in the log. */
function startHeadTracking(settings: CoreSettings, devnet: NetworkDescription | undefined, node: RpcNode, log: Logger) {
  const { RPC_WS_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize } = settings;
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((err) => {
    log.warn({ err }, 'the node has not responded to the chain id check at startup');
    return undefined;
  });
  const url = RPC_WS_URL ?? devnet?.nodeService.ws;
  const { createSession: createSource, headerChecks } = node;
  const follower = startFollower({ url, createSource, chainId, timeoutMs, maxBatchSize, headerChecks, log });
  // If the WebSocket serves another chain than before, HTTP results may be of another chain too.
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const finalizedHeight = trackFinalizedHeight(follower);
  const headSchedule = new HeadSchedule(follower);
  const feed = createChainFeed({
    follower,
    createSource,
    fullTransactionSubscriptions: fullTransactionSubscriptions(settings.NODE_METHODS),
    timeoutMs,
    headerChecks,
    log,
  });
  const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready).catch((err) =>
    log.warn({ err }, 'the head of the chain is still unknown after startup'),
  );
  return { follower, feed, finalizedHeight, headSchedule, firstHead: Promise.all([chainId, head]) };
}

function serverSettings(settings: CoreSettings, devnet: NetworkDescription | undefined) {
  const { HOST, ALLOWED_HOSTS, CORS_ORIGINS } = settings;
  // DNS rebinding would let pages of any site use the embedded chain, which has no other protection.
  const checksHost = devnet !== undefined || ALLOWED_HOSTS.length > 0;
  return {
    host: HOST,
    port: settings.PORT,
    metricsPort: settings.METRICS_PORT,
    corsOrigins: devnet && CORS_ORIGINS.length === 0 ? LOOPBACK_ORIGINS : CORS_ORIGINS,
    acceptsHost: checksHost ? createHostCheck([...listenHostNames(HOST), ...ALLOWED_HOSTS]) : undefined,
    operationTimeoutMs: settings.OPERATION_TIMEOUT_MS,
    maxConnections: settings.MAX_CONNECTIONS,
    maxUnsentBytes: settings.MAX_UNSENT_BYTES,
    maxSubscriptions: settings.MAX_SUBSCRIPTIONS,
    trustedProxies: settings.TRUSTED_PROXIES,
    limits: settings,
    errorStatus: settings.ERROR_STATUS,
    isDropIn: settings.COMPATIBILITY === 'eip1767',
    documents: devnet ? { '/devnet.json': devnet } : {},
  };
}

/** The services of the embedded network for the domains. */
const embeddedServices = ({ description, database, webhookReceiver }: EmbeddedNetwork): EmbeddedServices => ({
  wizardService: description.wizardService,
  database,
  notificationTokens: description.notificationService ? [description.notificationService] : [],
  webhookReceiver,
});

/**
 * How callers identify themselves. Throws BAD_USER_INPUT for an invalid API key, for claims of tokens without a key set, and for required callers
 * without keys.
 */
export async function callersOf(settings: CoreSettings): Promise<CallerSettings> {
  const { API_KEYS, JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE, REQUIRE_CALLER } = settings;
  if (JWT_JWKS_URL === undefined && (JWT_ISSUER ?? JWT_AUDIENCE) !== undefined)
    throw new GraphError('BAD_USER_INPUT', 'JWT_ISSUER or JWT_AUDIENCE is set without JWT_JWKS_URL. Set the URL of the key set.');
  const isRequired = REQUIRE_CALLER === 'on';
  if (isRequired && API_KEYS.length === 0 && JWT_JWKS_URL === undefined)
    throw new GraphError('BAD_USER_INPUT', 'REQUIRE_CALLER is on, and no caller has a key. Set API_KEYS or JWT_JWKS_URL, too.');
  return {
    isRequired,
    apiKeys: API_KEYS.length > 0 ? parseApiKeys(API_KEYS) : undefined,
    verifyToken: JWT_JWKS_URL === undefined ? undefined : await tokenVerifier(settings, JWT_JWKS_URL),
  };
}

/** Imports the code dynamically, so that a server without tokens does not load it. */
async function tokenVerifier({ JWT_ISSUER, JWT_AUDIENCE, JWT_APP_CLAIM, RPC_TIMEOUT_MS }: CoreSettings, jwksUrl: string) {
  const { createTokenVerifier } = await import('../server/callers/json-web-tokens.ts');
  return createTokenVerifier({
    jwksUrl,
    issuer: JWT_ISSUER,
    audience: JWT_AUDIENCE,
    appClaim: JWT_APP_CLAIM,
    timeoutMs: RPC_TIMEOUT_MS,
  });
}

/** The schema, the costs and the context of the enabled domains, and the response cache. */
function graphOf(
  enabled: readonly EnabledDomain[],
  isFederated: boolean,
  sources: SnapshotSources & { readonly follower: Follower },
) {
  const { follower, cache } = sources;
  const domains = enabled.map(({ domain }) => domain);
  return {
    schema: isFederated ? subgraphSchema(domains) : composeSchema(domains),
    authenticatedFields: authenticatedFields(domains),
    weights: Object.assign({}, ...enabled.map(({ domain }) => domain.weights)) as FieldWeights,
    factsAt: (block: string | undefined) => chainFacts({ follower, cache }, block),
    follower,
    contextOf: contextsOf(enabled, sources),
    responseCache: cache && {
      scopeOf: ({ block, head }: Operation) => (block === undefined ? (head ?? follower.head)?.hash : undefined),
      ...cache.responses,
    },
  };
}

/** Creates the contexts of operations. The snapshot of an operation and the loaders of a domain are created when they are first read. */
function contextsOf(enabled: readonly EnabledDomain[], sources: SnapshotSources): (operation: Operation) => object {
  class Context {
    snapshot: Snapshot | undefined;
    readonly loaders: (object | undefined)[] = [];
    readonly operation: Operation;

    constructor(operation: Operation) {
      this.operation = operation;
    }
  }
  for (const [i, { domain, running }] of enabled.entries())
    Object.defineProperty(Context.prototype, domain.name, {
      get(this: Context) {
        this.snapshot ??= createSnapshot(sources, this.operation);
        this.loaders[i] ??= running.loaders(this.snapshot);
        return this.loaders[i];
      },
    });
  return (operation) => new Context(operation);
}

/** Rejects with the first reason why requests would fail: the follower, the node, or a domain. */
const createReadinessProbe =
  (node: RpcNode, follower: Follower, enabled: readonly EnabledDomain[]) => async (signal: AbortSignal) => {
    if (follower.status.state === 'fatal') throw follower.status.error;
    const block = await probeNode(node, signal);
    await Promise.all(enabled.map(({ running }) => running.ready?.(signal)));
    const degraded = (await Promise.all(enabled.map((one) => degradation(one, signal)))).flat();
    return { block, head: headStatus(follower), ...(degraded.length > 0 && { degraded }) };
  };

/** The failure of an optional service of a domain, for `/readyz`; empty if it responds. */
async function degradation({ domain: { name }, running }: EnabledDomain, signal: AbortSignal) {
  try {
    await running.checkOptional?.(signal);
    return [];
  } catch (error) {
    const { code, message } = error instanceof GraphError ? error : INTERNAL_FAILURE;
    return [{ domain: name, code, message }];
  }
}

const INTERNAL_FAILURE = new GraphError('INTERNAL_SERVER_ERROR', 'The check of the service failed.');

/** The lines of these domains in the ready message. */
const domainLines = (domains: readonly Domain[], enabled: readonly EnabledDomain[]): [name: string, label: string][] =>
  domains.flatMap((domain) => {
    const running = enabled.find((one) => one.domain === domain)?.running;
    const label = running ? running.label : domain.enableHint && `none; ${domain.enableHint}`;
    return label === undefined ? [] : [[domain.name, label]];
  });
