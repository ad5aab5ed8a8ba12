import DataLoader from 'dataloader';
import type { Logger } from 'pino';
import type { Query, Statements } from '../../../database/statements.ts';
import { deactivate } from '../registrations/active-registrations.ts';
import type { DeliveryStatus } from '../registrations/model.ts';
import { DELIVERIES_CHANNEL } from '../store/delivery-store.ts';
import type { AttemptResult } from './attempt.ts';
import { untilStored } from './job-queue.ts';
import type { ClaimedDelivery } from './jobs.ts';

/**
 * Upper limits of the delays between the attempts, in seconds. A delay is a random part of its limit ("full jitter"),
 * half of it on average, so that deliveries that failed at the same time are not retried at the same time. The twelve
 * attempts take 72 hours on average, and at most 144 hours; then the delivery is DEAD. A redelivery starts at the first attempt.
 */
const MAX_DELAYS_SECONDS = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 64_800, 86_400, 129_600, 163_430];
export const MAX_DELAYS_MS: readonly number[] = MAX_DELAYS_SECONDS.map((seconds) => seconds * 1_000);

/** Maximum delay that a receiver can request. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** The consequences of an attempt. */
interface AttemptOutcome {
  readonly status: Exclude<DeliveryStatus, 'PENDING'>;
  /** Milliseconds until the next attempt; undefined unless the status is RETRYING. */
  readonly delayMs?: number;
  /** Whether the receiver returned 410, so that its registration receives no more deliveries. */
  readonly deactivates: boolean;
}

/**
 * Decides the status of a delivery after an attempt. A 2xx response makes the delivery DELIVERED; 410 deactivates the
 * registration. Any other result, redirects included, causes a retry until the attempts are used up. `step`: number of
 * earlier attempts. 429 and 503 can name a minimum delay.
 */
export function outcomeOf({ statusCode, retryAfterMs = 0 }: AttemptResult, step: number, random: () => number): AttemptOutcome {
  if (statusCode !== undefined && statusCode >= 200 && statusCode < 300) return { status: 'DELIVERED', deactivates: false };
  if (statusCode === 410) return { status: 'DEAD', deactivates: true };
  const maxDelayMs = MAX_DELAYS_MS[step];
  if (maxDelayMs === undefined) return { status: 'DEAD', deactivates: false };
  const minDelayMs = statusCode === 429 || statusCode === 503 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0;
  return { status: 'RETRYING', delayMs: Math.max(minDelayMs, Math.round(random() * maxDelayMs)), deactivates: false };
}

/** Maximum number of attempts that one statement records. */
const MAX_BATCH = 200;

/** Numbers of attempts that this server has recorded, by the status of the delivery after the attempt. */
export type AttemptCounts = Record<AttemptOutcome['status'], number>;

/** An attempt that has ended. */
export interface FinishedAttempt {
  readonly registrationId: string;
  /** The URL of the registration when the attempt started. */
  readonly url: string;
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  readonly outcome: AttemptOutcome;
  readonly attemptedAt: Date;
}

/** Resolves when the attempt and the new state of its delivery are stored. Rejects only when the signal aborts. */
export type RecordAttempt = (attempt: FinishedAttempt) => Promise<void>;

/** Records attempts of all registrations. Attempts that end while a statement runs share the next statement. */
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
      // Two full batches can start at the same time, and their transactions could lock common rows in a different
      // order.
      const written = writing.then(() => write(attempts));
      writing = written.catch(() => {});
      return written;
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (start) => void writing.then(start) },
  );
  return (attempt) => recorder.load(attempt);
}

/** Stores attempts. Ignores an attempt whose delivery has a result that another server has recorded meanwhile. */
async function storeAttempts(query: Query, attempts: readonly FinishedAttempt[]): Promise<void> {
  const rows = attempts.map(({ delivery: { id, attempts: attempted }, outcome, result, attemptedAt }) => ({
    ...{ id, attempted, attempted_at: attemptedAt, status: outcome.status, delay_ms: outcome.delayMs },
    ...{ status_code: result.statusCode, duration_ms: result.durationMs, error: result.error },
  }));
  const statement = `with result as (
       select * from jsonb_to_recordset($1) as result (id text, attempted integer, status text, status_code integer, delay_ms double precision,
         attempted_at timestamptz, duration_ms integer, error text)
     ), delivery as (
       update webhook_deliveries as delivery set status = result.status, attempts = delivery.attempts + 1, step = delivery.step + 1,
         last_status_code = coalesce(result.status_code, delivery.last_status_code), next_attempt_at = now() + interval '1 millisecond' * result.delay_ms,
         delivered_at = case when result.status = 'DELIVERED' then now() end, claimed_by = null
       from result
       where delivery.id = result.id and delivery.attempts = result.attempted and delivery.status in ('PENDING', 'RETRYING')
       returning delivery.id, delivery.attempts as number, result.attempted_at, result.duration_ms, result.status_code, result.error
     ), attempt as (
       insert into webhook_attempts (delivery_id, number, attempted_at, duration_ms, status_code, error) select * from delivery
     )
     select pg_notify('${DELIVERIES_CHANNEL}', id) from delivery`;
  await query(statement, [JSON.stringify(rows)]);
  for (const { registrationId, url, outcome } of attempts) if (outcome.deactivates) await deactivate(query, registrationId, url);
}
