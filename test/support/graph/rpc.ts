import { postJson } from '../clients/post-json.ts';
/** Sends one JSON-RPC call; rejects with the error of the node. */
export async function rpc<T = any>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await postJson(url, { jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
