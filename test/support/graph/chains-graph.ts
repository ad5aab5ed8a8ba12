import { stopAfterTests } from '../cleanups.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import { CLIENT_HEADERS } from '../secrets.ts';
import { SimChain } from '../simulator/chain.ts';
import { startSimNode } from '../simulator/node.ts';
import { writeChainsFile } from './chains-file.ts';
import { serveGraph } from './served-graph.ts';

/** The ids of the chains; the first one is the default chain. */
export const CHAIN_IDS = ['0x1', '0x5', '0x7'] as const;

/** Starts a graph without a cache over chains of different heights. */
export async function startChainsGraph(settings: Record<string, string> = {}) {
  const chains = CHAIN_IDS.map((_id, i) => {
    const chain = new SimChain({ seed: i + 1, bloom: 'real' });
    for (let n = 0; n < 3 * (i + 1); n++) chain.mine();
    return chain;
  });
  const nodes = await Promise.all(chains.map((chain, i) => startSimNode({ chain, chainId: CHAIN_IDS[i]! })));
  for (const node of nodes) stopAfterTests(() => node.stop());
  const proxies = await Promise.all(nodes.map(({ url }) => startProxy(url)));
  const [{ url: RPC_URL }, ...others] = proxies as [NodeProxy, ...NodeProxy[]];
  const configured = others.map(({ url }, i) => ({ id: Number(CHAIN_IDS[i + 1]), rpcUrl: url, rpcWsUrl: nodes[i + 1]!.wsUrl }));
  const graph = await serveGraph({
    RPC_URL,
    RPC_WS_URL: nodes[0]!.wsUrl,
    CHAINS: writeChainsFile(configured),
    CACHE_BYTES: '0',
    API_KEYS: `app=${CLIENT_HEADERS['x-api-key']}`,
    ...settings,
  });
  return { chains, nodes, proxies, graph };
}
