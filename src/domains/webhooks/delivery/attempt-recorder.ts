import DataLoader from 'dataloader';
import type { Logger } from 'pino';
import { deactivate } from '../registrations/active-registrations.ts';
import type { DeliveryStatus } from '../registrations/model.ts';
import { DELIVERIES_CHANNEL } from '../store/delivery-store.ts';
import type { Query, Statements } from '../store/statements.ts';
import type { AttemptResult } from './attempt.ts';
import { untilStored } from './connections.ts';
import type { ClaimedDelivery } from './jobs.ts';

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
interface AttemptOutcome {
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

/** Attempts that one statement records. */
const MAX_BATCH = 200;

/** Recorded attempts of this server, by what followed from them. */
export type AttemptCounts = Record<AttemptOutcome['status'], number>;

/** An attempt that has ended. */
export interface FinishedAttempt {
  readonly registrationId: string;
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  readonly outcome: AttemptOutcome;
  readonly attemptedAt: Date;
}

export interface AttemptRecorderOptions {
  readonly database: Statements;
  readonly counts: AttemptCounts;
  /** Ends the wait for the database. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Resolves when the attempt and the new state of its delivery are stored. Rejects only when the signal aborts. */
export type RecordAttempt = (attempt: FinishedAttempt) => Promise<void>;

/** Records attempts of all registrations. Those that end while a statement is under way share the next one. */
export function createAttemptRecorder({ database, counts, signal, log }: AttemptRecorderOptions): RecordAttempt {
  let writing: Promise<unknown> = Promise.resolve();
  const write = async (attempts: readonly FinishedAttempt[]): Promise<undefined[]> => {
    await untilStored(() => database.transaction((query) => storeAttempts(query, attempts)), { signal, log });
    for (const { outcome } of attempts) counts[outcome.status] += 1;
    return attempts.map(() => undefined);
  };
  const recorder = new DataLoader<FinishedAttempt, undefined>(
    (attempts) => {
      const written = write(attempts);
      writing = written.catch(() => {});
      return written;
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (start) => void writing.then(start) },
  );
  return (attempt) => recorder.load(attempt);
}

/** Stores attempts. Ignores the result of a delivery that another server has recorded meanwhile. */
async function storeAttempts(query: Query, attempts: readonly FinishedAttempt[]): Promise<void> {
  await query(
    `with result as (
       select * from unnest($1::text[], $2::integer[], $3::text[], $4::integer[], $5::double precision[], $6::timestamptz[], $7::integer[],
         $8::text[]) as result (id, attempts, status, status_code, delay_ms, attempted_at, duration_ms, error)
     ), delivery as (
       update webhook_deliveries as delivery set status = result.status, attempts = delivery.attempts + 1, step = delivery.step + 1,
         last_status_code = result.status_code, next_attempt_at = now() + interval '1 millisecond' * result.delay_ms,
         delivered_at = case when result.status = 'DELIVERED' then now() end, claimed_by = null
       from result
       where delivery.id = result.id and delivery.attempts = result.attempts and delivery.status in ('PENDING', 'RETRYING')
       returning delivery.id, delivery.attempts as number, result.attempted_at, result.duration_ms, result.status_code, result.error
     ), attempt as (
       insert into webhook_attempts (delivery_id, number, attempted_at, duration_ms, status_code, error) select * from delivery
     )
     select pg_notify('${DELIVERIES_CHANNEL}', id) from delivery`,
    [
      attempts.map(({ delivery }) => delivery.id),
      attempts.map(({ delivery }) => delivery.attempts),
      attempts.map(({ outcome }) => outcome.status),
      attempts.map(({ result }) => result.statusCode ?? null),
      attempts.map(({ outcome }) => outcome.delayMs ?? null),
      attempts.map(({ attemptedAt }) => attemptedAt),
      attempts.map(({ result }) => result.durationMs),
      attempts.map(({ result }) => result.error ?? null),
    ],
  );
  const gone = new Set(attempts.filter(({ outcome }) => outcome.deactivates).map(({ registrationId }) => registrationId));
  for (const registrationId of gone) await deactivate(query, registrationId);
}
