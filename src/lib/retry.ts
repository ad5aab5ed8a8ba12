import { abortableSleep, type Cancellation } from './abort.ts';
import type { GraphError } from './errors.ts';

/** Maximum number of attempts of one request, the first included. */
const MAX_ATTEMPTS = 3;

const BASE_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
/** An error with a longer `retryAfterMs` is returned at once, so that the client can wait instead. */
const MAX_RETRY_AFTER_MS = 5_000;

const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'UPSTREAM_RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INTERNAL',
]);

/** Whether a read that failed after this number of attempts may be retried. A malformed response is retried only once. */
export const isRetryable = (error: GraphError, attempts: number): boolean =>
  (TRANSIENT_ERRORS.has(error.code) && retryAfterMsOf(error) <= MAX_RETRY_AFTER_MS) ||
  (error.code === 'UPSTREAM_BAD_RESPONSE' && attempts < 2);

/** Milliseconds that the upstream requested to wait before a retry; 0 when it did not. */
export const retryAfterMsOf = ({ extensions }: GraphError): number => Number(extensions.retryAfterMs ?? 0);

/** Limits retries to a tenth of the requests, plus an initial reserve, so that they do not prolong an outage. */
export class RetryBudget {
  #tokens = 10;

  /** Counts a first attempt. */
  deposit(): void {
    this.#tokens = Math.min(100, this.#tokens + 0.1);
  }

  /** Takes the token of one retry. Returns false when the budget is used up. */
  tryWithdraw(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** One retry of a failed request. */
export interface PlannedRetry<R> {
  /** Minimum backoff in milliseconds; if undefined, the retry is sent to another endpoint without a backoff. */
  readonly minDelayMs: number | undefined;
  /** Whether the retry takes no token of the budget. */
  readonly isFree?: boolean;
  /**
   * Whether the retry does not count towards MAX_ATTEMPTS, because it searches another endpoint for history; the number
   * of endpoints limits these retries.
   */
  readonly isSearch?: boolean;
  send(): Promise<R>;
}

/**
 * Repeats a request whose first attempt has this result, and returns the last result. Stops when `planRetry` returns
 * undefined, after MAX_ATTEMPTS attempts that do not search for history, when the budget is used up, and when the
 * signal aborts.
 */
export async function retryTransient<R>(
  firstResult: R,
  budget: RetryBudget,
  signal: Cancellation,
  planRetry: (result: R, attempts: number) => PlannedRetry<R> | undefined,
): Promise<R> {
  let result = firstResult;
  let attempts = 1;
  while (attempts < MAX_ATTEMPTS && !signal.aborted) {
    const retry = planRetry(result, attempts);
    if (!retry || (!retry.isFree && !budget.tryWithdraw())) break;
    if (retry.minDelayMs !== undefined && !(await backoff(attempts, retry.minDelayMs, signal))) break;
    result = await retry.send();
    if (!retry.isSearch) attempts++;
  }
  return result;
}

/**
 * Waits before the next attempt: a random part of a span that doubles with each attempt ("full jitter"), and at least `minDelayMs`.
 * Resolves with false as soon as the signal aborts.
 */
const backoff = (attempts: number, minDelayMs: number, signal: Cancellation): Promise<boolean> => {
  const span = Math.min(MAX_BACKOFF_MS, BASE_BACKOFF_MS * 2 ** (attempts - 1));
  return abortableSleep(Math.max(minDelayMs, Math.random() * span), signal);
};

/** Returns the milliseconds of a Retry-After header, which contains seconds or a date; undefined for any other content. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
