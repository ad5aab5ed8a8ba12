import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import cors from '@fastify/cors';
import { startApollo } from './apollo.ts';
import { createApp } from './app.ts';
import { Admission } from './clients/admission.ts';
import { StalledClients } from './clients/stalled-clients.ts';
import { createServerContext, type ServerOptions } from './context.ts';
import { registerDomainRoutes } from './domain-routes.ts';
import { registerGraphRoute } from './graph-route.ts';
import { listen } from './listen.ts';
import { createRegistry, Readiness, registerHealth, registerMetrics, serverMetrics, startOpsServer } from './ops.ts';
import { NO_STORE } from './requests/http-errors.ts';
import { corsOptions } from './requests/origins.ts';
import { createSingleResponseHandler } from './single-response.ts';
import { createEventStreamHandler } from './sse/event-streams.ts';
import { registerWebPages, sendNotFound } from './web-pages.ts';
import { createWebSocketServer } from './ws/server.ts';
import { handleUpgrades } from './ws/upgrade.ts';

/** Timeout for running operations on shutdown. Process managers kill after ten seconds; the remaining time is for sending responses. */
const DRAIN_TIMEOUT_MS = 8_000;
/** Timeout after the end of the operations in which clients must read their responses. */
const TERMINATE_GRACE_MS = 1_000;

/** Starts the HTTP server. Resolves when it listens; rejects with BAD_USER_INPUT when it cannot. */
export async function startServer(options: ServerOptions) {
  const { host, port, corsOrigins, metricsPort, probe, shared } = options;
  const context = createServerContext(options);
  const { pipeline, groups, clients, connections, shutdown, timing } = context;
  const readiness = new Readiness();
  const app = createApp({ ...context, sendNotFound });
  connections.trackRequests(app.server);
  const admission = new Admission(app.server, connections, timing.closeTimeoutMs, shared && (() => shared.closeIdleElsewhere()));
  const stalledClients = new StalledClients(context);
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins));
  registerHealth(app, probe, readiness);
  const connectionMetrics = serverMetrics({ ...context, admission, stalledClients });
  const registry = createRegistry([...options.metrics, ...connectionMetrics, ...readiness.metrics, context.rejections.metric]);
  shared?.attach({ registry, connections });
  const metrics = { contentType: registry.contentType, render: () => (shared ? shared.renderMetrics() : registry.metrics()) };
  if (metricsPort === undefined) registerMetrics(app, metrics);
  await registerWebPages(app);
  for (const [path, document] of Object.entries(options.documents)) {
    app.get(path, async ({ headers, raw }, reply) => {
      if (options.callers?.isRequired) await context.callerOf({ headers, remoteAddress: raw.socket.remoteAddress });
      return reply.header('cache-control', NO_STORE).send(document);
    });
  }
  const apollo = await startApollo({ ...context, plugins: options.apolloPlugins });
  await registerDomainRoutes(app, options.routes ?? []);
  registerGraphRoute(app, context, createSingleResponseHandler(apollo, context), createEventStreamHandler(context));
  handleUpgrades(app.server, createWebSocketServer(context), context);
  const ops =
    metricsPort === undefined
      ? undefined
      : await startOpsServer({ ...context, port: metricsPort, metrics, readiness, listen: shared?.listen });
  const advice = 'Set HOST to an address of this machine, and PORT to a free port.';
  const listener = await listen(app, host, port, advice, shared?.listen).catch(async (error: unknown) => {
    await ops?.stop();
    throw error;
  });

  const drain = async (graceMs: number): Promise<void> => {
    let timer = setTimeout(() => {
      shutdown.hasEndedOperations = true;
      pipeline.operations.abortAll();
      // A process that has stood still has not sent the errors yet.
      timer = setTimeout(() => {
        clients.terminateAll();
        connections.destroyAll();
      }, TERMINATE_GRACE_MS);
    }, DRAIN_TIMEOUT_MS);
    readiness.isWithdrawn = true;
    connections.startDraining(graceMs);
    // Until a balancer has detected the change, it routes new connections to this server.
    if (readiness.isPolled) await wait(graceMs);
    // Wait a turn, so that the server accepts the connections that have arrived.
    await setImmediate();
    shutdown.isDraining = true;
    listener.close();
    await clients.drain();
    groups.stop();
    await connections.waitUntilClosed();
    await apollo.stop();
    await app.close();
    stalledClients.stop();
    // Close the metrics last, so that the shutdown can be observed.
    await ops?.stop();
    clearTimeout(timer);
  };
  let stopped: Promise<void> | undefined;
  return {
    /** The URL that the server listens on, without a path. */
    url: listener.url,
    /** The URL of `/metrics` without the path: the URL of the server, or of the server on `metricsPort`. */
    metricsUrl: ops?.url ?? listener.url,
    /**
     * Withdraws the readiness, stops accepting connections, waits for running operations and closes everything; without
     * a grace period, it closes idle connections at once. A repeated call returns the promise of the first call.
     */
    stop({ hasGracePeriod = true }: { readonly hasGracePeriod?: boolean } = {}): Promise<void> {
      stopped ??= drain(hasGracePeriod ? timing.drainGraceMs : 0);
      return stopped;
    },
  };
}
