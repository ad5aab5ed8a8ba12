import { Pool } from 'undici';
import { GraphError } from '../../errors.ts';
import type { CallMeter } from '../call-meter.ts';
import { parseEndpoint } from '../endpoint.ts';
import { type JsonResponse, postToNode } from '../http-request.ts';
import { errorFromResponse, errorFromRpcError, type NodeRpcError, parseRetryAfter, rpcErrorIn } from './rpc-errors.ts';

/** One call of a node's method. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The parameters as JSON text, where that is at hand. */
  readonly paramsJson?: string;
  /** Reads the result and checks it against the request; without it the result is passed on as it came. */
  readonly reader?: ResultReader;
  /** What the reader takes beside the result. */
  readonly args?: readonly unknown[];
}

/** Reads a result of a method that was called with these arguments. */
export interface ResultReader {
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for one that does not fit the arguments. */
  read(result: unknown, ...args: readonly unknown[]): unknown;
  /** Whether an empty list of logs is confirmed while the endpoint may ignore the block that the filter names; see log-filter-name.ts. */
  readonly confirmsEmpty?: boolean;
}

/** Objects among parameters are few, and shared by many calls: a block's hash, mostly. */
const paramJsonCache = new WeakMap<object, string>();

function serializeParam(param: unknown): string | undefined {
  if (typeof param === 'string' && PLAIN_STRING.test(param)) return `"${param}"`;
  if (typeof param !== 'object' || param === null) return JSON.stringify(param);
  const known = paramJsonCache.get(param);
  if (known !== undefined) return known;
  const written = JSON.stringify(param);
  paramJsonCache.set(param, written);
  return written;
}

/** What JSON writes as it is, between quotes: names, numbers, 0x-hex. */
const PLAIN_STRING = /^\w*$/;

/** Parameters as JSON text. Nearly all are plain texts, and those need no general writer. */
export function serializeParams(params: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < params.length; i++) {
    text += (i === 0 ? '' : ',') + serializeParam(params[i]);
  }
  return `${text}]`;
}

