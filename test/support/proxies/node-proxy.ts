import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import { assertNoSecret, NODE_AUTHORIZATION, withNodeKey } from '../secrets.ts';

export interface ProxiedCall {
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
  takeCounts(): { http: number; calls: number; methods: Record<string, number> };
  /** Answers instead of the node; undefined lets the call through. */
  intercept: ((call: ProxiedCall) => { result?: unknown; error?: { code: number; message: string } } | undefined) | undefined;
  /** Changes the whole body on its way back; may hold it back as well. */
  rewrite: ((body: unknown, request: unknown) => unknown) | undefined;
  /** Resolves when a request is next cut off before its answer. */
  waitForAbort(): Promise<void>;
  /** Rejects when a request held a secret where it has no business. */
  stop(): Promise<void>;
}

const started: NodeProxy[] = [];

// As in graph.ts: nothing is left running, whatever a test does.
afterAll(async () => {
  await Promise.all(started.splice(0).map((proxy) => proxy.stop()));
});

/**
 * Starts a proxy in front of a node, which is as strict as a hosted one: it answers where the password, the path and the query
 * hold its key, and 401 elsewhere. No other header and no body may hold a key, nor anything a client's.
 */
export async function startProxy(target: string, path = '/', port = 0): Promise<NodeProxy> {
  let leak: unknown;
  const posts: string[][] = [];
  const cuts = new EventEmitter();
  const server = createServer(async (request, response) => {
    response.once('close', () => response.writableFinished || cuts.emit('cut'));
    const { authorization, ...headers } = request.headers;
    if (request.url !== address || authorization !== NODE_AUTHORIZATION) return void response.writeHead(401).end();
    const source = await text(request);
    if (!leak) leak = findLeak(`${JSON.stringify(headers)}\n${source}`);
    const body = JSON.parse(source) as ProxiedCall | ProxiedCall[];
    const calls = [body].flat();
    posts.push(calls.map(({ method }) => method));
    const answers = calls.map((call) => proxy.intercept?.(call));
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
  const url = withNodeKey(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const address = url.slice(url.indexOf('/', 'http://'.length));
  const proxy: NodeProxy = {
    url,
    posts,
    takeCounts() {
      const since = posts.splice(0);
      const methods: Record<string, number> = {};
      for (const method of since.flat()) methods[method] = (methods[method] ?? 0) + 1;
      return { http: since.length, calls: since.flat().length, methods };
    },
    intercept: undefined,
    rewrite: undefined,
    waitForAbort: async () => void (await once(cuts, 'cut')),
    stop: () =>
      new Promise((resolve, reject) => {
        server.close(() => (leak ? reject(leak) : resolve()));
        server.closeAllConnections();
      }),
  };
  started.push(proxy);
  return proxy;
}

function findLeak(request: string): unknown {
  try {
    assertNoSecret(request, 'a request to the node');
    return undefined;
  } catch (error) {
    return error;
  }
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

async function forward(target: string, calls: readonly ProxiedCall[]): Promise<ProxiedCall[]> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  });
  return (await response.json()) as ProxiedCall[];
}
