import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify, { LogController } from 'fastify';
import type { GraphError } from '../lib/errors.ts';
import type { ServerOptions } from './context.ts';
import {
  hostRejection,
  RejectionLog,
  rejectMalformedRequest,
  SHUTTING_DOWN,
  sendError,
  sendRequestError,
} from './requests/http-errors.ts';
import { isGraphPath, requestIdOf } from './requests/request-options.ts';
import { isWebSocketUpgrade } from './ws/upgrade.ts';

/** Maximum request body. The largest transaction that nodes accept has 128 KiB; in hex and JSON it takes a little over 256 KiB. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Clients send their headers at once; a slower client only occupies a socket. */
const HEADERS_TIMEOUT_MS = 5_000;
/** Timeout for the whole request with its body: 256 KiB in this time are 37 KiB a second. */
const REQUEST_TIMEOUT_MS = 7_000;
/** Interval at which Node enforces both timeouts; its default of 30 s would add to them. */
const CONNECTIONS_CHECK_INTERVAL_MS = 1_000;
const HTTP_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
  // Node 24.9 and newer calls this function; older versions pass every upgrade to `handleUpgrades`.
  shouldUpgradeCallback: isWebSocketUpgrade,
  // Node would serve a request with two different credentials as one with the first.
  joinDuplicateHeaders: true,
};
/** Longer than the 60 s after which common load balancers close an idle connection, so that they close it first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

export interface AppOptions extends Pick<ServerOptions, 'acceptsHost' | 'log'> {
  /** State of the shutdown of the graph: new operations are rejected once the running operations have been ended. */
  readonly shutdown?: { readonly hasEndedOperations: boolean };
  /** Responds to a request for an unknown path or method. */
  readonly sendNotFound: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** Counts rejected requests. @default only logs them */
  readonly rejections?: RejectionLog;
}

/** Creates the Fastify instance with its timeouts, request ids, Host check and error responses. */
export function createApp({ acceptsHost, shutdown, sendNotFound, rejections, log }: AppOptions): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // A logger for each request would take a fiftieth of a small request. The lines of this server name their request.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: HTTP_OPTIONS,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    clientErrorHandler: rejectMalformedRequest,
    frameworkErrors: (_error, request, reply) =>
      void sendError(reply.header('x-request-id', request.id), [400, 'BAD_REQUEST', 'The URL is malformed.']),
  });
  app.decorate('rejections', rejections ?? new RejectionLog(log));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const isShutDown = shutdown?.hasEndedOperations && isGraphPath(request.routeOptions.url);
    const rejection = hostRejection(request.headers.host, acceptsHost) ?? (isShutDown ? SHUTTING_DOWN : undefined);
    if (rejection) void sendError(reply, rejection);
    else done();
  });
  app.setErrorHandler((error: FastifyError | GraphError, request, reply) => sendRequestError(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendNotFound(request, reply));
  return app;
}
