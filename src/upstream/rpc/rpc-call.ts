import { GraphError } from '../../errors.ts';
import type { NodeRpcError } from './rpc-errors.ts';

/** One call of a JSON-RPC method. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The parameters as JSON text, if the caller has already serialized them. */
  readonly paramsJson?: string;
  /** Reads the result and checks it against the request; without it the result is passed on unchecked. */
  readonly reader?: ResultReader;
  /** Arguments of the reader, after the result. */
  readonly args?: readonly unknown[];
}

/** Reads the results of one method. */
export interface ResultReader {
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for one that does not fit the arguments. */
  read(result: unknown, ...args: readonly unknown[]): unknown;
  /** Whether an empty list of logs needs confirmation while the endpoint may ignore the block hash of the filter; see log-filter-dialect.ts. */
  readonly confirmsEmpty?: boolean;
}

/**
 * Result of a call as its reader returned it, or the error of the call, with the error object of the node if it sent one. `unsent`: the
 * call was certainly not sent. `isMismatch`: the node sent a result that is malformed or does not fit the request.
 */
export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: GraphError; readonly rpcError?: NodeRpcError; readonly unsent?: true; readonly isMismatch?: true };

/** Returns the outcome of a response without an error: its result, read by the reader of the call. */
export function resultOutcome(entry: object, call: RpcCall): RpcOutcome {
  if ('result' in entry) return readResult(call, entry.result);
  const { method } = call;
  return {
    error: new GraphError('UPSTREAM_BAD_RESPONSE', 'The response of the node has neither a result nor an error.', { method }),
  };
}

/** Reads a result with the reader of its call. */
export function readResult({ method, reader, args = [] }: RpcCall, result: unknown): RpcOutcome {
  if (!reader) return { result };
  try {
    return { result: reader.read(result, ...args) };
  } catch (cause) {
    const error = cause instanceof GraphError && cause.extensions.method !== undefined ? cause : mismatchError(method, cause);
    return error.code === 'UPSTREAM_BAD_RESPONSE' ? { error, isMismatch: true } : { error };
  }
}

const mismatchError = (method: string, cause: unknown) =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `The node's result of ${method} is malformed or does not fit the request.`, {
    method,
    cause,
  });

/** Returns the id of a response as a number, because some nodes return ids as text; NaN for any other id. */
export const numericId = (id: unknown): number =>
  typeof id === 'number' ? id : typeof id === 'string' && /^[0-9]+$/.test(id) ? Number(id) : Number.NaN;

/** JSON of parameters that are objects. They are few, mostly block hashes, and many calls share them. */
const paramJsonCache = new WeakMap<object, string>();

/** Text that JSON encodes without escapes: names, numbers, 0x-hex. */
const PLAIN_STRING = /^\w*$/;

function serializeParam(param: unknown): string | undefined {
  if (typeof param === 'string' && PLAIN_STRING.test(param)) return `"${param}"`;
  if (typeof param !== 'object' || param === null) return JSON.stringify(param);
  const cached = paramJsonCache.get(param);
  if (cached !== undefined) return cached;
  const json = JSON.stringify(param);
  paramJsonCache.set(param, json);
  return json;
}

/** Serializes parameters to JSON. Most are plain strings, which need no `JSON.stringify`. */
export function serializeParams(params: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < params.length; i++) {
    text += (i === 0 ? '' : ',') + serializeParam(params[i]);
  }
  return `${text}]`;
}

/** Creates a serializer for calls of several methods with the same parameters in a row, which it serializes once. */
export function createParamsSerializer(): (params: readonly unknown[]) => string {
  let lastParams: readonly unknown[] | undefined;
  let lastJson = '';
  return (params) => {
    if (params !== lastParams) {
      lastParams = params;
      lastJson = serializeParams(params);
    }
    return lastJson;
  };
}
