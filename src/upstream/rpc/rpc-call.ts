import type { Contradiction } from '../../ethereum/header-checks.ts';
import type { Cancellation } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import type { ResultChecks } from './header-check-policy.ts';

/** The block that a result belongs to: the result is valid while that block is canonical. */
export interface BlockPointer {
  readonly number: string;
  readonly hash: string;
}

/** One JSON-RPC method: its name, the encoder of its parameters, the reader of its result. */
export interface RpcMethod<P extends readonly unknown[], R> {
  /** A function if the arguments select one of several methods, such as a block by number or by hash. */
  readonly name: string | ((...args: P) => string);
  /** Converts the arguments to parameters; without it the arguments are the parameters. */
  readonly params?: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for a result that does not fit the arguments. */
  readonly read: (result: unknown, ...args: P) => R;
  /** See `ResultReader.contradiction`. */
  readonly contradiction?: (result: R, ...args: P) => Contradiction | undefined;
  /** See `ResultReader.confirmsEmpty`. */
  readonly confirmsEmpty?: boolean;
  /** The block hash that the arguments name: the result of a call that names a block hash can never change. */
  readonly blockHash?: (...args: P) => string | undefined;
  /** The height that the arguments name: the result depends on the canonical chain up to it. */
  readonly height?: (...args: P) => string | undefined;
  /** The block of a result. If the method lacks `blockHash`, a result is cached only while its block is canonical. */
  readonly inclusionBlock?: (result: R, ...args: P) => BlockPointer | undefined;
  /** Cost of a call in the unit of MAX_COST. @default 1 */
  readonly cost?: (...args: P) => number;
}

/** Result of a request, in the shape of `Promise.allSettled`. */
export type Settled<R> = { readonly value: R } | { readonly error: unknown };

/** Whether a request has found something. Null and an empty list may only show that the node lags. */
export const hasFound = <R>(settled: Settled<R>): settled is { readonly value: R } =>
  'value' in settled && settled.value !== null && !(Array.isArray(settled.value) && settled.value.length === 0);

/** Returns the parameters of a call. */
export const paramsOf = <P extends readonly unknown[], R>({ params }: RpcMethod<P, R>, args: P): readonly unknown[] =>
  params ? params(...args) : args;

/** Returns the JSON-RPC method name of a call. */
export const methodNameOf = <P extends readonly unknown[], R>({ name }: RpcMethod<P, R>, args: P): string =>
  typeof name === 'string' ? name : name(...args);

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
  /** Cost in the unit of MAX_COST. @default 1 */
  readonly cost?: number;
  /**
   * Receives the result as soon as it is read, while the rest of a long response arrives. The outcome of the call then has no result, so that
   * the receiver can release it. Not called for short responses.
   */
  readonly onResult?: ((call: RpcCall, result: unknown) => void) | undefined;
}

/** Reads the results of one method. */
export interface ResultReader {
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for a result that does not fit the arguments. */
  read(result: unknown, ...args: readonly unknown[]): unknown;
  /** Returns the part of the block's header that a read result contradicts; see `ethereum/header-checks.ts`. */
  contradiction?(result: unknown, ...args: readonly unknown[]): Contradiction | undefined;
  /** Whether an empty list of logs needs confirmation while the endpoint may ignore the block hash of the filter; see log-filter-dialect.ts. */
  readonly confirmsEmpty?: boolean;
}

/** Sends calls of one operation, whose signal the function holds. */
export type SendCalls = (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>;

/** Returns the call of a method with these arguments. */
export const toRpcCall = <P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): RpcCall => ({
  method: methodNameOf(method, args),
  params: paramsOf(method, args),
  // The call passes these arguments to the reader.
  reader: method as unknown as ResultReader,
  args,
});

/** The error object of a JSON-RPC response, unchecked. */
export type NodeRpcError = Readonly<Partial<Record<'code' | 'message' | 'data', unknown>>>;

/** Returns the error object of a response entry; undefined when the entry has no error. */
export const rpcErrorIn = (entry: unknown): NodeRpcError | undefined =>
  typeof entry === 'object' && entry !== null && 'error' in entry && typeof entry.error === 'object' && entry.error !== null
    ? entry.error
    : undefined;

