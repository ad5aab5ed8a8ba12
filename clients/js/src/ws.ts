import { type ClientOptions, createClient } from 'graphql-ws';
import type { GraphResult, SubscriptionClient } from './results.ts';

/** Interval of pings, and time without any message after a ping, in milliseconds, after which a connection counts as lost. */
const PING_INTERVAL_MS = 12_000;
const PONG_TIMEOUT_MS = 8_000;

/** Time until a connection is open, in milliseconds, after which it counts as lost. */
const HANDSHAKE_TIMEOUT_MS = 20_000;

/** `WebSocket.CLOSING` and `WebSocket.CLOSED`. */
const CLOSING = 2;
const CLOSED = 3;

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
    ...adaptConnection(options),
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
      // graphql-ws would fail with the errors of a connection, and leave a rejection that nothing handles: a bigint fails each time.
      JSON.stringify(request, options.jsonMessageReplacer);
      // graphql-ws closes the connection of the last subscription, and sends this one over the next connection.
      const closing = socket?.readyState === CLOSING ? socket : undefined;
      return endWithConnection(client.iterate(request) as AsyncIterableIterator<GraphResult>, running, closing);
    },
    dispose() {
      isDisposed = true;
      // A connection that fails while it is being opened needs no closing.
      return Promise.resolve(client.dispose()).catch(() => {});
    },
  };
}

/**
 * Adapts a WebSocket to graphql-ws, whose connection otherwise never ends where it fails early: a rejected `url` or a constructor that throws
 * becomes an error of the connection, and so does a handshake without a response, during which graphql-ws sends no pings.
 */
function adaptConnection({
  url,
  webSocketImpl = globalThis.WebSocket,
}: WebSocketOptions): Pick<ClientOptions, 'url' | 'webSocketImpl'> {
  if (typeof webSocketImpl !== 'function') return { url, webSocketImpl };
  let rejection: { readonly error: unknown } | undefined;
  const create = (target: unknown, args: unknown[]): WebSocket => {
    const failed = rejection;
    rejection = undefined;
    if (failed) return failedSocket(failed.error);
    try {
      const socket = Reflect.construct(target as new () => WebSocket, args);
      const timer = setTimeout(() => socket.close(), HANDSHAKE_TIMEOUT_MS);
      for (const event of ['open', 'error', 'close']) socket.addEventListener(event, () => clearTimeout(timer));
      return socket;
    } catch (error) {
      return failedSocket(error);
    }
  };
  const awaitUrl = async () => {
    try {
      return typeof url === 'function' ? await url() : url;
    } catch (error) {
      rejection = { error };
      return '';
    }
  };
  return { url: typeof url === 'function' ? awaitUrl : url, webSocketImpl: new Proxy(webSocketImpl, { construct: create }) };
}

/** A socket that reports an error once it has listeners. */
function failedSocket(error: unknown): WebSocket {
  const socket = { readyState: CLOSED, close() {}, send() {}, onerror: undefined as ((error: unknown) => void) | undefined };
  queueMicrotask(() => socket.onerror?.(error));
  return socket as unknown as WebSocket;
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
