import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { StoredWebhookEvent } from '../../../src/domains/webhooks/model.ts';
import { type EventStore, markRemovedAbove } from '../../../src/domains/webhooks/store/event-store.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { newEventOf, notificationOf, toNewEvent } from '../../support/webhooks/events.ts';
import { createMutatedBody } from '../../support/webhooks/mutations.ts';
import { createTestStores, type TestStores } from '../../support/webhooks/test-stores.ts';

let postgres: TestPostgres;
let url: string;
let stores: TestStores;
let store: EventStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  stores = createTestStores(url);
  store = stores.create();
});
beforeEach(async () => {
  await store.lastSequence();
  await runSql(url, 'truncate webhook_events, webhook_bodies');
});

const ALL = { app: undefined };
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const everything = (from = store): Promise<readonly StoredWebhookEvent[]> => from.oldest(ALL, { limit: 100_000 });

test('a repeated body is a new event only after a day, even if its id differs', async () => {
  const event = newEventOf(1);
  const otherId = { ...event, id: 'f'.repeat(32) };
  expect(await store.insert([event])).toEqual([true]);
  expect(await store.insert([otherId])).toEqual([false]);
  await runSql(url, "update webhook_bodies set received_at = now() - interval '25 hours'");
  expect(await store.insert([otherId])).toEqual([true]);
});

test('every notification that is decoded can be stored and is read unchanged', async () => {
  const draw = createRandomChoices(readSeed());
  const events = draw
    .many(runSize(1_000, 50_000), () => createMutatedBody(draw))
    .flatMap((body) => {
      try {
        return [toNewEvent(notificationOf(JSON.parse(JSON.stringify(body))))];
      } catch {
        return [];
      }
    });
  for (let start = 0; start < events.length; start += 500) await store.insert(events.slice(start, start + 500));
  const byId = new Map(events.toReversed().map((event) => [event.id, event]));
  const stored = await everything();
  expect(stored).toHaveLength(byId.size);
  for (const { id, content, app, network } of stored)
    expect({ content, app, network }).toMatchObject(JSON.parse(contentOf(byId.get(id)!)));
});

const contentOf = ({ content, app, network }: Pick<StoredWebhookEvent, 'content' | 'app' | 'network'>): string =>
  JSON.stringify({ content, app, network });

test('exactly one of the equal events that several stores insert concurrently is new', async () => {
  const others = [store, stores.create(), stores.create()];
  const batches = Array.from({ length: 4 }, (_none, batch) =>
    Array.from({ length: 50 }, (_event, at) => newEventOf(batch * 50 + at)),
  );
  const results = await Promise.all(
    others.map((each, at) => Promise.all((at === 1 ? batches.toReversed() : batches).map((batch) => each.insert(batch)))),
  );
  expect(results.flat(2).filter((isNew) => isNew)).toHaveLength(200);
  expect(new Set(idsOf(await everything())).size).toBe(200);
});

test('a reader that follows the sequence misses no event of concurrent writers', async () => {
  const writers = [store, stores.create(), stores.create()];
  const reader = stores.create();
  const read: string[] = [];
  let isWriting = true;
  const readAll = async () => {
    for (let after = 0, isLast = false; !isLast; ) {
      isLast = !isWriting;
      const events = await reader.oldest(ALL, { after, limit: 7 });
      read.push(...idsOf(events));
      after = events.at(-1)?.sequence ?? after;
      if (events.length > 0) isLast = false;
    }
  };
  const reading = readAll();
  // Each writer runs several transactions at a time, at most one for each of its connections.
  const lanes = writers.flatMap((writer) => [writer, writer, writer]);
  await Promise.all(
    lanes.map(async (writer, lane) => {
      for (let at = 0; at < 30; at++) await writer.insert([newEventOf(lane * 30 + at)]);
    }),
  );
  isWriting = false;
  await reading;
  expect(read).toEqual(idsOf(await everything()));
  expect(read).toHaveLength(270);
});

test('a read of whole events ends at its bytes, after at least one event', async () => {
  await store.insert([1, 2, 3].map((index) => newEventOf(index)));
  const [newest] = await store.newest(ALL, { limit: 1 });
  const { contentBytes } = newest!;
  const countOf = async (maxBytes: number) => (await store.oldest(ALL, { limit: 10, maxBytes })).length;
  expect(await Promise.all([1, contentBytes, contentBytes + 1, 10 * contentBytes].map(countOf))).toEqual([1, 1, 2, 3]);
});

test('retention deletes events and bodies by their age', async () => {
  await store.insert([1, 2, 3].map((index) => newEventOf(index)));
  await runSql(
    url,
    `update webhook_events set received_at = now() - interval '7 days 1 minute' where id = '${newEventOf(1).id}'`,
  );
  await runSql(
    url,
    `update webhook_events set received_at = now() - interval '6 days 23 hours' where id = '${newEventOf(2).id}'`,
  );
  await runSql(
    url,
    `update webhook_bodies set received_at = now() - interval '2 days' where hash = '\\x${newEventOf(3).bodyHash.toString('hex')}'`,
  );
  await store.deleteExpired(7);
  expect(idsOf(await everything())).toEqual([newEventOf(2).id, newEventOf(3).id]);
  expect(await runSql(url, 'select count(*)::int as count from webhook_bodies')).toEqual([{ count: 2 }]);
});

test('markRemovedAbove marks the events of higher blocks alone', async () => {
  const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
  const transfers = {
    ...BODIES.ADDRESS_ACTIVITY,
    activity: ['0x9', '0x11', '0xa'].map((blockNum) => ({ ...activity, blockNum })),
  };
  const dropped = toNewEvent(notificationOf(BODIES.DROPPED_TRANSACTION));
  const events = [9, 16, 17].map((blockNumber) => newEventOf(blockNumber, { blockNumber }));
  await store.insert([...events, toNewEvent(notificationOf(transfers)), dropped]);
  await markRemovedAbove(stores.databaseOf(store).query, 16);
  expect((await everything()).map(({ removed }) => removed)).toEqual([false, false, true, true, false]);
});

test('a transaction that stops sending statements blocks other writers for a limited time', async () => {
  const held = stores.databaseOf(store).transaction(async (query) => {
    await query('select pg_advisory_xact_lock(7461002)');
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await query('select 1');
  });
  const rejected = expect(held).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const other = stores.create();
  let release = () => {};
  await waitUntil(async () => {
    const isNew = await other.insert([newEventOf(1)]).catch(() => [undefined]);
    return isNew[0] !== undefined;
  }, 'another server stores an event');
  release();
  await rejected;
});
