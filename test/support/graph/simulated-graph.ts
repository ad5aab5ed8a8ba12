import { SimChain, type SimChainOptions } from '../simulator/chain.ts';
import { startSimNode } from '../simulator/node.ts';
import { waitUntil } from '../wait-until.ts';
import { serveGraph } from './served-graph.ts';

/** Sends a GET without a CORS preflight. */
export const GET_HEADERS = { 'apollo-require-preflight': '1' };

/** Number of blocks between the head and the final block of a simulated node. */
export const FINALITY_DEPTH = 16;

/** Starts the whole server over a simulated chain that the test mines and reorganises. Its final block is 16 below the head. */
export async function startSimulatedGraph(options: SimChainOptions) {
  const chain = new SimChain(options);
  const node = await startSimNode({ chain });
  const graph = await serveGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl, NODE_METHODS: 'plain', LOG_LEVEL: 'warn' });
  /** The URL of a query with GET. */
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
    /** Resolves when the server has the head of the chain. */
    waitForHead: () =>
      waitUntil(
        async () => (await graph.execute('{ block { hash } }')).data?.block?.hash === chain.head.hash,
        'the server has the head of the chain',
      ),
  };
}

export type SimulatedGraph = Awaited<ReturnType<typeof startSimulatedGraph>>;
