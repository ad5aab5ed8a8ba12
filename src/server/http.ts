import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import cors from '@fastify/cors';
import type { Logger } from 'pino';
import { SubscriptionGroups, type SubscriptionLimits } from '../graphql/subscriptions/groups.ts';
import type { AnyMetric } from '../lib/metrics.ts';
import type { HostCheck } from '../lib/urls.ts';
import type { DomainRoute } from '../operation/domain-route.ts';
import { createOperationRunner } from '../operation/operation-runner.ts';
import { OperationPipeline, type PipelineOptions } from '../operation/pipeline.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import { createApp, MAX_BODY_BYTES } from './app.ts';
import { type CallerSettings, createCallerReader } from './callers/caller-reader.ts';
import { createRequestLimits, type RateLimitOptions } from './callers/rate-limits.ts';
import { Admission } from './clients/admission.ts';
import { createClientAddressReader } from './clients/client-address.ts';
import { ClientRegistry, CONNECTION_TIMING, type ConnectionTiming } from './clients/client-registry.ts';
import { Connections } from './clients/connections.ts';
import { StalledClients } from './clients/stalled-clients.ts';
import { registerDomainRoutes } from './domain-routes.ts';
import { registerGraphRoute } from './graph-route.ts';
import { listen } from './listen.ts';
import { connectionMetrics, createRegistry, registerMetrics, subscriptionMetrics } from './ops/metrics.ts';
import { Readiness, type ReadinessProbe, registerHealth, startOpsServer } from './ops/ops-server.ts';
import type { ErrorStatus } from './requests/http-errors.ts';
import { corsOptions, OriginPolicy } from './requests/origins.ts';
import { createSingleResponseHandler } from './single-response.ts';
import { createEventStreamHandler } from './sse/event-streams.ts';
import { registerWebPages } from './web-pages.ts';
import { createWebSocketServer } from './ws/server.ts';
import { handleUpgrades } from './ws/upgrade.ts';

/** Timeout for running operations on shutdown. Process managers kill after ten seconds; the remaining time is for sending responses. */
const DRAIN_TIMEOUT_MS = 8_000;
/** Timeout after DRAIN_TIMEOUT_MS in which clients must read their responses. */
const TERMINATE_GRACE_MS = 1_000;

export interface ServerOptions extends Omit<PipelineOptions, 'log'> {
  readonly limits: PipelineOptions['limits'] & SubscriptionLimits;
  readonly host: string;
  readonly port: number;
  /** Port of a server of its own for `/metrics` and the health checks; 0 picks a free one. Without it `port` serves `/metrics`. */
  readonly metricsPort?: number | undefined;
  /** Origins of web pages that may use this server; `<scheme>://<host>:*` allows every port, `*` every origin. */
  readonly corsOrigins: readonly string[];
  /** Checks Host headers; undefined accepts every Host. */
  readonly acceptsHost?: HostCheck | undefined;
  readonly errorStatus: ErrorStatus;
  /** Maximum number of open connections of all transports. */
  readonly maxConnections: number;
  /** Maximum number of bytes that wait for clients. */
  readonly maxUnsentBytes: number;
  /** Maximum number of running operations on one WebSocket. */
  readonly maxSubscriptions: number;
  /** IP addresses and CIDR ranges of the proxies whose header `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
  /** Secret of a trusted proxy inside this process; none if undefined. */
  readonly ownProxySecret?: string | undefined;
  /** How callers identify themselves; without credentials if undefined. */
  readonly callers?: CallerSettings;
  readonly rateLimits?: RateLimitOptions;
  /** More plugins of Apollo Server. */
  readonly apolloPlugins?: ApolloOptions['plugins'];
  /** HTTP routes of the domains. */
  readonly routes?: readonly DomainRoute[];
  readonly timing?: ConnectionTiming;
  readonly probe: ReadinessProbe;
  readonly metrics: readonly AnyMetric[];
  /** JSON documents to serve, by path; to callers alone if every operation needs one. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

export interface RunningServer {
  /** The URL that the server listens on, without a path. */
  readonly url: string;
  /** The URL of `/metrics` without the path: that of the server, or of the server on `metricsPort`. */
  readonly metricsUrl: string;
  /**
   * Withdraws the readiness, stops accepting connections, waits for running operations and closes everything; without a grace period, idle
   * connections at once. A repeated call returns the same promise.
   */
  stop(options?: { readonly hasGracePeriod?: boolean }): Promise<void>;
}

