import type { NewDelivery } from '../delivery/jobs.ts';
import { eventId } from '../event-id.ts';
import type { Query } from '../store/query.ts';
import { bodyOf, deliveryId } from './bodies.ts';
import type { WaitingDelivery } from './derived-blocks.ts';
import type { DerivedNotification } from './notifications.ts';
import type { AddDeliveries } from './ports.ts';
import { type StoredNotification, storeNotifications } from './stored-notifications.ts';

/** What the notifications of this server are about and where their deliveries go. */
export interface NotifierOptions {
  /** Name of the network in bodies. */
  readonly network: string;
  readonly addDeliveries: AddDeliveries;
}

/** Stores notifications that wait for no block, with their deliveries. Call it under the lock of inserts. */
export async function notifyAtOnce(
  query: Query,
  { network, addDeliveries }: NotifierOptions,
  notifications: readonly DerivedNotification[],
): Promise<void> {
  const stored = await storeNotifications(query, network, notifications);
  await addDeliveries(query, deliveriesOf(network, notifications, stored, 0));
}

/**
 * Stores the notifications of a block with the deliveries that need no further confirmation. Returns what to store with the block. Call it
 * under the lock of inserts.
 */
export async function notifyOfBlock(
  query: Query,
  { network, addDeliveries }: NotifierOptions,
  notifications: readonly DerivedNotification[],
  height: number,
): Promise<{ readonly notifications: readonly StoredNotification[]; readonly waiting: readonly WaitingDelivery[] }> {
  const stored = await storeNotifications(query, network, notifications);
  const deliveries = deliveriesOf(network, notifications, stored, height);
  await addDeliveries(query, deliveries.filter(({ dueHeight }) => dueHeight <= height).map(toNewDelivery));
  return { notifications: stored, waiting: deliveries.filter(({ dueHeight }) => dueHeight > height) };
}

/** Stores the deliveries that have enough confirmations now, where their registration is still active. */
export async function addDueDeliveries(
  query: Query,
  addDeliveries: AddDeliveries,
  due: readonly WaitingDelivery[],
): Promise<void> {
  if (due.length === 0) return;
  const active = await query<{ id: string }>('select id from webhooks where active and id = any($1::text[])', [
    [...new Set(due.map(({ registrationId }) => registrationId))],
  ]);
  const ids = new Set(active.map(({ id }) => id));
  await addDeliveries(query, due.filter(({ registrationId }) => ids.has(registrationId)).map(toNewDelivery));
}

const toNewDelivery = ({ id, registrationId, eventId: event, body }: WaitingDelivery): NewDelivery => ({
  id,
  registrationId,
  eventId: event,
  body,
});

/** The deliveries of notifications: one for each target, with the part of the event that is about its addresses. */
const deliveriesOf = (
  network: string,
  notifications: readonly DerivedNotification[],
  stored: readonly StoredNotification[],
  height: number,
): readonly WaitingDelivery[] =>
  notifications.flatMap(({ app, timestamp, targets }, index) =>
    targets.map(({ registrationId, confirmations, content }) => ({
      // Of what the registration is notified of: a fact that a reorg removes and brings back is delivered once.
      id: deliveryId(registrationId, eventId({ app, network, timestamp, content })),
      registrationId,
      eventId: stored[index]!.eventId,
      body: bodyOf(content, app, network, timestamp),
      dueHeight: height + confirmations - 1,
    })),
  );