/** Whether a response has the form of JSON-RPC; the entries of a batch may already have been removed from it. */
export const isJsonRpc = ({ status, body }: { readonly status: number; readonly body: unknown }): boolean =>
  status < 300 && typeof body === 'object' && body !== null && (Array.isArray(body) || 'result' in body || 'error' in body);

/**
 * Result of a call as its reader returned it, or the error of the call, with the error object of the node if the node
 * sent an error. `unsent`: the call was certainly not sent. `isMismatch`: the node sent a result that is malformed or
 * does not fit the request. `isHeavyTimeout`: the node did not respond in time to a heavy request, which does not prove
 * that it is unavailable.
 */
export type RpcOutcome = { readonly result: unknown } | RpcFailure;

/** The failed outcome of a call. */
export interface RpcFailure {
  readonly error: GraphError;
  readonly rpcError?: NodeRpcError;
  readonly unsent?: true;
  readonly isMismatch?: true;
  readonly isHeavyTimeout?: true;
}

/** Sends JSON-RPC calls without the call queue and the caches of an operation. Never rejects. */
export interface RpcSender {
  send(calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]>;
}

/** Returns the outcome of a response without an error object: its result, read by the reader of the call. Null beside another error is no result. */
export function resultOutcome(entry: object, call: RpcCall, headerChecks: ResultChecks): RpcOutcome {
  if ('result' in entry && (entry.result !== null || !('error' in entry && entry.error)))
    return readResult(call, entry.result, headerChecks);
  const { method } = call;
  const error = new GraphError('UPSTREAM_BAD_RESPONSE', 'The response of the node has neither a result nor an error.', {
    method,
  });
  return { error, isMismatch: true };
}

/** Reads a result with the reader of its call. */
export function readResult({ method, reader, args = [] }: RpcCall, wire: unknown, headerChecks: ResultChecks): RpcOutcome {
  if (!reader) return { result: wire };
  try {
    const result = reader.read(wire, ...args);
    const error = reader.contradiction && headerChecks.errorOf(method, result, reader.contradiction(result, ...args));
    return error ? { error, isMismatch: true } : { result };
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

/** Text that JSON encodes without escapes: names, numbers, 0x-hex. */
const PLAIN_STRING = /^\w*$/;

/** Serializes a parameter, or a part of one, to JSON; undefined for undefined. Objects and lists are serialized once. */
export function serializeParam(param: unknown): string | undefined {
  if (typeof param === 'string' && PLAIN_STRING.test(param)) return `"${param}"`;
  return typeof param === 'object' && param !== null ? serializeStructure(param) : JSON.stringify(param);
}

/**
 * Serializes an object or a list in parameters once, because none changes. They are few, mostly block hashes and filters, and many
 * calls share them.
 */
const serializeStructure = memoizePerObject((param: object): string =>
  Array.isArray(param) ? serializeList(param) : serializeObject(param),
);

/** Serializes lists inside a list on their own, because the filters of several calls can share a long one. */
const serializeList = (list: readonly unknown[]): string =>
  list.some((item) => typeof item === 'object' && item !== null)
    ? `[${list.map((item) => serializeParam(item) ?? 'null').join()}]`
    : JSON.stringify(list);

function serializeObject(object: object): string {
  let text = '';
  for (const [name, value] of Object.entries(object)) {
    const json = serializeParam(value);
    if (json !== undefined) text += `${text === '' ? '{' : ','}"${name}":${json}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Serializes parameters to JSON. Most are plain strings, which need no `JSON.stringify`. */
export function serializeParams(params: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < params.length; i++) {
    text += (i === 0 ? '' : ',') + serializeParam(params[i]);
  }
  return `${text}]`;
}

/** V8 hashes a longer text by its length alone, so that a map compares it with each other text of its length. */
const MAX_HASHED_CHARS = 16_383;
/** More than the characters of a block and of small values before it. */
const END_CHARS = 512;

/** The key of parameters, by their JSON. Long parameters that only name another block at their end have keys that differ at their start. */
export const paramsKeyOf = (json: string): string => (json.length <= MAX_HASHED_CHARS ? json : json.slice(-END_CHARS) + json);

/** Creates a serializer that serializes a list of parameters once if consecutive calls pass the same list object. */
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
