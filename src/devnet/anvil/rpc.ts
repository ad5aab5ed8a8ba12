import { Client } from 'undici';

/** One JSON-RPC call: the method, then its parameters in order. */
export type AnvilCall = readonly [method: string, ...params: unknown[]];

/** JSON-RPC over HTTP to the embedded chain. A call the node refuses rejects with the method and the node's message. */
export interface AnvilRpc {
  call<Result>(...call: AnvilCall): Promise<Result>;
  /** Results in the order of the calls, all of them in one request. Anvil runs the calls of a batch side by side, in no order of ours. */
  batch<Result>(calls: readonly AnvilCall[]): Promise<Result[]>;
  close(): Promise<void>;
}

interface AnvilResponse<Result> {
  readonly id: number;
  readonly result: Result;
  readonly error?: { readonly message: string };
}

/** Mining 100 blocks or loading a dump takes seconds on a busy machine; a timeout while a dump is loaded ends the chain. */
const TIMEOUT_MS = 60_000;

export function createAnvilRpc(url: string): AnvilRpc {
  const client = new Client(url, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const batch = async <Result>(calls: readonly AnvilCall[]): Promise<Result[]> => {
    if (calls.length === 0) return [];
    const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })));
    const answer = await client.request({ path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const envelopes = (await answer.body.json()) as AnvilResponse<Result>[];
    const refused = envelopes.find(({ error }) => error);
    if (refused) throw new Error(`${calls[refused.id]?.[0]}: ${refused.error?.message}`);
    return envelopes.sort((a, b) => a.id - b.id).map(({ result }) => result);
  };
  return {
    batch,
    call: async <Result>(...call: AnvilCall) => (await batch<Result>([call]))[0]!,
    // Not close(): that waits for answers of a node that may be gone.
    close: () => client.destroy(),
  };
}
