import { Pool } from 'undici';
import { GraphError } from '../errors.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { fromRpcError, type RpcError } from './rpc-errors.ts';

/** One call of a node's method. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What became of a call: the node's result, or our error for why there is none, with the node's own error object if it sent one. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: GraphError; readonly wire?: RpcError };

/** A node over HTTP. */
export interface JsonRpc {
  /** The node's host, without anything secret. */
  readonly label: string;
  /** Sends calls together and gives their outcomes in the same order; never rejects. Aborting cuts the connection to the node. */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  close(): Promise<void>;
}

export interface JsonRpcOptions {
  readonly url: string;
  /** Most calls in one POST. */
  readonly batch: number;
}

/** Batches of this kind go fastest over a few connections; more only take turns inside the node. */
const CONNECTIONS = 4;

/** How long a node that refuses batches is asked singly before it is offered one again. */
const SINGLY_MS = 60_000;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** Opens a node endpoint over a few keep-alive connections. Nothing is sent until the first call. */
export function openJsonRpc({ url, batch }: JsonRpcOptions): JsonRpc {
  const endpoint = toEndpoint(url);
  // A deadline belongs to the operation that asks, so the pool has none of its own.
  const pool = new Pool(endpoint.origin, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  let lastId = 0;
  let refusedInARow = 0;
  let singlyUntil = batch > 1 ? 0 : Number.POSITIVE_INFINITY;

  /** One refusal may be a passing mood of the node; a plain one, or a second in a row, is remembered. */
  const remember = (plain: boolean) => {
    refusedInARow += 1;
    if (plain || refusedInARow > 1) singlyUntil = Date.now() + SINGLY_MS;
  };

  const one = async (call: RpcCall, signal: AbortSignal): Promise<RpcOutcome> => {
    const id = ++lastId;
    const answer = await post(pool, endpoint, { jsonrpc: '2.0', id, ...call }, signal).catch(asError);
    if (answer instanceof GraphError) return { error: answer };
    const entry = [answer.body].flat().find((candidate) => hasId(candidate, id));
    return entry === undefined ? { error: refusal(answer, call.method) } : outcome(entry, call.method);
  };

  const many = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> => {
    if (calls.length === 1 || Date.now() < singlyUntil) return Promise.all(calls.map((call) => one(call, signal)));
    const requests = calls.map((call) => ({ jsonrpc: '2.0', id: ++lastId, ...call }));
    const answer = aboutAll(await post(pool, endpoint, requests, signal).catch(asError), calls.length);
    if (answer instanceof GraphError) return calls.map(() => ({ error: answer }));
    if (!Array.isArray(answer.body) || answer.status >= 500 || answer.status === 429) {
      if (!refusesBatches(answer)) return calls.map(({ method }) => ({ error: refusal(answer, method) }));
      remember(isPlain(answer));
      return Promise.all(calls.map((call) => one(call, signal)));
    }
    refusedInARow = 0;
    const entries = new Map<string, object>();
    for (const entry of answer.body) {
      const id = idOf(entry);
      if (id !== undefined && !entries.has(id)) entries.set(id, entry);
    }
    return Promise.all(
      calls.map((call, i) => {
        const entry = entries.get(String(requests[i]!.id));
        return entry === undefined ? one(call, signal) : outcome(entry, call.method);
      }),
    );
  };

  return {
    label: endpoint.label,
    async send(calls, signal) {
      const chunks: Promise<RpcOutcome[]>[] = [];
      for (let from = 0; from < calls.length; from += batch) chunks.push(many(calls.slice(from, from + batch), signal));
      return (await Promise.all(chunks)).flat();
    },
    close: () => pool.close(),
  };
}

async function post(pool: Pool, { path, headers }: Endpoint, payload: unknown, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const response = await pool
    .request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(payload),
      signal,
    })
    .catch((cause: unknown) => lost(cause, signal));
  const text = await response.body.text().catch((cause: unknown) => lost(cause, signal));
  const retryAfter = response.headers['retry-after'];
  return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], body: parse(text) };
}

/** A library's network error names the address and sometimes more, so it goes no further than `cause`. */
function lost(cause: unknown, signal: AbortSignal): never {
  if (signal.reason instanceof GraphError) throw signal.reason;
  throw new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached, or it broke off its answer.', { cause });
}

/** Text that is not JSON becomes undefined, which no caller takes for an answer. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asError = (error: unknown): GraphError =>
  error instanceof GraphError
    ? error
    : new GraphError('INTERNAL_SERVER_ERROR', 'The request to the node failed.', { cause: error });

function idOf(entry: unknown): string | undefined {
  const id = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined;
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

const hasId = (entry: unknown, id: number): entry is object => idOf(entry) === String(id);

const errorIn = (entry: unknown): RpcError | undefined =>
  typeof entry === 'object' && entry !== null && 'error' in entry && typeof entry.error === 'object' && entry.error !== null
    ? entry.error
    : undefined;

function outcome(entry: object, method: string): RpcOutcome {
  const wire = errorIn(entry);
  if (wire) return { error: fromRpcError(method, wire), wire };
  if ('result' in entry) return { result: entry.result };
  return { error: new GraphError('UPSTREAM_BAD_RESPONSE', 'The node answered with neither a result nor an error.', { method }) };
}

/** Whether a node says in so many words that it takes no batch, or not so large a one, or that it could not read the list. */
function isPlain({ status, body }: Answer): boolean {
  const error = errorIn(body);
  if (status === 405 || status === 413 || status === 415) return true;
  return error !== undefined && (/batch/i.test(String(error.message)) || error.code === -32600 || error.code === -32700);
}

/** Whether an answer that is no batch means "no batches here", rather than "not now" or "not you". */
function refusesBatches(answer: Answer): boolean {
  const { status, body } = answer;
  if (isPlain(answer)) return true;
  const error = errorIn(body);
  if (error?.code === -32005 || error?.code === 429) return false;
  if (status === 200) return error !== undefined;
  return status >= 400 && status < 500 && ![401, 403, 404, 408, 429].includes(status);
}

/** Our error for an answer without the entry that was asked for. */
function refusal({ status, retryAfter, body }: Answer, method: string): GraphError {
  const retryAfterMs = waitOf(retryAfter);
  if (status === 401 || status === 403) {
    return new GraphError('UPSTREAM_AUTH', 'The node does not accept the credentials of this server.', { method });
  }
  if (status === 429) {
    const message = 'The node limits how often it may be asked.';
    return new GraphError('UPSTREAM_RATE_LIMITED', message, { method, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }
  const wire = errorIn(body);
  if (wire) return fromRpcError(method, wire);
  if (status >= 400) return new GraphError('UPSTREAM_UNAVAILABLE', `The node answered with HTTP status ${status}.`, { method });
  return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node answered with something that is not JSON-RPC.', { method });
}

/** geth refuses a batch that is too large by a list of one error, under the id of the first call. */
function aboutAll<T extends Answer | GraphError>(answer: T, calls: number): T {
  if (answer instanceof GraphError || calls < 2 || !Array.isArray(answer.body) || answer.body.length !== 1) return answer;
  const body: unknown = answer.body[0];
  return /batch/i.test(String(errorIn(body)?.message)) ? { ...answer, body } : answer;
}

/** Milliseconds of a Retry-After, which is seconds or a date. */
function waitOf(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
