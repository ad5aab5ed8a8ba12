import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { NodeProxy } from '../proxies/node-proxy.ts';
import { followerOf, type LongChain, responsesOf } from '../upstream/long-chain.ts';
import { createInProcessGraph, type InProcessGraph } from './in-process-graph.ts';
import { startStubNode } from './stubbed-graph.ts';

/** The graph in this process before a node that serves a computed chain. */
export interface LongChainGraph extends Pick<InProcessGraph, 'execute'> {
  readonly node: NodeProxy;
  /** The calls so far: method and parameters. */
  readonly requested: readonly (readonly [method: string, ...params: unknown[]])[];
  stop(): Promise<void>;
}

/** `followedBlocks`: the number of the newest blocks whose headers the server knows. `isCached`: whether operations share results. */
export async function startLongChainGraph(
  chain: LongChain,
  {
    followedBlocks = 1,
    isCached = false,
    ...limits
  }: { followedBlocks?: number; isCached?: boolean; maxBlocks?: number; maxCost?: number } = {},
): Promise<LongChainGraph> {
  const node = await startStubNode(responsesOf(chain));
  const requested: [string, ...unknown[]][] = [];
  const respond = node.intercept!;
  node.intercept = (call) => {
    requested.push([call.method, ...call.params]);
    return respond(call);
  };
  const follower = followerOf(chain, followedBlocks);
  const cache = isCached ? createRpcResultCache(64 * 1024 * 1024, follower) : undefined;
  const graph = createInProcessGraph([node.url], { ...limits, follower, cache });
  return {
    node,
    requested,
    execute: graph.execute,
    async stop() {
      await graph.close();
      await node.stop();
    },
  };
}
