import { type RpcSource, undefinedIfUnsupported } from '../head/rpc-queries.ts';

/**
 * Creates a filter of pending transaction hashes on the node; undefined if the node has no filters. Source:
 * `eth_newPendingTransactionFilter`.
 */
export const createPendingFilter = (source: RpcSource, signal: AbortSignal): Promise<unknown> =>
  sendCall(source, signal, 'eth_newPendingTransactionFilter').catch(undefinedIfUnsupported);

/** Reads what was announced since the last read. Source: `eth_getFilterChanges`. */
export async function readPendingFilter(source: RpcSource, signal: AbortSignal, filter: unknown): Promise<readonly unknown[]> {
  const announced = await sendCall(source, signal, 'eth_getFilterChanges', filter);
  return Array.isArray(announced) ? announced : [];
}

/** Removes a filter from the node without waiting for the response. Source: `eth_uninstallFilter`. */
export function uninstallPendingFilter(source: RpcSource, filter: unknown): void {
  void source.send([{ method: 'eth_uninstallFilter', params: [filter] }], new AbortController().signal);
}

async function sendCall(source: RpcSource, signal: AbortSignal, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const [outcome] = await source.send([{ method, params }], signal);
  if ('error' in outcome!) throw outcome.error;
  return outcome!.result;
}
