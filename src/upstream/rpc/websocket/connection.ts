import type { Cancellation } from '../../../lib/abort.ts';
import { parseWebSocketEndpoint } from '../../../lib/endpoint.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { HeaderChecks } from '../header-check-policy.ts';
import { LogFilterDialect, sendWithLogFilterDialect } from '../log-filter-dialect.ts';
import type { RpcCall } from '../rpc-call.ts';
import { timeoutError } from '../rpc-errors.ts';
import { createWebSocketRequests, type WebSocketRequests } from './requests.ts';
import { type JsonSocket, openSocket } from './transport.ts';

/**
 * Parameters of an `eth_subscription` notification: the id of the subscription, and a result, or an error when the node
 * ends the subscription.
 */
interface SubscriptionEventParams {
  readonly subscription: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Whether a message is an `eth_subscription` notification. */
function isSubscriptionEvent(message: unknown): message is { readonly params: SubscriptionEventParams } {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('params' in message)) return false;
  const { method, params } = message;
  if (method !== 'eth_subscription' || typeof params !== 'object' || params === null) return false;
  return 'subscription' in params && typeof params.subscription === 'string' && ('result' in params || 'error' in params);
}

/** Creates the registry of the subscriptions of one connection. */
function createSubscriptions(requests: WebSocketRequests, { close }: JsonSocket, timeoutMs: number) {
  const listeners = new Map<string, (result: unknown) => void>();

  const unsubscribe = (id: string): void =>
    void requests.send([{ method: 'eth_unsubscribe', params: [id] }], new AbortController().signal);

  return {
    /**
     * Resolves when the node has returned the id of the subscription; rejects with a GraphError. Events are delivered from then on, until
     * the returned function is called, which notifies the node but does not await its response, or the connection ends. An event whose
     * listener throws counts as delivered. Source: `eth_subscribe`, `eth_unsubscribe`.
     */
    subscribe: (params: readonly unknown[], onEvent: (result: unknown) => void): Promise<() => void> =>
      new Promise((resolve, reject) => {
        let isTimedOut = false;
        const timer = setTimeout(() => {
          isTimedOut = true;
          reject(timeoutError('eth_subscribe'));
        }, timeoutMs);
        // The call has no separate timeout, because a subscription whose id arrives too late must still be
        // unsubscribed.
        requests.sendWithoutDeadline({ method: 'eth_subscribe', params }, (outcome) => {
          clearTimeout(timer);
          const id = 'error' in outcome ? outcome.error : subscriptionIdIn(outcome.result, listeners);
          if (id instanceof GraphError) reject(id);
          else if (isTimedOut) unsubscribe(id);
          else {
            const listener = (result: unknown) => onEvent(result);
            listeners.set(id, listener);
            resolve(() => {
              if (listeners.get(id) !== listener) return;
              listeners.delete(id);
              unsubscribe(id);
            });
          }
        });
      }),

    /** Delivers an event to its listener. */
    receive({ subscription, ...params }: SubscriptionEventParams): void {
      const listener = listeners.get(subscription);
      if (listener && !('result' in params)) {
        // Closing the connection is the only way to notify the listener that its events have ended.
        close(new GraphError('UPSTREAM_UNAVAILABLE', 'The node ended a subscription.'));
        return;
      }
      try {
        listener?.(params.result);
      } catch {
        // The event counts as delivered.
      }
    },

    /** Removes all listeners. */
    close: () => listeners.clear(),
  };
}

/** Returns the id of a new subscription. A duplicate id is an error, because it would mix the events of two subscriptions. */
function subscriptionIdIn(result: unknown, listeners: ReadonlyMap<string, unknown>): string | GraphError {
  if (typeof result === 'string' && !listeners.has(result)) return result;
  return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node returned an invalid or duplicate subscription id.', {
    method: 'eth_subscribe',
  });
}

/**
 * One WebSocket connection to a node, with requests and subscriptions. It does not reconnect; its owner decides whether
 * to reconnect.
 */
export type NodeConnection = Awaited<ReturnType<typeof connectToNode>>;

export interface NodeConnectionOptions {
  readonly url: string;
  /** Timeout of the handshake, and of each call. */
  readonly timeoutMs: number;
  /** Maximum number of calls in one frame. */
  readonly maxBatchSize: number;
  /** Aborts the handshake; an open connection ends with `close`. */
  readonly signal?: Cancellation;
  /** Heartbeat interval in milliseconds. The node has half of the interval to respond. @default 10000 */
  readonly pingIntervalMs?: number;
  /** Checks of results against block headers. @default mode `on` */
  readonly headerChecks?: HeaderChecks | undefined;
}

/**
 * Opens a connection. Rejects with BAD_USER_INPUT for a URL that is neither ws:// nor wss://, else with the errors of
 * `openSocket`.
 */
export async function connectToNode(options: NodeConnectionOptions) {
  const { url, timeoutMs, maxBatchSize, signal, pingIntervalMs = 10_000 } = options;
  const endpoint = parseWebSocketEndpoint(url);
  const headerChecks = options.headerChecks?.ofEndpoint(endpoint.label);
  const { connection } = await openSocket(endpoint, { timeoutMs, pingIntervalMs, signal }, (socket) => {
    const requests = createWebSocketRequests({ write: socket.write, maxBatchSize, timeoutMs, headerChecks });
    const logFilterDialect = new LogFilterDialect();
    const subscriptions = createSubscriptions(requests, socket, timeoutMs);
    let resolveEnded: (reason: GraphError) => void;
    const ended = new Promise<GraphError>((resolve) => {
      resolveEnded = resolve;
    });
    return {
      connection: {
        /** Scheme, host and port of the node; contains no secret. */
        label: endpoint.label,
        /**
         * Sends calls together, one frame for each batch, and returns their outcomes in the order of the calls; never
         * rejects. A call without a response in time fails with UPSTREAM_TIMEOUT. When the connection ends, every call
         * in flight fails with the reason of the end.
         */
        send: (calls: readonly RpcCall[], signal: Cancellation) =>
          sendWithLogFilterDialect((batch) => requests.send(batch, signal), calls, logFilterDialect),
        subscribe: subscriptions.subscribe,
        /** Resolves with the reason when the connection has ended, also after `close`. Never rejects. */
        ended,
        /** Ends the connection at once. May be called repeatedly. */
        close: () => socket.close(new GraphError('UPSTREAM_UNAVAILABLE', 'This server has closed its connection to the node.')),
      },
      onFrame(frame: unknown) {
        const messages: unknown[] = Array.isArray(frame) ? frame : [frame];
        for (const message of messages) {
          if (isSubscriptionEvent(message)) subscriptions.receive(message.params);
          else requests.receive(message, messages.length === 1);
        }
      },
      onClose(reason: GraphError) {
        reason.endpoint ??= endpoint.label;
        subscriptions.close();
        requests.close(reason);
        resolveEnded(reason);
      },
    };
  });
  return connection;
}
