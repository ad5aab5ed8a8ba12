import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import { postJson } from '../clients/post-json.ts';
import { withNodeKey } from '../secrets.ts';
import type { ProxiedCall } from './node-proxy.ts';

/** A proxy between a graph and its nodes that forwards the calls of a request one by one, so that a test can act between any two. */
export interface Relay {
  readonly url: string;
  /** Returns the URL of the node for a request, as a load balancer would; `post` counts requests from 0. */
  route: (post: number) => string;
  /** Awaited before each call is forwarded; `index` counts calls from 0 since `resetCounts`. */
  beforeCall: ((call: ProxiedCall, index: number) => unknown) | undefined;
  /** Sets both counts to 0 and returns how many calls there were. */
  resetCounts(): number;
  /** Requests that have no response yet. */
  readonly pendingRequests: number;
  stop(): Promise<void>;
}

const started: Relay[] = [];

// Also after a failed test, so that jest can exit.
afterAll(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()));
});

export async function startRelay(target: string): Promise<Relay> {
  let posts = 0;
  let calls = 0;
  let pendingRequests = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let source = '';
    for await (const chunk of request) source += chunk;
    const body = JSON.parse(source) as ProxiedCall | ProxiedCall[];
    const nodeUrl = relay.route(posts++);
    const entries: unknown[] = [];
    for (const call of [body].flat()) {
      const index = calls++;
      await relay.beforeCall?.(call, index);
      const found = await postJson(nodeUrl, call);
      entries.push(await found.json());
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? entries : entries[0]));
  };
  const server = createServer((request, response) => {
    pendingRequests += 1;
    response.once('close', () => {
      pendingRequests -= 1;
    });
    // A client of a stopped node sees a closed connection.
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: Relay = {
    url: withNodeKey(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    route: () => target,
    beforeCall: undefined,
    get pendingRequests() {
      return pendingRequests;
    },
    resetCounts() {
      const before = calls;
      posts = 0;
      calls = 0;
      return before;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  started.push(relay);
  return relay;
}
