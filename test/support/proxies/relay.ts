import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { postJson } from '../clients/post-json.ts';
import { withNodeKey } from '../secrets.ts';
import { startTestServer } from '../test-server.ts';
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

export async function startRelay(target: string): Promise<Relay> {
  let posts = 0;
  let calls = 0;
  let pendingRequests = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as ProxiedCall | ProxiedCall[];
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
  const { url, stop } = await startTestServer(server);
  const relay: Relay = {
    url: withNodeKey(url),
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
    stop,
  };
  return relay;
}
