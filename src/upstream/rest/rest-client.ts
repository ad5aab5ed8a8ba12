import { BrokenCircuitError, bulkhead, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { type ErrorCode, type ErrorSource, GraphError } from '../../errors.ts';
import type { CallMeter } from '../call-meter.ts';
import { parseEndpoint } from '../endpoint.ts';
import { sendHttpRequest, type UpstreamIdentity, type UpstreamResponse } from '../http-request.ts';
import { backoff, isRetryable, MAX_ATTEMPTS, RetryBudget } from '../retry.ts';
import { ENDPOINT_FAILURES, HALF_OPEN_AFTER_MS, MAX_CONSECUTIVE_FAILURES } from '../rpc/circuit-breaker.ts';
import { parseRetryAfter } from '../rpc/rpc-errors.ts';
import { type CacheValidators, cacheValidatorsOf } from './cache-validators.ts';

/** A service that is read by GET and answers with JSON. */
export interface RestClient {
  /** The service's host, without anything secret. */
  readonly label: string;
  /**
   * What a path gives, its query included; null when there is nothing (404). What fails for a passing reason is asked again inside the
   * signal's time. Rejects with a GraphError, which names neither path nor credentials.
   */
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /**
   * The same, decoded; a path has one decoder. Where the service sends validators the request is conditional, and an unchanged resource (304)
   * is the very value that was decoded before. `meter` counts the requests.
   */
  get<T>(path: string, signal: AbortSignal, decode: (body: unknown) => T | Promise<T>, meter?: CallMeter): Promise<T | null>;
  close(): Promise<void>;
}

export interface RestClientOptions {
  /** Base URL: a prefix of the path is kept, and so is a query, which may be a key. */
  readonly url: string;
  /** Sent with every request: credentials, mostly. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service as its errors name it, such as "The wizard service". */
  readonly name: string;
  readonly source: ErrorSource;
  /** Longest wait for one answer. */
  readonly timeoutMs?: number;
  /** Maximum size of a response body in bytes, decompressed; 64 MiB when left out. As much is cached of what has validators. */
  readonly maxResponseBytes?: number;
  /** Name of the setting behind `largest`, for the error RESULT_TOO_LARGE. */
  readonly sizeSetting?: string;
}

/** Requests at once; more wait here for their turn, and their time begins when they leave. */
const MAX_POOL_CONNECTIONS = 8;
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** What a cached value takes beside its body. */
const CACHE_ENTRY_OVERHEAD_BYTES = 500;

const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

/** What an HTTP status means, and what is said of the service then. */
const ERRORS_BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  401: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  402: ['UPSTREAM_QUOTA_EXCEEDED', 'says that the account of this server is used up.'],
  403: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  408: ['UPSTREAM_TIMEOUT', 'took too long to answer.'],
  422: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  429: ['UPSTREAM_RATE_LIMITED', 'limits how often it may be asked.'],
};