/** Starts the HTTP server. Resolves when it listens; rejects with BAD_USER_INPUT when it cannot. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, corsOrigins, acceptsHost, isDropIn, schema, log, timing = CONNECTION_TIMING } = options;
  const errorStatus = { errorStatus: options.errorStatus, isDropIn };
  let isDraining = false;
  let hasEndedOperations = false;
  const readiness = new Readiness();
  const requestLimits = createRequestLimits(options.rateLimits ?? {});
  const observers = [...(options.observers ?? []), requestLimits.observer];
  const pipeline = new OperationPipeline({ ...options, observers });
  const groups = new SubscriptionGroups(timing.lingerMs, options.limits);
  const clients = new ClientRegistry(timing);
  const connections = new Connections(options.maxConnections);
  const origins = new OriginPolicy(corsOrigins, log);
  const shared = {
    pipeline,
    run: createOperationRunner({ pipeline, groups, isDraining: () => isDraining }),
    clients,
    addressOf: createClientAddressReader(options.trustedProxies, options.ownProxySecret),
    callerOf: createCallerReader({ ...options.callers, host, log }),
    requestLimits,
    connections,
    sharedEvents: groups.queuedEvents,
    isDraining: () => isDraining,
    timing,
  };
  const app = createApp({ origins, acceptsHost, hasEndedOperations: () => hasEndedOperations, log });
  connections.trackRequests(app.server);
  const admission = new Admission(app.server, connections, timing.closeTimeoutMs);
  const stalledClients = new StalledClients({
    connections,
    sharedEvents: groups.queuedEvents,
    stallTimeoutMs: timing.stallTimeoutMs,
    maxUnsentBytes: options.maxUnsentBytes,
  });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(origins));
  registerHealth(app, options.probe, readiness);
  const registry = createRegistry([
    ...options.metrics,
    ...connectionMetrics(connections, admission, stalledClients),
    ...subscriptionMetrics(clients, groups),
  ]);
  const { probe, metricsPort } = options;
  if (metricsPort === undefined) registerMetrics(app, registry);
  await registerWebPages(app);
  for (const [path, document] of Object.entries(options.documents)) {
    app.get(path, async ({ headers, raw }) => {
      if (options.callers?.isRequired) await shared.callerOf({ headers, remoteAddress: raw.socket.remoteAddress });
      return document;
    });
  }
  const apollo = await startApollo({ schema, pipeline, log, plugins: options.apolloPlugins });
  await registerDomainRoutes(app, options.routes ?? []);
  registerGraphRoute(app, {
    ...shared,
    origins,
    errorStatus,
    responseHandler: createSingleResponseHandler({ apollo, pipeline, connections, errorStatus }),
    eventStreamHandler: createEventStreamHandler({ ...shared, isDropIn }),
  });
  const { maxSubscriptions } = options;
  const sockets = createWebSocketServer({ ...shared, schema, maxSubscriptions, maxPayload: MAX_BODY_BYTES, log });
  handleUpgrades({ server: app.server, sockets, origins, acceptsHost, isDraining: () => isDraining });
  const ops =
    metricsPort === undefined
      ? undefined
      : await startOpsServer({ host, port: metricsPort, registry, probe, readiness, origins, acceptsHost, log });
  const advice = 'Set HOST to an address of this machine, and PORT to a free port.';
  const listener = await listen(app, host, port, advice).catch(async (error: unknown) => {
    await ops?.stop();
    throw error;
  });

  const endOperations = (): void => {
    hasEndedOperations = true;
    pipeline.operations.abortAll();
  };
  const terminate = (): void => {
    clients.terminateAll();
    connections.destroyAll();
  };
  const drain = async (graceMs: number): Promise<void> => {
    const timers = [setTimeout(endOperations, DRAIN_TIMEOUT_MS), setTimeout(terminate, DRAIN_TIMEOUT_MS + TERMINATE_GRACE_MS)];
    readiness.isWithdrawn = true;
    connections.startDraining(graceMs);
    // Until a balancer has noticed, it routes new connections to this server.
    if (readiness.isPolled) await wait(graceMs);
    // Accepts the connections that have arrived.
    await setImmediate();
    isDraining = true;
    listener.close();
    await clients.drain();
    groups.stop();
    await connections.waitUntilClosed();
    await apollo.stop();
    await app.close();
    stalledClients.stop();
    // Last, so that the shutdown can be observed.
    await ops?.stop();
    for (const timer of timers) clearTimeout(timer);
  };
  let stopped: Promise<void> | undefined;
  return {
    url: listener.url,
    metricsUrl: ops?.url ?? listener.url,
    stop: ({ hasGracePeriod = true } = {}) => {
      stopped ??= drain(hasGracePeriod ? timing.drainGraceMs : 0);
      return stopped;
    },
  };
}
