import { type NodeProxy, type ProxiedCall, startProxy } from '../proxies/node-proxy.ts';
import { createInProcessGraph, type InProcessGraphOptions, type InProcessResponse } from './in-process-graph.ts';

type StubError = { code: number; message: string; data?: unknown };
type StubResponse = { result?: unknown; error?: StubError };

/** The graph in this process before a node that a test makes up, over a real socket. */
export interface StubbedGraph {
  readonly node: NodeProxy;
  /** `block`: what `x-graph-block` would name. */
  execute<T = any>(
    query: string,
    variables?: Record<string, unknown>,
    block?: string,
    deadlineMs?: number,
  ): Promise<InProcessResponse<T>>;
  stop(): Promise<void>;
}

const METHOD_NOT_FOUND: StubResponse = { error: { code: -32601, message: 'the method does not exist' } };

/** What a node answers by method: a value, or a function of the parameters; anything else it does not have. */
export type StubResponses = Record<string, unknown | ((...params: any[]) => unknown)>;

/** Starts an endpoint that answers from a table. */
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

/** Opens the graph before a node that answers from a table. */
export async function startStubbedGraph(table: StubResponses, options: InProcessGraphOptions = {}): Promise<StubbedGraph> {
  const node = await startStubNode(table);
  const graph = createInProcessGraph([node.url], options);
  return {
    node,
    execute: (query, variables, block, deadlineMs) =>
      graph.execute(query, { ...(variables && { variables }), ...(block && { block }), ...(deadlineMs && { deadlineMs }) }),
    async stop() {
      await graph.close();
      await node.stop();
    },
  };
}

/** An error that a canned node answers with. */
export const rpcError = (code: number, message: string, data?: unknown): Error =>
  Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });

export { addressOf, block, hashOf, logFixture, receiptFixture, transactionFixture } from '../upstream/rpc-fixtures.ts';
