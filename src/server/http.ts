import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { operations } from './context.ts';
import { type GraphOptions, registerGraph } from './graph.ts';
import { type Probe, registerHealth } from './health.ts';
import { type Metric, registerMetrics } from './metrics.ts';
import { registerPlayground } from './playground.ts';

/** Largest request body. A transaction that any node takes has at most 128 KiB; in hex and JSON that is a little over 256 KiB. */
const BODY_LIMIT = 256 * 1024;
/** A client sends its headers in one piece; whoever takes longer, or sends none, holds a socket for nothing. */
const HEADERS_MS = 5_000;
/** The whole request, its body included: 256 KiB in that time need 37 KiB a second. */
const REQUEST_MS = 7_000;
/** How often sockets are looked at; Node's own 30 s would add that to both. */
const SOCKETS_CHECK_MS = 1_000;
/** Longer than the 60 s after which common load balancers drop an idle connection: they must be the ones that close. */
const KEEP_ALIVE_MS = 72_000;
/** Running operations get this long to finish once the server stops; the rest of its ten seconds is for the answers. */
const DRAIN_MS = 8_000;

export interface ServerOptions extends Omit<GraphOptions, 'operations'> {
  readonly host: string;
  readonly port: number;
  readonly corsOrigins: readonly string[];
  readonly operationTimeoutMs: number;
  readonly probe: Probe;
  readonly metrics: readonly Metric[];
  /** Further JSON documents by path. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

export interface Server {
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
  operationTimeoutMs,
  probe,
  metrics,
  documents,
  log,
  ...graph
}: ServerOptions): Promise<Server> {
  let draining = false;
  const running = operations(operationTimeoutMs);
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: SOCKETS_CHECK_MS },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    clientErrorHandler: refuseBroken,
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
    if (host === undefined || URL.canParse(`http://${host}`)) return undefined;
    return sendError(reply, 400, 'BAD_REQUEST', 'The Host header of the request names no host.', request.id);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request.id, reply));
  app.setNotFoundHandler((request, reply) =>
    request.url.split('?')[0] === '/graphql'
      ? sendError(reply.header('allow', 'GET, POST'), 405, 'BAD_REQUEST', 'The graph is asked with GET or POST.', request.id)
      : sendError(reply, 404, 'BAD_REQUEST', 'Nothing is served here; the graph is at /graphql.', request.id),
  );
  const origin = corsOrigins.includes('*') ? '*' : [...corsOrigins];
  if (corsOrigins.length > 0)
    await app.register(cors, { origin, methods: ['GET', 'POST'], maxAge: 86_400, strictPreflight: false });
  registerHealth(app, probe, () => draining);
  registerMetrics(app, metrics);
  await registerPlayground(app);
  for (const [path, document] of Object.entries(documents)) app.get(path, async () => document);
  const apollo = await registerGraph(app, { ...graph, operations: running });
  const url = await app.listen({ host, port });

  const drain = async (): Promise<void> => {
    draining = true;
    const patience = setTimeout(() => running.abort(), DRAIN_MS);
    await apollo.stop();
    await app.close();
    clearTimeout(patience);
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

/** Bytes that are no whole request never become one: Node's parser gives them up, and whoever sent them, after this answer. */
function refuseBroken({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The address and the headers of the request are too long; send the query with POST.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request did not come in time.']
        : [400, 'The request is not HTTP.'];
  const { retryable, source } = errorCodes.BAD_REQUEST;
  const requestId = crypto.randomUUID();
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST', retryable, source, requestId } }] });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nx-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}

function sendError(reply: FastifyReply, status: number, code: ErrorCode, message: string, requestId: string): FastifyReply {
  const { retryable, source } = errorCodes[code];
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send({ errors: [{ message, extensions: { code, retryable, source, requestId } }] });
}

/** Errors before Apollo: the body or the route. Fastify's own texts are about the request, but our words say what would be right. */
function answerError(error: FastifyError, requestId: string, reply: FastifyReply): FastifyReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return sendError(reply, 413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${BODY_LIMIT} bytes.`, requestId);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return sendError(reply, 415, 'BAD_REQUEST', 'Send the query as JSON, with content-type: application/json.', requestId);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    const json = error instanceof SyntaxError || error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY';
    const message = json ? 'The body is not valid JSON.' : 'The request is not one that this server takes.';
    return sendError(reply, error.statusCode, 'BAD_REQUEST', message, requestId);
  }
  reply.log.error({ err: error, requestId }, 'request failed');
  return sendError(reply, 500, 'INTERNAL_SERVER_ERROR', 'Something went wrong in this server.', requestId);
}
