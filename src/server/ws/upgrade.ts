import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { ErrorCode } from '../../lib/errors.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../operation/operation-registry.ts';
import type { ServerContext } from '../context.ts';
import { isGraphPath } from '../requests/graph-request.ts';
import {
  endSocketWithError,
  HOST_NOT_ALLOWED_MESSAGE,
  INVALID_HOST_MESSAGE,
  NOT_FOUND_MESSAGE,
  ORIGIN_NOT_ALLOWED_MESSAGE,
} from '../requests/http-errors.ts';
import { normalizeHost } from '../requests/origins.ts';
import { requestIdOf } from '../requests/request-options.ts';

/** Whether a request upgrades to a WebSocket. Other upgrades are ignored and the request is served (RFC 9110, 7.8). */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Accepts WebSockets at `/graphql` only. */
export function handleUpgrades(server: Server, sockets: WebSocketServer, context: ServerContext): void {
  const { origins, acceptsHost, isDraining } = context;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocketUpgrade(request)) {
      serveWithoutUpgrade(server, request, socket, head);
      return;
    }
    // The client can disconnect while the rejection is written.
    socket.on('error', () => socket.destroy());
    const { host } = request.headers;
    const reject = (status: number, code: ErrorCode, message: string): void =>
      endSocketWithError(socket, status, code, message, requestIdOf(request));
    if (normalizeHost('http:', host) === undefined) {
      reject(400, 'BAD_REQUEST', INVALID_HOST_MESSAGE);
    } else if (acceptsHost?.(host) === false) {
      reject(421, 'BAD_REQUEST', HOST_NOT_ALLOWED_MESSAGE);
    } else if (!isGraphPath(request.url)) {
      reject(404, 'BAD_REQUEST', NOT_FOUND_MESSAGE);
    } else if (!origins.accept(request.headers)) {
      reject(403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE);
    } else if (isDraining()) {
      reject(503, 'SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit('connection', webSocket, socket, request.headers));
    }
  });
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'connection']);

/**
 * Serves a request that offers an upgrade to another protocol, such as the HTTP/2 upgrade of Java's client. Node does not ignore it while
 * there is an `upgrade` listener, so the request is parsed again without its upgrade headers.
 */
function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // Each pass leaves listeners on the socket, so the connection closes after this response.
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!UPGRADE_HEADERS.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
