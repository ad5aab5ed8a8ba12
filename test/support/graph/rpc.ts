import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { postJson } from '../clients/post-json.ts';
import type { Present } from './results.ts';

/** A block with the hashes of its transactions, or with whole transactions. */
export type NodeBlock<Item> = Present<Omit<RpcBlock, 'transactions'> & { readonly transactions: readonly Item[] }>;

interface RpcResults {
  readonly eth_getLogs: RpcLog[];
  readonly eth_getBlockReceipts: RpcReceipt[];
  readonly eth_getTransactionReceipt: RpcReceipt;
}

type RpcResult<Method extends string, Params extends readonly unknown[]> = Method extends keyof RpcResults
  ? Present<RpcResults[Method]>
  : Method extends `eth_getBlockBy${string}`
    ? NodeBlock<Params extends readonly [unknown, true] ? RpcTransaction : string>
    : any;

/** Calls a node. The result of a method that returns blocks, receipts or logs has the type of the method. */
export type CallNode = <const Method extends string, const Params extends readonly unknown[], T = RpcResult<Method, Params>>(
  method: Method,
  ...params: Params
) => Promise<T>;

/** Sends one JSON-RPC call; rejects with the error of the node. */
export async function rpc<const Method extends string, const Params extends readonly unknown[], T = RpcResult<Method, Params>>(
  url: string,
  method: Method,
  params: Params,
): Promise<T> {
  const response = await postJson(url, { jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
