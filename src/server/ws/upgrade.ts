import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { ErrorCode } from '../../errors.ts';
import type { HostCheck } from '../../hosts.ts';
import {
  endSocketWithError,
  HOST_NOT_ALLOWED_MESSAGE,
  ORIGIN_NOT_ALLOWED_MESSAGE,
  SHUTTING_DOWN_MESSAGE,
} from '../requests/http-errors.ts';
import { normalizeHost, type OriginPolicy } from '../requests/origins.ts';
import { requestIdOf } from '../requests/request-id.ts';

export interface UpgradeOptions {
  readonly server: Server;
  readonly sockets: WebSocketServer;
  readonly origins: OriginPolicy;
  /** Undefined where every Host is served. */
  readonly acceptsHost: HostCheck | undefined;
  /** Why nobody is taken at present. */
  readonly isDraining: () => boolean;
  readonly isFull: () => boolean;
}

/** Whether a request asks for a WebSocket. All others are served as if they had not asked for another protocol (RFC 9110, 7.8). */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Takes WebSockets at `/graphql`, and nowhere else. */
export function handleUpgrades({ server, sockets, origins, acceptsHost, isDraining, isFull }: UpgradeOptions): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocketUpgrade(request)) {
      serveWithoutUpgrade(server, request, socket, head);
      return;
    }
    // A client that goes while it is refused.
    socket.on('error', () => socket.destroy());
    const { host } = request.headers;
    const refuse = (status: number, code: ErrorCode, message: string): void =>
      endSocketWithError(socket, status, code, message, requestIdOf(request));
    if (normalizeHost('http:', host) === undefined) {
      refuse(400, 'BAD_REQUEST', 'The Host header of the request names no host.');
    } else if (acceptsHost?.(host) === false) {
      refuse(421, 'BAD_REQUEST', HOST_NOT_ALLOWED_MESSAGE);
    } else if (request.url?.split('?')[0] !== '/graphql') {
      refuse(404, 'BAD_REQUEST', 'Nothing is served here; the graph is at /graphql.');
    } else if (!origins.accept(request.headers)) {
      refuse(403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE);
    } else if (isDraining()) {
      refuse(503, 'SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
    } else if (isFull()) {
      refuse(503, 'TOO_MANY_SUBSCRIPTIONS', 'This server has as many connections as it takes (MAX_CONNECTIONS).');
    } else {
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, socket, request.headers));
    }
  });
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'connection']);

/**
 * Goes on with a request that would also like another protocol, such as HTTP/2, which Java's client asks for each time. It may be passed
 * over, but Node does not do that itself once WebSockets are taken: the request is read again as if it had not asked.
 */
function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // Once a connection: each time leaves listeners on it.
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!UPGRADE_HEADERS.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
