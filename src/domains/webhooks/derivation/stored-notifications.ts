import { createHash } from 'node:crypto';
import { eventId } from '../event-id.ts';
import type { EventContent, StoredWebhookEvent } from '../model.ts';
import { countActivities, uncountDerived } from '../store/activity-counts.ts';
import { EVENT_COLUMNS, insertRows, readRemovals, restrictTo } from '../store/event-writes.ts';
import type { Query } from '../store/statements.ts';
import type { DerivedNotification } from './derived-notification.ts';

/** What is stored of a notification, so that a reorg can remove it. */
export interface StoredNotification {
  readonly app: string;
  readonly content: EventContent;
  /** Tells it from the other notifications of its application and block. */
  readonly key: string;
  /** The stored event; null where the events of a notification service have all of its transfers. */
  readonly eventId: string | null;
  /** Positions of the transfers that the event has. */
  readonly shown: readonly number[];
}

const derivedId = (id: string, purpose: string): string =>
  createHash('sha256').update(`${id}${purpose}`).digest('hex').slice(0, id.length);

/** The id of the event that announces the removal of another. */
export const removalId = (id: string): string => derivedId(id, 'removed');

/** The id of the event that announces what a reorg has removed, and another has brought back. */
export const returnId = (id: string): string => derivedId(id, 'returned');

/** Tells a notification from the others of its application and block, and is the id of its first event. */
export const notificationKey = (network: string, { app, timestamp, content, part }: DerivedNotification): string => {
  const factId = eventId({ app, network, timestamp, content });
  return part === 0 ? factId : derivedId(factId, `part ${part}`);
};

/**
 * Stores the events of notifications that are not stored yet. What a reorg has removed, and what happens again, is an event of its own.
 * Call it under the lock of inserts.
 */
export async function storeNotifications(
  query: Query,
  network: string,
  notifications: readonly DerivedNotification[],
): Promise<readonly StoredNotification[]> {
  const uncovered = await countActivities(query, 'derived', notifications);
  const drafts = notifications.map((notification, index) => {
    const { app, timestamp, content } = notification;
    const shownContent = restrictTo(content, uncovered[index]);
    const id = notificationKey(network, notification);
    return { app, timestamp, content, key: id, shown: uncovered[index] ?? [], shownContent, id };
  });
  const announced = drafts.filter(({ shownContent }) => shownContent !== undefined);
  const isRepeat = await assignIds(query, announced);
  const rows = announced
    .filter((draft) => !isRepeat.has(draft))
    .map(({ id, app, timestamp, shownContent }) => ({ id, app, network, timestamp, content: shownContent! }));
  await insertRows(query, rows, { source: 'derived' });
  return drafts.map(({ app, content, key, shown, shownContent, id }) => ({
    app,
    content,
    key,
    shown,
    eventId: shownContent ? id : null,
  }));
}

interface Draft {
  readonly content: EventContent;
  id: string;
}

/** Replaces ids that removed events have. Returns the drafts whose event is stored. */
async function assignIds(query: Query, drafts: readonly Draft[]): Promise<ReadonlySet<Draft>> {
  const repeats = new Set<Draft>();
  for (let open = drafts; open.length > 0; ) {
    const removals = await readRemovals(
      query,
      open.map(({ id }) => id),
    );
    const taken: Draft[] = [];
    for (const draft of open) {
      const isRemoved = removals.get(draft.id);
      if (isRemoved === undefined) continue;
      // A stored activity with the same id has other transfers: those of this one are counted as new.
      if (!isRemoved && draft.content.type !== 'ADDRESS_ACTIVITY') repeats.add(draft);
      else taken.push(draft);
    }
    for (const draft of taken) draft.id = returnId(draft.id);
    open = taken;
  }
  return repeats;
}

/** Marks the events of a removed block as removed, and announces each removal. Call it under the lock of inserts. */
export async function removeNotifications(query: Query, notifications: readonly StoredNotification[]): Promise<void> {
  if (notifications.length === 0) return;
  await uncountDerived(query, notifications);
  const ids = notifications.flatMap(({ eventId: id }) => id ?? []);
  const rows = await query<StoredWebhookEvent>(
    `update webhook_events set removed = true where id = any($1::text[]) and not removed returning ${EVENT_COLUMNS}`,
    [ids],
  );
  const events = rows.toSorted((a, b) => b.sequence - a.sequence);
  await insertRows(
    query,
    events.map(({ app, network, timestamp, content, id }) => ({ app, network, timestamp, content, id: removalId(id) })),
    { source: 'derived', removed: true },
  );
}
