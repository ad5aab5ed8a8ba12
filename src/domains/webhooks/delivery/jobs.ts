import type { Query } from '../../../database/statements.ts';
import { DELIVERIES_CHANNEL, notifyDelivery } from '../store/delivery-store.ts';

/** Name of the task of graphile-worker that sends the due deliveries of one registration. */
export const DELIVERY_TASK = 'deliver_webhooks';

/** Maximum number of starts of one job. Each restart follows a crash of a server or a failure of the database. */
const MAX_JOB_STARTS = 1_000;

/** A delivery before it is stored. */
export interface NewDelivery {
  /** Header `webhook-id` of every attempt. */
  readonly id: string;
  readonly registrationId: string;
  /** The stored event; null for a test. */
  readonly eventId: string | null;
  readonly bodyHash: Buffer;
}

/**
 * Payload of a job that sends the due deliveries of a registration. A registration has one waiting job, and one running
 * job for each server that sends.
 */
export interface DeliveryJob {
  readonly registrationId: string;
}

/**
 * SQL that adds the job of a registration, or replaces the time of the job. The transaction must hold a lock of the
 * registration's row, so that `scheduleNextAttempt` does not replace the time by a later time.
 */
const addJobSql = (registrationId: string, runAt: string): string =>
  `graphile_worker.add_job('${DELIVERY_TASK}', json_build_object('registrationId', ${registrationId}), run_at => ${runAt},
     max_attempts => ${MAX_JOB_STARTS}, job_key => 'webhook:' || ${registrationId}, job_key_mode => 'replace',
     flags => array[${registrationId}])`;

/**
 * Stores deliveries of stored bodies, with the jobs of their registrations, in the transaction of `query`. Does nothing
 * for an id that is stored, and for a registration that does not exist.
 */
export async function addDeliveries(query: Query, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  // Every transaction locks rows in the order of the ids, so that transactions cannot deadlock.
  const added = await query<DeliveryJob & { id: string }>(
    `with registration as (
       select id from webhooks where id = any($2::text[]) order by id for key share
     )
     insert into webhook_deliveries (id, webhook_id, event_id, body_hash, next_attempt_at)
     select new.id, new.webhook_id, new.event_id, new.body_hash, now()
     from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) with ordinality as new (id, webhook_id, event_id, body_hash, position)
       join registration on registration.id = new.webhook_id
     order by new.position
     on conflict (id) do nothing returning id, webhook_id as "registrationId"`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ registrationId }) => registrationId),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ bodyHash }) => bodyHash),
    ],
  );
  if (added.length === 0) return;
  // One statement for all jobs and one for all notifications, since a block can have thousands of deliveries.
  await addJobs(query, added);
  await query('select pg_notify($1, id) from unnest($2::text[]) as id', [DELIVERIES_CHANNEL, added.map(({ id }) => id)]);
}

/** Makes a delivery due again in the transaction of `query`, and restarts its schedule. */
export async function requeueDelivery(query: Query, id: string): Promise<void> {
  const statement = `select id as "registrationId" from webhooks
     where id = (select webhook_id from webhook_deliveries where id = $1) for key share`;
  const [registration] = await query<DeliveryJob>(statement, [id]);
  if (!registration) return;
  const update = `update webhook_deliveries set status = 'PENDING', step = 0, next_attempt_at = now(), delivered_at = null,
     claimed_by = null where id = $1`;
  await query(update, [id]);
  await addJobs(query, [registration]);
  await notifyDelivery(query, id);
}

/** Adds the job of a registration for later. */
export async function postponeJob(query: Query, registrationId: string, delayMs: number): Promise<void> {
  const statement = `with registration as (select id from webhooks where id = $1 for key share)
     select (${addJobSql('id', "now() + interval '1 millisecond' * $2::double precision")}).id from registration`;
  await query(statement, [registrationId, delayMs]);
}

/** Deliveries that wait for an attempt and that no server is sending. */
const IS_WAITING = "status in ('PENDING', 'RETRYING') and claimed_by is null";

/** Whether deliveries of a registration wait, due or not. */
export async function hasWaitingDelivery(query: Query, registrationId: string): Promise<boolean> {
  const statement = `select exists (select from webhook_deliveries where webhook_id = $1 and ${IS_WAITING})`;
  const [row] = await query<{ exists: boolean }>(statement, [registrationId]);
  return row!.exists;
}

/**
 * Adds the job of a registration for the time of its next attempt, in the transaction of `query`. Does nothing if no
 * delivery is waiting.
 */
