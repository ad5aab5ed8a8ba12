import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { createClient, type SubscribePayload } from 'graphql-ws';
import { WebSocket } from 'ws';
import { assertNoSecret } from '../support/secrets.ts';

interface Response {
  readonly status: number;
  readonly text: string;
  /** Undefined unless it is a JSON object. */
  readonly body: any;
}

/** A client of the server that keeps its connections open. */
export function createHttpClient(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const openSince = new Map<number, number>();
  let count = 0;
  return {
    /** The requests without a response, and when they were sent. */
    openSince: openSince as ReadonlyMap<number, number>,
    /** Sends a request, a GET without a body. Rejects when the connection is lost. */
    post(path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
      const id = ++count;
      openSince.set(id, performance.now());
      return new Promise<Response>((resolve, reject) => {
        const options = { agent, method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json', ...headers } };
        const sent = request(`${url}${path}`, options, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.on('error', reject);
          response.on('end', () => {
            assertNoSecret(text, 'a response');
            resolve({ status: response.statusCode!, text, body: text.startsWith('{') ? JSON.parse(text) : undefined });
          });
        });
        sent.on('error', reject);
        sent.end(body);
      }).finally(() => openSince.delete(id));
    },
    stop: (): void => agent.destroy(),
  };
}

/** A client whose subscriptions share one WebSocket. */
export function createSocketClient(url: string, connectionParams: Readonly<Record<string, string>>) {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams,
    onNonLazyError: () => {},
  });
  return {
    iterate: (request: SubscribePayload) => client.iterate(request),
    dispose(): void {
      // Rejects while it connects.
      void Promise.resolve(client.dispose()).catch(() => {});
    },
  };
}

/** A client with an event stream for each subscription. */
export function createEventStreamClient(url: string, headers: Readonly<Record<string, string>>) {
  const open = new Set<ClientRequest>();
  return {
    /** Throws an error when the connection is lost. */
    async *iterate(body: SubscribePayload): AsyncGenerator<any> {
      const accept = { accept: 'text/event-stream', 'content-type': 'application/json' };
      const sent = request(`${url}/graphql`, { agent: false, method: 'POST', headers: { ...accept, ...headers } });
      open.add(sent);
      // The response reports the loss of its connection, too.
      sent.on('error', () => {});
      try {
        sent.end(JSON.stringify(body));
        const [response] = await once(sent, 'response');
        let rest = '';
        for await (const text of response.setEncoding('utf8')) {
          const events = (rest + text).split('\n\n');
          rest = events.pop()!;
          for (const event of events) {
            if (event.startsWith('event: complete')) return;
            if (event.startsWith('event: next')) yield JSON.parse(event.slice(event.indexOf('{')));
          }
        }
        throw new Error('the event stream has broken off');
      } finally {
        open.delete(sent);
        sent.destroy();
      }
    },
    dispose(): void {
      for (const sent of open) sent.destroy();
    },
  };
}

/** Returns false for a read whose connection is lost. */
export const falseIfLost = (read: Promise<boolean>): Promise<boolean> =>
  read.catch((error: NodeJS.ErrnoException) => {
    // A lost connection has a code of its own.
    if (!error.syscall && error.code !== 'ECONNRESET') throw error;
    return false;
  });
