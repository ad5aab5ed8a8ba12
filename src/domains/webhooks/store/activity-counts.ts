import type { AddressActivity, EventContent } from '../model.ts';
import { clampHeight } from './event-rows.ts';
import type { Query } from './statements.ts';

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
/** Time after the first report of a drop in which the other source reports it. */
const COUNTED_DROP_TIME = "interval '1 day'";
/** Height of the counts of dropped transactions, which are in no block. */
const NO_HEIGHT = '-1';

/** A transfer or a drop that both sources may report. */
interface CountedFact {
  readonly height: string;
  readonly key: string;
}

/** What is counted of an event: its transfers, or its dropped transaction, which can be pending and dropped again. */
export function countedFacts(content: EventContent): readonly CountedFact[] {
  switch (content.type) {
    case 'ADDRESS_ACTIVITY':
      return content.activity.map((activity) => ({ height: heightOf(activity), key: transferKey(activity) }));
    case 'DROPPED_TRANSACTION':
      return [{ height: NO_HEIGHT, key: content.hash }];
    default:
      return [];
  }
}

/** Whether `countedFacts` of an event of this type are counted. */
export const isCounted = ({ type }: EventContent): boolean => type === 'ADDRESS_ACTIVITY' || type === 'DROPPED_TRANSACTION';

/**
 * Counts the transfers and drops of new events, so that one that both a service and this server report is in one event: equal transfers of a
 * block, and drops of a transaction, are in as many events as the source that reports more of them has reported. Returns the positions of those
 * that no event has yet, for each event; undefined for an event of another type. Call it under the lock of inserts.
 */
export async function countActivities(
  query: Query,
  source: EventSource,
  events: readonly ReportedEvent[],
): Promise<readonly (readonly number[] | undefined)[]> {
  if (!events.some(({ content }) => isCounted(content))) return events.map(() => undefined);
  const counts = await readCounts(query, events);
  const other = source === 'received' ? 'derived' : 'received';
  const uncovered = events.map(({ app, content }) =>
    isCounted(content)
      ? countedFacts(content).flatMap((fact, position) => {
          const count = counts.get(identityOf(app, fact))!;
          count[source] += 1;
          return count[source] > count[other] ? [position] : [];
        })
      : undefined,
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
    for (const [position, fact] of countedFacts(content).entries()) {
      const count = counts.get(identityOf(app, fact))!;
      count.derived = Math.max(0, count.derived - 1);
      // A received fact that was left out, because this event had it, no longer has an event.
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
    for (const fact of countedFacts(content)) {
      const count = counts.get(identityOf(app, fact))!;
      count.received = Math.max(0, count.received - 1);
    }
  }
  await writeCounts(query, [...counts.values()]);
}

/** Deletes the counts of blocks, and of drops, that no late notification is about. */
export const deleteOldCounts = async (query: Query): Promise<void> => {
  await query(`delete from webhook_activities using
    (select app, max(height) as highest from webhook_activities group by app) as newest
    where newest.app = webhook_activities.app and height > ${NO_HEIGHT} and height < highest - ${COUNTED_BLOCKS}`);
  await query(`delete from webhook_activities where height = ${NO_HEIGHT} and counted_at < now() - ${COUNTED_DROP_TIME}`);
};

const heightOf = ({ blockNumber }: AddressActivity): string => clampHeight(blockNumber);

/** Key of equal transfers of a block, whoever reports them. */
export const transferKey = ({ from, to, rawContract }: AddressActivity): string =>
  [from, to, rawContract.address, rawContract.rawValue].map((part) => part ?? '').join(' ');

const identityOf = (app: string, { height, key }: CountedFact): string => `${height} ${key} ${app}`;

async function readCounts(query: Query, events: readonly ReportedEvent[]): Promise<Map<string, ActivityCount>> {
  const counts = new Map<string, ActivityCount>();
  for (const { app, content } of events)
    for (const fact of countedFacts(content)) counts.set(identityOf(app, fact), { app, ...fact, received: 0, derived: 0 });
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