export async function scheduleNextAttempt(query: Query, registrationId: string): Promise<void> {
  // While this transaction holds the lock, no other transaction adds deliveries, and the next statement reads all added
  // deliveries.
  await query('select from webhooks where id = $1 for update', [registrationId]);
  // Not before now: a registration with many due deliveries would stay ahead of those whose jobs were added later.
  const statement = `select (${addJobSql('$1::text', 'greatest(next.at, now())')}).id
     from (select min(next_attempt_at) as at from webhook_deliveries where webhook_id = $1 and ${IS_WAITING}) as next
     where next.at is not null`;
  await query(statement, [registrationId]);
}

/** A delivery whose next attempt belongs to this server. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly body: string;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** Number of earlier attempts since the delivery was added or requeued: the position in the schedule. */
  readonly step: number;
}

/**
 * Claims at most `limit` due deliveries of a registration for a worker pool, the longest due first. Includes deliveries
 * that the pool has claimed in a statement whose response was lost, so the pool must not be sending other deliveries of
 * the registration.
 */
export async function claimDueDeliveries(query: Query, registrationId: string, poolId: string, limit: number) {
  const statement = `update webhook_deliveries set claimed_by = $2
     where sequence = any (array(
       select sequence from webhook_deliveries
       where webhook_id = $1 and status in ('PENDING', 'RETRYING') and (claimed_by is null or claimed_by = $2) and next_attempt_at <= now()
       order by next_attempt_at, sequence limit $3 for no key update skip locked
     ))
     returning id, (select body from webhook_delivery_bodies where hash = body_hash) as body, attempts, step`;
  return query<ClaimedDelivery>(statement, [registrationId, poolId, limit]);
}

/**
 * Ends the deliveries of a registration that is still inactive, including deliveries that the pool has claimed. The owner can
 * redeliver them. Releases the claimed ones of a registration that is active again, for a later job.
 */
export async function endDeliveries(query: Query, registrationId: string, poolId: string): Promise<void> {
  const statement = `with ended as (
       update webhook_deliveries set status = 'DEAD', next_attempt_at = null, claimed_by = null
       where webhook_id = $1 and status in ('PENDING', 'RETRYING') and (claimed_by is null or claimed_by = $2)
         and not exists (select from webhooks where id = $1 and active) returning id
     )
     select pg_notify('${DELIVERIES_CHANNEL}', id) from ended`;
  await query(statement, [registrationId, poolId]);
  await query('update webhook_deliveries set claimed_by = null where webhook_id = $1 and claimed_by = $2', [
    registrationId,
    poolId,
  ]);
}

/**
 * Releases the deliveries and the jobs of worker pools, in the transaction of `query`: other pools make the attempts.
 * Replaces the jobs, because the queue does not restart a locked job whose key belongs to a later job, and the later
 * job may have left the deliveries to the locked job.
 */
export async function releasePools(query: Query, poolIds: readonly string[]): Promise<void> {
  const jobs = await query<{ id: string; registration_id: string }>(
    `select id, jsonb_object_keys(flags) as registration_id from graphile_worker.jobs where locked_by = any($1::text[])`,
    [poolIds],
  );
  const registrations = await query<DeliveryJob>(
    `select id as "registrationId" from webhooks
     where id = any($2::text[]) or id in (select webhook_id from webhook_deliveries where claimed_by = any($1::text[]))
     order by id for key share`,
    [poolIds, jobs.map(({ registration_id }) => registration_id)],
  );
  await query('update webhook_deliveries set claimed_by = null where claimed_by = any($1::text[])', [poolIds]);
  await query('select graphile_worker.force_unlock_workers($1::text[])', [poolIds]);
  await query('select graphile_worker.complete_jobs($1::bigint[])', [jobs.map(({ id }) => id)]);
  await addJobs(query, registrations);
}

/** Time for which a delivery is due before its job counts as lost. */
const MAX_OVERDUE_SECONDS = 60;

/** Adds the jobs of registrations whose deliveries have been due for this time, in the transaction of `query`. */
export async function addLostJobs(query: Query, overdueSeconds = MAX_OVERDUE_SECONDS): Promise<void> {
  const statement = `select id as "registrationId" from webhooks where id in (
       select webhook_id from webhook_deliveries where ${IS_WAITING} and next_attempt_at < now() - interval '1 second' * $1
     ) order by id for key share`;
  await addJobs(query, await query<DeliveryJob>(statement, [overdueSeconds]));
}

/** Adds jobs that are due now. The ids are sorted, so that transactions cannot deadlock. */
async function addJobs(query: Query, jobs: readonly DeliveryJob[]): Promise<void> {
  const ids = [...new Set(jobs.map(({ registrationId }) => registrationId))].sort();
  if (ids.length === 0) return;
  await query(`select (${addJobSql('registration.id', 'now()')}).id from unnest($1::text[]) as registration (id)`, [ids]);
}
