import DataLoader from 'dataloader';
import { Pool } from 'undici';

export type Wire = Readonly<Record<string, string>>;
export type WireReceipt = Wire & { readonly logs: readonly (Wire & { readonly topics: readonly string[] })[] };
export type WireBlock = Wire & { readonly transactions: readonly Wire[] };
// biome-ignore lint/suspicious/noExplicitAny: values come off the wire, and the contenders trust the node
export type Untyped = any;
export type Call = readonly [method: string, ...params: unknown[]];

const node = new URL(process.env.RPC_URL!);
const pool = new Pool(node.origin, { connections: 4 });

export const hex = (value: number): string => `0x${value.toString(16)}`;
export const heightsOf = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Sends the calls of one tick as one batch. */
export async function sendBatch(calls: readonly Call[]): Promise<Untyped[]> {
  const { body } = await pool.request({
    method: 'POST',
    path: node.pathname,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))),
  });
  return (JSON.parse(await body.text()) as { result: unknown }[]).map(({ result }) => result);
}

/** The loaders of one request: each call is sent once. */
export function createLoaders() {
  const calls = new DataLoader<Call, Untyped, string>(sendBatch, { cacheKeyFn: (call) => JSON.stringify(call) });
  const receipts = new DataLoader<string, readonly WireReceipt[]>((heights) =>
    Promise.all(heights.map((height) => calls.load(['eth_getBlockReceipts', height]))),
  );
  return {
    block: (number: number, isFull: boolean): Promise<WireBlock> => calls.load(['eth_getBlockByNumber', hex(number), isFull]),
    receiptOf: async ({ blockNumber, transactionIndex }: Wire): Promise<WireReceipt> =>
      (await receipts.load(blockNumber!))[Number(transactionIndex)]!,
    ofAccount: (method: string, address: string): Promise<string> => calls.load([method, address, 'latest']),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;
