import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import { waitUntil } from '../wait-until.ts';
import { rpc } from './rpc.ts';
import { type RunningGraph, startGraph } from './running-graph.ts';

export { rpc };

/** A graph over the node service of a devnet, with a counting proxy between them. */
export interface DevnetSetup {
  readonly devnet: Devnet;
  readonly proxy: NodeProxy;
  readonly graph: RunningGraph;
  /** Calls anvil directly: to mine, move the clock and revert blocks. */
  rpc<T = any>(method: string, ...params: unknown[]): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a devnet without activity, the proxy and the graph. */
export async function startDevnetSetup(settings: Record<string, string> = {}): Promise<DevnetSetup> {
  const devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
  const { nodeService, wizardService, endpoints } = devnet.description;
  const proxy = await startProxy(nodeService.http);
  // The WebSocket of the follower bypasses the proxy, which counts the calls of operations.
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

/** Resolves when the graph follows the head over a WebSocket: from then on only operations cause calls. */
const waitUntilFollowing = ({ url }: RunningGraph): Promise<void> =>
  waitUntil(async () => {
    const { head } = (await (await fetch(`${url}/readyz`)).json()) as { head?: { state: string; transport: string } };
    return head?.state === 'live' && head.transport === 'websocket';
  }, 'the graph follows the head over a WebSocket');
