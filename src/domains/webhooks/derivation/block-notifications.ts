import type { EventContent } from '../model.ts';
import type { Query } from '../store/statements.ts';
import type { StoredNotification } from './stored-notifications.ts';

/** Notifications that one transaction removes: some megabytes. */
const MAX_TAKEN = 10;

/** Stores what a block has notified. Fails for a notification that is stored. */
export async function insertBlockNotifications(
  query: Query,
  height: number,
  notifications: readonly StoredNotification[],
): Promise<void> {
  // The content is that of the event, unless the events of a notification service have it or some of its transfers.
  const isOwn = ({ content, eventId, shown }: StoredNotification): boolean =>
    eventId === null || (content.type === 'ADDRESS_ACTIVITY' && shown.length < content.activity.length);
  await query(
    `insert into derived_notifications (height, app, key, event_id, content, shown)
     select $1, app, key, event_id, content, string_to_array(shown, ',')::integer[]
     from unnest($2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[]) as new (app, key, event_id, content, shown)`,
    [
      height,
      notifications.map(({ app }) => app),
      notifications.map(({ key }) => key),
      notifications.map(({ eventId }) => eventId),
      notifications.map((one) => (isOwn(one) ? JSON.stringify(one.content) : null)),
      notifications.map(({ shown }) => shown.join(',')),
    ],
  );
}

/** The stored ones among the keys of a block's notifications. */
export async function readStoredKeys(query: Query, height: number, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ key: string }>('select key from derived_notifications where height = $1 and key = any($2::text[])', [
    height,
    keys,
  ]);
  return new Set(rows.map(({ key }) => key));
}

/** Takes some of a block's notifications; none are left when the list is empty. Content that the retention has deleted is left out. */
export async function takeBlockNotifications(query: Query, height: number): Promise<readonly StoredNotification[]> {
  const rows = await query<{ app: string; key: string; event_id: string | null; content: EventContent | null; shown: number[] }>(
    `with taken as (
       delete from derived_notifications where height = $1 and (app, key) in
         (select app, key from derived_notifications where height = $1 order by app, key limit ${MAX_TAKEN}) returning *
     )
     select taken.app, key, event_id, shown, coalesce(taken.content, webhook_events.content) as content
     from taken left join webhook_events on webhook_events.id = event_id`,
    [height],
  );
  return rows.map(({ app, key, event_id, content, shown }) => ({
    ...{ app, key, shown, eventId: event_id },
    content: content ?? { type: 'ADDRESS_ACTIVITY', activity: [] },
  }));
}

/** Whether any stored block has notifications, which a reorg would remove. */
export const hasNotifications = async (query: Query): Promise<boolean> =>
  (await query('select 1 from derived_notifications limit 1')).length > 0;
