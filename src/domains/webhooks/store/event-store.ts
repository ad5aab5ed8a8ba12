import { isStorable, type Query, type Statements } from '../../../database/statements.ts';
import type { EventScope, NewWebhookEvent, StoredWebhookEvent, WebhookEventHeader } from '../model.ts';
import { deleteOldCounts } from './activity-counts.ts';
import { DEFAULT_CHAIN } from './chain-statements.ts';
import { EVENT_COLUMNS, HEADER_COLUMNS, insertRows, lockInserts, withoutCovered } from './event-writes.ts';

/** Time for which a repeated body is recognised, independent of the id of its event. */
const REPLAY_WINDOW = "interval '1 day'";

/** Time within which another server responds to the sender of a body that it has stored. */
const ANSWER_TIME = "interval '5 seconds'";

/** Maximum number of rows that one statement of the retention deletes. */
const DELETED_ROWS = 10_000;

/** A part of the stored events. */
export interface EventRange {
  /** Selects only events that were stored after this event. */
  readonly after?: number | undefined;
  /** Selects only events that were stored before this event. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The events in PostgreSQL. All functions reject with STORE_UNAVAILABLE when the database does not respond. */
export class EventStore {
  readonly #database: Statements;

  constructor(database: Statements) {
    this.#database = database;
  }

