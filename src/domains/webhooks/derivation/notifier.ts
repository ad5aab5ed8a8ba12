import { addDeliveries, type NewDelivery } from '../delivery/jobs.ts';
import { eventId } from '../event-id.ts';
import type { ChainQuery, ChainStatements } from '../store/chain-statements.ts';
import { insertBodies } from '../store/delivery-bodies.ts';
import { lockInserts } from '../store/event-writes.ts';
import { batchesOf } from './batches.ts';
import { bodyOf, deliveryId } from './bodies.ts';
import { readTip } from './derived-blocks.ts';
import { bodyContents, contentBytes, type DerivedNotification } from './derived-notification.ts';
import { storeNotifications } from './stored-notifications.ts';

/** A delivery, and the height of the block that confirms it. */
interface WaitingDelivery extends NewDelivery {
  readonly dueHeight: number;
}

/** Maximum number of deliveries that one transaction takes, or one statement inserts. */
export const MAX_DELIVERIES = 1_000;

/** Stores deliveries of a block that wait for the confirmations of their registration. */
async function insertWaiting(query: ChainQuery, height: number, waiting: readonly WaitingDelivery[]): Promise<void> {
  if (waiting.length === 0) return;
  const rows = waiting.map((delivery) => ({ ...delivery, bodyHash: `\\x${delivery.bodyHash.toString('hex')}` }));
  const statement = `with registration as (
       select id from webhooks where id in (select "registrationId" from jsonb_to_recordset($3) as new ("registrationId" text)) order by id for key share
     )
     insert into waiting_deliveries (chain_id, id, height, due_height, webhook_id, event_id, body_hash)
     select $1, new.id, $2, new."dueHeight", registration.id, new."eventId", new."bodyHash"
     from jsonb_to_recordset($3) as new (id text, "dueHeight" bigint, "registrationId" text, "eventId" text, "bodyHash" bytea)
       join registration on registration.id = new."registrationId"
     on conflict (id) do nothing`;
  await query(statement, [query.chainId, height, JSON.stringify(rows)]);
}

/**
 * Takes deliveries that a block of this height confirms, at most MAX_DELIVERIES. Deliveries of an inactive registration
 * are not sent.
 */
export const takeDueDeliveries = (query: ChainQuery, height: number) =>
  query<NewDelivery & { readonly active: boolean }>(
    `with taken as (
       delete from waiting_deliveries where id in
         (select id from waiting_deliveries where chain_id = $1 and due_height <= $2 order by height, id limit ${MAX_DELIVERIES}) returning *
     )
     select taken.id, webhook_id as "registrationId", event_id as "eventId", body_hash as "bodyHash", active
     from taken join webhooks on webhooks.id = webhook_id order by height, taken.id`,
    [query.chainId, height],
  );

/** Maximum total size of the bodies that one statement inserts. */
const MAX_STATEMENT_BYTES = 1024 * 1024;

/**
 * Stores notifications with their deliveries. Deliveries that need further confirmations of the block at `height` wait;
 * without a height, no delivery waits. The caller must hold the lock of inserts.
 */
export async function notify(query: ChainQuery, network: string, notifications: readonly DerivedNotification[], height?: number) {
  const stored = await storeNotifications(query, network, notifications);
  const messages = notifications.flatMap((notification, i) =>
    bodyContents(notification).map((content) => ({ ...notification, content, storedEvent: stored[i]!.eventId })),
  );
  const deliveries: WaitingDelivery[] = [];
  for await (const batch of batchesOf(messages, ({ content }) => contentBytes(content), MAX_STATEMENT_BYTES)) {
    const bodies = batch.map(({ app, timestamp, content }) => ({ app, body: bodyOf(content, app, network, timestamp) }));
    const hashes = await insertBodies(query, bodies);
    for (const [i, { app, timestamp, part, targets, content, storedEvent }] of batch.entries()) {
      // The id follows from the reported fact: a fact that a reorg removes and restores is delivered once.
      const fact = eventId({ app, network, chainId: query.chainId, timestamp, content });
      const notified = targets.filter((target) => target.content === content).flatMap(({ registrations }) => registrations);
      for (const { id: registrationId, confirmations } of notified)
        deliveries.push({
          ...{ id: deliveryId(registrationId, fact, part), registrationId, eventId: storedEvent, bodyHash: hashes[i]! },
          dueHeight: (height ?? 0) + (content.type === 'DROPPED_TRANSACTION' ? 0 : confirmations - 1),
        });
    }
  }
  // Later blocks may be processed before the notifications of this one are stored.
  const tip = height === undefined ? undefined : await readTip(query);
  const isDue = ({ dueHeight }: WaitingDelivery): boolean => !tip || dueHeight <= tip.height;
  for await (const part of batchesOf(deliveries, () => 1, MAX_DELIVERIES)) {
    await addDeliveries(query, part.filter(isDue));
    const waiting = part.filter((delivery) => !isDue(delivery));
    await insertWaiting(query, height ?? 0, waiting);
  }
  return stored;
}

/** The database and the network for notifications of this server. */
export interface Notifier {
  readonly database: ChainStatements;
  /** Name of the network in bodies. */
  readonly network: string;
}

/** Stores notifications that no block confirms, in a separate transaction. `create` runs under the lock of inserts. */
export const notifyAtOnce = (
  { database, network }: Notifier,
  create: (query: ChainQuery) => Promise<readonly DerivedNotification[]>,
): Promise<void> =>
  database.transaction(async (query) => {
    await lockInserts(query);
    await notify(query, network, await create(query));
  });
