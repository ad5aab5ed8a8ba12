import type { Pool } from 'undici';
import type { Cancellation } from '../lib/abort.ts';
import type { Endpoint } from '../lib/endpoint.ts';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import { type TraceContext, traceHeaders } from '../lib/trace-context.ts';
import { type ExchangeOptions, HttpExchange, type UpstreamIdentity, type UpstreamResponse } from './http-exchange.ts';

/** One request to an upstream: a POST with JSON-RPC calls, or a GET. */
export interface ObservedRequest {
  readonly upstream: ErrorSource;
  /** Scheme, host and port; contains no secret. */
  readonly label: string;
  /** `POST` for JSON-RPC; for a GET its path without ids and query, such as `GET /items/{id}`. */
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
  start(request: ObservedRequest): { readonly trace: TraceContext | undefined; readonly end: (outcome: UpstreamOutcome) => void };
  /** Called with the outcome of each JSON-RPC call that was sent. */
  recordCall(method: string, outcome: UpstreamOutcome): void;
}

/** Sends a request under observation. `send` receives the headers of the trace, if there is one; `outcomeOf` is the outcome of a response. */
export async function observeRequest<R>(
  observer: UpstreamObserver | undefined,
  request: ObservedRequest,
  send: (headers: Readonly<Record<string, string>> | undefined) => Promise<R>,
  outcomeOf: (response: R) => UpstreamOutcome,
): Promise<R> {
  const { trace, end } = observer?.start(request) ?? { trace: request.trace, end: () => {} };
  try {
    const response = await send(trace && traceHeaders(trace));
    end(outcomeOf(response));
    return response;
  } catch (error) {
    end(error instanceof GraphError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

/** One request for JSON with its limits: a POST if it has a body, else a GET. */
export interface UpstreamRequest extends ExchangeOptions {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The headers of every request for JSON to an endpoint. */
export const jsonHeadersOf = ({ headers, compressed }: Pick<Endpoint, 'headers' | 'compressed'>) => ({
  ...headers,
  'content-type': 'application/json',
  accept: 'application/json',
  ...(compressed && { 'accept-encoding': 'gzip' }),
});

/**
 * Sends one request and reads the whole response within the limits on time and size. Rejects with the errors of
 * `HttpExchange`.
 */
export function sendHttpRequest(pool: Pool, request: UpstreamRequest, signal: Cancellation, upstream: UpstreamIdentity) {
  const { path, headers, body = null, budget } = request;
  return new Promise<UpstreamResponse>((resolve, reject) => {
    if (body !== null) budget?.addUpstreamBytes(body.length);
    budget?.throwIfExhausted();
    signal.throwIfAborted();
    const method = body === null ? 'GET' : 'POST';
    pool.dispatch({ method, path, headers, body }, new HttpExchange(request, upstream, signal, resolve, reject));
  });
}
