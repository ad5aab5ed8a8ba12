import { BrokenCircuitError, bulkhead, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { type ErrorCode, type ErrorSource, GraphError } from '../../errors.ts';
import type { CallMeter } from '../call-meter.ts';
import { toEndpoint } from '../endpoint.ts';
import { exchange, type Response, type Upstream } from '../http-exchange.ts';
import { backoff, isWorthRetrying, RetryBudget, TRIES } from '../retry.ts';
import { DEAD, FAILURES, REST_MS } from '../rpc/circuit-breaker.ts';
import { waitOf } from '../rpc/rpc-errors.ts';
import { type Validators, validatorsOf } from './cache-validators.ts';

/** A service that is read by GET and answers with JSON. */
export interface Rest {
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

export interface RestOptions {
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
  readonly largest?: number;
  /** Name of the setting behind `largest`, for the error RESULT_TOO_LARGE. */
  readonly sizeSetting?: string;
}

/** Requests at once; more wait here for their turn, and their time begins when they leave. */
const CONNECTIONS = 8;
const LARGEST_BODY = 64 * 1024 * 1024;
/** What a cached value takes beside its body. */
const CACHED_BYTES = 500;

const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

/** What an HTTP status means, and what is said of the service then. */
const BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  401: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  402: ['UPSTREAM_QUOTA_EXCEEDED', 'says that the account of this server is used up.'],
  403: ['UPSTREAM_AUTH', 'does not accept the credentials of this server.'],
  408: ['UPSTREAM_TIMEOUT', 'took too long to answer.'],
  422: ['BAD_USER_INPUT', 'does not accept one of these values.'],
  429: ['UPSTREAM_RATE_LIMITED', 'limits how often it may be asked.'],
};

/** Opens a service over a few keep-alive connections. Nothing is sent until the first GET. */
export function openRest(options: RestOptions): Rest {
  const { url, headers, name, source, timeoutMs = 5_000, largest = LARGEST_BODY, sizeSetting } = options;
  const upstream: Upstream = { name, source, ...(sizeSetting && { sizeSetting }) };
  const endpoint = toEndpoint(url);
  const pool = new Pool(endpoint.origin, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  const turns = bulkhead(CONNECTIONS, Number.MAX_SAFE_INTEGER);
  const breaker = circuitBreaker(handleType(Dead), { halfOpenAfter: REST_MS, breaker: new ConsecutiveBreaker(FAILURES) });
  const budget = new RetryBudget();
  const own = { ...endpoint.headers, 'content-type': 'application/json', ...headers };
  const request = { method: 'GET', compressed: endpoint.compressed, timeoutMs, largest, inSlices: true } as const;
  /** What was decoded of paths whose responses have validators. */
  const validated = new LRUCache<string, Validated>({
    maxSize: largest,
    sizeCalculation: ({ bytes }) => bytes + CACHED_BYTES,
  });

  const ask = async (path: string, validators: Validators | undefined, signal: AbortSignal): Promise<Response> => {
    try {
      const answer = await exchange(pool, { ...request, path, headers: { ...own, ...validators } }, signal, upstream);
      check(answer, upstream, validators !== undefined);
      return answer;
    } catch (error) {
      // An operation that was given up says nothing about the service.
      if (error instanceof GraphError && DEAD.has(error.code) && !signal.aborted) throw new Dead(error);
      throw error;
    }
  };

  const guarded = (path: string, validators: Validators | undefined, signal: AbortSignal): Promise<Response> => {
    // One request finds out whether the service is back; the others do not wait for what comes of it, which may take its whole time.
    if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
    return breaker.execute(() => ask(path, validators, signal));
  };

  const once = (path: string, validators: Validators | undefined, signal: AbortSignal): Promise<Response> =>
    turns.execute(() => guarded(path, validators, signal)).catch((error) => Promise.reject(asError(error)));

  const asError = (error: unknown): unknown => {
    if (error instanceof Dead) return error.reason;
    if (!(error instanceof BrokenCircuitError)) return error;
    const message = `${name} has failed several times in a row and is left alone for a moment.`;
    return new GraphError('UPSTREAM_CIRCUIT_OPEN', message, { source, retryAfterMs: REST_MS });
  };

  const exchanged = async (
    path: string,
    validators: Validators | undefined,
    signal: AbortSignal,
    meter: CallMeter | undefined,
  ): Promise<Response> => {
    const whole = joined(endpoint.path, path);
    budget.earn();
    for (let tries = 1; ; tries++) {
      try {
        meter?.sent(1);
        return await once(whole, validators, signal);
      } catch (error) {
        if (!(error instanceof GraphError) || signal.aborted || tries === TRIES) throw error;
        if (!isWorthRetrying(error, tries) || !budget.spend()) throw error;
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
      const validators = validatorsOf(headers);
      if (validators) validated.set(path, { validators, value, bytes });
      return value;
    },
    close: () => pool.close(),
  };
}

interface Validated {
  readonly validators: Validators;
  readonly value: unknown;
  readonly bytes: number;
}

/** Marks a failure that counts for the breaker. */
class Dead extends Error {
  readonly reason: GraphError;

  constructor(reason: GraphError) {
    super('the service failed');
    this.reason = reason;
  }
}

/** A path behind the base URL's own, with both queries. */
function joined(base: string, path: string): string {
  const [prefix = '', key] = base.split(/\?(.*)/s);
  const query = key ? `${path.includes('?') ? '&' : '?'}${key}` : '';
  return prefix.replace(/\/$/, '') + path + query;
}

/** Rejects what is neither JSON, nor 404, nor 304 to a conditional request. The service's own texts go no further: they may hold a key. */
function check({ status, retryAfter, body }: Response, { name, source }: Upstream, isConditional: boolean): void {
  if (status === NOT_FOUND || (status === NOT_MODIFIED && isConditional)) return;
  const retryAfterMs = waitOf(retryAfter);
  const detail = { source, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = BY_STATUS[status];
  if (known) throw new GraphError(known[0], `${name} ${known[1]}`, detail);
  if (status >= 400) throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} answered with HTTP status ${status}.`, detail);
  if (status < 300 && body !== undefined) return;
  throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} answered with something that is not JSON.`, { source });
}