/** Opens a service over a few keep-alive connections. Nothing is sent until the first GET. */
export function createRestClient(options: RestClientOptions): RestClient {
  const { url, headers, name, source, timeoutMs = 5_000, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, sizeSetting } = options;
  const upstream: UpstreamIdentity = { name, source, ...(sizeSetting && { sizeSetting }) };
  const endpoint = parseEndpoint(url);
  const pool = new Pool(endpoint.origin, { connections: MAX_POOL_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  const turns = bulkhead(MAX_POOL_CONNECTIONS, Number.MAX_SAFE_INTEGER);
  const breaker = circuitBreaker(handleType(ServiceFailure), {
    halfOpenAfter: HALF_OPEN_AFTER_MS,
    breaker: new ConsecutiveBreaker(MAX_CONSECUTIVE_FAILURES),
  });
  const budget = new RetryBudget();
  const own = { ...endpoint.headers, 'content-type': 'application/json', ...headers };
  const request = {
    method: 'GET',
    compressed: endpoint.compressed,
    timeoutMs,
    maxResponseBytes,
    inSlices: true,
  } as const;
  /** What was decoded of paths whose responses have validators. */
  const validated = new LRUCache<string, CachedResponse>({
    maxSize: maxResponseBytes,
    sizeCalculation: ({ bytes }) => bytes + CACHE_ENTRY_OVERHEAD_BYTES,
  });

  const ask = async (path: string, validators: CacheValidators | undefined, signal: AbortSignal): Promise<UpstreamResponse> => {
    try {
      const answer = await sendHttpRequest(pool, { ...request, path, headers: { ...own, ...validators } }, signal, upstream);
      assertUsableResponse(answer, upstream, validators !== undefined);
      return answer;
    } catch (error) {
      // An operation that was given up says nothing about the service.
      if (error instanceof GraphError && ENDPOINT_FAILURES.has(error.code) && !signal.aborted) throw new ServiceFailure(error);
      throw error;
    }
  };

  const guarded = (path: string, validators: CacheValidators | undefined, signal: AbortSignal): Promise<UpstreamResponse> => {
    // One request finds out whether the service is back; the others do not wait for what comes of it, which may take its whole time.
    if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
    return breaker.execute(() => ask(path, validators, signal));
  };

  const once = (path: string, validators: CacheValidators | undefined, signal: AbortSignal): Promise<UpstreamResponse> =>
    turns.execute(() => guarded(path, validators, signal)).catch((error) => Promise.reject(asError(error)));

  const asError = (error: unknown): unknown => {
    if (error instanceof ServiceFailure) return error.reason;
    if (!(error instanceof BrokenCircuitError)) return error;
    const message = `${name} has failed several times in a row and is left alone for a moment.`;
    return new GraphError('UPSTREAM_CIRCUIT_OPEN', message, { source, retryAfterMs: HALF_OPEN_AFTER_MS });
  };

  const exchanged = async (
    path: string,
    validators: CacheValidators | undefined,
    signal: AbortSignal,
    meter: CallMeter | undefined,
  ): Promise<UpstreamResponse> => {
    const whole = joinPath(endpoint.path, path);
    budget.deposit();
    for (let tries = 1; ; tries++) {
      try {
        meter?.recordRequest(1);
        return await once(whole, validators, signal);
      } catch (error) {
        if (!(error instanceof GraphError) || signal.aborted || tries === MAX_ATTEMPTS) throw error;
        if (!isRetryable(error, tries) || !budget.tryWithdraw()) throw error;
        if (!(await backoff(tries, Number(error.extensions.retryAfterMs ?? 0), signal))) throw signal.reason;
      }
    }
  };

  return {
    label: endpoint.label,
    async get<T>(
      path: string,
      signal: AbortSignal,
      decode?: (body: unknown) => T | Promise<T>,
      meter?: CallMeter,
    ): Promise<unknown> {
      const known = validated.get(path);
      const { status, headers, body, bytes } = await exchanged(path, known?.validators, signal, meter);
      if (status === NOT_MODIFIED) return known?.value;
      validated.delete(path);
      if (status === NOT_FOUND || body === null) return null;
      const value = decode ? await decode(body) : body;
      const validators = cacheValidatorsOf(headers);
      if (validators) validated.set(path, { validators, value, bytes });
      return value;
    },
    close: () => pool.close(),
  };
}

interface CachedResponse {
  readonly validators: CacheValidators;
  readonly value: unknown;
  readonly bytes: number;
}

/** Marks a failure that counts for the breaker. */
class ServiceFailure extends Error {
  readonly reason: GraphError;

  constructor(reason: GraphError) {
    super('the service failed');
    this.reason = reason;
  }
}

/** A path behind the base URL's own, with both queries. */
function joinPath(base: string, path: string): string {
  const [prefix = '', key] = base.split(/\?(.*)/s);
  const query = key ? `${path.includes('?') ? '&' : '?'}${key}` : '';
  return prefix.replace(/\/$/, '') + path + query;
}

/** Rejects what is neither JSON, nor 404, nor 304 to a conditional request. The service's own texts go no further: they may hold a key. */
function assertUsableResponse(
  { status, retryAfter, body }: UpstreamResponse,
  { name, source }: UpstreamIdentity,
  isConditional: boolean,
): void {
  if (status === NOT_FOUND || (status === NOT_MODIFIED && isConditional)) return;
  const retryAfterMs = parseRetryAfter(retryAfter);
  const detail = { source, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = ERRORS_BY_STATUS[status];
  if (known) throw new GraphError(known[0], `${name} ${known[1]}`, detail);
  if (status >= 400) throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} answered with HTTP status ${status}.`, detail);
  if (status < 300 && body !== undefined) return;
  throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} answered with something that is not JSON.`, { source });
}
