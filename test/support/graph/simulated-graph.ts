import { SimChain } from '../simulator/chain.ts';
import { type SimNode, startSimNode } from '../simulator/node.ts';
import { waitUntil } from '../wait-until.ts';
import type { RunningGraph } from './running-graph.ts';
import { serveGraph } from './served-graph.ts';

/** The whole server over a simulated chain that the test mines and reorganises. Its final block is 16 below the head. */
export interface SimulatedGraph {
  readonly chain: SimChain;
  readonly node: SimNode;
  readonly graph: RunningGraph;
  /** Resolves when the server has the head of the chain. */
  waitForHead(): Promise<void>;
  /** The URL of a query with GET. */
  urlOf(query: string): string;
}

/** Sends a GET without a CORS preflight. */
export const GET_HEADERS = { 'apollo-require-preflight': '1' };

/** Number of blocks between the head and the final block of a simulated node. */
export const FINALITY_DEPTH = 16;

export async function startSimulatedGraph({
  seed,
  blockSeconds,
  blocks,
}: {
  readonly seed: number;
  readonly blockSeconds: number;
  readonly blocks: number;
}): Promise<SimulatedGraph> {
  const chain = new SimChain({ seed, blockSeconds, blocks: blocks });
  const node = await startSimNode({ chain });
  const graph = await serveGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl, NODE_METHODS: 'plain', LOG_LEVEL: 'warn' });
  const urlOf = (query: string) => `${graph.url}/graphql?query=${encodeURIComponent(query)}`;
  const isImmutable = async () =>
    (await fetch(urlOf('{ block(number: 1) { hash } }'), { headers: GET_HEADERS })).headers
      .get('cache-control')
      ?.includes('immutable') ?? false;
  await waitUntil(isImmutable, 'the server knows the final block');
  return {
    chain,
    node,
    graph,
    urlOf,
    waitForHead: () =>
      waitUntil(
        async () => (await graph.execute('{ block { hash } }')).data?.block?.hash === chain.head.hash,
        'the server has the head of the chain',
      ),
  };
}
