import type { AddressActivity, StoredAddressActivity } from '../model.ts';
import { transferKey, uncountReceived } from '../store/activity-counts.ts';
import { EVENT_COLUMNS, type EventRow, toStoredEvent } from '../store/event-rows.ts';
import { insertRows, restrictTo } from '../store/event-writes.ts';
import type { Query } from '../store/query.ts';
import type { DerivedNotification } from './notifications.ts';
import { removalId } from './stored-notifications.ts';

/** The received activities of a network whose highest block has a height. Other networks have blocks of this height, too. */
const AT_HEIGHT = "source = 'received' and type = 'ADDRESS_ACTIVITY' and network = $1 and highest_block = $2";

const toActivity = (row: EventRow): StoredAddressActivity => toStoredEvent(row) as StoredAddressActivity;

/** Marks the received activities of a removed block as removed, and announces each. Call it under the lock of inserts. */
export async function removeReceivedActivity(query: Query, network: string, height: number): Promise<void> {
  const rows = await query<EventRow>(
    `update webhook_events set removed = true where ${AT_HEIGHT} and not removed returning ${EVENT_COLUMNS}`,
    [network, height],
  );
  const events = rows.map(toActivity);
  await uncountReceived(query, events);
  await insertRows(
    query,
    events.map((event) => ({ ...event, id: removalId(event.id) })),
    { source: 'derived', receivedAt: new Date(), removed: true },
  );
}

/** Whether a removed block of this height had received activities, which the block that replaces it may have, too. */
export async function hasRemovedActivity(query: Query, network: string, height: number): Promise<boolean> {
  return (await query(`select 1 from webhook_events where ${AT_HEIGHT} and removed limit 1`, [network, height])).length > 0;
}

/**
 * Returns the received transfers of a removed block that the block which replaces it has, too, and which are not among the derived notifications:
 * the service names the height alone, and may not send the same body again.
 */
export async function returnedActivity(
  query: Query,
  network: string,
  { height, transfers }: { readonly height: number; readonly transfers: readonly AddressActivity[] },
  derived: readonly DerivedNotification[],
): Promise<readonly DerivedNotification[]> {
  const rows = await query<EventRow>(
    `select ${EVENT_COLUMNS} from webhook_events where ${AT_HEIGHT} and removed order by sequence`,
    [network, height],
  );
  const remaining = new Map<string, string[]>();
  return rows.map(toActivity).flatMap(({ app, timestamp, content }) => {
    const keys =
      remaining.get(app) ??
      keysWithout(
        transfers,
        derived.filter((one) => one.app === app),
      );
    remaining.set(app, keys);
    const present = restrictTo(
      content,
      content.activity.flatMap((activity, position) => (take(keys, transferKey(activity)) ? [position] : [])),
    );
    return present ? [{ app, timestamp, content: present, targets: [] }] : [];
  });
}

/** The keys of the transfers that these notifications do not have. */
function keysWithout(transfers: readonly AddressActivity[], notifications: readonly DerivedNotification[]): string[] {
  const keys = transfers.map(transferKey);
  for (const { content } of notifications)
    if (content.type === 'ADDRESS_ACTIVITY') for (const activity of content.activity) take(keys, transferKey(activity));
  return keys;
}

/** Removes one key from a list. Returns whether the list had it. */
function take(keys: string[], key: string): boolean {
  const index = keys.indexOf(key);
  if (index >= 0) keys.splice(index, 1);
  return index >= 0;
}
