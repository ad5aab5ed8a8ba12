import { KeepAliveClient } from '../clients/keep-alive-client.ts';
import { SimChain } from '../simulator/chain.ts';
import { startSimNode } from '../simulator/node.ts';
import { type GraphProcess, type RunningGraph, startGraph } from './running-graph.ts';

export const BLOCKS = 60;

/** Starts a server of several processes (WORKERS) over a simulated chain of 60 blocks. */
export async function startWorkers(workers: number, settings: Record<string, string> = {}) {
  const chain = new SimChain({ seed: 1, blocks: BLOCKS, bloom: 'real' });
  const node = await startSimNode({ chain });
  const graph = await startGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl, WORKERS: String(workers), ...settings });
  return { chain, node, graph };
}

/** The process ids of the workers that accept requests, in the order of their starts. */
export const workerIds = ({ output }: GraphProcess): number[] =>
  [...output().matchAll(/"pid":(\d+),"msg":"a worker accepts requests"/g)].map(([, pid]) => Number(pid));

/** Executes an operation on a new connection. */
export async function execute(graph: RunningGraph, query: string) {
  const client = new KeepAliveClient(graph.url);
  const { status, body } = await client.post(query);
  client.close();
  return { status, ...JSON.parse(body) };
}
