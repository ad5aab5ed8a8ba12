import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply } from 'fastify';
import { type ErrorCode, errorCodes } from '../../errors.ts';

export const SHUTTING_DOWN_MESSAGE = 'The server is shutting down; ask again in a moment.';

export const HOST_NOT_ALLOWED_MESSAGE =
  'This server is not known under the Host of the request. Use a loopback name, or a name that ALLOWED_HOSTS lists.';

export const ORIGIN_NOT_ALLOWED_MESSAGE =
  'Web pages of this origin may not use this server. CORS_ORIGINS lists the origins that may.';

const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** What an answer of a status tells of when to come back: a server that has no room, or ends, is or has another one soon. */
export const retryAfterHeaders = (status: number): Readonly<Record<string, string>> =>
  status === 503 ? { 'retry-after': '1' } : {};

function errorBody(code: ErrorCode, message: string, requestId: string): object {
  const { retryable, source } = errorCodes[code];
  return { errors: [{ message, extensions: { code, retryable, source, requestId } }] };
}

/** Refuses a request that is no operation yet, in the form in which operations are refused. */
export function sendError(
  reply: FastifyReply,
  status: number,
  code: ErrorCode,
  message: string,
  requestId: string,
): FastifyReply {
  return reply
    .code(status)
    .type(JSON_CONTENT_TYPE)
    .headers(retryAfterHeaders(status))
    .send(errorBody(code, message, requestId));
}

/** The same where there is no reply, but a connection on which no HTTP is spoken any more; it is closed behind the answer. */
export function endSocketWithError(
  socket: Duplex,
  status: number,
  code: ErrorCode,
  message: string,
  requestId: string = crypto.randomUUID(),
): void {
  const body = JSON.stringify(errorBody(code, message, requestId));
  const headers = Object.entries({ 'x-request-id': requestId, 'content-type': JSON_CONTENT_TYPE, ...retryAfterHeaders(status) });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map((pair) => `${pair.join(': ')}\r\n`).join('')}`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}

/** Bytes that are no whole request never become one: Node's parser gives them up, and whoever sent them, after this answer. */
export function rejectMalformedRequest({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message]: [number, string] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The address and the headers of the request are too long; send the query with POST.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request did not come in time.']
        : [400, 'The request is not HTTP.'];
  endSocketWithError(socket, status, 'BAD_REQUEST', message);
}

/** Errors before Apollo: the body or the route. Fastify's own texts are about the request, but our words say what would be right. */
export function sendRequestError(error: FastifyError, requestId: string, reply: FastifyReply, bodyLimit: number): FastifyReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return sendError(reply, 413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${bodyLimit} bytes.`, requestId);
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
