import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS, migrate } from '../../../src/database/migrations.ts';
import { queryOf } from '../../../src/database/statements.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { newEventOf } from '../../support/webhooks/events.ts';
import { createTestStores } from '../../support/webhooks/test-stores.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});

test('servers that start at the same time on an empty database apply each migration once', async () => {
  const url = await postgres.createDatabase();
  const stores = Array.from({ length: 6 }, () => createTestStores(url).create());
  const results: boolean[] = [];
  const insert = (store: (typeof stores)[number]) => store.insert([newEventOf(1)]).then(([isNew]) => results.push(isNew!) > 0);
  // On a busy machine, the migrations of the first server take longer than others wait for them.
  const falseIfUnprepared = ({ code }: { code: string }) =>
    code === 'STORE_UNAVAILABLE' ? false : Promise.reject(new Error(code));
  await Promise.all(stores.map((store) => waitUntil(() => insert(store).catch(falseIfUnprepared), 'a server stores the event')));
  expect(results.filter((isNew) => isNew)).toHaveLength(1);
  expect(await runSql(url, 'select version from grimoire_migrations order by version')).toEqual(
    [5, 6, 7, 8].map((version) => ({ version })),
  );
});

test('a server that starts without its database stores events once the database runs', async () => {
  const url = await postgres.createDatabase();
  await postgres.kill();
  const store = createTestStores(url).create();
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
});

test('the rows of the version before chains are those of the default chain', async () => {
  const url = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statements of MIGRATIONS.slice(0, 3)) await client.query(statements);
  await client.query(`create table grimoire_migrations (version integer primary key, applied_at timestamptz not null);
    insert into grimoire_migrations values (5, now()), (6, now()), (7, now());
    insert into webhooks (id, app, type, url, token) values ('w', 'shop', 'MINED_TRANSACTION', 'https://receiver.example/', 'whsec_');
    insert into webhook_delivery_bodies values ('\\x00', '{}');
    insert into derived_blocks values (9, '0x9', '0x8');
    insert into derived_notifications values (9, 'shop', 'key', null, '{}', '{}');
    insert into waiting_deliveries values ('d', 9, 12, 'w', null, '\\x00');
    insert into watched_transactions values ('0x1', '0x2', '0x0', '{}', now(), null, null, 2);
    insert into watched_transaction_apps values ('shop', '0x1');
    insert into webhook_activities values ('shop', 9, 'key')`);
  await migrate(queryOf(client));
  const tables = ['webhooks', 'derived_blocks', 'derived_notifications', 'waiting_deliveries', 'watched_transactions'];
  for (const table of [...tables, 'watched_transaction_apps', 'webhook_activities'])
    expect((await client.query(`select chain_id from ${table}`)).rows).toEqual([{ chain_id: '' }]);
  await client.query("insert into derived_blocks (chain_id, height, hash, parent_hash) values ('0x5', 9, '0x9', '0x8')");
  await client.query("delete from derived_blocks where chain_id = ''");
  await client.query("delete from watched_transactions where chain_id = ''");
  for (const table of ['derived_notifications', 'waiting_deliveries', 'watched_transaction_apps'])
    expect((await client.query(`select 1 from ${table}`)).rows).toEqual([]);
  await client.end();
});

test('a database of an unreleased version is left as it is, and is unavailable', async () => {
  const url = await postgres.createDatabase();
  await runSql(url, 'create table grimoire_migrations as select 4 as version');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await expect(migrate(queryOf(client))).rejects.toThrow('the unreleased version 4. Set DATABASE_URL to a new database.');
  await client.end();
  expect(await runSql(url, "select tablename from pg_tables where schemaname = 'public'")).toEqual([
    { tablename: 'grimoire_migrations' },
  ]);
});
