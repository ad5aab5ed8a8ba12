import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import { withNodeKey } from '../secrets.ts';
import type { ProxiedCall } from './node-proxy.ts';

/** Stands between a graph and its nodes, and hands the calls of a request on one by one: a test can act between any two of them. */
export interface Relay {
  readonly url: string;
  /** Which node answers a request, as a load balancer has it: `post` counts from 0. All calls of one request go to one node. */
  route: (post: number) => string;
  /** Awaited before each call is handed on; `index` counts calls from 0, since `restart`. */
  beforeCall: ((call: ProxiedCall, index: number) => unknown) | undefined;
  /** Begins both counts anew, and tells how many calls there were. */
  resetCounts(): number;
  stop(): Promise<void>;
}

const started: Relay[] = [];

// As in graph.ts: nothing is left running, whatever a test does.
afterAll(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()));
});

export async function startRelay(target: string): Promise<Relay> {
  let posts = 0;
  let calls = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let source = '';
    for await (const chunk of request) source += chunk;
    const body = JSON.parse(source) as ProxiedCall | ProxiedCall[];
    const to = relay.route(posts++);
    const entries: unknown[] = [];
    for (const call of [body].flat()) {
      const index = calls++;
      await relay.beforeCall?.(call, index);
      const found = await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      entries.push(await found.json());
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? entries : entries[0]));
  };
  // Of a node that is gone a client sees no more than that.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: Relay = {
    url: withNodeKey(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    route: () => target,
    beforeCall: undefined,
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
