import type { FollowedChain } from '../../../src/snapshot/pinned-block.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { Head } from '../../../src/sync/head/follower.ts';
import { stopAfterTests } from '../cleanups.ts';
import { type NodeProxy, type ProxiedCall, startProxy } from '../proxies/node-proxy.ts';
import type { SimChain } from '../simulator/chain.ts';
import { startSimNode } from '../simulator/node.ts';
import type { SimBlock } from '../simulator/view.ts';
import { followerOf, type LongChain, responsesOf } from '../upstream/long-chain.ts';
import { createInProcessGraph, type InProcessGraphOptions, type InProcessResponse } from './in-process-graph.ts';
import type { DataOf } from './results.ts';

type StubError = { code: number; message: string; data?: unknown };
type StubResponse = { result?: unknown; error?: StubError };

/** The chain and tokens in this process before one node, over a real socket. */
export interface StubbedGraph {
  readonly node: NodeProxy;
  /** The calls so far: method and parameters. */
  readonly requested: (readonly [method: string, ...params: any[]])[];
  /** `block`: the value of `x-graph-block`. */
  execute<const Text extends string, T = DataOf<Text>>(
    query: Text,
    variables?: Record<string, unknown>,
    block?: string,
    deadlineMs?: number,
  ): Promise<InProcessResponse<T>>;
  /** Called after the last test of the file, unless the test calls it. */
  stop(): Promise<void>;
}

const METHOD_NOT_FOUND: StubResponse = { error: { code: -32601, message: 'the method does not exist' } };

/** The result of a node for each method: a value, or a function of the parameters. The node lacks all other methods. */
export type StubResponses = Record<string, unknown | ((...params: any[]) => unknown)>;

/** Starts a node with these results. */
export async function startStubNode(table: StubResponses): Promise<NodeProxy> {
  const node = await startProxy('http://127.0.0.1:9/');
  node.intercept = ({ method, params }: ProxiedCall) => {
    if (!(method in table)) return METHOD_NOT_FOUND;
    const entry = table[method];
    const value = typeof entry === 'function' ? entry(...params) : entry;
    return value instanceof Error
      ? { error: { code: -32000, message: value.message, ...(value as Partial<StubError>) } }
      : { result: value };
  };
  return node;
}

/** Starts the graph before a node with these results. */
export const startStubbedGraph = async (table: StubResponses, options: InProcessGraphOptions = {}): Promise<StubbedGraph> =>
  graphBefore(await startStubNode(table), options);

/** Starts the graph before several nodes with these results. */
export async function startGraphOver(tables: readonly StubResponses[], options: InProcessGraphOptions = {}) {
  const nodes = await Promise.all(tables.map(startStubNode));
  const graph = createInProcessGraph(
    nodes.map(({ url }) => url),
    { headerChecks: 'report', ...options },
  );
  return { graph, nodes };
}

/** Starts the graph before a node; `stopSource` stops the source of the responses. */
function graphBefore(node: NodeProxy, options: InProcessGraphOptions, stopSource?: () => Promise<unknown>): StubbedGraph {
  // The hashes and roots of the fixtures are invented.
  const graph = createInProcessGraph([node.url], { headerChecks: 'report', ...options });
  const requested: [string, ...unknown[]][] = [];
  const respond = node.intercept;
  node.intercept = (call) => {
    requested.push([call.method, ...call.params]);
    return respond?.(call);
  };
  return {
    node,
    requested,
    execute: (query, variables, block, deadlineMs) =>
      graph.execute(query, { ...(variables && { variables }), ...(block && { block }), ...(deadlineMs && { deadlineMs }) }),
    stop: stopAfterTests(async () => {
      await graph.close();
      await node.stop();
      await stopSource?.();
    }),
  };
}

/** `followedBlocks`: the number of the newest blocks whose headers the server knows. `isCached`: whether operations share results. */
export interface LongChainOptions extends Pick<InProcessGraphOptions, 'maxBlocks' | 'maxCost'> {
  readonly followedBlocks?: number;
  readonly isCached?: boolean;
}

/** Starts the graph before a node that serves a computed chain. */
export async function startLongChainGraph(
  chain: LongChain,
  { followedBlocks = 1, isCached = false, ...limits }: LongChainOptions = {},
): Promise<StubbedGraph> {
  const follower = followerOf(chain, followedBlocks);
  const cache = isCached ? createRpcResultCache(64 * 1024 * 1024, follower) : undefined;
  return startStubbedGraph(responsesOf(chain), { ...limits, follower, cache });
}

export interface FollowedGraphOptions extends Pick<InProcessGraphOptions, 'maxLogs' | 'maxCost' | 'timeoutMs'> {
  readonly chain: SimChain;
  /** Number of blocks that the graph knows. */
  readonly window?: number;
}

/** Starts the graph before a node that serves a simulated chain, whose recent blocks the graph knows. */
export async function startFollowedGraph({ chain, window = 64, ...limits }: FollowedGraphOptions): Promise<StubbedGraph> {
  const simulated = await startSimNode({ chain });
  const node = await startProxy(simulated.url);
  return graphBefore(node, { ...limits, follower: followedChain(chain, window) }, simulated.stop);
}

/** The recent blocks of a simulated chain as a follower has them. */
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
    settledBelow: chain.head.height - window + 1,
    hashAt: (number) => knownAt(Number(number))?.hash,
    headerOf(hash) {
      const block = chain.block(hash);
      return block && knownAt(block.height) === block ? toHead(block) : undefined;
    },
  };
}

/** An error as the result of a method. */
export const rpcError = (code: number, message: string, data?: unknown): Error =>
  Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });

export { addressOf, block, hashOf, logFixture, receiptFixture, transactionFixture } from '../upstream/rpc-fixtures.ts';
