import { DELIVERIES_CHANNEL, notifyDelivery } from '../store/delivery-store.ts';
import type { Query } from '../store/query.ts';

/** Name of the task of graphile-worker that makes one attempt. */
export const DELIVERY_TASK = 'deliver_webhook';

/** Starts of one job before it is given up. Each is a crash of a server, since failed attempts make jobs of their own. */
const MAX_JOB_STARTS = 1_000;

/** A delivery before it is stored. */
export interface NewDelivery {
  /** Header `webhook-id` of every attempt. */
  readonly id: string;
  readonly registrationId: string;
  /** The stored event; null for a test. */
  readonly eventId: string | null;
  /** JSON, exactly as it is sent. */
  readonly body: string;
}

/** Payload of a job: one attempt of a delivery. */
export interface DeliveryJob {
  readonly deliveryId: string;
  readonly registrationId: string;
  /** Attempts of the delivery before this one. The job does nothing if the delivery has another number, because another job has made it. */
  readonly attempts: number;
  /** Those of them since the delivery was added or requeued: the position in the schedule. */
  readonly step: number;
}

/** SQL of a job of graphile-worker for the columns of a delivery, with its registration as flag; `step` and `run_at` are SQL too. */
export const addJobSql = (delivery: string, step: string, runAt: string): string =>
  `graphile_worker.add_job('${DELIVERY_TASK}', json_build_object('deliveryId', ${delivery}.id, 'registrationId', ${delivery}.webhook_id,
     'attempts', ${delivery}.attempts, 'step', ${step}), run_at => ${runAt}, max_attempts => ${MAX_JOB_STARTS},
     flags => array[${delivery}.webhook_id])`;

/**
 * Stores deliveries with their jobs in the transaction of `query`. Does nothing for an id that exists, and for a registration that does not.
 */
export async function addDeliveries(query: Query, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  // The lock keeps a registration from being deleted before its deliveries are stored.
  const added = await query<{ id: string }>(
    `with registration as (
       select id from webhooks where id = any($2::text[]) order by id for key share
     ), delivery as (
       insert into webhook_deliveries (id, webhook_id, event_id, body, next_attempt_at)
       select new.id, new.webhook_id, new.event_id, new.body, now()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as new (id, webhook_id, event_id, body, position)
         join registration on registration.id = new.webhook_id
       order by new.position
       on conflict (id) do nothing returning id, webhook_id, attempts
     ), job as (
       select delivery.id, ${addJobSql('delivery', '0', 'now()')} as added from delivery
     )
     select id from job where (added).id is not null`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ registrationId }) => registrationId),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ body }) => body),
    ],
  );
  // One statement, since a block can have thousands of deliveries.
  if (added.length > 0)
    await query('select pg_notify($1, id) from unnest($2::text[]) as id', [DELIVERIES_CHANNEL, added.map(({ id }) => id)]);
}

/** Makes a delivery due again in the transaction of `query`, with a new job and its schedule from the start. */
export async function requeueDelivery(query: Query, id: string): Promise<void> {
  const rows = await query(
    `with delivery as (
       update webhook_deliveries set status = 'PENDING', next_attempt_at = now(), delivered_at = null where id = $1
       returning id, webhook_id, attempts
     )
     select (${addJobSql('delivery', '0', 'now()')}).id from delivery`,
    [id],
  );
  if (rows.length > 0) await notifyDelivery(query, id);
}

/** Replaces a job that cannot start now by one that starts later. */
export async function postponeJob(
  query: Query,
  { deliveryId, registrationId, attempts, step }: DeliveryJob,
  delayMs: number,
): Promise<void> {
  await query(
    `select (${addJobSql('job', '$4::integer', "now() + interval '1 millisecond' * $5")}).id
     from (select $1::text as id, $2::text as webhook_id, $3::integer as attempts) as job`,
    [deliveryId, registrationId, attempts, step, delayMs],
  );
}
