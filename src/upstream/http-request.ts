import type { Pool } from 'undici';
import type { Cancellation } from '../lib/abort.ts';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import { type TraceContext, traceHeaders } from '../lib/trace-context.ts';
import { parseUrl } from '../lib/urls.ts';
import { type ExchangeOptions, HttpExchange, type UpstreamIdentity, type UpstreamResponse } from './http-exchange.ts';

/** Parses an HTTP endpoint. A user name and a password become Basic authentication. Throws BAD_USER_INPUT. */
export const parseEndpoint = (text: string) =>
  parseEndpointUrl(text, 'http', 'Invalid node endpoint. Pass an http:// or https:// URL.');

export type Endpoint = ReturnType<typeof parseEndpointUrl>;

/** Parses a WebSocket endpoint like `parseEndpoint`. */
export const parseWebSocketEndpoint = (text: string) =>
  parseEndpointUrl(text, 'ws', 'Invalid node endpoint for subscriptions. Pass a ws:// or wss:// URL.');

/** Parses the address of an upstream. Only `label` of the result may be shown; the other parts can contain a key. */
function parseEndpointUrl(text: string, scheme: 'http' | 'ws', message: string) {
  const url = parseUrl(text);
  const isSecure = url?.protocol === `${scheme}s:`;
  if (!url || (!isSecure && url.protocol !== `${scheme}:`)) throw new GraphError('BAD_USER_INPUT', message);
  const user = percentDecode(url.username);
  const basic = Buffer.from(`${user}:${percentDecode(url.password)}`).toString('base64');
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: (user === '' && url.password === '' ? {} : { authorization: `Basic ${basic}` }) as Readonly<Record<string, string>>,
    /** Scheme, host and port. */
    label: url.origin,
    /**
     * Whether to request compressed responses: true for TLS. Without TLS the upstream is usually local, and compression
     * costs more time than it saves.
     */
    compressed: isSecure,
  };
}

/** Decodes percent-encoding; returns a text with an invalid encoding unchanged. */
const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Shorter parts are common words such as "v2", "mainnet" or "1"; masking such words would make logs unreadable. */
const MIN_SECRET_LENGTH = 8;

/** A shorter password or token protects nothing, and masking it would make logs unreadable. */
export const MIN_PASSWORD_LENGTH = 6;

/**
 * Lists the parts of a URL that can contain a key: the password, user and password as in Basic authentication, and the user, query values and
 * path segments of at least MIN_SECRET_LENGTH characters. User and path of a database are names, not keys. A short password is masked only
 * beside its user, also as in Basic authentication. Returns each part as written and decoded; an empty list for a text that is no URL.
 */
export function secretsIn(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const { username, password, pathname, search, protocol } = url;
  const names = protocol.startsWith('postgres') ? [] : [username, ...pathname.split('/')];
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
  const credentials = `${username}:${password}`;
  const basic = Buffer.from(percentDecode(credentials)).toString('base64');
  const raw = [
    ...(password === '' ? [] : [`${credentials}@`, basic]),
    ...(password.length < MIN_PASSWORD_LENGTH ? [] : [password, credentials]),
    ...names.filter((name) => name.length >= MIN_SECRET_LENGTH),
    ...values,
  ];
  return [...new Set([...raw, ...raw.map(percentDecode), ...values.map((value) => percentDecode(value.replaceAll('+', ' ')))])];
}

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
