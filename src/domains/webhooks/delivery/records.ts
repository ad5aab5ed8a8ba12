import { notifyDelivery } from '../store/delivery-store.ts';
import type { Query } from '../store/query.ts';
import type { AttemptResult } from './attempt.ts';
import type { DeliveryDatabase } from './connections.ts';
import { addJobSql, type DeliveryJob } from './jobs.ts';
import type { AttemptOutcome } from './schedule.ts';

/** A delivery that waits for an attempt, and for that of this job. */
const IS_DUE = "id = $1 and attempts = $2 and status in ('PENDING', 'RETRYING')";

/** Reads the delivery of a job; undefined if the attempt has been made, or the delivery is deleted. */
export async function readDueDelivery(
  query: Query,
  { deliveryId, attempts }: DeliveryJob,
): Promise<{ readonly body: string } | undefined> {
  const [row] = await query<{ body: string }>(`select body from webhook_deliveries where ${IS_DUE}`, [deliveryId, attempts]);
  return row;
}

export interface AttemptRecord {
  readonly job: DeliveryJob;
  readonly result: AttemptResult;
  readonly outcome: AttemptOutcome;
  readonly attemptedAt: Date;
  readonly deactivate: (query: Query, registrationId: string) => Promise<void>;
}

/** Records an attempt, the new state of its delivery and the next job in one transaction. Does nothing if another job has made the attempt. */
export async function recordAttempt(
  database: DeliveryDatabase,
  { job, result, outcome, attemptedAt, deactivate }: AttemptRecord,
): Promise<void> {
  await database.transaction(async (query) => {
    const changed = await query(
      `with delivery as (
         update webhook_deliveries set status = $3, attempts = attempts + 1, last_status_code = $4,
           next_attempt_at = now() + interval '1 millisecond' * $5::double precision,
           delivered_at = case when $3 = 'DELIVERED' then now() end
         where ${IS_DUE} returning id, webhook_id, attempts, next_attempt_at
       ), attempt as (
         insert into webhook_attempts (delivery_id, number, attempted_at, duration_ms, status_code, error)
         select id, attempts, $6::timestamptz, $7, $4, $8 from delivery
       ), job as (
         select ${addJobSql('delivery', '$9::integer', 'delivery.next_attempt_at')} as added from delivery
         where next_attempt_at is not null
       )
       select id, (select count((added).id) from job) from delivery`,
      [
        job.deliveryId,
        job.attempts,
        outcome.status,
        result.statusCode ?? null,
        outcome.delayMs ?? null,
        attemptedAt,
        result.durationMs,
        result.error ?? null,
        job.step + 1,
      ],
    );
    if (changed.length === 0) return;
    if (outcome.deactivates) await deactivate(query, job.registrationId);
    await notifyDelivery(query, job.deliveryId);
  });
}

/** Ends a delivery to a registration that was deactivated meanwhile. It can be redelivered. */
export async function recordInactive(database: DeliveryDatabase, { deliveryId, attempts }: DeliveryJob): Promise<void> {
  await database.transaction(async (query) => {
    const changed = await query(
      `update webhook_deliveries set status = 'DEAD', next_attempt_at = null where ${IS_DUE} returning id`,
      [deliveryId, attempts],
    );
    if (changed.length > 0) await notifyDelivery(query, deliveryId);
  });
}
