import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Pool } from 'undici';
import type { Cancellation } from '../../lib/abort.ts';
import { parseEndpoint } from '../../lib/endpoint.ts';
import { type ErrorCode, type ErrorSource, GraphError } from '../../lib/errors.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { createOutageLog } from '../../lib/outage-log.ts';
import { isRetryable, parseRetryAfter, RetryBudget, retryAfterMsOf, retryTransient } from '../../lib/retry.ts';
import { ConnectionQueue } from '../connection-queue.ts';
import type { ResponseHeaders, UpstreamIdentity, UpstreamResponse } from '../http-exchange.ts';
import { jsonHeadersOf, observeRequest, sendHttpRequest, type UpstreamObserver } from '../http-request.ts';
import { CircuitBreaker, ENDPOINT_FAILURES } from '../rpc/circuit-breaker.ts';

const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

/** Error code by HTTP status, with the rest of a message that begins with the name of the service. */
const ERRORS_BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  401: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  402: ['UPSTREAM_QUOTA_EXCEEDED', 'reports that the quota of this server is used up.'],
  403: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  408: ['UPSTREAM_TIMEOUT', 'did not respond in time.'],
  422: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  429: ['UPSTREAM_RATE_LIMITED', 'limits the request rate.'],
};

/**
 * Accepts JSON, 404, and 304 to a conditional request; throws a GraphError for any other response. The texts of the service are not
 * part of the error, because they can contain a key.
 */
function assertUsableResponse(
  { status, isHtml, retryAfter, body }: UpstreamResponse,
  { name, source }: UpstreamIdentity,
  isConditional: boolean,
): void {
  if (status === NOT_FOUND || (status === NOT_MODIFIED && isConditional)) return;
  const retryAfterMs = parseRetryAfter(retryAfter);
  const detail = { source, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = ERRORS_BY_STATUS[status];
  if (known) throw new GraphError(known[0], `${name} ${known[1]}`, detail);
  if (status >= 400) throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} responded with HTTP status ${status}.`, detail);
  if (status < 300 && body !== undefined) return;
  const sent = isHtml ? 'sent HTML in place of JSON' : 'sent a response that is not JSON';
  const problem = status >= 300 ? `responded with a redirect (HTTP ${status})` : sent;
  throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} ${problem}.`, { source });
}

/** Headers that make a request conditional on a cached response. */
type CacheValidators = Readonly<Partial<Record<'if-none-match' | 'if-modified-since', string>>>;

/**
 * Returns the conditional headers for a response; undefined when the response has no validator, or a validator that may
 * hide a change.
 */
function cacheValidatorsOf(headers: ResponseHeaders): CacheValidators | undefined {
  const etag = headerValue(headers, 'etag');
  if (etag !== undefined) return { 'if-none-match': etag };
  const lastModified = headerValue(headers, 'last-modified');
  const date = headerValue(headers, 'date');
  if (lastModified === undefined || date === undefined) return undefined;
  // Last-Modified counts seconds: two changes within one second have equal validators (RFC 9110, 8.8.2.2).
  return Date.parse(date) - Date.parse(lastModified) >= 1_000 ? { 'if-modified-since': lastModified } : undefined;
}

const headerValue = (headers: ResponseHeaders, name: string): string | undefined => [headers[name]].flat()[0];

export interface RestClientOptions {
  /** Base URL; its path becomes a prefix, and its query, which may be a key, is part of every request. */
  readonly url: string;
  /** Sent with every request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service as its errors name it, such as "The wizard service". */
  readonly name: string;
  readonly source: ErrorSource;
  /** Timeout of one request in milliseconds. @default 5000 */
  readonly timeoutMs?: number;
  /**
   * Maximum size of a response body in bytes, decompressed, and of the cache of responses with validators.
   * @default 64 MiB
   */
  readonly maxResponseBytes?: number;
  /** Name of the setting behind `maxResponseBytes`, for the error RESULT_TOO_LARGE. */
  readonly sizeSetting?: string;
  readonly observer?: UpstreamObserver | undefined;
  /** Receives one line when the service fails, and one when it works again. */
  readonly log?: Logger;
  /** Returns the route of a path, without ids and query, such as `/items/{id}`, for metrics. @default `other` */
  readonly routeOf?: (path: string) => string;
}

/**
 * Maximum number of concurrent requests. Further requests are queued; the timeout of a request starts when it is sent.
 */
const MAX_POOL_CONNECTIONS = 8;
/** Minimum time between two requests of `check`. */
const CHECK_INTERVAL_MS = 5_000;
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Size of a cache entry in addition to its body. */
const CACHE_ENTRY_OVERHEAD_BYTES = 500;

