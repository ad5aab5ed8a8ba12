import { EventEmitter, once } from 'node:events';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { cleanups } from '../cleanups.ts';
import type { DataOf, GraphResponse, ResponseError } from '../graph/results.ts';
import { assertNoSecret, CLIENT_HEADERS } from '../secrets.ts';

/** One subscription of graphql-ws over one WebSocket, without reconnects. */
export interface ClientSubscription<T> {
  /** The responses so far. */
  readonly events: readonly GraphResponse<T>[];
  /** Resolves when this many responses have arrived; rejects when the subscription ends first. */
  waitForEvents(count: number): Promise<T[]>;
  /** Resolves with all responses up to the first one that matches. */
  waitUntil(isSo: (data: T) => boolean): Promise<T[]>;
  /** Resolves with the errors that ended the subscription, or none. */
  readonly ended: Promise<readonly ResponseError[]>;
  stop(): void;
}

export interface SubscriptionClient {
  subscribe<const Text extends string, T = DataOf<Text>>(
    query: Text,
    variables?: Record<string, unknown>,
    extensions?: Record<string, unknown>,
  ): ClientSubscription<T>;
  /** Closes the connection without a close frame. */
  kill(): void;
  close(): void;
}

export function createSubscriptionClient(url: string): SubscriptionClient {
  let socket: WebSocket | undefined;
  class Watched extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers: CLIENT_HEADERS });
      socket = this;
      this.on('message', (data) => assertNoSecret(String(data), 'a message to a subscriber'));
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Watched,
    retryAttempts: 0,
    onNonLazyError: () => {},
  });

  const subscribe = <T>(
    query: string,
    variables?: Record<string, unknown>,
    extensions?: Record<string, unknown>,
  ): ClientSubscription<T> => {
    const events: GraphResponse<T>[] = [];
    const changes = new EventEmitter().setMaxListeners(0);
    let isOver = false;
    let tellEnd: (errors: readonly ResponseError[]) => void;
    const ended = new Promise<readonly ResponseError[]>((resolve) => {
      tellEnd = resolve;
    });
    const end = (errors: readonly ResponseError[]) => {
      isOver = true;
      tellEnd(errors);
      changes.emit('change');
    };
    const stop = client.subscribe<T>(
      { query, ...(variables && { variables }), ...(extensions && { extensions }) },
      {
        next(answer) {
          events.push(answer as GraphResponse<T>);
          changes.emit('change');
        },
        error: (error) => end(Array.isArray(error) ? error : [error]),
        complete: () => end([]),
      },
    );
    const wait = async (isSo: () => boolean): Promise<T[]> => {
      while (!isSo()) {
        if (isOver) throw new Error(`it ended with ${JSON.stringify(events)}`);
        await once(changes, 'change');
      }
      return events.map(({ data }) => data);
    };
    return {
      events,
      ended,
      waitForEvents: (count) => wait(() => events.length >= count),
      waitUntil: (isSo) => wait(() => events.some(({ data }) => isSo(data))),
      stop,
    };
  };

  const close = () => void client.dispose();
  cleanups.push(close);
  return { subscribe, kill: () => socket?.terminate(), close };
}
