import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import { type RunningGraph, startGraph } from './running-graph.ts';

/** A graph before the hosted node service of a real chain, with a proxy between them that counts. */
export interface DevnetSetup {
  readonly devnet: Devnet;
  readonly proxy: NodeProxy;
  readonly graph: RunningGraph;
  /** One call to anvil itself, past the proxy and the service: it mines, moves the clock and takes blocks back. */
  rpc<T = any>(method: string, ...params: unknown[]): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a still world, the proxy and the graph. */
export async function startDevnetSetup(settings: Record<string, string> = {}): Promise<DevnetSetup> {
  const devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
  const { nodeService, wizardService, endpoints } = devnet.description;
  const proxy = await startProxy(nodeService.http);
  // What the graph hears of the chain goes past the proxy, which counts what operations ask.
  const graph = await startGraph({
    RPC_URL: proxy.url,
    RPC_WS_URL: nodeService.ws,
    WIZARDS_URL: wizardService.url,
    WIZARDS_API_TOKEN: wizardService.token,
    WIZARDS_EMAIL: wizardService.email,
    ...settings,
  });
  await waitUntilFollowing(graph);
  proxy.takeCounts();
  return {
    devnet,
    proxy,
    graph,
    rpc: (method, ...params) => rpc(endpoints.http, method, params),
    async stop() {
      await graph.stop();
      await proxy.stop();
      await devnet.stop();
    },
  };
}

/** Resolves when a graph hears of its head over a WebSocket: from then on the node is asked for nothing but what operations need. */
async function waitUntilFollowing({ url }: RunningGraph): Promise<void> {
  for (;;) {
    const { head } = (await (await fetch(`${url}/readyz`)).json()) as { head?: { state: string; transport: string } };
    if (head?.state === 'live' && head.transport === 'websocket') return;
  }
}

/** One JSON-RPC call; rejects with the node's error. */
export async function rpc<T = any>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
