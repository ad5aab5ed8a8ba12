import type { GraphError } from '../errors.ts';
import { abortableSleep } from './abort.ts';

/** Most tries of one call, the first included. */
export const MAX_ATTEMPTS = 3;

const BASE_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
/** A node that asks for more patience than this is taken at its word by the client, not waited for. */
const MAX_RETRY_AFTER_MS = 5_000;

const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'UPSTREAM_RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INTERNAL',
]);

/** Whether a failed read may succeed when it is asked again now. Nonsense is worth one more try, not two. */
export const isRetryable = ({ code, extensions }: GraphError, tries: number): boolean =>
  (TRANSIENT_ERRORS.has(code) && Number(extensions.retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS) ||
  (code === 'UPSTREAM_BAD_RESPONSE' && tries < 2);

/** Keeps retries from adding to an outage: at most a tenth of the traffic, with some in hand to begin with. */
export class RetryBudget {
  #tokens = 10;

  /** Counts an ordinary request. */
  deposit(): void {
    this.#tokens = Math.min(100, this.#tokens + 0.1);
  }

  /** Whether another retry is within the budget; if so, it is taken. */
  tryWithdraw(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/**
 * Waits before the next try: a random part of a span that doubles ("full jitter"), or as long as the node asked for.
 * Resolves early, with false, when the operation is over.
 */
export const backoff = (tries: number, retryAfterMs: number, signal: AbortSignal): Promise<boolean> => {
  const span = Math.min(MAX_BACKOFF_MS, BASE_BACKOFF_MS * 2 ** (tries - 1));
  return abortableSleep(Math.max(retryAfterMs, Math.random() * span), signal);
};
