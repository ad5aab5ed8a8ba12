import { CODES, RpcError } from './rpc-error.ts';

/** One call out of a request. */
export interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One place of a request: a call, or why it is none and the id it had, if any. */
export type Entry = Call | { readonly id: number | string | null; readonly error: RpcError };

/** A request body: one entry, or a batch of them. */
export type Body =
  | { readonly batch: false; readonly entry: Entry }
  | { readonly batch: true; readonly entries: readonly Entry[] };

export type Reply = { readonly jsonrpc: '2.0'; readonly id: number | string | null } & (
  | { readonly result: unknown }
  | { readonly error: RpcError }
);

/** Calls in one batch, as the most generous providers allow. */
const MOST_CALLS = 1000;

const refusal = (code: number, message: string, id: number | string | null = null): Entry => ({
  id,
  error: new RpcError(code, message),
});

/** Reads a text that came over either transport. */
export function readBody(text: string): Body {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { batch: false, entry: refusal(CODES.parse, 'parse error') };
  }
  if (!Array.isArray(body)) return { batch: false, entry: readEntry(body) };
  if (body.length === 0) return { batch: false, entry: refusal(CODES.invalidRequest, 'empty batch') };
  if (body.length > MOST_CALLS) {
    return { batch: false, entry: refusal(CODES.invalidRequest, `batch too large, want at most ${MOST_CALLS} calls`) };
  }
  return { batch: true, entries: body.map(readEntry) };
}

/** The envelope's rules are the seed's; an absent `params` is taken for an empty one, as everywhere. */
function readEntry(entry: unknown): Entry {
  if (typeof entry !== 'object' || entry === null) return refusal(CODES.invalidRequest, 'invalid request: want an object');
  const { jsonrpc, id, method, params = [] } = entry as Record<string, unknown>;
  if (typeof id !== 'number' && typeof id !== 'string') {
    return refusal(CODES.invalidRequest, 'invalid request: id must be a number or a string');
  }
  if (jsonrpc !== '2.0') return refusal(CODES.invalidRequest, 'invalid request: jsonrpc must be "2.0"', id);
  if (typeof method !== 'string') return refusal(CODES.invalidRequest, 'invalid request: method must be a string', id);
  if (!Array.isArray(params)) return refusal(CODES.invalidParams, 'params must be an array', id);
  return { id, method, params };
}

export const failed = (error: RpcError, id: number | string | null = null): Reply => ({ jsonrpc: '2.0', id, error });
