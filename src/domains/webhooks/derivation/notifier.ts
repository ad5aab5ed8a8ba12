import type { NewDelivery } from '../delivery/jobs.ts';
import { eventId } from '../event-id.ts';
import type { EventContent } from '../model.ts';
import { insertBodies } from '../store/delivery-bodies.ts';
import type { Query } from '../store/statements.ts';
import { bodyOf, deliveryId } from './bodies.ts';
import type { DerivedNotification, NotificationTarget } from './derived-notification.ts';
import { contentBytes } from './notification-limits.ts';
import type { AddDeliveries } from './options.ts';
import { type StoredNotification, storeNotifications } from './stored-notifications.ts';

/** A delivery, and the height of the block that confirms it. */
interface WaitingDelivery extends NewDelivery {
  readonly dueHeight: number;
}

/** Deliveries that one transaction takes. */
const MAX_TAKEN = 1_000;

/** Stores deliveries of a block that wait for the confirmations of their registration. */
async function insertWaiting(query: Query, height: number, waiting: readonly WaitingDelivery[]): Promise<void> {
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

/** Bytes of the bodies, and number of the deliveries, that one statement inserts. */
const MAX_STATEMENT = { bytes: 1024 * 1024, rows: 1_000 };
/** What one transaction stores, unless one notification is more. */
const MAX_SLICE = { bytes: 256 * 1024, rows: 250 };

/** What it takes to store notifications: the bytes of contents and bodies, and the rows of events and deliveries. */
interface Work {
  readonly bytes: number;
  readonly rows: number;
}

export const NO_WORK: Work = { bytes: 0, rows: 0 };

export const workOf = ({ content, targets }: DerivedNotification): Work => ({
  bytes: [content, ...distinctContents(targets)].reduce((sum, one) => sum + contentBytes(one), 0),
  rows: targets.reduce((sum, { registrations }) => sum + registrations.length, 1),
});

export const sumOf = (a: Work, b: Work): Work => ({ bytes: a.bytes + b.bytes, rows: a.rows + b.rows });

export const exceeds = (work: Work, limit: Work): boolean => work.bytes > limit.bytes || work.rows > limit.rows;

/** What the notifications of this server are about and where their deliveries go. */
export interface NotifierOptions {
  /** Name of the network in bodies. */
  readonly network: string;
  readonly addDeliveries: AddDeliveries;
}

/** Cuts notifications into lists that one transaction stores, so that none holds the lock of inserts for long. */
export async function* slicesOf(
  notifications: AsyncIterable<DerivedNotification> | Iterable<DerivedNotification>,
): AsyncGenerator<readonly DerivedNotification[]> {
  let slice: DerivedNotification[] = [];
  let work = NO_WORK;
  for await (const notification of notifications) {
    const added = workOf(notification);
    if (slice.length > 0 && exceeds(sumOf(work, added), MAX_SLICE)) {
      yield slice;
      slice = [];
      work = NO_WORK;
    }
    slice.push(notification);
    work = sumOf(work, added);
  }
  if (slice.length > 0) yield slice;
}

const distinctContents = (targets: readonly NotificationTarget[]): readonly EventContent[] => [
  ...new Set(targets.map(({ content }) => content)),
];

/**
 * Stores notifications with their deliveries. Those that need further confirmations of the block at `height` wait; without a height, none does.
 * Call it under the lock of inserts.
 */
export async function notify(
  query: Query,
  { network, addDeliveries }: NotifierOptions,
  notifications: readonly DerivedNotification[],
  height?: number,
): Promise<readonly StoredNotification[]> {
  const stored = await storeNotifications(query, network, notifications);
  const deliveries = await deliveriesOf(query, network, notifications, stored, height ?? 0);
  const isDue = ({ dueHeight }: WaitingDelivery): boolean => height === undefined || dueHeight <= height;
  for (let from = 0; from < deliveries.length; from += MAX_STATEMENT.rows) {
    const rows = deliveries.slice(from, from + MAX_STATEMENT.rows);
    await addDeliveries(query, rows.filter(isDue));
    await insertWaiting(
      query,
      height ?? 0,
      rows.filter((delivery) => !isDue(delivery)),
    );
  }
  return stored;
}

/** Stores the bodies of notifications, some of them at a time, and returns the deliveries of all. */
async function deliveriesOf(
  query: Query,
  network: string,
  notifications: readonly DerivedNotification[],
  stored: readonly StoredNotification[],
  height: number,
): Promise<readonly WaitingDelivery[]> {
  const messages = notifications.flatMap((notification, index) =>
    distinctContents(notification.targets).map((content) => ({ notification, storedEvent: stored[index]!.eventId, content })),
  );
  const deliveries: WaitingDelivery[] = [];
  for (let from = 0; from < messages.length; ) {
    let to = from;
    for (let bytes = 0; to < messages.length && (to === from || bytes < MAX_STATEMENT.bytes); to++)
      bytes += contentBytes(messages[to]!.content);
    const batch = messages.slice(from, to);
    const hashes = await insertBodies(
      query,
      batch.map(({ notification: { app, timestamp }, content }) => ({ app, body: bodyOf(content, app, network, timestamp) })),
    );
    for (const [i, { notification, storedEvent, content }] of batch.entries()) {
      const { app, timestamp, part, targets } = notification;
      // Of what the registration is notified of: a fact that a reorg removes and brings back is delivered once.
      const fact = eventId({ app, network, timestamp, content });
      for (const target of targets)
        if (target.content === content)
          for (const { id, confirmations } of target.registrations)
            deliveries.push({
              id: deliveryId(id, fact, part),
              registrationId: id,
              eventId: storedEvent,
              bodyHash: hashes[i]!,
              dueHeight: height + confirmations - 1,
            });
    }
    from = to;
  }
  return deliveries;
}
