import type { Query } from '../../../database/statements.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { AddressActivity, EventContent, Notification } from '../model.ts';
import { DEFAULT_CHAIN } from './chain-statements.ts';

/** The source of an event: a notification service, or this server. */
export type EventSource = 'received' | 'derived';

type ReportedEvent = Pick<Notification, 'app' | 'chainId' | 'content'>;

/** Number of heights below the highest one for which the transfers of an application are counted. */
const COUNTED_BLOCKS = 50_000;
/** Time after the first report of a dropped transaction within which the other source reports it. */
const COUNTED_DROP_TIME = "interval '1 day'";
/** Height of the counts of dropped transactions, which are in no block. */
const NO_HEIGHT = '-1';

/** A transfer or a drop that both sources may report. */
type CountedFact = Readonly<Record<'height' | 'key', string>>;

/** The number of times that each source has reported a fact of an application. */
interface ActivityCount extends CountedFact {
  readonly app: string;
  readonly chain_id: string;
  received: number;
  derived: number;
}

/**
 * Returns the counted facts of an event: its transfers, or its dropped transaction, which can become pending and be
 * dropped again.
 */
export function countedFacts(content: EventContent): readonly CountedFact[] {
  switch (content.type) {
    case 'ADDRESS_ACTIVITY':
      return content.activity.map((activity) => ({ height: clampHeight(activity.blockNumber), key: transferKey(activity) }));
    case 'DROPPED_TRANSACTION':
      return [{ height: NO_HEIGHT, key: content.hash }];
    default:
      return [];
  }
}

/** Whether `countedFacts` of an event of this type are counted. */
export const isCounted = ({ type }: EventContent): boolean => type === 'ADDRESS_ACTIVITY' || type === 'DROPPED_TRANSACTION';

/**
 * Counts the transfers and drops of new events, so that a fact which both a service and this server report is in one
 * event. The number of events with equal facts is the larger one of the numbers that the two sources have reported.
 * Returns the positions of the facts that no event has yet, for each event; undefined for an event of another type. The
 * caller must hold the lock of inserts.
 */
export async function countActivities(query: Query, source: EventSource, events: readonly ReportedEvent[]) {
  const other = source === 'received' ? 'derived' : 'received';
  const uncovered = events.map(({ content }): number[] | undefined => (isCounted(content) ? [] : undefined));
  await changeCounts(query, events, (count, index, position) => {
    count[source] += 1;
    if (count[source] > count[other]) uncovered[index]!.push(position);
  });
  return uncovered;
}

/** Reverts the counts of a derived event of a removed block. `shown`: the positions of the transfers that the event had. */
export const uncountDerived = (query: Query, events: readonly (ReportedEvent & { readonly shown: readonly number[] })[]) =>
  changeCounts(query, events, (count, index, position) => {
    count.derived = Math.max(0, count.derived - 1);
    // A received fact was omitted because this event had the fact; now the received fact has no event.
    if (events[index]!.shown.includes(position)) count.received = Math.max(0, count.received - 1);
  });

/** Reverts the counts of received events of a removed block. */
export const uncountReceived = (query: Query, events: readonly ReportedEvent[]): Promise<void> =>
  changeCounts(query, events, (count) => {
    count.received = Math.max(0, count.received - 1);
  });

/** Deletes the counts of blocks and of drops for which no late notification is expected. */
export const deleteOldCounts = async (query: Query): Promise<void> => {
  await query(`delete from webhook_activities using
    (select app, chain_id, max(height) as highest from webhook_activities group by app, chain_id) as newest
    where newest.app = webhook_activities.app and newest.chain_id = webhook_activities.chain_id and height > ${NO_HEIGHT} and height < highest - ${COUNTED_BLOCKS}`);
  await query(`delete from webhook_activities where height = ${NO_HEIGHT} and counted_at < now() - ${COUNTED_DROP_TIME}`);
};

/** PostgreSQL has no unsigned integers; no chain reaches this height. */
const MAX_HEIGHT = 2n ** 63n - 1n;

/** A height as PostgreSQL can store it. */
export const clampHeight = (height: Quantity): string => String(BigInt(height) > MAX_HEIGHT ? MAX_HEIGHT : BigInt(height));

/** Key of equal transfers of a block, independent of the source. Each token of an NFT has its own. */
export const transferKey = ({ from, to, rawContract, tokenId }: AddressActivity): string =>
  [from, to, rawContract.address, rawContract.rawValue, ...(tokenId ? [tokenId] : [])].map((part) => part ?? '').join(' ');

/** Calls `change` for each fact of the events, with the index of the event and the position of the fact, and stores the counts. */
async function changeCounts(
  query: Query,
  events: readonly ReportedEvent[],
  change: (count: ActivityCount, index: number, position: number) => void,
): Promise<void> {
  const counts = new Map<string, ActivityCount>();
  const identityOf = ({ app, height, key }: Pick<ActivityCount, 'app' | 'height' | 'key'>) => `${height} ${key} ${app}`;
  const facts = events.flatMap(({ app, chainId = DEFAULT_CHAIN, content }, index) =>
    countedFacts(content).map(({ height, key }, position) => {
      // Facts of forks are equal.
      const ownKey = chainId === DEFAULT_CHAIN ? key : `${chainId} ${key}`;
      return { fact: { app, chain_id: chainId, height, key: ownKey }, index, position };
    }),
  );
  if (facts.length === 0) return;
  for (const { fact } of facts) counts.set(identityOf(fact), { ...fact, received: 0, derived: 0 });
  const selection = `select app, chain_id, height, key, received, derived from webhook_activities
     join jsonb_to_recordset($1::jsonb) as wanted (app text, height bigint, key text) using (app, height, key)`;
  const stored = await query<ActivityCount>(selection, [JSON.stringify([...counts.values()])]);
  for (const count of stored) counts.set(identityOf(count), count);
  for (const { fact, index, position } of facts) change(counts.get(identityOf(fact))!, index, position);
  const update = `insert into webhook_activities (app, chain_id, height, key, received, derived)
     select * from jsonb_to_recordset($1::jsonb)
       as new (app text, chain_id text, height bigint, key text, received integer, derived integer)
     on conflict (app, height, key) do update set received = excluded.received, derived = excluded.derived`;
  await query(update, [JSON.stringify([...counts.values()])]);
}
