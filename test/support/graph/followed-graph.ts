import type { FollowedChain } from '../../../src/snapshot/pinned-block.ts';
import type { Head } from '../../../src/sync/head/follower.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import type { SimChain } from '../simulator/chain.ts';
import { startSimNode } from '../simulator/node.ts';
import type { SimBlock } from '../simulator/view.ts';
import { createInProcessGraph, type InProcessGraph } from './in-process-graph.ts';

/** The graph in this process over a simulated chain, whose recent blocks it knows at once. */
export interface FollowedGraph {
  readonly node: NodeProxy;
  readonly execute: InProcessGraph['execute'];
  stop(): Promise<void>;
}

export interface FollowedGraphOptions {
  readonly chain: SimChain;
  /** Number of blocks that the graph knows. */
  readonly window?: number;
  readonly maxLogs?: number;
  readonly maxCost?: number;
  readonly timeoutMs?: number;
}

export async function startFollowedGraph({ chain, window = 64, ...limits }: FollowedGraphOptions): Promise<FollowedGraph> {
  const simulated = await startSimNode({ chain });
  const node = await startProxy(simulated.url);
  const graph = createInProcessGraph([node.url], { ...limits, follower: followedChain(chain, window) });
  return {
    node,
    execute: graph.execute,
    async stop() {
      await graph.close();
      await node.stop();
      await simulated.stop();
    },
  };
}

/** What a follower knows of a simulated chain. */
function followedChain(chain: SimChain, window: number): FollowedChain {
  const isKnown = ({ height }: SimBlock) => height > chain.head.height - window;
  const knownAt = (height: number): SimBlock | undefined => {
    const block = chain.main.at(height);
    return block && isKnown(block) ? block : undefined;
  };
  const toHead = ({ hash, height, header }: SimBlock): Head => ({
    hash,
    height,
    number: header.number!,
    parentHash: header.parentHash!,
    header: header as unknown as Head['header'],
  });
  return {
    get head() {
      return toHead(chain.head);
    },
    get oldest() {
      return toHead(chain.main.at(Math.max(0, chain.head.height - window + 1))!);
    },
    hashAt: (number) => knownAt(Number(number))?.hash,
    headerOf(hash) {
      const block = chain.block(hash);
      return block && knownAt(block.height) === block ? toHead(block) : undefined;
    },
  };
}
