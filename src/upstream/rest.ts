import { BrokenCircuitError, bulkhead, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel';
import { Pool } from 'undici';
import { type ErrorCode, type ErrorSource, GraphError } from '../errors.ts';
import { toEndpoint } from './endpoint.ts';
import { DEAD, FAILURES, REST_MS } from './guard.ts';
import type { CallMeter } from './meter.ts';
import { type Answer, exchange, type Upstream } from './post.ts';
import { backoff, isWorthRetrying, RetryBudget, TRIES } from './retry.ts';
import { waitOf } from './rpc-errors.ts';

/** A service that is read by GET and answers with JSON. */
export interface Rest {
  /** The service's host, without anything secret. */
  readonly label: string;
  /**
   * What a path gives, its query included; null when there is nothing (404). What fails for a passing reason is asked again inside the
   * signal's time. Rejects with a GraphError, which names neither path nor credentials.
   */
  get(path: string, signal: AbortSignal, meter?: CallMeter): Promise<unknown>;
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
  /** Most bytes of one answer, decompressed. */
  readonly largest?: number;
}

/** Requests at once; more wait here for their turn, and their time begins when they leave. */
const CONNECTIONS = 8;
const LARGEST_BODY = 8 * 1024 * 1024;

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
  const { url, headers, name, source, timeoutMs = 5_000, largest = LARGEST_BODY } = options;
  const endpoint = toEndpoint(url);
  const pool = new Pool(endpoint.origin, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  const turns = bulkhead(CONNECTIONS, Number.MAX_SAFE_INTEGER);
  const breaker = circuitBreaker(handleType(Dead), { halfOpenAfter: REST_MS, breaker: new ConsecutiveBreaker(FAILURES) });
  const budget = new RetryBudget();
  const request = {
    method: 'GET',
    headers: { ...endpoint.headers, 'content-type': 'application/json', ...headers },
    compressed: endpoint.compressed,
    timeoutMs,
    largest,
  } as const;

  const ask = async (path: string, signal: AbortSignal): Promise<unknown> => {
    try {
      const answer = await exchange(pool, { ...request, path }, signal, { name, source });
      return bodyOf(answer, { name, source });
    } catch (error) {
      // An operation that was given up says nothing about the service.
      if (error instanceof GraphError && DEAD.has(error.code) && !signal.aborted) throw new Dead(error);
      throw error;
    }
  };

  const guarded = (path: string, signal: AbortSignal): Promise<unknown> => {
    // One request finds out whether the service is back; the others do not wait for what comes of it, which may take its whole time.
    if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
    return breaker.execute(() => ask(path, signal));
  };

  const once = (path: string, signal: AbortSignal): Promise<unknown> =>
    turns.execute(() => guarded(path, signal)).catch((error) => Promise.reject(asError(error)));

  const asError = (error: unknown): unknown => {
    if (error instanceof Dead) return error.reason;
    if (!(error instanceof BrokenCircuitError)) return error;
    const message = `${name} has failed several times in a row and is left alone for a moment.`;
    return new GraphError('UPSTREAM_CIRCUIT_OPEN', message, { source, retryAfterMs: REST_MS });
  };

  return {
    label: endpoint.label,
    async get(path, signal, meter) {
      const whole = joined(endpoint.path, path);
      budget.earn();
      for (let tries = 1; ; tries++) {
        try {
          meter?.sent(1);
          return await once(whole, signal);
        } catch (error) {
          if (!(error instanceof GraphError) || signal.aborted || tries === TRIES) throw error;
          if (!isWorthRetrying(error, tries) || !budget.spend()) throw error;
          if (!(await backoff(tries, Number(error.extensions.retryAfterMs ?? 0), signal))) throw signal.reason;
        }
      }
    },
    close: () => pool.close(),
  };
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

/** The JSON of an answer; null for 404. The service's own texts go no further: they may hold a key. */
function bodyOf({ status, retryAfter, body }: Answer, { name, source }: Upstream): unknown {
  if (status === 404) return null;
  const retryAfterMs = waitOf(retryAfter);
  const detail = { source, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = BY_STATUS[status];
  if (known) throw new GraphError(known[0], `${name} ${known[1]}`, detail);
  if (status >= 400) throw new GraphError('UPSTREAM_UNAVAILABLE', `${name} answered with HTTP status ${status}.`, detail);
  if (status < 300 && body !== undefined) return body;
  throw new GraphError('UPSTREAM_BAD_RESPONSE', `${name} answered with something that is not JSON.`, { source });
}
