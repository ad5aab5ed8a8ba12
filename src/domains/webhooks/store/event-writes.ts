import { ADVISORY_LOCKS } from '../../../database/migrations.ts';
import { isoTime, type Query } from '../../../database/statements.ts';
import { compareIntegers } from '../../../ethereum/hex.ts';
import type { EventContent, Notification } from '../model.ts';
import { clampHeight, countActivities, countedFacts, type EventSource, isCounted } from './activity-counts.ts';
import { DEFAULT_CHAIN } from './chain-statements.ts';

/** Channel on which a server notifies the other servers that it has stored events. */
export const EVENTS_CHANNEL = 'grimoire_webhook_events';

const COMMON_COLUMNS = `sequence::double precision as sequence, id, app, network, chain_id as "chainId", ${isoTime('timestamp')} as timestamp,
  ${isoTime('received_at')} as "receivedAt", removed`;

/** The columns of a `WebhookEventHeader`. Order by `webhook_events.sequence`: only the column has an index. */
export const HEADER_COLUMNS = `${COMMON_COLUMNS}, type, content_bytes as "contentBytes"`;

/** The columns of a `StoredWebhookEvent`. Order by the sequence of the table. */
export const EVENT_COLUMNS = `${COMMON_COLUMNS}, content`;

/** An event with its id. */
export interface IdentifiedEvent extends Notification {
  readonly id: string;
}

/** One writer at a time, so that the order of the sequence is the order of the commits and no reader skips an event. */
export const lockInserts = async (query: Query): Promise<void> => {
  await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.inserts]);
};

/**
 * Inserts events in their order and notifies all servers. Returns the ids of the new events. The caller must hold the
 * lock of inserts.
 */
export async function insertRows(query: Query, events: readonly IdentifiedEvent[], source: EventSource, removed = false) {
  if (events.length === 0) return new Set<string>();
  const rows = events.map(({ id, app, network, chainId = DEFAULT_CHAIN, timestamp, content }) => ({
    ...{ id, app, network, chain_id: chainId, timestamp, content },
    highest_block: highestBlockOf(content),
  }));
  const inserted = await query<{ id: string }>(
    `insert into webhook_events (id, app, type, network, chain_id, timestamp, received_at, highest_block, content, source, removed)
     select id, app, content ->> 'type', network, chain_id, timestamp, statement_timestamp(), highest_block, content, $2, $3
     from rows from (jsonb_to_recordset($1::jsonb)
       as (id text, app text, network text, chain_id text, timestamp timestamptz, content jsonb, highest_block bigint)) with ordinality
       as new (id, app, network, chain_id, timestamp, content, highest_block, position)
     order by position
     on conflict (id) do nothing returning id`,
    [JSON.stringify(rows), source, removed],
  );
  if (inserted.length > 0) await query(`notify ${EVENTS_CHANNEL}`);
  return new Set(inserted.map(({ id }) => id));
}

/** The highest block of an event, as text; null if it has no block. */
function highestBlockOf(content: EventContent): string | null {
  const transfers = content.type === 'ADDRESS_ACTIVITY' ? content.activity : [];
  const heights = transfers.map(({ blockNumber }) => blockNumber).sort(compareIntegers);
  const highest = content.type === 'MINED_TRANSACTION' ? content.fullTransaction.blockNumber : heights.at(-1);
  return highest ? clampHeight(highest) : null;
}

/** The stored events among these ids, and whether each event is removed. */
export async function readRemovals(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  if (ids.length === 0) return new Map();
  const statement = 'select id, removed from webhook_events where id = any($1::text[])';
  const rows = await query<{ id: string; removed: boolean }>(statement, [ids]);
  return new Map(rows.map(({ id, removed }) => [id, removed]));
}

/**
 * Returns the received events that are not stored yet, without the facts of derived events. An event is a repeat if
 * derived events have all of its transfers, or its dropped transaction.
 */
export async function withoutCovered<Event extends IdentifiedEvent>(query: Query, events: readonly Event[]): Promise<Event[]> {
  const countedIds = events.flatMap(({ id, content }) => (isCounted(content) ? id : []));
  const seen = new Set((await readRemovals(query, countedIds)).keys());
  const fresh = events.filter(({ id, content }) => !isCounted(content) || (!seen.has(id) && seen.add(id)));
  const uncovered = await countActivities(query, 'received', fresh);
  return fresh.flatMap((event, index) => {
    const content = restrictTo(event.content, uncovered[index]);
    return content ? [{ ...event, content }] : [];
  });
}

/**
 * The content with only these facts; undefined if no fact is left. Returns other types, and an activity without
 * transfers, unchanged.
 */
export function restrictTo(content: EventContent, positions: readonly number[] | undefined): EventContent | undefined {
  if (!positions || positions.length === countedFacts(content).length) return content;
  if (positions.length === 0 || content.type !== 'ADDRESS_ACTIVITY') return undefined;
  return { ...content, activity: positions.map((position) => content.activity[position]!) };
}
