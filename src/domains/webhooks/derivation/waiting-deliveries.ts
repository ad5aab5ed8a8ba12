import type { NewDelivery } from '../delivery/jobs.ts';
import type { Query } from '../store/statements.ts';

/** A delivery, and the height of the block that confirms it. */
export interface WaitingDelivery extends NewDelivery {
  readonly dueHeight: number;
}

/** Deliveries that one transaction takes. */
const MAX_TAKEN = 1_000;

/** Stores deliveries of a block that wait for the confirmations of their registration. */
export async function insertWaiting(query: Query, height: number, waiting: readonly WaitingDelivery[]): Promise<void> {
  if (waiting.length === 0) return;
  await query(
    `insert into waiting_deliveries (id, height, due_height, webhook_id, event_id, body_hash)
     select new.id, $1, new.due_height, webhooks.id, new.event_id, new.body_hash
     from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[]) as new (id, due_height, webhook_id, event_id, body_hash)
       join webhooks on webhooks.id = new.webhook_id
     on conflict (id) do nothing`,
    [
      height,
      waiting.map(({ id }) => id),
      waiting.map(({ dueHeight }) => dueHeight),
      waiting.map(({ registrationId }) => registrationId),
      waiting.map(({ eventId }) => eventId),
      waiting.map(({ bodyHash }) => bodyHash),
    ],
  );
}

/** Whether a block of this height confirms deliveries. */
export const hasDueDeliveries = async (query: Query, height: number): Promise<boolean> =>
  (await query('select 1 from waiting_deliveries where due_height <= $1 limit 1', [height])).length > 0;

/** Takes deliveries that a block of this height confirms, at most 1,000. Returns those whose registration is still active. */
export async function takeDueDeliveries(query: Query, height: number): Promise<readonly NewDelivery[]> {
  const rows = await query<{ id: string; webhook_id: string; event_id: string | null; body_hash: Buffer; active: boolean }>(
    `delete from waiting_deliveries as taken using webhooks
     where webhooks.id = taken.webhook_id
       and taken.id in (select id from waiting_deliveries where due_height <= $1 order by height, id limit ${MAX_TAKEN})
     returning taken.id, webhook_id, event_id, body_hash, webhooks.active`,
    [height],
  );
  return rows
    .filter(({ active }) => active)
    .map((row) => ({ id: row.id, registrationId: row.webhook_id, eventId: row.event_id, bodyHash: row.body_hash }));
}
