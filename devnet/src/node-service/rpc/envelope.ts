import { NODE_ERROR_CODES, NodeRpcError } from './rpc-error.ts';

/** One JSON-RPC call of a request. */
export interface NodeCall {
  readonly id: number | string;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One entry of a request: a call, or its error and its id, if it has one. */
export type NodeCallEntry = NodeCall | { readonly id: number | string | null; readonly error: NodeRpcError };

/** A request body: one entry, or a batch of them. */
export type RpcRequestBody =
  | { readonly batch: false; readonly entry: NodeCallEntry }
  | { readonly batch: true; readonly entries: readonly NodeCallEntry[] };

export type JsonRpcResponse = { readonly jsonrpc: '2.0'; readonly id: number | string | null } & (
  | { readonly result: unknown }
  | { readonly error: NodeRpcError }
);

/** Maximum size of a request or a WebSocket message, as at hosted providers. */
export const MAX_NODE_REQUEST_BYTES = 2_500_000;

/** Maximum number of calls in a batch, as at hosted providers. */
const MAX_BATCH_CALLS = 1000;

const invalidEntry = (code: number, message: string, id: number | string | null = null): NodeCallEntry => ({
  id,
  error: new NodeRpcError(code, message),
});

/** Parses the text of a request from either transport. */
export function parseRequestBody(text: string): RpcRequestBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { batch: false, entry: invalidEntry(NODE_ERROR_CODES.parse, 'parse error') };
  }
  if (!Array.isArray(body)) return { batch: false, entry: parseEntry(body) };
  if (body.length === 0) return { batch: false, entry: invalidEntry(NODE_ERROR_CODES.invalidRequest, 'empty batch') };
  if (body.length > MAX_BATCH_CALLS) {
    return {
      batch: false,
      entry: invalidEntry(NODE_ERROR_CODES.invalidRequest, `batch too large, want at most ${MAX_BATCH_CALLS} calls`),
    };
  }
  return { batch: true, entries: body.map(parseEntry) };
}

/** Checks an entry by the rules of the service description. An absent `params` is an empty list, as at other nodes. */
function parseEntry(entry: unknown): NodeCallEntry {
  if (typeof entry !== 'object' || entry === null)
    return invalidEntry(NODE_ERROR_CODES.invalidRequest, 'invalid request: want an object');
  const { jsonrpc, id, method, params = [] } = entry as Record<string, unknown>;
  if (typeof id !== 'number' && typeof id !== 'string') {
    return invalidEntry(NODE_ERROR_CODES.invalidRequest, 'invalid request: id must be a number or a string');
  }
  if (jsonrpc !== '2.0') return invalidEntry(NODE_ERROR_CODES.invalidRequest, 'invalid request: jsonrpc must be "2.0"', id);
  if (typeof method !== 'string')
    return invalidEntry(NODE_ERROR_CODES.invalidRequest, 'invalid request: method must be a string', id);
  if (!Array.isArray(params)) return invalidEntry(NODE_ERROR_CODES.invalidParams, 'params must be an array', id);
  return { id, method, params };
}

export const errorResponse = (error: NodeRpcError, id: number | string | null = null): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  error,
});
