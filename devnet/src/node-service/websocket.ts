import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { HostCheck } from '../service-server.ts';
import type { RpcJsonObject } from './behaviour/anvil-fixes.ts';
import type { NodeFaultInjector } from './behaviour/faults.ts';
import type { AnvilChainChange } from './chain.ts';
import { type ComputeUnitMeter, EVENT_UNITS } from './compute-units.ts';
import { errorResponse, MAX_NODE_REQUEST_BYTES, parseRequestBody } from './rpc/envelope.ts';
import type { RpcHandler } from './rpc/handler.ts';
import { NODE_ERROR_CODES, NodeRpcError } from './rpc/rpc-error.ts';
import { type ConnectionSubscriptions, createConnectionSubscriptions } from './subscriptions.ts';

export interface NodeWebSocketOptions {
  readonly keyOf: (segment: string) => string | undefined;
  readonly acceptsHost: HostCheck;
  readonly handleRequest: RpcHandler;
  readonly units: ComputeUnitMeter;
  readonly faults: NodeFaultInjector;
  readonly stopping: AbortSignal;
}

export interface NodeWebSocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  publishChange(change: AnvilChainChange): void;
  publishPending(transaction: RpcJsonObject): void;
  /** Number of open connections and of their subscriptions. */
  count(): { readonly sockets: number; readonly subscriptions: number };
  /** Resets every connection without a close frame. */
  resetAll(): void;
  /** Closes every connection with a close frame and accepts no more. */
  close(code: number, reason: string): void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly tcpSocket: Socket;
  readonly subscriptions: ConnectionSubscriptions;
}

/** Unsent bytes above which a connection is terminated. */
const MAX_BUFFERED_BYTES = 16_000_000;
/** Time for a client to complete the closing handshake. */
const CLOSE_TIMEOUT_MS = 500;

export function createNodeWebSocketServer({
  keyOf,
  acceptsHost,
  handleRequest,
  units,
  faults,
  stopping,
}: NodeWebSocketOptions): NodeWebSocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_NODE_REQUEST_BYTES, perMessageDeflate: false });
  const connections = new Set<Connection>();
  let closed = false;

  const send = (socket: WebSocket, message: string) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(message);
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
  };

  const connect = (key: string, socket: WebSocket, tcpSocket: Socket) => {
    const subscriptions = createConnectionSubscriptions((topic, message) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      try {
        units.spend(key, EVENT_UNITS[topic]);
        send(socket, message);
      } catch (error) {
        // An event has no response that could report the error, so the close frame reports it.
        socket.close(1008, (error as NodeRpcError).message);
      }
    });
    const connection = { socket, tcpSocket, subscriptions };
    const handleMessage = async (data: RawData, isBinary: boolean) => {
      if (faults.shouldDrop()) return tcpSocket.resetAndDestroy();
      if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
      if (isBinary)
        return send(socket, JSON.stringify(errorResponse(new NodeRpcError(NODE_ERROR_CODES.parse, 'want a text message'))));
      const messageSubscriptions = subscriptions.forMessage();
      const { reply } = await handleRequest(key, parseRequestBody(String(data)), messageSubscriptions);
      send(socket, JSON.stringify(reply));
      messageSubscriptions.flush();
    };
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    // An invalid or too large frame: `ws` closes the connection with the right code.
    socket.on('error', () => {});
    // Rejects only if a delay is aborted at shutdown.
    socket.on('message', (data, isBinary) => void handleMessage(data, isBinary).catch(() => {}));
  };

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {});
      if (!acceptsHost(request.headers.host)) return rejectUpgrade(socket, '421 Misdirected Request');
      const [, segment] = /^\/ws\/([^/?]+)$/.exec(request.url ?? '') ?? [];
      const key = segment === undefined ? undefined : keyOf(segment);
      if (segment === undefined) return rejectUpgrade(socket, '404 Not Found');
      if (key === undefined) return rejectUpgrade(socket, '401 Unauthorized');
      if (closed) return rejectUpgrade(socket, '503 Service Unavailable');
      server.handleUpgrade(request, socket, head, (client) => connect(key, client, socket as Socket));
    },
    publishChange(change) {
      for (const { subscriptions } of connections) subscriptions.publishChange(change);
    },
    publishPending(transaction) {
      for (const { subscriptions } of connections) subscriptions.publishPending(transaction);
    },
    count: () => ({
      sockets: connections.size,
      subscriptions: [...connections].reduce((sum, { subscriptions }) => sum + subscriptions.size, 0),
    }),
    resetAll() {
      for (const { tcpSocket } of connections) tcpSocket.resetAndDestroy();
    },
    close(code, reason) {
      closed = true;
      for (const { socket } of connections) {
        socket.close(code, reason);
        const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
        socket.once('close', () => clearTimeout(timer));
      }
    },
  };
}

const rejectUpgrade = (socket: Duplex, status: string) =>
  void socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
