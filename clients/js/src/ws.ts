import { type ClientOptions, createClient } from 'graphql-ws';
import type { GraphResult, SubscriptionClient } from './results.ts';

/** Interval of pings, and time for the pong, in milliseconds. A connection without a pong counts as lost. */
const PING_INTERVAL_MS = 12_000;
const PONG_TIMEOUT_MS = 8_000;

/** Options of a client of graphql-ws, except those that `follow` needs to be fixed. */
export type WebSocketOptions = Omit<ClientOptions, 'retryAttempts' | 'keepAlive' | 'shouldRetry' | 'retryWait'>;

/** A client of subscriptions over one WebSocket, which all its subscriptions share. */
export interface WebSocketClient extends SubscriptionClient {
  /** Closes the connection. */
  dispose(): void | Promise<void>;
}

/**
 * Creates a client of graphql-ws for `follow`: without retries of its own, which would repeat events after the first cursor, and with pings that
 * detect a lost connection. Node before version 22 needs `webSocketImpl`, for example that of the package `ws`.
 */
export function createWebSocketClient(options: WebSocketOptions): WebSocketClient {
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const stopTimer = () => clearTimeout(pongTimer);
  const running = new Set<(event: unknown) => void>();
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
        if (isReceived) return;
        stopTimer();
        pongTimer = setTimeout(() => client.terminate(), PONG_TIMEOUT_MS);
      },
      pong: (isReceived, payload) => {
        options.on?.pong?.(isReceived, payload);
        if (isReceived) stopTimer();
      },
      closed: (event) => {
        options.on?.closed?.(event);
        stopTimer();
        for (const lose of [...running]) lose(event);
      },
    },
  });
  return {
    iterate: (request) => endWithConnection(client.iterate(request) as AsyncIterableIterator<GraphResult>, running),
    dispose: () => client.dispose(),
  };
}

/**
 * Ends a subscription with the close event of its connection. graphql-ws itself subscribes again after a normal closure (1000), with the first
 * cursor.
 */
function endWithConnection(
  events: AsyncIterableIterator<GraphResult>,
  running: Set<(event: unknown) => void>,
): AsyncIterableIterator<GraphResult> {
  let lost: { readonly event: unknown } | undefined;
  /** Rejects the event that is being awaited. A race with one promise of the loss would retain each event until the connection ends. */
  let rejectNext: (event: unknown) => void = () => {};
  const lose = (event: unknown) => {
    lost = { event };
    rejectNext(event);
    void end();
  };
  running.add(lose);
  const end = () => {
    running.delete(lose);
    return events.return!();
  };
  const iterator: AsyncIterableIterator<GraphResult> = {
    next: () =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost.event);
        rejectNext = reject;
        events.next().then(resolve, reject);
      }),
    return: end,
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
