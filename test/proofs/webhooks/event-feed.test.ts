import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type EventScope, includesEvent } from '../../../src/domains/webhooks/model.ts';
import type { EventStore } from '../../../src/domains/webhooks/store/event-store.ts';
import { type EventFeed, startEventFeed } from '../../../src/domains/webhooks/subscriptions/event-feed.ts';
import { untilTestsEnd } from '../../support/cleanups.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { log } from '../../support/silent-log.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { newEventOf } from '../../support/webhooks/events.ts';
import { createTestStores, type TestStores } from '../../support/webhooks/test-stores.ts';

const SEED = readSeed();
const MAX_LISTENERS = runSize(100, 500);
let postgres: TestPostgres;
let url: string;
let stores: TestStores;
/** The store of the feed, and the store of another server. */
let store: EventStore;
let other: EventStore;
let feed: EventFeed;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
beforeEach(async () => {
  url = await postgres.createDatabase();
  stores = createTestStores(url);
  [store, other] = [stores.create(), stores.create()];
  feed = untilTestsEnd(startEventFeed(stores.databaseOf(store), store, log));
});

/** Records the ids of a scope as a subscriber receives them: the ids of the backlog, then the ids of the live batches. */
async function record(scope: EventScope, after?: string) {
  const backlog: string[] = [];
  const live: string[] = [];
  const ended: (string | undefined)[] = [];
  const idsOf = (batch: readonly { readonly cursor?: string | undefined }[]) => batch.map(({ cursor }) => cursor!);
  const stream = await feed.webhookEvents(store, scope, after);
  const stop = stream.subscribe({ next: (batch) => live.push(...idsOf(batch)), end: (error) => ended.push(error?.code) });
  const missed = stream.backlog?.(new AbortController().signal, { pause() {}, resume() {} });
  const replayed = (async () => {
    for await (const batch of missed ?? []) backlog.push(...idsOf(batch));
  })();
  return { stop, ended, replayed, received: () => [...backlog, ...live], backlogSize: () => backlog.length };
}

const ALL: EventScope = { app: undefined };
const storedIds = async (scope: EventScope, after = 0): Promise<string[]> =>
  (await store.oldest(ALL, { after, limit: 100_000 })).filter((event) => includesEvent(scope, event)).map(({ id }) => id);
const isListening = async (): Promise<boolean> => (await runSql(url, `select 1 ${LISTENERS}`)).length === 1;
const LISTENERS = "from pg_stat_activity where datname = current_database() and (query like 'listen %' or query = 'select 1')";

test('no event is lost or repeated between a backlog and the live events of concurrent writers', async () => {
  const draw = createRandomChoices(SEED);
  const total = runSize(300, 2_000);
  await store.insert(draw.many(20, (at) => newEventOf(at, { app: draw.pick(['shop', 'farm']) })));
  const listeners: { scope: EventScope; after: string; listener: Awaited<ReturnType<typeof record>> }[] = [];
  let next = 20;
  const write = async (writer: EventStore) => {
    while (next < total) {
      const events = draw.many(1 + draw.below(3), () => newEventOf(next++, { app: draw.pick(['shop', 'farm']) }));
      await writer.insert(events);
    }
  };
  const subscribe = async () => {
    while (next < total && listeners.length < MAX_LISTENERS) {
      const scope = draw.pick<EventScope>([ALL, { app: 'shop' }, { app: 'farm', types: ['MINED_TRANSACTION'] }]);
      const stored = await storedIds(scope);
      const after = draw.chance(0.3) ? stored.at(-1)! : draw.pick(stored);
      listeners.push({ scope, after, listener: await record(scope, after) });
    }
  };
  await Promise.all([write(store), write(other), subscribe(), subscribe()]);
  const events = await store.oldest(ALL, { after: 0, limit: 100_000 });
  let withBoth = 0;
  for (const { scope, after, listener } of listeners) {
    await listener.replayed;
    const all = events.filter((event) => includesEvent(scope, event)).map(({ id }) => id);
    const expected = all.slice(all.indexOf(after) + 1);
    await waitUntil(() => listener.received().length >= expected.length, 'every event is received');
    expect(listener.received()).toEqual(expected);
    if (listener.backlogSize() > 0 && listener.backlogSize() < expected.length) withBoth += 1;
  }
  expect(withBoth).toBeGreaterThan(5);
  process.stdout.write(`event feed: ${listeners.length} resumptions, ${withBoth} of them during writes (SEED=${SEED})\n`);
});

test('stopping the feed ends its listeners with SHUTTING_DOWN and leaves no connection', async () => {
  const listener = await record(ALL);
  await waitUntil(isListening, 'the feed listens');
  await feed.stop();
  expect(listener.ended).toEqual(['SHUTTING_DOWN']);
  await waitUntil(async () => !(await isListening()), 'the connection is closed');
});
