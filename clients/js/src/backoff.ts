/** Delays between attempts to resume a subscription. */
export interface Backoff {
  /** Upper limit of the first delay in milliseconds; doubles with each failed attempt. 250 by default. */
  readonly firstMs?: number;
  /** Upper limit of all delays in milliseconds. 10,000 by default. */
  readonly maxMs?: number;
}

/**
 * Returns the delay before an attempt, counted from 0: uniformly distributed between 0 and the limit ("full jitter"), so that the clients of a
 * restarted server do not reconnect at the same time.
 */
export const delayBefore = (attempt: number, { firstMs = 250, maxMs = 10_000 }: Backoff = {}, random = Math.random): number =>
  random() * Math.min(maxMs, firstMs * 2 ** attempt);

/** Resolves after a time, or as soon as the signal is aborted. */
export const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    // A timer of more milliseconds would end at once.
    const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
    signal.addEventListener('abort', done);
  });
