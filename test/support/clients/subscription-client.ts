import { afterEach } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
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
  subscribe<const Text extends string, T = DataOf<Text>>(query: Text, variables?: Record<string, unknown>): ClientSubscription<T>;
  /** Closes the connection without a close frame. */
  kill(): void;
  close(): void;
}

const openClients = new Set<SubscriptionClient>();

// Also after a failed test, so that jest can exit.
afterEach(() => {
  for (const client of openClients) client.close();
});

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

  const subscribe = <T>(query: string, variables?: Record<string, unknown>): ClientSubscription<T> => {
    const events: GraphResponse<T>[] = [];
    const watchers = new Set<() => void>();
    let isOver = false;
    let tellEnd: (errors: readonly ResponseError[]) => void;
    const ended = new Promise<readonly ResponseError[]>((resolve) => {
      tellEnd = resolve;
    });
    const look = () => {
      for (const watcher of [...watchers]) watcher();
    };
    const end = (errors: readonly ResponseError[]) => {
      isOver = true;
      tellEnd(errors);
      look();
    };
    const stop = client.subscribe<T>(
      { query, ...(variables && { variables }) },
      {
        next(answer) {
          events.push(answer as GraphResponse<T>);
          look();
        },
        error: (error) => end(Array.isArray(error) ? error : [error]),
        complete: () => end([]),
      },
    );
    const wait = (isSo: () => boolean) =>
      new Promise<T[]>((resolve, reject) => {
        const watcher = () => {
          if (isSo()) resolve(events.map(({ data }) => data));
          else if (isOver) reject(new Error(`it ended with ${JSON.stringify(events)}`));
          else return;
          watchers.delete(watcher);
        };
        watchers.add(watcher);
        watcher();
      });
    return {
      events,
      ended,
      waitForEvents: (count) => wait(() => events.length >= count),
      waitUntil: (isSo) => wait(() => events.some(({ data }) => isSo(data))),
      stop,
    };
  };

  const made: SubscriptionClient = {
    subscribe,
    kill: () => socket?.terminate(),
    close() {
      openClients.delete(made);
      void client.dispose();
    },
  };
  openClients.add(made);
  return made;
}
