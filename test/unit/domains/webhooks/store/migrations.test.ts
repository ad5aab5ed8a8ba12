import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runSql, startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
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