/** A call as it is sent. */
const serializeCall = (id: number, { method, params, paramsJson }: RpcCall): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${paramsJson ?? serializeParams(params)}}`;

/**
 * What became of a call: the result as its reader read it, or our error for why there is none, with the node's own error object if it sent
 * one. `unsent`: it is certain that the call never left. `isMismatch`: the node sent a result that is malformed or does not fit the request.
 */
export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: GraphError; readonly rpcError?: NodeRpcError; readonly unsent?: true; readonly isMismatch?: true };

/** One endpoint of a node over HTTP: batches, and answers matched to calls. */
export interface HttpRpcTransport {
  /** The node's host, without anything secret. */
  readonly label: string;
  /** Sends calls together and gives their outcomes in the same order; never rejects. Aborting cuts the connection to the node. */
  send(calls: readonly RpcCall[], signal: AbortSignal, meter?: CallMeter): Promise<RpcOutcome[]>;
  close(): Promise<void>;
}

export interface HttpRpcTransportOptions {
  readonly url: string;
  /** Most calls in one POST. */
  readonly maxBatchSize: number;
  /** Longest wait for the answer to one POST. */
  readonly timeoutMs?: number;
  /** Told of each entry of a batch's answer that belongs to none of its calls, and is dropped. */
  readonly onUnmatchedResponse?: () => void;
}

/** Batches of this kind go fastest over a few connections; more only take turns inside the node. */
const MAX_POOL_CONNECTIONS = 4;

/** How long a node that refuses a batch is sent smaller ones, or none, before it is offered one of that size again. */
const REDUCED_BATCH_MS = 60_000;
/** What is left of a batch that was refused: limits are told in round numbers, and it has to be found in a few steps. */
const BATCH_REDUCTION_FACTOR = 10;

/** Opens a node endpoint over a few keep-alive connections. Nothing is sent until the first call. */
export function createHttpRpcTransport({
  url,
  maxBatchSize,
  timeoutMs = 5_000,
  onUnmatchedResponse,
}: HttpRpcTransportOptions): HttpRpcTransport {
  const endpoint = parseEndpoint(url);
  // Each POST has a deadline for the whole of it; the pool's own are for pauses.
  const pool = new Pool(endpoint.origin, { connections: MAX_POOL_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  let lastId = 0;
  let refusedInARow = 0;
  let smaller = { size: maxBatchSize, until: 0 };

  const sizeNow = (): number => (Date.now() < smaller.until ? smaller.size : maxBatchSize);

  /** One refusal may be a passing mood of the node; a plain one, or a second in a row, is remembered. */
  const remember = (plain: boolean, size: number): void => {
    refusedInARow += 1;
    if (plain || refusedInARow > 1) smaller = { size, until: Date.now() + REDUCED_BATCH_MS };
  };

  const one = async (call: RpcCall, signal: AbortSignal, meter: CallMeter | undefined): Promise<RpcOutcome> => {
    const id = ++lastId;
    meter?.recordRequest(1);
    const answer = await postToNode(pool, endpoint, serializeCall(id, call), signal, timeoutMs).catch(toGraphError);
    if (answer instanceof GraphError) return { error: answer };
    const entry = [answer.body].flat().find((candidate) => hasId(candidate, id));
    return entry === undefined ? { error: errorFromResponse(call.method, answer) } : toOutcome(entry, call, answer);
  };

  const many = async (calls: readonly RpcCall[], signal: AbortSignal, meter: CallMeter | undefined): Promise<RpcOutcome[]> => {
    if (calls.length === 1) return [await one(calls[0]!, signal, meter)];
    meter?.recordRequest(calls.length);
    const first = lastId + 1;
    lastId += calls.length;
    const requests = calls.map((call, i) => serializeCall(first + i, call));
    const answer = unwrapBatchError(
      await postToNode(pool, endpoint, `[${requests.join()}]`, signal, timeoutMs).catch(toGraphError),
      calls.length,
    );
    if (answer instanceof GraphError) return calls.map(() => ({ error: answer }));
    if (!Array.isArray(answer.body) || answer.status >= 500 || answer.status === 429) {
      if (!rejectsBatches(answer)) return calls.map(({ method }) => ({ error: errorFromResponse(method, answer) }));
      const plain = isExplicitBatchRejection(answer);
      const size = plain ? Math.max(1, Math.floor(calls.length / BATCH_REDUCTION_FACTOR)) : 1;
      remember(plain, size);
      return inChunks(calls, size, signal, meter);
    }
    refusedInARow = 0;
    const outcomes: (RpcOutcome | undefined)[] = calls.map(() => undefined);
    for (const entry of answer.body) {
      const at = entryId(entry) - first;
      if (at in outcomes) outcomes[at] ??= toOutcome(entry, calls[at]!, answer);
      else onUnmatchedResponse?.();
    }
    if (!outcomes.includes(undefined)) return outcomes as RpcOutcome[];
    return Promise.all(outcomes.map((found, i) => found ?? one(calls[i]!, signal, meter)));
  };

  const inChunks = async (
    calls: readonly RpcCall[],
    size: number,
    signal: AbortSignal,
    meter: CallMeter | undefined,
  ): Promise<RpcOutcome[]> => {
    if (calls.length <= size) return calls.length === 0 ? [] : many(calls, signal, meter);
    const chunks: Promise<RpcOutcome[]>[] = [];
    for (let from = 0; from < calls.length; from += size) chunks.push(many(calls.slice(from, from + size), signal, meter));
    return (await Promise.all(chunks)).flat();
  };

  return {
    label: endpoint.label,
    send: (calls, signal, meter) => inChunks(calls, sizeNow(), signal, meter),
    close: () => pool.close(),
  };
}

const toGraphError = (error: unknown): GraphError =>
  error instanceof GraphError
    ? error
    : new GraphError('INTERNAL_SERVER_ERROR', 'The request to the node failed.', { cause: error });

/** The id of an entry, which some nodes send back as text; NaN when it has none of ours. */
function entryId(entry: unknown): number {
  const id = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined;
  return typeof id === 'number' ? id : typeof id === 'string' && /^[0-9]+$/.test(id) ? Number(id) : Number.NaN;
}

const hasId = (entry: unknown, id: number): entry is object => entryId(entry) === id;

function toOutcome(entry: object, call: RpcCall, { retryAfter }: JsonResponse): RpcOutcome {
  const rpcError = rpcErrorIn(entry);
  return rpcError
    ? { error: errorFromRpcError(call.method, rpcError, parseRetryAfter(retryAfter)), rpcError }
    : resultOutcome(entry, call);
}

/** The outcome of a call to which a node has replied without an error: its result, read. */
export function resultOutcome(entry: object, call: RpcCall): RpcOutcome {
  if ('result' in entry) return readResult(call, entry.result);
  const { method } = call;
  return { error: new GraphError('UPSTREAM_BAD_RESPONSE', 'The node answered with neither a result nor an error.', { method }) };
}

/** Reads the result of a call by its reader. */
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

/** Whether a node says in so many words that it takes no batch, or not so large a one, or that it could not read the list. */
function isExplicitBatchRejection({ status, body }: JsonResponse): boolean {
  const error = rpcErrorIn(body);
  if (status === 405 || status === 413 || status === 415) return true;
  return error !== undefined && (/batch/i.test(String(error.message)) || error.code === -32600 || error.code === -32700);
}

/** Whether an answer that is no batch means "no batches here", rather than "not now" or "not you". */
function rejectsBatches(answer: JsonResponse): boolean {
  const { status, body } = answer;
  if (isExplicitBatchRejection(answer)) return true;
  const error = rpcErrorIn(body);
  if (error?.code === -32005 || error?.code === 429) return false;
  if (status === 200) return error !== undefined;
  return status >= 400 && status < 500 && ![401, 402, 403, 404, 408, 429].includes(status);
}

/** geth refuses a batch that is too large by a list of one error, under the id of the first call. */
function unwrapBatchError<T extends JsonResponse | GraphError>(answer: T, calls: number): T {
  if (answer instanceof GraphError || calls < 2 || !Array.isArray(answer.body) || answer.body.length !== 1) return answer;
  const body: unknown = answer.body[0];
  return /batch/i.test(String(rpcErrorIn(body)?.message)) ? { ...answer, body } : answer;
}
