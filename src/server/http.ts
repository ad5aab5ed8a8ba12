import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { GraphError } from '../errors.ts';
import { createExecutor } from '../graphql/executor/index.ts';
import type { ChainFactsAt, FieldWeights } from '../graphql/pipeline/cost/operation-cost.ts';
import { DocumentStore } from '../graphql/pipeline/documents.ts';
import { SubscriptionGroups } from '../graphql/subscriptions/groups.ts';
import type { HostCheck } from '../hosts.ts';
import type { Metric } from '../metrics.ts';
import { type GraphOptions, registerGraph } from './apollo.ts';
import { ClientRegistry } from './client-registry.ts';
import { CONNECTION_TIMING, type ConnectionTiming } from './connection-timing.ts';
import {
  HOST_NOT_ALLOWED_MESSAGE,
  rejectMalformedRequest,
  SHUTTING_DOWN_MESSAGE,
  sendError,
  sendRequestError,
} from './http-errors.ts';
import { createOperationRegistry } from './operation-context.ts';
import { createOperationRunner } from './operation-runner.ts';
import { type ReadinessProbe, registerHealth } from './ops/health.ts';
import { registerMetrics, subscriptionMetrics } from './ops/metrics.ts';
import { isAllowedOrigin, OriginPolicy } from './origins.ts';
import { registerPlayground } from './playground.ts';
import { requestIdOf } from './request-id.ts';
import { createEventStreamHandler } from './sse/event-streams.ts';
import { createWebSocketServer } from './ws/server.ts';
import { handleUpgrades, isWebSocketUpgrade } from './ws/upgrade.ts';

/** Largest request body. A transaction that any node takes has at most 128 KiB; in hex and JSON that is a little over 256 KiB. */
const MAX_BODY_BYTES = 256 * 1024;
/** A client sends its headers in one piece; whoever takes longer, or sends none, holds a socket for nothing. */
const HEADERS_TIMEOUT_MS = 5_000;
/** The whole request, its body included: 256 KiB in that time need 37 KiB a second. */
const REQUEST_TIMEOUT_MS = 7_000;
/** How often sockets are looked at; Node's own 30 s would add that to both. */
const CONNECTIONS_CHECK_INTERVAL_MS = 1_000;
const HTTP_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
  // Node 24.9 and newer ask; older ones leave other upgrades to `takeUpgrades`.
  shouldUpgradeCallback: isWebSocketUpgrade,
};
/** Longer than the 60 s after which common load balancers drop an idle connection: they must be the ones that close. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Running operations get this long to finish once the server stops; the rest of its ten seconds is for the answers. */
const DRAIN_TIMEOUT_MS = 8_000;
/** And those who then have not even taken their answer, this long. */
const TERMINATE_GRACE_MS = 1_000;

export interface ServerOptions extends Pick<GraphOptions, 'schema' | 'contextOf' | 'limits' | 'responseCache' | 'errorStatus'> {
  readonly host: string;
  readonly port: number;
  /** Origins of web pages that may use this server; `<scheme>://<host>:*` allows every port, `*` every origin. */
  readonly corsOrigins: readonly string[];
  /** The Host headers that are served; all when left out. */
  readonly acceptsHost?: HostCheck | undefined;
  readonly operationTimeoutMs: number;
  /** WebSockets and event streams at a time. */
  readonly maxConnections: number;
  /** Operations at a time on one WebSocket. */
  readonly maxSubscriptions: number;
  /** What the fields of all domains cost. */
  readonly weights: FieldWeights;
  /** What is known of the chain before an operation runs, for its price; nothing when left out. */
  readonly factsAt?: ChainFactsAt;
  readonly timing?: ConnectionTiming;
  readonly probe: ReadinessProbe;
  readonly metrics: readonly Metric[];
  /** Further JSON documents by path. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

export interface RunningServer {
  /** Where the server listens, as a URL without a path. */
  readonly url: string;
  /** Takes no more requests, lets running operations finish, and resolves when all is closed. May be called twice. */
  stop(): Promise<void>;
}

