import type { Dispatcher, Pool } from 'undici';
import { onAbort, rejectOnAbort } from '../lib/abort.ts';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import { type TraceContext, traceHeaders } from '../lib/trace-context.ts';
import { type BodyOptions, readJsonBody, type UpstreamIdentity } from './response-body.ts';

/** One request to an upstream: a POST with JSON-RPC calls, or a GET. */
export interface ObservedRequest {
  readonly upstream: ErrorSource;
  /** Scheme, host and port; contains no secret. */
  readonly label: string;
  /** `POST` for JSON-RPC; for a GET its path without ids and query, such as `GET /wizards/{id}`. */
  readonly route: string;
  /** The JSON-RPC calls in the request; undefined for a GET. */
  readonly calls?: readonly { readonly method: string }[];
  /** The trace of the operation that sends the request; undefined for requests that belong to no operation. */
  readonly trace: TraceContext | undefined;
}

/** `ok`, or the code of the error. */
type UpstreamOutcome = string;

/** Watches the requests to all upstreams, for metrics and traces. */
export interface UpstreamObserver {
  /** Called when a request is sent. Returns the trace to pass on, and the function that receives the outcome. */
  start(request: ObservedRequest): {
    readonly trace: TraceContext | undefined;
    readonly end: (outcome: UpstreamOutcome) => void;
  };
  /** Called with the outcome of each JSON-RPC call that was sent. */
  recordCall(method: string, outcome: UpstreamOutcome): void;
}

/** Sends a request under observation. `send` receives the headers of the trace; `outcomeOf` is the outcome of a response. */
export async function observeRequest<R>(
  observer: UpstreamObserver | undefined,
  request: ObservedRequest,
  send: (headers: Readonly<Record<string, string>>) => Promise<R>,
  outcomeOf: (response: R) => UpstreamOutcome,
): Promise<R> {
  const { trace, end } = observer?.start(request) ?? { trace: request.trace, end: () => {} };
  try {
    const response = await send(trace ? traceHeaders(trace) : NO_HEADERS);
    end(outcomeOf(response));
    return response;
  } catch (error) {
    end(error instanceof GraphError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Response of an upstream; `body` is undefined when it is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** A JSON response with its headers and the decompressed size of its body in bytes. */
export interface UpstreamResponse extends JsonResponse {
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: number;
}

/** One request for JSON with its limits. */
export interface UpstreamRequest extends BodyOptions {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether to request a compressed response. */
  readonly compressed: boolean;
  /** Covers the request from now on to the end of the response. Wait for a connection before. */
  readonly timeoutMs: number;
}

/**
 * Sends one request and reads the whole response within the limits on time and size. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE,
 * UPSTREAM_BAD_RESPONSE, RESULT_TOO_LARGE, or the reason of the signal when it aborts. Each of these errors closes the connection.
 */
export async function sendHttpRequest(
  pool: Pool,
  request: UpstreamRequest,
  signal: AbortSignal,
  upstream: UpstreamIdentity,
): Promise<UpstreamResponse> {
  const { method, path, headers, body, compressed, timeoutMs, budget } = request;
  const { name, source } = upstream;
  if (body !== undefined) budget?.addUpstreamBytes(body.length);
  budget?.throwIfExhausted();
  signal.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(
    () => attempt.abort(new GraphError('UPSTREAM_TIMEOUT', `${name} did not respond in time.`, { source })),
    timeoutMs,
  );
  const unregister = onAbort(signal, () => attempt.abort(signal.reason));
  try {
    // The pool itself checks the signal only once the request has a connection.
    const response = await rejectOnAbort(
      pool.request({
        method,
        path,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          ...(compressed && { 'accept-encoding': 'gzip' }),
        },
        ...(body !== undefined && { body }),
        signal: attempt.signal,
      }),
      attempt.signal,
    );
    const retryAfter = response.headers['retry-after'];
    // The entries of an error response are no results.
    const onEntries = response.statusCode === 200 ? request.onEntries : undefined;
    const read = await readJsonBody(response, { ...request, onEntries }, attempt.signal, upstream);
    return { status: response.statusCode, retryAfter: [retryAfter].flat()[0], headers: response.headers, ...read };
  } catch (cause) {
    const reason: unknown = attempt.signal.reason;
    if (reason instanceof GraphError) throw reason;
    if (cause instanceof GraphError) throw cause;
    // The error of the HTTP client can contain the address, so it is only the `cause`, which clients do not see.
    const message = `${name} could not be reached, or the connection closed before the response was complete.`;
    throw new GraphError('UPSTREAM_UNAVAILABLE', message, { source, cause });
  } finally {
    clearTimeout(timer);
    unregister();
  }
}
