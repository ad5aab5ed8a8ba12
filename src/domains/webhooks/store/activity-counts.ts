import type { AddressActivity, EventContent } from '../model.ts';
import { clampHeight } from './event-rows.ts';
import type { Query } from './query.ts';

/** Who reports an event: a notification service, or this server. */
export type EventSource = 'received' | 'derived';

interface ReportedEvent {
  readonly app: string;
  readonly content: EventContent;
}

interface ActivityCount {
  readonly app: string;
  readonly height: string;
  readonly key: string;
  received: number;
  derived: number;
}

/** Heights for which the transfers of an application are counted, below the highest one. */
const COUNTED_BLOCKS = 50_000;

/**
 * Counts the transfers of new events, so that a transfer that both a service and this server report is in one event: equal transfers of a
 * block are in as many events as the source that reports more of them has reported. Returns the positions of the transfers that no event
 * has yet, for each event; undefined for an event of another type. Call it under the lock of inserts.
 */
export async function countActivities(
  query: Query,
  source: EventSource,
  events: readonly ReportedEvent[],
): Promise<readonly (readonly number[] | undefined)[]> {
  if (!events.some(({ content }) => content.type === 'ADDRESS_ACTIVITY')) return events.map(() => undefined);
  const counts = await readCounts(query, events);
  const other = source === 'received' ? 'derived' : 'received';
  const uncovered = events.map(({ app, content }) =>
    content.type !== 'ADDRESS_ACTIVITY'
      ? undefined
      : content.activity.flatMap((activity, position) => {
          const count = counts.get(identityOf(app, activity))!;
          count[source] += 1;
          return count[source] > count[other] ? [position] : [];
        }),
  );
  await writeCounts(query, [...counts.values()]);
  return uncovered;
}

/** Reverts the counts of a derived event of a removed block. `shown`: the positions of the transfers that the event had. */
export async function uncountDerived(
  query: Query,
  events: readonly (ReportedEvent & { readonly shown: readonly number[] })[],
): Promise<void> {
  const counts = await readCounts(query, events);
  for (const { app, content, shown } of events) {
    if (content.type !== 'ADDRESS_ACTIVITY') continue;
    for (const [position, activity] of content.activity.entries()) {
      const count = counts.get(identityOf(app, activity))!;
      count.derived = Math.max(0, count.derived - 1);
      // A received transfer that was left out, because this event had it, no longer has an event.
      if (shown.includes(position)) count.received = Math.max(0, count.received - 1);
    }
  }
  await writeCounts(query, [...counts.values()]);
}

/** Reverts the counts of received events of a removed block. */
export async function uncountReceived(query: Query, events: readonly ReportedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const counts = await readCounts(query, events);
  for (const { app, content } of events) {
    if (content.type !== 'ADDRESS_ACTIVITY') continue;
    for (const activity of content.activity) {
      const count = counts.get(identityOf(app, activity))!;
      count.received = Math.max(0, count.received - 1);
    }
  }
  await writeCounts(query, [...counts.values()]);
}

/** Deletes the counts of blocks that no late notification is about. */
export const deleteOldCounts = async (query: Query): Promise<void> => {
  await query(`delete from webhook_activities using
    (select app, max(height) as highest from webhook_activities group by app) as newest
    where newest.app = webhook_activities.app and height < highest - ${COUNTED_BLOCKS}`);
};

const heightOf = ({ blockNumber }: AddressActivity): string => clampHeight(blockNumber);

/** Key of equal transfers of a block, whoever reports them. */
export const transferKey = ({ from, to, rawContract }: AddressActivity): string =>
  [from, to, rawContract.address, rawContract.rawValue].map((part) => part ?? '').join(' ');

const identityOf = (app: string, activity: AddressActivity): string => `${heightOf(activity)} ${transferKey(activity)} ${app}`;

async function readCounts(query: Query, events: readonly ReportedEvent[]): Promise<Map<string, ActivityCount>> {
  const counts = new Map<string, ActivityCount>();
  for (const { app, content } of events) {
    if (content.type !== 'ADDRESS_ACTIVITY') continue;
    for (const activity of content.activity) {
      const count = { app, height: heightOf(activity), key: transferKey(activity), received: 0, derived: 0 };
      counts.set(identityOf(app, activity), count);
    }
  }
  const rows = await query<{ position: string; received: number; derived: number }>(
    `select position, received, derived from webhook_activities join
       unnest($1::text[], $2::bigint[], $3::text[]) with ordinality as wanted (app, height, key, position) using (app, height, key)`,
    columns([...counts.values()]),
  );
  const all = [...counts.values()];
  for (const { position, received, derived } of rows) Object.assign(all[Number(position) - 1]!, { received, derived });
  return counts;
}

const writeCounts = async (query: Query, counts: readonly ActivityCount[]): Promise<void> => {
  await query(
    `insert into webhook_activities (app, height, key, received, derived)
     select * from unnest($1::text[], $2::bigint[], $3::text[], $4::integer[], $5::integer[])
     on conflict (app, height, key) do update set received = excluded.received, derived = excluded.derived`,
    [...columns(counts), counts.map(({ received }) => received), counts.map(({ derived }) => derived)],
  );
};

const columns = (counts: readonly ActivityCount[]): readonly unknown[] => [
  counts.map(({ app }) => app),
  counts.map(({ height }) => height),
  counts.map(({ key }) => key),
];
