import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ProxiedCall } from '../proxies/node-proxy.ts';
import { startTestServer } from '../test-server.ts';
import type { Reply, Respond } from './world.ts';

export type Call = Pick<ProxiedCall, 'method' | 'params'>;

/** Returns the forged result of a call: the given copy of the honest one, changed or unchanged, or another value. */
export type Forge = (call: Call, result: any) => unknown;

/** A node over HTTP and WebSocket that forges results while `forge` is set. */
export interface Liar {
  readonly url: string;
  readonly wsUrl: string;
  forge: Forge | undefined;
  /** Maximum number of forged results of one call; then the node is honest. */
  maxForgeries: number;
  /** Number of forged results that differ from the honest ones since it was set to 0. */
  applied: number;
  /** Announces a block to the subscribers of new heads. */
  announce(header: { readonly hash: string }): Promise<void>;
}

export async function startLiar(respond: Respond): Promise<Liar> {
  const subscribers = new Set<WebSocket>();
  const counts = new Map<string, number>();
  const forged = async (call: Call, honest: unknown): Promise<unknown> => {
    const { forge } = liar;
    const key = `${call.method} ${JSON.stringify(call.params)}`;
    const count = counts.get(key) ?? 0;
    if (!forge || count >= liar.maxForgeries) return honest;
    const result = await forge(call, structuredClone(honest));
    if (JSON.stringify(result) === JSON.stringify(honest)) return honest;
    if (Number.isFinite(liar.maxForgeries)) counts.set(key, count + 1);
    liar.applied += 1;
    return result;
  };
  const answer = async ({ id, method, params = [] }: ProxiedCall): Promise<object> => {
    const reply: Reply = await respond({ method, params });
    const own = 'result' in reply ? { result: await forged({ method, params }, reply.result) } : { error: reply.error };
    return { jsonrpc: '2.0', id, ...own };
  };
  const answerAll = (body: ProxiedCall | ProxiedCall[], one = answer) =>
    Array.isArray(body) ? Promise.all(body.map(one)) : one(body);
  const server = createServer(async (request, response) => {
    // A client of another test may still use the port, with a request that has no body.
    const entries = await answerAll((await json(request).catch(() => [])) as ProxiedCall[]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const answerOnSocket = async (call: ProxiedCall): Promise<object> => {
      if (call.method !== 'eth_subscribe') return answer(call);
      if (call.params[0] === 'newHeads') subscribers.add(socket);
      return { jsonrpc: '2.0', id: call.id, result: '0x1' };
    };
    socket.on('message', async (text) => socket.send(JSON.stringify(await answerAll(JSON.parse(String(text)), answerOnSocket))));
    socket.on('close', () => subscribers.delete(socket));
  });
  const { url } = await startTestServer(server);
  const liar: Liar = {
    url,
    wsUrl: url.replace('http', 'ws'),
    forge: undefined,
    maxForgeries: Number.POSITIVE_INFINITY,
    applied: 0,
    async announce(header) {
      const result = await forged({ method: 'newHeads', params: [header.hash] }, header);
      const params = { subscription: '0x1', result };
      for (const socket of subscribers) socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    },
  };
  return liar;
}
