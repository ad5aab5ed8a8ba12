import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../src/database/migrations.ts';
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
  const servers = Array.from({ length: 6 }, () => createTestStores(url));
  const results = await Promise.all(servers.map((stores) => stores.create().insert([newEventOf(1)])));
  expect(results.flat().filter((isNew) => isNew)).toHaveLength(1);
  expect(await runSql(url, 'select version from grimoire_migrations order by version')).toEqual(
    [5, 6, 7].map((version) => ({ version })),
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
