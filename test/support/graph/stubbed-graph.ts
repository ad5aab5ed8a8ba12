import { type NodeProxy, type ProxiedCall, startProxy } from '../proxies/node-proxy.ts';
import type { InProcessResponse } from './in-process-graph.ts';

type StubResponse = { result?: unknown; error?: { code: number; message: string } };

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
      ? { error: { code: (value as { code?: number }).code ?? -32000, message: value.message } }
      : { result: value };
  };
  return node;
}

/** Opens the graph before a node that answers from a table. */
export async function startStubbedGraph(
  table: StubResponses,
  limits: { maxBlocks?: number; maxLogs?: number; maxCost?: number } = {},
): Promise<StubbedGraph> {
  const node = await startStubNode(table);
  // Imported here, because most files need only the fixtures below, and the graph imports every layer and composes a schema.
  const { createInProcessGraph } = await import('./in-process-graph.ts');
  const graph = createInProcessGraph([node.url], limits);
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
export const rpcError = (code: number, message: string): Error => Object.assign(new Error(message), { code });

export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;

/** A block as a node sends it; a test changes what it is about. */
export const block = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  number: '0x10',
  hash: hashOf(0xb10),
  parentHash: hashOf(0xb0f),
  nonce: '0x0000000000000000',
  sha3Uncles: hashOf(1),
  logsBloom: `0x${'0'.repeat(512)}`,
  transactionsRoot: hashOf(2),
  stateRoot: hashOf(3),
  receiptsRoot: hashOf(4),
  miner: addressOf(5),
  difficulty: '0x0',
  extraData: '0x',
  size: '0x220',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x67748600',
  mixHash: hashOf(6),
  baseFeePerGas: '0x64',
  transactions: [],
  uncles: [],
  ...changes,
});

/** A fee-market transaction in that block. */
export const transactionFixture = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  hash: hashOf(0x71),
  blockHash: hashOf(0xb10),
  blockNumber: '0x10',
  transactionIndex: '0x0',
  nonce: '0x1',
  from: addressOf(0xa),
  to: addressOf(0xb),
  value: '0x1',
  gas: '0x5208',
  gasPrice: '0x6e',
  maxFeePerGas: '0xc8',
  maxPriorityFeePerGas: '0xa',
  input: '0x',
  r: '0x1',
  s: '0x2',
  v: '0x0',
  yParity: '0x0',
  type: '0x2',
  accessList: [],
  ...changes,
});

/** The receipt of that transaction. */
export const receiptFixture = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  transactionHash: hashOf(0x71),
  transactionIndex: '0x0',
  blockHash: hashOf(0xb10),
  blockNumber: '0x10',
  from: addressOf(0xa),
  to: addressOf(0xb),
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x6e',
  contractAddress: null,
  logs: [],
  logsBloom: `0x${'0'.repeat(512)}`,
  status: '0x1',
  type: '0x2',
  ...changes,
});

/** A log of that transaction. */
export const logFixture = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  address: addressOf(0xc),
  topics: [hashOf(0x70)],
  data: '0x',
  logIndex: '0x0',
  blockNumber: '0x10',
  blockHash: hashOf(0xb10),
  transactionHash: hashOf(0x71),
  transactionIndex: '0x0',
  removed: false,
  ...changes,
});