  /**
   * Stores events in one transaction and notifies all servers. Resolves, after the commit, with whether each is new: an
   * event is not new if its id is stored, if its body was received in the last day, or if derived events cover it. An
   * equal body that may recur is a repeat until its hash is in `answered`, which is called once this transaction is the
   * writer; `events` contains it once. Resolves with undefined for an event that another server may be answering, and
   * does not store it.
   */
  insert(
    events: readonly NewWebhookEvent[],
    answered: () => readonly Buffer[] = () => [],
  ): Promise<readonly (boolean | undefined)[]> {
    return this.#database.transaction(async (query) => {
      await lockInserts(query);
      const hashes = answered();
      if (hashes.length > 0) await query('delete from webhook_bodies where hash = any($1::bytea[])', [hashes]);
      if (events.length === 0) return [];
      const states = await recordBodies(query, events);
      const fresh = events.filter((_event, i) => states[i] === 'new');
      const uncovered = await withoutCovered(query, fresh);
      const ids = new Set(await insertRows(query, uncovered, 'received'));
      // The first one of two equal events in a batch is new.
      return events.map(({ id }, i) => (states[i] === 'unanswered' ? undefined : states[i] === 'new' && ids.delete(id)));
    });
  }

  /** The events of a scope without their contents, the newest first. */
  newest(scope: EventScope, range: EventRange): Promise<readonly WebhookEventHeader[]> {
    return this.#database.query<WebhookEventHeader>(
      `select ${HEADER_COLUMNS} from webhook_events where ${IN_RANGE} order by webhook_events.sequence desc limit $5`,
      rangeValues(scope, range),
    );
  }

  /**
   * The events of a scope, the oldest first: fewer than the limit if their contents reach `maxBytes`, but at least one.
   */
  oldest(scope: EventScope, range: EventRange & { readonly maxBytes?: number }): Promise<readonly StoredWebhookEvent[]> {
    const statement = `select ${EVENT_COLUMNS} from (
         select *, sum(content_bytes) over (order by sequence) - content_bytes as bytes_before
         from (select * from webhook_events where ${IN_RANGE} order by sequence limit $5) as found
       ) as found where $7::bigint is null or bytes_before < $7 order by found.sequence`;
    return this.#database.query<StoredWebhookEvent>(statement, [...rangeValues(scope, range), range.maxBytes ?? null]);
  }

  /** Events of any application without their contents, in the order of their ids; undefined for one that is not stored. */
  async findAll(ids: readonly string[]): Promise<readonly (WebhookEventHeader | undefined)[]> {
    const statement = `select ${HEADER_COLUMNS} from webhook_events where id = any($1::text[])`;
    const events = await this.#database.query<WebhookEventHeader>(statement, [ids]);
    const byId = new Map(events.map((event) => [event.id, event]));
    return ids.map((id) => byId.get(id));
  }

  /** The contents of events as JSON, by id; omits events that are not stored. */
  async contentsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const statement = 'select id, content::text as json from webhook_events where id = any($1::text[])';
    const rows = await this.#database.query<{ id: string; json: string }>(statement, [ids]);
    return new Map(rows.map(({ id, json }) => [id, json]));
  }

  /** The position of an event; undefined for an id that the scope does not have. */
  async sequenceOf({ app, chainId }: EventScope, id: string): Promise<number | undefined> {
    if (!isStorable(id)) return undefined;
    const statement = `select sequence::double precision from webhook_events
       where id = $1 and ($2::text is null or app = $2) and ($3::text is null or chain_id = $3)`;
    const [row] = await this.#database.query<{ sequence: number }>(statement, [id, app ?? null, chainId ?? null]);
    return row?.sequence;
  }

  /** The position of the event that was stored last; 0 without any. */
  async lastSequence(): Promise<number> {
    const [row] = await this.#database.query<{ last: number }>(
      'select coalesce(max(sequence), 0)::double precision as last from webhook_events',
    );
    return row!.last;
  }

  /**
   * Deletes the events that are older than the retention, and the hashes of bodies whose repeats are no longer
   * recognised.
   */
  async deleteExpired(retentionDays: number): Promise<void> {
    for (const [table, key, age] of [
      ['webhook_events', 'sequence', `interval '1 day' * ${retentionDays}`],
      ['webhook_bodies', 'hash', REPLAY_WINDOW],
    ]) {
      const isExpired = `received_at < now() - ${age}`;
      // The outer condition is checked again once the lock of a writer is released.
      const statement = `delete from ${table} where ${key} in
        (select ${key} from ${table} where ${isExpired} limit ${DELETED_ROWS}) and ${isExpired} returning 1`;
      while ((await this.#database.query(statement)).length === DELETED_ROWS);
    }
    await deleteOldCounts(this.#database.query);
  }
}

const IN_RANGE = `($1::text is null or app = $1) and ($2::text[] is null or type = any($2))
  and ($3::bigint is null or sequence > $3) and ($4::bigint is null or sequence < $4) and ($6::text is null or chain_id = $6)`;

const rangeValues = ({ app, chainId, types }: EventScope, { after, before, limit }: EventRange): readonly unknown[] => [
  app ?? null,
  types && types.length > 0 ? types : null,
  after ?? null,
  before ?? null,
  limit,
  chainId ?? null,
];

type BodyState = 'new' | 'repeated' | 'unanswered';

/**
 * Records the bodies of these events. Returns for each whether it was received before. The caller must hold the lock of
 * inserts.
 */
async function recordBodies(query: Query, events: readonly NewWebhookEvent[]): Promise<readonly BodyState[]> {
  const keyOf = ({ bodyHash }: NewWebhookEvent): string => bodyHash.toString('hex');
  // The time of the clock: this transaction may have waited for its lock. The second part of the statement reads the rows as they were before the first part.
  const statement = `with recorded as (
       insert into webhook_bodies as stored (hash, received_at)
       select hash, clock_timestamp() from (select distinct unnest($1::bytea[]) as hash) as new
       on conflict (hash) do update set received_at = clock_timestamp() where stored.received_at < now() - ${REPLAY_WINDOW}
     )
     select encode(hash, 'hex') as key, case when received_at > now() - ${ANSWER_TIME} then 'unanswered'
       when received_at >= now() - ${REPLAY_WINDOW} then 'repeated' else 'new' end as state
     from unnest($1::bytea[]) as new (hash) left join webhook_bodies using (hash)`;
  const rows = await query<{ key: string; state: BodyState }>(statement, [events.map(({ bodyHash }) => bodyHash)]);
  const states = new Map(rows.map(({ key, state }) => [key, state]));
  return events.map((event) => {
    const state = states.get(keyOf(event))!;
    if (event.mayRecur && state === 'unanswered') return 'unanswered';
    states.set(keyOf(event), 'repeated');
    return state === 'new' ? 'new' : 'repeated';
  });
}

/** Marks the events of blocks above a height as removed: the embedded chain no longer has these blocks. */
export const markRemovedAbove = async (query: Query, height: number): Promise<void> => {
  await query('update webhook_events set removed = true where chain_id = $1 and highest_block > $2', [DEFAULT_CHAIN, height]);
  await query('delete from webhook_activities where chain_id = $1 and height > $2', [DEFAULT_CHAIN, height]);
};
