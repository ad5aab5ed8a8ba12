import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { ServerContext } from '../context.ts';
import { endSocketWithError, hostRejection, NOT_FOUND, ORIGIN_NOT_ALLOWED, SHUTTING_DOWN } from '../requests/http-errors.ts';
import { isAllowedOrigin } from '../requests/origins.ts';
import { isGraphPath, requestIdOf } from '../requests/request-options.ts';

/** Whether a request upgrades to a WebSocket. Other upgrades are ignored and the request is served (RFC 9110, 7.8). */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Accepts WebSockets at `/graphql` only. */
export function handleUpgrades(server: Server, sockets: WebSocketServer, context: ServerContext): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocketUpgrade(request)) return serveWithoutUpgrade(server, request, socket, head);
    // The client can disconnect while the rejection is written.
    socket.on('error', destroySocket);
    const rejection = rejectionOf(request, context);
    if (rejection) {
      const requestId = requestIdOf(request);
      context.rejections.record(rejection[1], rejection[2], requestId);
      return endSocketWithError(socket, rejection, requestId);
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', destroySocket);
      sockets.emit('connection', webSocket, socket, request.headers);
    });
  });
}

/** A listener that closes over no request: the socket would retain it. */
function destroySocket(this: Duplex): void {
  this.destroy();
}

function rejectionOf({ headers, url }: IncomingMessage, { corsOrigins, acceptsHost, isDraining }: ServerContext) {
  const rejection = hostRejection(headers.host, acceptsHost);
  if (rejection) return rejection;
  if (!isGraphPath(url)) return NOT_FOUND;
  if (!isAllowedOrigin(headers, corsOrigins)) return ORIGIN_NOT_ALLOWED;
  return isDraining() ? SHUTTING_DOWN : undefined;
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
  // Each parse leaves listeners on the socket, so the connection closes after this response.
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!UPGRADE_HEADERS.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
