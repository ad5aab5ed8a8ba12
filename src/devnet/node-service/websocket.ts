import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { HostCheck } from '../../hosts.ts';
import type { Wire } from './behaviour/anvil-fixes.ts';
import type { FaultSwitches } from './behaviour/faults.ts';
import type { Change } from './chain.ts';
import { MOST_BYTES } from './http.ts';
import { EVENT_UNITS, type Units } from './rate-limit.ts';
import { failed, readBody } from './rpc/envelope.ts';
import { CODES, RpcError } from './rpc/rpc-error.ts';
import type { Serve } from './rpc/serve-calls.ts';
import { openSubscriptions, type Subscriptions } from './subscriptions.ts';

export interface WebSocketOptions {
  readonly keyOf: (segment: string) => string | undefined;
  readonly acceptsHost: HostCheck;
  readonly serve: Serve;
  readonly units: Units;
  readonly faults: FaultSwitches;
  readonly stopping: AbortSignal;
}

export interface WebSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  tellChange(change: Change): void;
  tellPending(transaction: Wire): void;
  /** Connections that are open, and the subscriptions on them. */
  count(): { readonly sockets: number; readonly subscriptions: number };
  /** Resets every connection: no close frame, no goodbye. */
  drop(): void;
  /** Closes every connection properly, and takes no more. */
  close(code: number, reason: string): void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly wire: Socket;
  readonly subscriptions: Subscriptions;
}

/** Bytes that a client may leave unread before its connection is cut. */
const MOST_UNREAD = 16_000_000;
/** How long a client may take to answer a close. */
const CLOSE_MS = 500;

export function openWebSockets({ keyOf, acceptsHost, serve, units, faults, stopping }: WebSocketOptions): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES, perMessageDeflate: false });
  const connections = new Set<Connection>();
  let closed = false;

  const send = (socket: WebSocket, message: string) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(message);
    if (socket.bufferedAmount > MOST_UNREAD) socket.terminate();
  };

  const connect = (key: string, socket: WebSocket, wire: Socket) => {
    const subscriptions = openSubscriptions((topic, message) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      try {
        units.spend(key, EVENT_UNITS[topic]);
        send(socket, message);
      } catch (error) {
        // An event is no answer to anything, so there is nowhere to put an error but here.
        socket.close(1008, (error as RpcError).message);
      }
    });
    const connection = { socket, wire, subscriptions };
    const hear = async (data: RawData, isBinary: boolean) => {
      if (faults.drops()) return wire.resetAndDestroy();
      if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
      if (isBinary) return send(socket, JSON.stringify(failed(new RpcError(CODES.parse, 'want a text message'))));
      const subscribing = subscriptions.forMessage();
      const { reply } = await serve(key, readBody(String(data)), subscribing);
      send(socket, JSON.stringify(reply));
      subscribing.release();
    };
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    // A frame that is no frame, or too large: `ws` closes the connection with the code that says so.
    socket.on('error', () => {});
    // Only a delay that the end of the service cuts short.
    socket.on('message', (data, isBinary) => void hear(data, isBinary).catch(() => {}));
  };

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {});
      if (!acceptsHost(request.headers.host)) return refuse(socket, '421 Misdirected Request');
      const [, segment] = /^\/ws\/([^/?]+)$/.exec(request.url ?? '') ?? [];
      const key = segment === undefined ? undefined : keyOf(segment);
      if (segment === undefined) return refuse(socket, '404 Not Found');
      if (key === undefined) return refuse(socket, '401 Unauthorized');
      if (closed) return refuse(socket, '503 Service Unavailable');
      server.handleUpgrade(request, socket, head, (client) => connect(key, client, socket as Socket));
    },
    tellChange(change) {
      for (const { subscriptions } of connections) subscriptions.tellChange(change);
    },
    tellPending(transaction) {
      for (const { subscriptions } of connections) subscriptions.tellPending(transaction);
    },
    count: () => ({
      sockets: connections.size,
      subscriptions: [...connections].reduce((sum, { subscriptions }) => sum + subscriptions.size, 0),
    }),
    drop() {
      for (const { wire } of connections) wire.resetAndDestroy();
    },
    close(code, reason) {
      closed = true;
      for (const { socket } of connections) {
        socket.close(code, reason);
        const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
        socket.once('close', () => clearTimeout(timer));
      }
    },
  };
}

const refuse = (socket: Duplex, status: string) =>
  void socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
