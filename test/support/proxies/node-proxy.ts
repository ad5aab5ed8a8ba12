import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { stopAfterTests } from '../cleanups.ts';
import { postJson } from '../clients/post-json.ts';
import { assertNoSecret, NODE_AUTHORIZATION, withNodeKey } from '../secrets.ts';
import { startTestServer } from '../test-server.ts';

export interface ProxiedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly any[];
}

/** A proxy between a graph and its node that counts calls and changes responses. */
export interface NodeProxy {
  readonly url: string;
  /** The methods of each POST so far. */
  readonly posts: string[][];
  /** The headers of the last POST with a call of this method, without its credentials. */
  headersOf(method: string): IncomingHttpHeaders | undefined;
  /** Returns requests, calls, and calls by method since the last call, and resets them. */
  takeCounts(): { http: number; calls: number; methods: Record<string, number> };
  /** Responds instead of the node; undefined forwards the call. */
  intercept: ((call: ProxiedCall) => { result?: unknown; error?: { code: number; message: string } } | undefined) | undefined;
  /** Changes the whole response body; may delay it. */
  rewrite: ((body: unknown, request: unknown) => unknown) | undefined;
  /** Resolves when the client aborts a request before its response. */
  waitForAbort(): Promise<void>;
  /** Rejects when a request held a secret outside the URL and the authorization header. */
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of a node. It requires its key in the password, the path and the query, and returns 401 otherwise. No other
 * header and no body may hold a key, and no part of a request a credential of a client.
 */
export async function startProxy(target: string, path = '/', port = 0): Promise<NodeProxy> {
  let leak: unknown;
  const posts: string[][] = [];
  const headersByMethod = new Map<string, IncomingHttpHeaders>();
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
    for (const { method } of calls) headersByMethod.set(method, headers);
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
  const { url: origin, stop } = await startTestServer(server, port);
  const url = withNodeKey(`${origin}${path}`);
  const address = url.slice(url.indexOf('/', 'http://'.length));
  const proxy: NodeProxy = {
    url,
    posts,
    headersOf: (method) => headersByMethod.get(method),
    takeCounts() {
      const since = posts.splice(0);
      const methods: Record<string, number> = {};
      for (const method of since.flat()) methods[method] = (methods[method] ?? 0) + 1;
      return { http: since.length, calls: since.flat().length, methods };
    },
    intercept: undefined,
    rewrite: undefined,
    waitForAbort: async () => void (await once(cuts, 'cut')),
    stop: stopAfterTests(async () => {
      await stop();
      if (leak) throw leak;
    }),
  };
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

async function forward(target: string, calls: readonly ProxiedCall[]): Promise<ProxiedCall[]> {
  const send = () => postJson(target, calls);
  // The node may close an idle connection just as it is used again.
  const response = await send().catch(send);
  return (await response.json()) as ProxiedCall[];
}
