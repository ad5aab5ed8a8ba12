import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type ErrorCode, errorCodes, GraphError } from '../../lib/errors.ts';
import { CounterFamily } from '../../lib/metrics.ts';
import { createHostCheck } from '../../lib/urls.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../operation/operation-registry.ts';

export const NO_STORE = 'no-store';
/** For responses with data of the caller: neither shared caches nor the client may store them. */
export const PRIVATE_NO_STORE = 'private, no-store';

/** Statuses that routers and clients act on, so that drop-in mode retains them: credentials, size, rate and load. */
const RETAINED_STATUSES: ReadonlySet<number> = new Set([401, 413, 429, 503]);

/**
 * Returns the HTTP status of a response with errors, which is 400 or higher in drop-in mode. `status`: the status of its error codes; `isExecuted`:
 * whether it has the key `data`.
 */
export function errorResponseStatus(isDropIn: boolean, status: number, isExecuted: boolean): number {
  if (!isDropIn) return status;
  return isExecuted && !RETAINED_STATUSES.has(status) ? 400 : Math.max(status, 400);
}

/** A rejection of a request before its operation. */
export type Rejection = readonly [status: number, code: ErrorCode, message: string];

/** Counts the requests and messages that are rejected before their operation, and logs each without its contents. */
export class RejectionLog {
  readonly metric = new CounterFamily({
    name: 'requests_rejected_total',
    help: 'Requests and WebSocket messages rejected before their operation, by error code.',
    labelNames: ['code'],
  });
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `reason` is a message of this server, which quotes no part of the request. */
  record(code: ErrorCode, reason: string, requestId: string): void {
    this.metric.with(code).count += 1;
    this.#log.debug({ requestId, code, reason }, 'request rejected');
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly rejections: RejectionLog;
  }
}

export const NOT_FOUND: Rejection = [404, 'BAD_REQUEST', 'No such path. The GraphQL API is at /graphql.'];

export const SHUTTING_DOWN: Rejection = [503, 'SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE];

export const ORIGIN_NOT_ALLOWED: Rejection = [
  403,
  'BAD_REQUEST',
  'Web pages of this origin may not use this server. CORS_ORIGINS lists the allowed origins.',
];

const INVALID_HOST: Rejection = [400, 'BAD_REQUEST', 'Invalid Host header. Send the host name of the server, with its port.'];

const HOST_NOT_ALLOWED: Rejection = [
  421,
  'BAD_REQUEST',
  'The Host header is not allowed. Use a loopback name, or a name that ALLOWED_HOSTS lists.',
];

/** Returns the rejection of a Host header that is invalid or not allowed; undefined for an accepted header. */
export function hostRejection(host: string | undefined, acceptsHost = acceptsValidHost): Rejection | undefined {
  if (acceptsHost(host)) return undefined;
  return acceptsValidHost(host) ? HOST_NOT_ALLOWED : INVALID_HOST;
}

const acceptsValidHost = createHostCheck();

/** The `extensions` of an error. */
type ErrorExtensions = Readonly<Record<string, unknown>>;

const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * Returns the `retry-after` header of a 503 and of a 429. The default is one second, because a full or stopping server
 * is available again soon.
 */
export const retryAfterHeaders = (status: number, { retryAfterMs = 1_000 }: ErrorExtensions = {}) =>
  status === 503 || status === 429 ? { 'retry-after': String(Math.ceil(Number(retryAfterMs) / 1_000)) } : {};

function errorBody([status, code, message]: Rejection, requestId: string, detail: ErrorExtensions = {}): object {
  const { retryable, source } = errorCodes[code];
  const isRetryable = retryable || status === 503;
  return { errors: [{ message, extensions: { code, retryable: isRetryable, source, ...detail, requestId } }] };
}

/** Rejects a request before the pipeline, in the format of GraphQL errors. */
export function sendError(reply: FastifyReply, [status, code, message]: Rejection, detail: ErrorExtensions = {}): FastifyReply {
  reply.server.rejections.record(code, message, reply.request.id);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type(JSON_CONTENT_TYPE)
    .header('cache-control', NO_STORE)
    .headers(retryAfterHeaders(status, detail))
    .send(errorBody([status, code, message], reply.request.id, detail));
}

/**
 * The status of a request that is rejected before its operation. UPSTREAM_UNAVAILABLE means that the keys that verify
 * tokens cannot be read.
 */
export const rejectionStatus = (code: ErrorCode): number => (code === 'UPSTREAM_UNAVAILABLE' ? 503 : errorCodes[code].http);

/** Variant of `sendError` for a socket without a reply: writes the response, then closes the socket or calls `onSent`. */
export function endSocketWithError(
  socket: Duplex,
  rejection: Rejection,
  requestId: string = crypto.randomUUID(),
  onSent: () => void = () => socket.destroy(),
): void {
  const [status] = rejection;
  const body = JSON.stringify(errorBody(rejection, requestId));
  const headers = Object.entries({
    'x-request-id': requestId,
    'content-type': JSON_CONTENT_TYPE,
    'cache-control': NO_STORE,
    ...retryAfterHeaders(status),
  });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map((pair) => `${pair.join(': ')}\r\n`).join('')}`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`, onSent);
}

/** Responds to bytes that Node's HTTP parser rejected, and closes the connection. */
export function rejectMalformedRequest({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  endSocketWithError(socket, MALFORMED_REQUESTS[code ?? ''] ?? [400, 'BAD_REQUEST', 'The request is not valid HTTP.']);
}

const MALFORMED_REQUESTS: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: [431, 'BAD_REQUEST', 'The URL and headers are too long. Send the query with POST.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'BAD_REQUEST', 'The request did not arrive in time.'],
};

/**
 * Responds to the GraphError of a handler, and to errors that Fastify reports before the handler runs, such as errors
 * of the body. Fastify's own messages do not state the accepted values.
 */
export function sendRequestError(error: FastifyError | GraphError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof GraphError)
    return sendError(reply, [rejectionStatus(error.code), error.code, error.message], error.extensions);
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The body is larger than ${request.routeOptions.bodyLimit} bytes.`;
    return sendError(reply, [413, 'PAYLOAD_TOO_LARGE', message]);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const message = 'The content type is not supported. Send the query as JSON, with content-type: application/json.';
    return sendError(reply, [415, 'BAD_REQUEST', message]);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    if (request.headers['content-encoding'] !== undefined)
      return sendError(reply, [
        415,
        'BAD_REQUEST',
        'A compressed body is not supported. Send the body without content-encoding.',
      ]);
    const message = /^FST_ERR_CTP_(?:EMPTY|INVALID)_JSON_BODY$/.test(error.code)
      ? 'The body is not valid JSON.'
      : 'The request is invalid. Send a GET or a POST with a JSON body.';
    return sendError(reply, [error.statusCode, 'BAD_REQUEST', message]);
  }
  reply.log.error({ err: error, requestId: request.id }, 'request failed');
  return sendError(reply, [500, 'INTERNAL_SERVER_ERROR', 'Something went wrong in this server.']);
}
