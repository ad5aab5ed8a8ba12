import DataLoader from 'dataloader';
import type { Logger } from 'pino';
import { deactivate } from '../registrations/active-registrations.ts';
import type { DeliveryStatus } from '../registrations/model.ts';
import { DELIVERIES_CHANNEL } from '../store/delivery-store.ts';
import type { Query, Statements } from '../store/statements.ts';
import type { AttemptResult } from './attempt.ts';
import { untilStored } from './job-queue.ts';
import type { ClaimedDelivery } from './jobs.ts';

/**
 * Upper limits of the delays between the attempts, in seconds. A delay is a random part of its limit ("full jitter"), half of it on average, so that
 * the deliveries that failed together do not return together. On average the twelve attempts take 72 hours, and never more than 144.
 */
const MAX_DELAYS_SECONDS = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 64_800, 86_400, 129_600, 163_430];
export const MAX_DELAYS_MS: readonly number[] = MAX_DELAYS_SECONDS.map((seconds) => seconds * 1_000);

/** Attempts of a delivery before it is DEAD; a redelivery starts again. */
export const MAX_ATTEMPTS = MAX_DELAYS_MS.length + 1;

/** A receiver cannot defer a delivery further than this. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

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

/** Resolves when the attempt and the new state of its delivery are stored. Rejects only when the signal aborts. */
export type RecordAttempt = (attempt: FinishedAttempt) => Promise<void>;

/** Records attempts of all registrations. Those that end while a statement is under way share the next one. */
export function createAttemptRecorder(
  database: Statements,
  counts: AttemptCounts,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): RecordAttempt {
  let writing: Promise<unknown> = Promise.resolve();
  const write = async (attempts: readonly FinishedAttempt[]): Promise<undefined[]> => {
    await untilStored(() => database.transaction((query) => storeAttempts(query, attempts)), options);
    for (const { outcome } of attempts) counts[outcome.status] += 1;
    return attempts.map(() => undefined);
  };
  const recorder = new DataLoader<FinishedAttempt, undefined>(
    (attempts) => {
      // Two full batches can start together; their transactions could lock the same rows in a different order.
      const written = writing.then(() => write(attempts));
      writing = written.catch(() => {});
      return written;
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (start) => void writing.then(start) },
  );
  return (attempt) => recorder.load(attempt);
}

/** Stores attempts. Ignores the result of a delivery that another server has recorded meanwhile. */
async function storeAttempts(query: Query, attempts: readonly FinishedAttempt[]): Promise<void> {
  const rows = attempts.map(({ delivery: { id, attempts: attempted }, outcome, result, attemptedAt }) => ({
    ...{ id, attempted, attempted_at: attemptedAt, status: outcome.status, delay_ms: outcome.delayMs },
    ...{ status_code: result.statusCode, duration_ms: result.durationMs, error: result.error },
  }));
  await query(
    `with result as (
       select * from jsonb_to_recordset($1) as result (id text, attempted integer, status text, status_code integer, delay_ms double precision,
         attempted_at timestamptz, duration_ms integer, error text)
     ), delivery as (
       update webhook_deliveries as delivery set status = result.status, attempts = delivery.attempts + 1, step = delivery.step + 1,
         last_status_code = result.status_code, next_attempt_at = now() + interval '1 millisecond' * result.delay_ms,
         delivered_at = case when result.status = 'DELIVERED' then now() end, claimed_by = null
       from result
       where delivery.id = result.id and delivery.attempts = result.attempted and delivery.status in ('PENDING', 'RETRYING')
       returning delivery.id, delivery.attempts as number, result.attempted_at, result.duration_ms, result.status_code, result.error
     ), attempt as (
       insert into webhook_attempts (delivery_id, number, attempted_at, duration_ms, status_code, error) select * from delivery
     )
     select pg_notify('${DELIVERIES_CHANNEL}', id) from delivery`,
    [JSON.stringify(rows)],
  );
  const gone = new Set(attempts.filter(({ outcome }) => outcome.deactivates).map(({ registrationId }) => registrationId));
  for (const registrationId of gone) await deactivate(query, registrationId);
}
