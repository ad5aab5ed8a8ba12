import type { DeliveryStatus } from '../registrations/model.ts';
import type { AttemptResult } from './attempt.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/**
 * Upper limits of the delays between the attempts. A delay is a random part of its limit ("full jitter"), half of it on average, so that the
 * deliveries that failed together do not return together. On average the twelve attempts take 72 hours, and never more than 144.
 */
export const MAX_DELAYS_MS: readonly number[] = [
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  18 * HOUR,
  24 * HOUR,
  36 * HOUR,
  // The rest of the 144 hours.
  163_430 * SECOND,
];

/** Attempts of a delivery before it is DEAD; a redelivery starts again. */
export const MAX_ATTEMPTS = MAX_DELAYS_MS.length + 1;

/** A receiver cannot defer a delivery further than this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** What follows from an attempt. */
export interface AttemptOutcome {
  readonly status: Exclude<DeliveryStatus, 'PENDING'>;
  /** Until the next attempt; undefined unless RETRYING. */
  readonly delayMs?: number;
  /** Whether the receiver is gone, so that its registration receives no more deliveries. */
  readonly deactivates: boolean;
}

/**
 * Decides what follows from an attempt. 2xx delivers. 410 deactivates the registration. Everything else, redirects included, is tried again until
 * the attempts are used up; `step` counts those before this one, from 0. 429 and 503 can name a minimum delay.
 */
export function outcomeOf({ statusCode, retryAfterMs = 0 }: AttemptResult, step: number, random: () => number): AttemptOutcome {
  if (statusCode !== undefined && statusCode >= 200 && statusCode < 300) return { status: 'DELIVERED', deactivates: false };
  if (statusCode === 410) return { status: 'DEAD', deactivates: true };
  const maxDelayMs = MAX_DELAYS_MS[step];
  if (maxDelayMs === undefined) return { status: 'DEAD', deactivates: false };
  const minDelayMs = statusCode === 429 || statusCode === 503 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0;
  return { status: 'RETRYING', delayMs: Math.max(minDelayMs, Math.round(random() * maxDelayMs)), deactivates: false };
}
