import { GraphError } from '../../lib/errors.ts';
import { parseWebSocketEndpoint } from '../endpoint.ts';
import type { HeaderChecks } from './header-checks.ts';
import { createLogFilterDialect, sendWithLogFilterDialect } from './log-filter-dialect.ts';
import type { RpcCall, RpcOutcome } from './rpc-call.ts';
import { createWebSocketRequests } from './websocket/requests.ts';
import { createSubscriptions, isSubscriptionEvent, type Unsubscribe } from './websocket/subscriptions.ts';
import { openSocket } from './websocket/transport.ts';

/** One WebSocket connection to a node, with requests and subscriptions. It does not reconnect; its owner decides whether to. */
export interface NodeConnection {
  /** Scheme, host and port of the node; contains no secret. */
  readonly label: string;
  /**
   * Sends calls together, one frame for each batch, and returns their outcomes in the same order; never rejects. A call without a response
   * in time is UPSTREAM_TIMEOUT. When the connection ends, every call in flight fails with its reason.
   */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /**
   * Resolves when the node has returned the id of the subscription; rejects with a GraphError. Events that arrive before the id are
   * delivered first, before this resolves. After `Unsubscribe`, or the end of the connection, no event is delivered. An error of `onEvent`
   * is passed to `onListenerError`; its event counts as delivered. Source: `eth_subscribe`, `eth_unsubscribe`.
   */
  subscribe(params: readonly unknown[], onEvent: (result: unknown) => void): Promise<Unsubscribe>;
  /** Resolves with the reason when the connection has ended, also after `close`. Never rejects. */
  readonly ended: Promise<GraphError>;
  /** Ends the connection at once. May be called repeatedly. */
  close(): void;
}

export interface NodeConnectionOptions {
  readonly url: string;
  /** Timeout of the handshake, and of each call. */
  readonly timeoutMs: number;
  /** Maximum number of calls in one frame. */
  readonly maxBatchSize: number;
  /** Aborts the handshake; an open connection ends with `close`. */
  readonly signal?: AbortSignal;
  /** Heartbeat interval. The node has half of it to respond. */
  readonly pingIntervalMs?: number;
  /** Receives the errors that listeners of events throw. */
  readonly onListenerError?: (error: unknown) => void;
  readonly headerChecks?: HeaderChecks | undefined;
}

/** Opens a connection. Rejects with BAD_USER_INPUT for a URL that is neither ws:// nor wss://, else as `openSocket`. */
export async function connectToNode(options: NodeConnectionOptions): Promise<NodeConnection> {
  const { url, timeoutMs, maxBatchSize, signal, pingIntervalMs = 10_000, onListenerError = () => {}, headerChecks } = options;
  const endpoint = parseWebSocketEndpoint(url);
  const { connection } = await openSocket(endpoint, { timeoutMs, pingIntervalMs, signal }, (socket) => {
    const requests = createWebSocketRequests({ write: socket.write, maxBatchSize, timeoutMs, headerChecks });
    const logFilterDialect = createLogFilterDialect();
    const subscriptions = createSubscriptions(requests, socket, timeoutMs, onListenerError);
    let resolveEnded: (reason: GraphError) => void;
    const ended = new Promise<GraphError>((resolve) => {
      resolveEnded = resolve;
    });
    return {
      connection: {
        label: endpoint.label,
        send: (calls: readonly RpcCall[], signal: AbortSignal) =>
          sendWithLogFilterDialect((batch) => requests.send(batch, signal), calls, logFilterDialect),
        subscribe: subscriptions.subscribe,
        ended,
        close: () => socket.close(new GraphError('UPSTREAM_UNAVAILABLE', 'This server has closed its connection to the node.')),
      },
      onFrame(frame: unknown, bytes: number) {
        const messages: unknown[] = Array.isArray(frame) ? frame : [frame];
        for (const message of messages) {
          if (isSubscriptionEvent(message)) subscriptions.receive(message.params, bytes);
          else requests.receive(message, messages.length === 1);
        }
      },
      onClose(reason: GraphError) {
        subscriptions.close();
        requests.close(reason);
        resolveEnded(reason);
      },
    };
  });
  return connection;
}
