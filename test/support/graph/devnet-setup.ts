import type { Devnet, DevnetDescription } from '../../../devnet/src/index.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import { waitUntil } from '../wait-until.ts';
import { type CallNode, rpc } from './rpc.ts';
import { type RunningGraph, startGraph } from './running-graph.ts';

export { rpc };

/** A graph over the node service of a devnet, with a counting proxy between them. */
export interface DevnetSetup {
  readonly devnet: Pick<Devnet, 'description'>;
  readonly proxy: NodeProxy;
  readonly graph: RunningGraph;
  /** Calls anvil directly: to mine, move the clock and revert blocks. */
  readonly rpc: CallNode;
}

/** Starts a devnet without activity, the proxy and the graph. */
export async function startDevnetSetup(settings: Record<string, string> = {}): Promise<DevnetSetup> {
  // Files that use the shared devnet need not load this code.
  const { startTestDevnet } = await import('../devnet.ts');
  return startGraphOver((await startTestDevnet()).description, settings);
}

/** Starts the proxy and a graph over the devnet that all test files share. Only for tests that change nothing on the chain. */
export const startSharedDevnetSetup = (settings: Record<string, string> = {}): Promise<DevnetSetup> =>
  startGraphOver(sharedDevnet(), settings);

/** The devnet that all test files share. Only for tests that change nothing on the chain. */
export function sharedDevnet(): DevnetDescription {
  if (!process.env.SHARED_DEVNET) throw new Error('dist/main.js is missing: run "npm run build" first');
  return JSON.parse(process.env.SHARED_DEVNET);
}

/** Settings of a server over the node and the wizard service of a devnet. */
export const upstreamSettings = ({ nodeService, wizardService, tournament }: DevnetDescription): Record<string, string> => ({
  RPC_URL: nodeService.http,
  RPC_WS_URL: nodeService.ws,
  WIZARDS_URL: wizardService.url,
  WIZARDS_API_TOKEN: wizardService.token,
  WIZARDS_EMAIL: wizardService.email,
  TOURNAMENT_ADDRESS: tournament.address,
});

async function startGraphOver(description: DevnetDescription, settings: Record<string, string>): Promise<DevnetSetup> {
  const { nodeService, endpoints } = description;
  const proxy = await startProxy(nodeService.http);
  // The WebSocket of the follower bypasses the proxy, which counts the calls of operations.
  // A call that is repeated after a timeout would change the counts.
  const counted = { RPC_URL: proxy.url, RPC_TIMEOUT_MS: '30000' };
  const graph = await startGraph({ ...upstreamSettings(description), ...counted, ...settings });
  await waitUntilFollowing(graph);
  proxy.takeCounts();
  return {
    devnet: { description },
    proxy,
    graph,
    rpc: (method, ...params) => rpc(endpoints.http, method, params),
  };
}

/** Resolves when the graph follows the head over a WebSocket: from then on only operations cause calls. */
const waitUntilFollowing = ({ url }: RunningGraph): Promise<void> =>
  waitUntil(async () => {
    const { head } = (await (await fetch(`${url}/readyz`)).json()) as { head?: { state: string; transport: string } };
    return head?.state === 'live' && head.transport === 'websocket';
  }, 'the graph follows the head over a WebSocket');
