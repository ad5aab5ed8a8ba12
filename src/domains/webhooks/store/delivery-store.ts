import { isoTime, isStorable, type Query } from '../../../database/statements.ts';
import type { DeliveryAttempt } from '../../../generated/webhooks.ts';
import type { DeliveryStatus, WebhookDelivery } from '../registrations/model.ts';
import { deleteUnusedBodies } from './delivery-bodies.ts';

/**
 * Channel on which a server notifies the other servers of a changed delivery. The payload is the id of the delivery.
 */
export const DELIVERIES_CHANNEL = 'grimoire_webhook_deliveries';

/**
 * Maximum number of attempts of one delivery that are read, from the last one: redeliveries add attempts without a
 * limit.
 */
const MAX_READ_ATTEMPTS = 100;

/** Maximum number of rows that one statement of the retention deletes. */
const DELETED_ROWS = 10_000;

/** Notifies all servers, once the transaction of `query` is committed, that a delivery was added or has changed. */
export async function notifyDelivery(query: Query, id: string): Promise<void> {
  await query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, id]);
}

/** A page of the deliveries of one registration. */
export interface DeliveryRange {
  readonly registrationId: string;
  /** Selects deliveries with this status; undefined selects every status. */
  readonly status: DeliveryStatus | undefined;
  /** Selects only deliveries that were added before this position. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** A delivery, the application and the chain of its registration, and whether the registration is active. */
export interface OwnedDelivery {
  readonly app: string;
  readonly chainId: string;
  readonly isActive: boolean;
  readonly delivery: WebhookDelivery;
}

/** Higher than every position. */
const END = 2n ** 63n - 1n;

/** The columns of a `WebhookDelivery`, of the table `delivery`. */
const DELIVERY_COLUMNS = `delivery.id, delivery.webhook_id as "registrationId", delivery.event_id as "eventId", delivery.status, delivery.attempts,
  case when delivery.status in ('PENDING', 'RETRYING') then ${isoTime('delivery.next_attempt_at')} end as "nextAttemptAt",
  delivery.last_status_code as "lastStatusCode", ${isoTime('delivery.delivered_at')} as "deliveredAt"`;

/**
 * The rows of one page with the values of `page` in these columns. The comparison is between rows, not columns, so that
 * PostgreSQL uses the index of these columns for the order. Otherwise PostgreSQL uses the primary key, and reads the
 * deliveries of all webhooks.
 */
const pageSql = (...columns: readonly ('webhook_id' | 'status')[]): string => {
  const key = [...columns, 'sequence'];
  const boundary = (sequence: string): string => `(${[...columns.map((column) => `page.${column}`), sequence].join(', ')})`;
  return `select * from webhook_deliveries
    where (${key.join(', ')}) > ${boundary('0')} and (${key.join(', ')}) < ${boundary(`coalesce(page.before, ${END})`)}
    order by ${key.map((column) => `${column} desc`).join(', ')} limit page.size`;
};

/** Reads the deliveries that exist, in the order of the ids, in the transaction of `query`. With `isLocked`, no other transaction changes them before its end. */
export async function readDeliveries(query: Query, ids: readonly string[], isLocked = false): Promise<readonly OwnedDelivery[]> {
  const statement = `select webhooks.app, webhooks.chain_id as "chainId", webhooks.active as "isActive", ${DELIVERY_COLUMNS}
     from webhook_deliveries as delivery join webhooks on webhooks.id = delivery.webhook_id
     where delivery.id = any($1::text[]) order by array_position($1, delivery.id) ${isLocked ? 'for no key update of delivery' : ''}`;
  const rows = await query<WebhookDelivery & Omit<OwnedDelivery, 'delivery'>>(statement, [ids]);
  return rows.map(({ app, chainId, isActive, ...delivery }) => ({ app, chainId, isActive, delivery }));
}

/** The deliveries of each range, the newest first. Runs one statement. */
export async function newestDeliveries(query: Query, ranges: readonly DeliveryRange[]) {
  const rows = await query<WebhookDelivery & { readonly position: number }>(
    `select page.position::integer as position, ${DELIVERY_COLUMNS}
     from unnest($1::text[], $2::text[], $3::bigint[], $4::integer[]) with ordinality as page (webhook_id, status, before, size, position)
       cross join lateral (
         (select * from (${pageSql('webhook_id')}) as every where page.status is null)
         union all (${pageSql('webhook_id', 'status')})
       ) as delivery
     order by page.position, delivery.sequence desc`,
    [
      ranges.map(({ registrationId }) => registrationId),
      ranges.map(({ status }) => status ?? null),
      ranges.map(({ before }) => before ?? null),
      ranges.map(({ limit }) => limit),
    ],
  );
  const pages = ranges.map((): WebhookDelivery[] => []);
  for (const { position, ...delivery } of rows) pages[position - 1]!.push(delivery);
  return pages;
}

/**
 * Deletes the finished deliveries that were added and attempted before the retention, with their attempts, and the
 * unused quotas.
 */
export async function deleteExpiredDeliveries(query: Query, retentionDays: number): Promise<void> {
  // Deliveries are in the order of their time, so that the first recent one ends the scan and the time needs no index.
  const statement = `delete from webhook_deliveries where sequence in (
      select sequence from webhook_deliveries as old
      where status in ('DELIVERED', 'DEAD') and sequence < coalesce(
          (select sequence from webhook_deliveries where created_at >= now() - interval '1 day' * $1 order by sequence limit 1), ${END})
        and not exists (
          select 1 from webhook_attempts where delivery_id = old.id and attempted_at >= now() - interval '1 day' * $1)
      order by sequence limit ${DELETED_ROWS}) and status in ('DELIVERED', 'DEAD') returning 1`;
  // The outer condition is checked again once the lock of a redelivery is released.
  while ((await query(statement, [retentionDays])).length === DELETED_ROWS);
  await query("delete from webhook_send_quotas where sent_at[1] < now() - interval '1 minute'");
  await deleteUnusedBodies(query);
}

/** The position of a delivery; undefined if the registration does not have it. */
export async function deliverySequenceOf(query: Query, registrationId: string, id: string): Promise<number | undefined> {
  if (!isStorable(id)) return undefined;
  const statement = 'select sequence::double precision from webhook_deliveries where id = $1 and webhook_id = $2';
  const [row] = await query<{ sequence: number }>(statement, [id, registrationId]);
  return row?.sequence;
}

/** The last attempts of each delivery, the oldest first. Runs one statement. */
export async function attemptsOf(query: Query, ids: readonly string[]): Promise<readonly (readonly DeliveryAttempt[])[]> {
  const rows = await query<DeliveryAttempt & { readonly id: string }>(
    `select delivery.id, attempt.number, ${isoTime('attempt.attempted_at')} as "attemptedAt", attempt.duration_ms as "durationMs",
       attempt.status_code as "statusCode", attempt.error
     from unnest($1::text[]) as delivery (id)
       cross join lateral (
         select * from webhook_attempts where delivery_id = delivery.id order by number desc limit ${MAX_READ_ATTEMPTS}
       ) as attempt
     order by delivery.id, attempt.number`,
    // Distinct ids, since the statement returns a row for each position of an id.
    [[...new Set(ids)]],
  );
  const byId = new Map(ids.map((id): [string, DeliveryAttempt[]] => [id, []]));
  for (const { id, ...attempt } of rows) byId.get(id)!.push(attempt);
  return ids.map((id) => byId.get(id)!);
}
