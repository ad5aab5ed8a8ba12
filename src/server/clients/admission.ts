import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { endSocketWithError, type Rejection } from '../requests/http-errors.ts';
import type { Connections } from './connections.ts';

const CONNECTION_LIMIT: Rejection = [
  503,
  'OVERLOADED',
  'The server has reached its limit of connections (MAX_CONNECTIONS). Try again later.',
];

/**
 * Maximum number of connections that are being rejected. Above this number, a new connection is closed without a
 * response.
 */
const MAX_REJECTIONS = 512;

/**
 * Limits the connections of a server before Node parses their requests. At the limit, a new connection replaces the
 * connection that has been idle for the longest time; if no connection is idle, the new connection gets a 503.
 * (`server.maxConnections` would close it without a response.)
 */
export class Admission {
  /** Number of connections that got a 503 or were closed because the server was full. */
  rejected = 0;
  /** Time for a rejected client to read its response. */
  readonly #closeTimeoutMs: number;
  #pendingRejections = 0;

  /** `closeIdleElsewhere` asks the other processes of the server to close an idle connection. */
  constructor(server: Server, connections: Connections, closeTimeoutMs: number, closeIdleElsewhere?: () => Promise<boolean>) {
    this.#closeTimeoutMs = closeTimeoutMs;
    const parsers = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const serve = (socket: Socket): void => {
      connections.add(socket);
      for (const parse of parsers) parse.call(server, socket);
    };
    server.on('connection', (socket: Socket) => {
      if (connections.of(socket) || !connections.isFull) return serve(socket);
      socket.on('error', () => socket.destroy());
      // Run after the poll phase of the event loop, so that a connection whose request has just arrived does not count
      // as idle.
      setImmediate(async () => {
        // Several, if other processes have accepted connections at the same time.
        while (!socket.destroyed && connections.isFull && (connections.closeIdle() || (await closeIdleElsewhere?.())));
        // Its client may have left meanwhile.
        if (socket.destroyed) return;
        if (connections.isFull) this.#reject(socket);
        else serve(socket);
      });
    });
  }

  #reject(socket: Socket): void {
    this.rejected++;
    if (this.#pendingRejections >= MAX_REJECTIONS) return void socket.destroy();
    this.#pendingRejections++;
    const timer = setTimeout(() => socket.destroy(), this.#closeTimeoutMs);
    socket.once('close', () => {
      this.#pendingRejections--;
      clearTimeout(timer);
    });
    // Reads the bytes of the client until it closes, because closing with unread bytes would reset the connection and
    // lose the response.
    socket.resume();
    endSocketWithError(socket, CONNECTION_LIMIT, undefined, () => {});
  }
}
