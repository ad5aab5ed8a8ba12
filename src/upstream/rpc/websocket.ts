import { GraphError } from '../../errors.ts';
import { parseWebSocketEndpoint } from '../endpoint.ts';
import type { RpcCall, RpcOutcome } from './http-transport.ts';
import { createLogFilterDialect, sendWithLogFilterDialect } from './log-filter-dialect.ts';
import { createWebSocketRequests, timeoutError, type WebSocketRequests } from './websocket-requests.ts';
import { type JsonSocket, MAX_RPC_MESSAGE_BYTES, openSocket } from './websocket-transport.ts';

/** Stops the events of a subscription at once. The node is told, and not waited for. */
export type Unsubscribe = () => void;

/**
 * One live connection to a node over a WebSocket: requests, and subscriptions that push. It never reconnects by itself: whoever
 * follows decides.
 */
export interface NodeConnection {
  /** The node's host, without anything secret. */
  readonly label: string;
  /**
   * Sends calls together, one frame a batch, and gives their outcomes in the same order; never rejects. What the node has not
   * answered in time is UPSTREAM_TIMEOUT, and when the connection ends, whatever is open fails with the reason.
   */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /**
   * Resolves when the node has named the subscription; rejects with a GraphError. Events that came before the name are delivered
   * before later ones, and before this resolves. After `Unsubscribe`, or the end of the connection, nothing is delivered any more.
   * What `onEvent` throws goes to `onListenerError` and changes nothing else: its event counts as delivered. Source:
   * `eth_subscribe`, `eth_unsubscribe`.
   */
  subscribe(params: readonly unknown[], onEvent: (result: unknown) => void): Promise<Unsubscribe>;
  /** Resolves once, with the reason, when the connection has ended, also by `close`. Never rejects. */
  readonly ended: Promise<GraphError>;
  /** Ends it at once. May be called again. */
  close(): void;
}

export interface NodeConnectionOptions {
  readonly url: string;
  /** Longest wait for the handshake, and for the answer to each call. */
  readonly timeoutMs: number;
  /** Most calls in one frame. */
  readonly maxBatchSize: number;
  /** Gives up the handshake; a connection that is open is ended by `close`. */
  readonly signal?: AbortSignal;
  /** How often the node is asked for a sign of life. It has half as long to give one. */
  readonly pingIntervalMs?: number;
  /** Told what a listener of events throws. */
  readonly onListenerError?: (error: unknown) => void;
}

/** Most events that wait for the node to name their subscription: a burst in one round trip, not a stream that nobody takes. */
const MAX_BUFFERED_EVENTS = 1_000;

/** Opens a connection. Rejects with a GraphError: BAD_USER_INPUT for what is no ws:// or wss:// URL, else as `openSocket`. */
export async function connectToNode(options: NodeConnectionOptions): Promise<NodeConnection> {
  const { url, timeoutMs, maxBatchSize, signal, pingIntervalMs = 10_000, onListenerError = () => {} } = options;
  const endpoint = parseWebSocketEndpoint(url);
  const { connection } = await openSocket(endpoint, { timeoutMs, pingIntervalMs, signal }, (socket) => {
    const requests = createWebSocketRequests({ write: socket.write, maxBatchSize, timeoutMs });
    const logFilterName = createLogFilterDialect();
    const events = createSubscriptions(requests, socket, timeoutMs, onListenerError);
    let end: (reason: GraphError) => void;
    const ended = new Promise<GraphError>((resolve) => {
      end = resolve;
    });
    return {
      connection: {
        label: endpoint.label,
        send: (calls: readonly RpcCall[], signal: AbortSignal) =>
          sendWithLogFilterDialect((some) => requests.send(some, signal), calls, logFilterName),
        subscribe: events.subscribe,
        ended,
        close: () => socket.close(new GraphError('UPSTREAM_UNAVAILABLE', 'This server has closed its connection to the node.')),
      },
      onFrame(frame: unknown, bytes: number) {
        const messages: unknown[] = Array.isArray(frame) ? frame : [frame];
        for (const message of messages) {
          if (isSubscriptionEvent(message)) events.take(message.params, bytes);
          else requests.receive(message, messages.length === 1);
        }
      },
      onClose(reason: GraphError) {
        events.end();
        requests.close(reason);
        end(reason);
      },
    };
  });
  return connection;
}

