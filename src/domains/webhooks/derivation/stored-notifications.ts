import { eventId, idFrom, recurringEventId } from '../event-id.ts';
import type { EventContent, StoredWebhookEvent } from '../model.ts';
import { countActivities, uncountDerived } from '../store/activity-counts.ts';
import type { ChainQuery } from '../store/chain-statements.ts';
import { EVENT_COLUMNS, insertRows, readRemovals, restrictTo } from '../store/event-writes.ts';
import type { DerivedNotification } from './derived-notification.ts';

/** The stored fields of a notification, which a reorg needs to remove it. */
export interface StoredNotification {
  readonly app: string;
  readonly content: EventContent;
  /** Distinguishes the notification from the others of its application and block. */
  readonly key: string;
  /** The stored event; null if the events of a notification service have all of its transfers. */
  readonly eventId: string | null;
  /** Positions of the transfers that the event has. */
  readonly shown: readonly number[];
}

/**
 * Returns the key that distinguishes a notification from the others of its application and block. The key is the id of
 * the first event of the notification.
 */
export function notificationKey(
  network: string,
  chainId: string,
  { app, timestamp, content, part }: DerivedNotification,
): string {
  const factId = eventId({ app, network, chainId, timestamp, content });
  return part === 0 ? factId : idFrom(`${factId}part ${part}`);
}

/**
 * Stores the events of notifications that are not stored yet. A fact that a reorg has removed and that occurs again
 * becomes a new event. The caller must hold the lock of inserts.
 */
export async function storeNotifications(query: ChainQuery, network: string, notifications: readonly DerivedNotification[]) {
  const { chainId } = query;
  const uncovered = await countActivities(query, 'derived', withChain(chainId, notifications));
  const keys = notifications.map((notification) => notificationKey(network, chainId, notification));
  const removals = await readRemovals(query, keys);
  const drafts = notifications.map(({ app, timestamp, content }, i) => {
    const key = keys[i]!;
    const shownContent = restrictTo(content, uncovered[i]);
    // A stored activity with this id has other transfers, so the transfers of this activity are counted as new.
    const isRepeat = removals.get(key) === false && content.type !== 'ADDRESS_ACTIVITY';
    const id = removals.has(key) && !isRepeat ? recurringEventId() : key;
    const event = shownContent && !isRepeat ? [{ id, app, network, chainId, timestamp, content: shownContent }] : [];
    return { stored: { app, content, key, shown: uncovered[i] ?? [], eventId: shownContent ? id : null }, event };
  });
  const events = drafts.flatMap(({ event }) => event);
  await insertRows(query, events, 'derived');
  return drafts.map(({ stored }) => stored);
}

/**
 * Marks the events that a condition of SQL selects as removed, and announces each removal, the last event first.
 * Returns the events. The caller must hold the lock of inserts.
 */
export async function removeEvents(query: ChainQuery, condition: string, values: readonly unknown[]) {
  const statement = `update webhook_events set removed = true where ${condition} and not removed returning ${EVENT_COLUMNS}`;
  const events = (await query<StoredWebhookEvent>(statement, values)).toSorted((a, b) => b.sequence - a.sequence);
  const announcements = events.map((event) => ({ ...event, id: recurringEventId() }));
  await insertRows(query, announcements, 'derived', true);
  return events;
}

const withChain = <One extends object>(chainId: string, notifications: readonly One[]) =>
  notifications.map((one) => ({ ...one, chainId }));

/** Removes the events of notifications of a removed block. The caller must hold the lock of inserts. */
export async function removeNotifications(query: ChainQuery, notifications: readonly StoredNotification[]): Promise<void> {
  if (notifications.length === 0) return;
  await uncountDerived(query, withChain(query.chainId, notifications));
  await removeEvents(query, 'id = any($1::text[])', [notifications.flatMap((notification) => notification.eventId ?? [])]);
}