/** Creates a client of a REST service that is read by GET and responds with JSON. It sends nothing before the first GET. */
export function createRestClient(options: RestClientOptions) {
  const { url, headers, name, source, timeoutMs = 5_000, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, sizeSetting } = options;
  const { observer, routeOf = () => 'other' } = options;
  const upstream: UpstreamIdentity = { name, source, ...(sizeSetting && { sizeSetting }) };
  const endpoint = parseEndpoint(url);
  const pool = new Pool(endpoint.origin, { connections: MAX_POOL_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  const queue = new ConnectionQueue({ connections: MAX_POOL_CONNECTIONS, heavyConnections: MAX_POOL_CONNECTIONS });
  const breaker = new CircuitBreaker();
  const subject = name.replace(/^The/, 'the');
  const outage = createOutageLog(options.log, `${subject} fails`, `${subject} works again`);
  /** Time of the next request of `check`: now, until the first success. */
  let nextCheckAt = 0;
  const retryBudget = new RetryBudget();
  const ownHeaders = jsonHeadersOf({ ...endpoint, headers: { ...endpoint.headers, ...headers } });
  /** Decoded responses that have validators, by path. */
  const cache = new LRUCache<string, CachedResponse>({
    maxSize: maxResponseBytes,
    sizeCalculation: ({ bytes }) => bytes + CACHE_ENTRY_OVERHEAD_BYTES,
  });

  const send = async ({ path, validators, signal, budget }: RestRequest): Promise<UpstreamResponse> => {
    const route = `GET ${routeOf(path)}`;
    const sendOnce = async (traceHeaders: Readonly<Record<string, string>> | undefined): Promise<UpstreamResponse> => {
      const requestHeaders = { ...ownHeaders, ...validators, ...traceHeaders };
      const sent = { path: joinPath(endpoint.path, path), headers: requestHeaders, timeoutMs, maxResponseBytes, budget };
      const response = await sendHttpRequest(pool, sent, signal, upstream);
      assertUsableResponse(response, upstream, validators !== undefined);
      return response;
    };
    budget?.recordRequest(1);
    const observed = { upstream: source, label: endpoint.label, route, trace: budget?.trace };
    return observeRequest(observer, observed, sendOnce, () => 'ok');
  };

  /**
   * Sends a request as soon as it has a connection; returns the error of a failed request. The time in the queue does
   * not count towards the timeout or as a failure of the service.
   */
  const sendThroughBreaker = async (restRequest: RestRequest): Promise<UpstreamResponse | GraphError> => {
    const { path, signal } = restRequest;
    if (!queue.tryAcquire(false)) await queue.wait(false, path.length, signal);
    try {
      if (!breaker.tryPass()) return breaker.openError(name, { source });
      const response = await send(restRequest);
      breaker.record(false);
      return response;
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      breaker.record(signal.aborted ? undefined : ENDPOINT_FAILURES.has(error.code), error);
      return error;
    } finally {
      queue.release(false);
    }
  };

  const sendWithRetries = async (restRequest: RestRequest): Promise<UpstreamResponse> => {
    const { signal } = restRequest;
    let failure: GraphError | undefined;
    const attempt = async () => {
      const outcome = await sendThroughBreaker(restRequest);
      // The end of the operation says nothing about the service; an earlier attempt may have failed.
      if (!signal.aborted) failure = outcome instanceof GraphError ? outcome : undefined;
      return outcome;
    };
    retryBudget.deposit();
    const result = await retryTransient(await attempt(), retryBudget, signal, (outcome, attempts) =>
      outcome instanceof GraphError && isRetryable(outcome, attempts)
        ? { minDelayMs: retryAfterMsOf(outcome), send: attempt }
        : undefined,
    );
    // Any other code is about the request.
    if (failure ? failure.code.startsWith('UPSTREAM_') : !signal.aborted) {
      if (failure) failure.endpoint ??= endpoint.label;
      outage.record(failure);
      nextCheckAt = failure ? performance.now() + CHECK_INTERVAL_MS : Number.POSITIVE_INFINITY;
    }
    if (!(result instanceof GraphError)) return result;
    throw signal.reason instanceof GraphError ? signal.reason : result;
  };

  return {
    /** Scheme, host and port of the service; contains no secret. */
    label: endpoint.label,
    /**
     * Reads and decodes a path with its query; null for 404. Always pass the same decoder for a path. Retries transient
     * failures within MAX_ATTEMPTS and the retry budget, until the signal aborts. When the service sends validators,
     * the next request is conditional, and an unchanged resource (304) returns the value that was decoded before.
     * `budget` counts requests and bytes. Rejects with a GraphError that contains neither the path nor the credentials.
     */
    async get(path: string, signal: Cancellation, decode: Decode = (body) => body, budget?: OperationBudget): Promise<unknown> {
      const cached = cache.get(path);
      const { status, headers, body, bytes } = await sendWithRetries({ path, validators: cached?.validators, signal, budget });
      if (status === NOT_MODIFIED) return cached?.value;
      cache.delete(path);
      if (status === NOT_FOUND || body === null) return null;
      const value = await decode(body);
      const validators = cacheValidatorsOf(headers);
      if (validators) cache.set(path, { validators, value, bytes });
      return value;
    },
    /**
     * Throws the failure of the last request. Requests `path` without waiting for it while the service fails, and before the first
     * request, so that a later call throws the current failure.
     */
    check(path: string): void {
      if (performance.now() >= nextCheckAt) {
        nextCheckAt = performance.now() + CHECK_INTERVAL_MS;
        sendWithRetries({ path, validators: undefined, signal: new AbortController().signal, budget: undefined }).catch(() => {});
      }
      if (outage.failure) throw outage.failure;
    },
    close: () => pool.close(),
  };
}

/** Decodes the body of a response; may return a promise. */
type Decode = (body: unknown) => unknown;

/** One GET of an operation. */
interface RestRequest {
  readonly path: string;
  readonly validators: CacheValidators | undefined;
  readonly signal: Cancellation;
  readonly budget: OperationBudget | undefined;
}

interface CachedResponse {
  readonly validators: CacheValidators;
  readonly value: unknown;
  readonly bytes: number;
}

/** Client of a REST service. */
export type RestClient = ReturnType<typeof createRestClient>;

/** Appends a path to the path of the base URL, and joins their queries. */
function joinPath(base: string, path: string): string {
  const [prefix = '', baseQuery] = base.split(/\?(.*)/s);
  const query = baseQuery ? `${path.includes('?') ? '&' : '?'}${baseQuery}` : '';
  return prefix.replace(/\/$/, '') + path + query;
}