/** What an event says: of which subscription it is, and the result, or that there will be none any more. */
interface SubscriptionEventParams {
  readonly subscription: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

function isSubscriptionEvent(message: unknown): message is { readonly params: SubscriptionEventParams } {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('params' in message)) return false;
  const { method, params } = message;
  if (method !== 'eth_subscription' || typeof params !== 'object' || params === null) return false;
  return 'subscription' in params && typeof params.subscription === 'string' && ('result' in params || 'error' in params);
}

/** Opens the book of the subscriptions of one connection. */
function createSubscriptions(
  requests: WebSocketRequests,
  { close }: JsonSocket,
  timeoutMs: number,
  onListenerError: (error: unknown) => void,
): Pick<NodeConnection, 'subscribe'> & { take(params: SubscriptionEventParams, bytes: number): void; end(): void } {
  const listeners = new Map<string, (result: unknown) => void>();
  /** Subscriptions that the node may not know yet to be over. */
  const leaving = new Set<string>();
  /** Subscriptions asked for that have no name yet. Only then can an event of an unknown name be for us. */
  let unnamed = 0;
  let parked: { readonly params: SubscriptionEventParams; readonly bytes: number }[] = [];

  const leave = (id: string): void => {
    leaving.add(id);
    void requests
      .send([{ method: 'eth_unsubscribe', params: [id] }], new AbortController().signal)
      .then(() => leaving.delete(id));
  };

  const deliver = ({ subscription, ...params }: SubscriptionEventParams): void => {
    if (!('result' in params)) {
      // Its listener has no other way to learn that nothing will come any more.
      close(new GraphError('UPSTREAM_UNAVAILABLE', 'The node has given up a subscription.'));
      return;
    }
    try {
      listeners.get(subscription)?.(params.result);
    } catch (error) {
      onListenerError(error);
    }
  };

  const park = (params: SubscriptionEventParams, bytes: number): void => {
    parked.push({ params, bytes });
    const total = parked.reduce((sum, one) => sum + one.bytes, 0);
    if (parked.length <= MAX_BUFFERED_EVENTS && total <= MAX_RPC_MESSAGE_BYTES) return;
    close(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent too many events of a subscription that it had not named.'));
  };

  /** Delivers what was parked for a subscription that has just got its name. */
  const catchUp = (id: string): void => {
    const due = parked.filter(({ params }) => params.subscription === id);
    parked = parked.filter(({ params }) => params.subscription !== id);
    for (const { params } of due) deliver(params);
  };

  return {
    subscribe: (params, onEvent) =>
      new Promise((resolve, reject) => {
        let late = false;
        const timer = setTimeout(() => {
          late = true;
          reject(timeoutError('eth_subscribe'));
        }, timeoutMs);
        // The call outlives its deadline: a subscription that is named too late has to be left again.
        unnamed += 1;
        requests.sendWithoutDeadline({ method: 'eth_subscribe', params }, (outcome) => {
          clearTimeout(timer);
          unnamed -= 1;
          const id = 'error' in outcome ? outcome.error : subscriptionIdIn(outcome.result, listeners);
          if (id instanceof GraphError) reject(id);
          else if (late) leave(id);
          else {
            const listener = (result: unknown) => onEvent(result);
            leaving.delete(id);
            listeners.set(id, listener);
            catchUp(id);
            resolve(() => {
              if (listeners.get(id) !== listener) return;
              listeners.delete(id);
              leave(id);
            });
          }
          if (unnamed === 0) parked = [];
        });
      }),

    take(params, bytes) {
      const { subscription } = params;
      if (listeners.has(subscription)) deliver(params);
      else if (unnamed > 0 && !leaving.has(subscription)) park(params, bytes);
    },

    end() {
      listeners.clear();
      leaving.clear();
      parked = [];
    },
  };
}

/** The name that the node gave a subscription. One that another has already would mix up the events of both. */
function subscriptionIdIn(result: unknown, taken: ReadonlyMap<string, unknown>): string | GraphError {
  if (typeof result === 'string' && !taken.has(result)) return result;
  return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node gave a subscription no name, or the name of another.', {
    method: 'eth_subscribe',
  });
}
