import { Client } from 'undici';

/** One JSON-RPC call: the method, then its parameters in order. */
export type AnvilCall = readonly [method: string, ...params: unknown[]];

/** JSON-RPC client of anvil over HTTP. A call that fails rejects with the method and anvil's message. */
export interface AnvilRpc {
  call<Result>(...call: AnvilCall): Promise<Result>;
  /** Sends all calls in one request and returns their results in order. Anvil executes them concurrently, in any order. */
  batch<Result>(calls: readonly AnvilCall[]): Promise<Result[]>;
  close(): Promise<void>;
}

interface AnvilResponse<Result> {
  readonly id: number;
  readonly result: Result;
  readonly error?: { readonly message: string };
}

/** Long, because mining 100 blocks or loading a dump takes seconds on a busy machine, and a timeout while loading ends the chain. */
const TIMEOUT_MS = 60_000;

export function createAnvilRpc(url: string): AnvilRpc {
  const client = new Client(url, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const batch = async <Result>(calls: readonly AnvilCall[]): Promise<Result[]> => {
    if (calls.length === 0) return [];
    const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })));
    const response = await client.request({ path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const envelopes = (await response.body.json()) as AnvilResponse<Result>[];
    const failed = envelopes.find(({ error }) => error);
    if (failed) throw new Error(`${calls[failed.id]?.[0]}: ${failed.error?.message}`);
    return envelopes.sort((a, b) => a.id - b.id).map(({ result }) => result);
  };
  return {
    batch,
    call: async <Result>(...call: AnvilCall) => (await batch<Result>([call]))[0]!,
    // Use destroy() instead of close(), which waits for responses of a process that may have exited.
    close: () => client.destroy(),
  };
}
