import type { EventContent, Notification } from '../model.ts';
import { countActivities, countedFacts, type EventSource, isCounted } from './activity-counts.ts';
import { columnsOf } from './event-rows.ts';
import { ADVISORY_LOCKS } from './migrations.ts';
import type { Query } from './statements.ts';

/** Channel on which a server tells the others that it has stored events. */
export const EVENTS_CHANNEL = 'grimoire_webhook_events';

/** An event with its id. */
export interface IdentifiedEvent extends Notification {
  readonly id: string;
}

/** One writer at a time, so that the order of the sequence is the order of the commits and no reader skips an event. */
export const lockInserts = async (query: Query): Promise<void> => {
  await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.inserts]);
};

/** Inserts events in their order and notifies all servers. Returns the ids of those that are new. Call it under the lock of inserts. */
export async function insertRows(
  query: Query,
  events: readonly IdentifiedEvent[],
  { source, receivedAt, removed = false }: { source: EventSource; receivedAt: Date; removed?: boolean },
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const inserted = await query<{ id: string }>(
    `insert into webhook_events (id, app, type, network, timestamp, received_at, highest_block, content, source, removed)
     select id, app, type, network, timestamp, $6::timestamptz, block, content, $9, $10
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $7::bigint[], $8::jsonb[])
       with ordinality as new (id, app, type, network, timestamp, block, content, position)
     order by position
     on conflict (id) do nothing returning id`,
    [...columnsOf(events, receivedAt), source, removed],
  );
  if (inserted.length > 0) await query(`notify ${EVENTS_CHANNEL}`);
  return new Set(inserted.map(({ id }) => id));
}

/** The stored events among these ids, with whether each is removed. */
export async function readRemovals(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; removed: boolean }>(
    'select id, removed from webhook_events where id = any($1::text[])',
    [ids],
  );
  return new Map(rows.map(({ id, removed }) => [id, removed]));
}

/**
 * Returns the received events that are not stored yet, without what derived events have. An event whose transfers, or whose dropped transaction,
 * all are in derived events is a repeat.
 */
export async function withoutCovered<Event extends IdentifiedEvent>(query: Query, events: readonly Event[]): Promise<Event[]> {
  const counted = events.filter(({ content }) => isCounted(content));
  const stored = await readRemovals(
    query,
    counted.map(({ id }) => id),
  );
  const seen = new Set<string>(stored.keys());
  const isNew = ({ id, content }: Event): boolean => {
    if (!isCounted(content)) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  };
  const fresh = events.filter(isNew);
  const uncovered = await countActivities(query, 'received', fresh);
  return fresh.flatMap((event, index) => {
    const content = restrictTo(event.content, uncovered[index]);
    return content ? [{ ...event, content }] : [];
  });
}

/** The content with these facts alone; undefined where none is left. Other types, and an activity without transfers, stay. */
export function restrictTo(content: EventContent, positions: readonly number[] | undefined): EventContent | undefined {
  if (!positions || positions.length === countedFacts(content).length) return content;
  if (positions.length === 0 || content.type !== 'ADDRESS_ACTIVITY') return undefined;
  return { ...content, activity: positions.map((position) => content.activity[position]!) };
}
