import { type ClientOptions, createClient } from 'graphql-ws';
import type { GraphResult, SubscriptionClient } from './results.ts';

/** Interval of pings, and time without any message after a ping, in milliseconds, after which a connection counts as lost. */
const PING_INTERVAL_MS = 12_000;
const PONG_TIMEOUT_MS = 8_000;

/** `WebSocket.CLOSING`. */
const CLOSING = 2;

/** The functions that end the running subscriptions, each with the connection that was closing when it started, whose end does not concern it. */
type Subscriptions = Map<(event: unknown) => void, object | undefined>;

/** Options of a client of graphql-ws, except those that `follow` needs to be fixed. */
export type WebSocketOptions = Omit<ClientOptions, 'retryAttempts' | 'keepAlive' | 'shouldRetry' | 'retryWait'>;

/** A client of subscriptions over one WebSocket, which all its subscriptions share. */
export interface WebSocketClient extends SubscriptionClient {
  /** Closes the connection. Its subscriptions end with an error, and no further one starts. */
  dispose(): void | Promise<void>;
}

/**
 * Creates a client of graphql-ws for `follow`: without retries of its own, which would repeat events after the first cursor, and with pings that
 * detect a lost connection. Node before version 22 needs `webSocketImpl`, for example that of the package `ws`.
 */
export function createWebSocketClient(options: WebSocketOptions): WebSocketClient {
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const stopTimer = () => {
    clearTimeout(pongTimer);
    pongTimer = undefined;
  };
  const startTimer = () => {
    stopTimer();
    pongTimer = setTimeout(() => client.terminate(), PONG_TIMEOUT_MS);
  };
  const running: Subscriptions = new Map();
  let socket: { readonly readyState: number } | undefined;
  let isDisposed = false;
  const client = createClient({
    ...options,
    retryAttempts: 0,
    keepAlive: PING_INTERVAL_MS,
    // An error that is reported to every subscription needs no report of its own.
    onNonLazyError: options.onNonLazyError ?? (() => {}),
    on: {
      ...options.on,
      ping: (isReceived, payload) => {
        options.on?.ping?.(isReceived, payload);
        if (!isReceived) startTimer();
      },
      message: (message) => {
        options.on?.message?.(message);
        // The pong waits behind the events that a slow network still delivers.
        if (pongTimer !== undefined) startTimer();
      },
      pong: (isReceived, payload) => {
        options.on?.pong?.(isReceived, payload);
        if (isReceived) stopTimer();
      },
      opened: (opened) => {
        socket = opened as typeof socket;
        options.on?.opened?.(opened);
      },
      closed: (event) => {
        options.on?.closed?.(event);
        stopTimer();
        for (const [lose, closing] of [...running]) if (!closing || closing !== socket) lose(event);
        socket = undefined;
      },
    },
  });
  return {
    iterate(request) {
      // graphql-ws would connect again.
      if (isDisposed) throw new Error('The client has been disposed.');
      // graphql-ws closes the connection of the last subscription, and sends this one over the next connection.
      const closing = socket?.readyState === CLOSING ? socket : undefined;
      return endWithConnection(client.iterate(request) as AsyncIterableIterator<GraphResult>, running, closing);
    },
    dispose() {
      isDisposed = true;
      return client.dispose();
    },
  };
}

/**
 * Ends a subscription with the close event of its connection. graphql-ws itself subscribes again after a normal closure (1000), with the first
 * cursor.
 */
function endWithConnection(
  events: AsyncIterableIterator<GraphResult>,
  running: Subscriptions,
  closing: object | undefined,
): AsyncIterableIterator<GraphResult> {
  let lost: { readonly event: unknown } | undefined;
  /** Rejects the event that is being awaited. A race with one promise of the loss would retain each event until the connection ends. */
  let rejectNext: (event: unknown) => void = () => {};
  const lose = (event: unknown) => {
    lost = { event };
    rejectNext(event);
    void end();
  };
  running.set(lose, closing);
  const end = () => {
    running.delete(lose);
    return events.return!();
  };
  const iterator: AsyncIterableIterator<GraphResult> = {
    next: () =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost.event);
        rejectNext = reject;
        events.next().then(
          (result) => {
            if (result.done) running.delete(lose);
            resolve(result);
          },
          (error) => {
            running.delete(lose);
            reject(error);
          },
        );
      }),
    return: end,
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
