import DataLoader from 'dataloader';
import { type Call, hex, sendBatch } from '../node-calls.ts';

export type Wire = Readonly<Record<string, string>>;
export type WireReceipt = Wire & { readonly logs: readonly (Wire & { readonly topics: readonly string[] })[] };
export type WireBlock = Wire & { readonly transactions: readonly Wire[] };
// biome-ignore lint/suspicious/noExplicitAny: values come off the wire, and the contenders trust the node
export type Untyped = any;

export const heightsOf = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

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