/** Starts the HTTP server. Resolves when it listens; rejects when it cannot. */
export async function startServer({
  host,
  port,
  corsOrigins,
  acceptsHost,
  operationTimeoutMs,
  maxConnections,
  maxSubscriptions,
  timing = CONNECTION_TIMING,
  weights,
  factsAt,
  probe,
  metrics,
  documents,
  log,
  ...graph
}: ServerOptions): Promise<RunningServer> {
  let draining = false;
  const isDraining = () => draining;
  const { schema, contextOf, limits } = graph;
  const shared = {
    operations: createOperationRegistry(operationTimeoutMs, limits.MAX_COST),
    documents: new DocumentStore(schema, limits, weights, factsAt),
    execute: createExecutor(schema),
  };
  const groups = new SubscriptionGroups(timing.lingerMs);
  const clients = new ClientRegistry(maxConnections, timing);
  const origins = new OriginPolicy(corsOrigins, log);
  const run = createOperationRunner({ ...shared, schema, contextOf, groups, isDraining, log });
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: HTTP_OPTIONS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    clientErrorHandler: rejectMalformedRequest,
    frameworkErrors: (_error, request, reply) =>
      void sendError(
        reply.header('x-request-id', request.id),
        400,
        'BAD_REQUEST',
        'The address of the request is malformed.',
        request.id,
      ),
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { host } = request.headers;
    if (host !== undefined && !URL.canParse(`http://${host}`)) {
      return sendError(reply, 400, 'BAD_REQUEST', 'The Host header of the request names no host.', request.id);
    }
    if (acceptsHost?.(host) === false) return sendError(reply, 421, 'BAD_REQUEST', HOST_NOT_ALLOWED_MESSAGE, request.id);
    // Whether a page may read the answer is for its browser to decide, by the headers of CORS; here a refusal is only logged.
    origins.accept(request.headers);
    if (!draining || request.routeOptions.url !== '/graphql') return undefined;
    return sendError(reply.header('connection', 'close'), 503, 'SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE, request.id);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => sendRequestError(error, request.id, reply, MAX_BODY_BYTES));
  app.setNotFoundHandler((request, reply) =>
    request.url.split('?')[0] === '/graphql'
      ? sendError(reply.header('allow', 'GET, POST'), 405, 'BAD_REQUEST', 'The graph is asked with GET or POST.', request.id)
      : sendError(reply, 404, 'BAD_REQUEST', 'Nothing is served here; the graph is at /graphql.', request.id),
  );
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(origins));
  registerHealth(app, probe, isDraining);
  registerMetrics(app, [...metrics, ...subscriptionMetrics(clients, groups)]);
  await registerPlayground(app);
  for (const [path, document] of Object.entries(documents)) app.get(path, async () => document);
  const apollo = await registerGraph(app, {
    ...graph,
    ...shared,
    origins,
    eventStreamHandler: createEventStreamHandler({ run, clients, timing }),
  });
  const sockets = createWebSocketServer({ schema, run, clients, maxSubscriptions, maxPayload: MAX_BODY_BYTES, timing, log });
  handleUpgrades({ server: app.server, sockets, origins, acceptsHost, isDraining, isFull: () => clients.isFull });
  const url = await app.listen({ host, port }).catch((cause: NodeJS.ErrnoException) => {
    const message = `Cannot listen on ${host}, port ${port} (${cause.code}). Set HOST to an address of this machine, and PORT to a free port.`;
    throw new GraphError('BAD_USER_INPUT', message, { cause });
  });

  const drain = async (): Promise<void> => {
    draining = true;
    // Nobody else connects from now on. What Apollo does below ends every connection that has no request, WebSockets too.
    app.server.close();
    const patience = setTimeout(() => shared.operations.abortAll(), DRAIN_TIMEOUT_MS);
    const end = setTimeout(() => clients.terminateAll(), DRAIN_TIMEOUT_MS + TERMINATE_GRACE_MS);
    await clients.drain();
    groups.stop();
    await apollo.stop();
    await app.close();
    clearTimeout(patience);
    clearTimeout(end);
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    stop: () => {
      stopped ??= drain();
      return stopped;
    },
  };
}

/** What pages of allowed origins may send and read. */
const corsOptions = ({ allowed }: OriginPolicy): FastifyCorsOptions => ({
  origin: allowed.includes('*')
    ? '*'
    : (origin, done) => done(null, origin !== undefined && isAllowedOrigin(origin, undefined, allowed)),
  methods: ['GET', 'POST'],
  exposedHeaders: ['x-request-id'],
  maxAge: 86_400,
  strictPreflight: false,
});
