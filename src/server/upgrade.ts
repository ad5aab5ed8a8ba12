import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { endWithError, SHUTTING_DOWN } from './refusals.ts';

export interface UpgradeOptions {
  readonly server: Server;
  readonly sockets: WebSocketServer;
  /** Origins of web pages that may connect beside the server's own. */
  readonly origins: readonly string[];
  /** Why nobody is taken at present. */
  readonly isDraining: () => boolean;
  readonly isFull: () => boolean;
}

/** Takes WebSockets at `/graphql`, and nowhere else. */
export function takeUpgrades({ server, sockets, origins, isDraining, isFull }: UpgradeOptions): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      withoutUpgrade(server, request, socket, head);
      return;
    }
    // A client that goes while it is refused.
    socket.on('error', () => socket.destroy());
    const { host, origin } = request.headers;
    const hostName = hostOf('http:', host);
    if (request.url?.split('?')[0] !== '/graphql') {
      endWithError(socket, 404, 'BAD_REQUEST', 'Nothing is served here; the graph is at /graphql.');
    } else if (hostName === undefined) {
      endWithError(socket, 400, 'BAD_REQUEST', 'The Host header of the request names no host.');
    } else if (!isAllowed(origin, host, origins)) {
      endWithError(socket, 403, 'BAD_REQUEST', 'Pages of this origin may not connect; CORS_ORIGINS names those that may.');
    } else if (isDraining()) {
      endWithError(socket, 503, 'SHUTTING_DOWN', SHUTTING_DOWN);
    } else if (isFull()) {
      endWithError(socket, 503, 'TOO_MANY_SUBSCRIPTIONS', 'This server has as many connections as it takes (MAX_CONNECTIONS).');
    } else {
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, socket, request.headers));
    }
  });
}

/**
 * Whether whoever connects may: browsers send the origin of the page, and let pages of any origin connect. What is no browser sends none,
 * and carries no cookies of anybody.
 */
export function isAllowed(origin: string | undefined, host: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return page.host !== '' && page.host === hostOf(page.protocol, host);
}

/** A Host header as URLs have it, without the port that the protocol has by itself. */
const hostOf = (protocol: string, host: string | undefined): string | undefined =>
  host !== undefined && URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;

const UPGRADING: ReadonlySet<string> = new Set(['upgrade', 'connection']);

/**
 * Goes on with a request that would also like another protocol, such as HTTP/2, which Java's client asks for each time. It may be passed
 * over, but Node does not do that itself once WebSockets are taken: the request is read again as if it had not asked.
 */
function withoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // Once a connection: each time leaves listeners on it.
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!UPGRADING.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
