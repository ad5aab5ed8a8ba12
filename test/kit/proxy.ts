import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';

export interface WireCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly any[];
}

/** What stands between a graph and its node: it counts what goes through, and changes what a test wants changed. */
export interface NodeProxy {
  readonly url: string;
  /** The methods of each request so far, one list a POST. */
  readonly posts: string[][];
  /** Takes the count since the last time: requests, calls, and the calls by method. */
  taken(): { http: number; calls: number; methods: Record<string, number> };
  /** Answers instead of the node; undefined lets the call through. */
  answer: ((call: WireCall) => { result?: unknown; error?: { code: number; message: string } } | undefined) | undefined;
  /** Changes the whole body on its way back; may hold it back as well. */
  rewrite: ((body: unknown, request: unknown) => unknown) | undefined;
  /** Resolves when a request is next cut off before its answer. */
  nextCut(): Promise<void>;
  stop(): Promise<void>;
}

const started: NodeProxy[] = [];

// As in graph.ts: nothing is left running, whatever a test does.
afterAll(async () => {
  await Promise.all(started.splice(0).map((proxy) => proxy.stop()));
});

/** Starts a proxy in front of a node, under a path that looks like a hosted node's, key included. */
export async function startProxy(target: string, path = '/', port = 0): Promise<NodeProxy> {
  const posts: string[][] = [];
  const cuts = new EventEmitter();
  const server = createServer(async (request, response) => {
    response.once('close', () => response.writableFinished || cuts.emit('cut'));
    if (request.url !== path) return void response.writeHead(401).end();
    const body = JSON.parse(await text(request)) as WireCall | WireCall[];
    const calls = [body].flat();
    posts.push(calls.map(({ method }) => method));
    const answers = calls.map((call) => proxy.answer?.(call));
    const through = calls.filter((_call, i) => !answers[i]);
    const forwarded = through.length > 0 ? await forward(target, through) : [];
    const entries = calls.map((call, i) => {
      const own = answers[i];
      return own ? { jsonrpc: '2.0', id: call.id, ...own } : forwarded.find(({ id }) => id === call.id);
    });
    const answer = Array.isArray(body) ? entries : entries[0];
    const sent = proxy.rewrite ? await proxy.rewrite(answer, body) : answer;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    posts,
    taken() {
      const since = posts.splice(0);
      const methods: Record<string, number> = {};
      for (const method of since.flat()) methods[method] = (methods[method] ?? 0) + 1;
      return { http: since.length, calls: since.flat().length, methods };
    },
    answer: undefined,
    rewrite: undefined,
    nextCut: async () => void (await once(cuts, 'cut')),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  started.push(proxy);
  return proxy;
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

async function forward(target: string, calls: readonly WireCall[]): Promise<WireCall[]> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  });
  return (await response.json()) as WireCall[];
}
