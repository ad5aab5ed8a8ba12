import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDeliveries, claimDueDeliveries } from '../../../../../src/domains/webhooks/delivery/jobs.ts';
import { takeDueDeliveries } from '../../../../../src/domains/webhooks/derivation/notifier.ts';
import { readContents } from '../../../../../src/domains/webhooks/derivation/watched-transactions.ts';
import { MIGRATIONS } from '../../../../../src/domains/webhooks/store/migrations.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { createDeliveryDatabase } from '../../../../support/webhooks/delivery-setup.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';
import { createTestStores } from '../../../../support/webhooks/test-stores.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

test('servers that start at the same time on an empty database apply each migration once', async () => {
  const url = await postgres.createDatabase();
  const servers = Array.from({ length: 6 }, () => createTestStores(url));
  const results = await Promise.all(servers.map((stores) => stores.create().insert([newEventOf(1)])));
  expect(results.flat().filter((isNew) => isNew)).toHaveLength(1);
  expect(await runSql(url, 'select version from grimoire_migrations order by version')).toEqual([
    { version: 1 },
    { version: 2 },
    { version: 3 },
    { version: 4 },
    { version: 5 },
  ]);
  await Promise.all(servers.map((stores) => stores.stop()));
});

test('a server that starts without its database stores events once the database runs', async () => {
  const url = await postgres.createDatabase();
  await postgres.kill();
  const stores = createTestStores(url);
  const store = stores.create();
  await expect(store.insert([newEventOf(1)])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.not.stringContaining('127.0.0.1'),
  });
  await postgres.restart();
  await waitUntil(
    () =>
      store.insert([newEventOf(1)]).then(
        ([isNew]) => isNew === true,
        () => false,
      ),
    'the event is stored',
  );
  await stores.stop();
});

/** Rows of a server whose tables have the first two changes: bodies in deliveries, and facts of blocks as JSON. */
const OLD_ROWS = `
  insert into webhook_events (id, app, type, network, received_at, content, source) values
    ('event', 'shop', 'ADDRESS_ACTIVITY', 'ETH_MAINNET', now(), '{"type":"ADDRESS_ACTIVITY","activity":[{"blockNumber":"0x5"}]}', 'derived');
  insert into webhooks (id, app, type, url, token) values
    ('first', 'shop', 'ADDRESS_ACTIVITY', 'https://receiver.example/', 'whsec_first'),
    ('second', 'shop', 'DROPPED_TRANSACTION', 'https://receiver.example/', 'whsec_second');
  insert into webhook_addresses values ('second', '0xaa');
  insert into webhook_deliveries (id, webhook_id, event_id, body, status, next_attempt_at) values
    ('sent', 'first', 'event', '{"same":"body"}', 'DELIVERED', null),
    ('pending', 'first', 'event', '{"same":"body"}', 'PENDING', now()),
    ('other', 'second', null, '{"other":"b\u00f6dy"}', 'RETRYING', now());
  insert into derived_blocks (height, hash, parent_hash, facts) values
    (4, '0x04', '0x03', '{}'),
    (5, '0x05', '0x04', '{
      "notifications": [{"app":"shop","timestamp":null,"factId":"event","eventId":"event","shown":[0],
        "content":{"type":"ADDRESS_ACTIVITY","activity":[{"blockNumber":"0x5"}]}}],
      "waiting": [{"id":"waits","registrationId":"first","eventId":"event","body":"{\\"same\\":\\"body\\"}","dueHeight":9},
        {"id":"gone","registrationId":"deleted","eventId":null,"body":"{}","dueHeight":9}],
      "settled": [{"hash":"0x51","from":"0xaa","nonce":"0x1"}]}');
  insert into watched_transactions (hash, sender, nonce, content, seen_at) values
    ('0x52', '0xaa', '0x2', '{"hash":"0x52","from":"0xaa","nonce":"0x2"}', now())`;

test('a database of the first release keeps its webhooks, events, deliveries and watched transactions', async () => {
  const url = await postgres.createDatabase();
  for (const statement of [
    'create table grimoire_migrations (version integer primary key, applied_at timestamptz not null)',
    ...MIGRATIONS.slice(0, 2),
    'insert into grimoire_migrations values (1, now()), (2, now())',
    OLD_ROWS,
  ])
    await runSql(url, statement);
  const database = createDeliveryDatabase(url);
  const { query } = database;
  expect(await query('select id, token from webhooks order by id')).toEqual([
    { id: 'first', token: 'whsec_first' },
    { id: 'second', token: 'whsec_second' },
  ]);
  expect(await query('select id, app from webhook_events')).toEqual([{ id: 'event', app: 'shop' }]);
  // The body of two deliveries, and of one that waits, is stored once.
  expect(await query('select body from webhook_delivery_bodies order by body')).toEqual([
    { body: '{"other":"bödy"}' },
    { body: '{"same":"body"}' },
  ]);
  expect(await query('select height, app, event_id, shown from derived_notifications')).toEqual([
    { height: '5', app: 'shop', event_id: 'event', shown: [0] },
  ]);
  const waiting = await database.transaction(async (run) => {
    const due = await takeDueDeliveries(run, 9);
    await addDeliveries(run, due);
    return due;
  });
  expect(waiting).toMatchObject([{ id: 'waits', registrationId: 'first', eventId: 'event' }]);
  const claim = (registrationId: string) => claimDueDeliveries(query, { registrationId, poolId: 'pool', limit: 10 });
  expect((await claim('first')).map(({ id, body }) => [id, body]).sort()).toEqual([
    ['pending', '{"same":"body"}'],
    ['waits', '{"same":"body"}'],
  ]);
  expect(await claim('second')).toMatchObject([{ id: 'other', body: '{"other":"bödy"}' }]);
  const watched = await query<{ hash: string; sender: string; bytes: number; settled_height: string | null; app: string }>(
    'select * from watched_transactions join watched_transaction_apps using (hash) order by hash',
  );
  expect(watched.map(({ hash, settled_height, app }) => [hash, settled_height, app])).toEqual([
    ['0x51', '5', 'shop'],
    ['0x52', null, 'shop'],
  ]);
  for await (const contents of readContents(query, watched)) expect(contents.map(({ hash }) => hash)).toEqual(['0x51', '0x52']);
  await database.stop();
});
