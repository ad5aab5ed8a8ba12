import { expect, test } from '@jest/globals';
import { redeliver } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import type { Database } from '../../../../../src/domains/webhooks/store/database.ts';
import { DeliveryStore } from '../../../../../src/domains/webhooks/store/delivery-store.ts';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { GraphError } from '../../../../../src/lib/errors.ts';
import { useDatabase } from './database.ts';

const fixture = useDatabase();

/** The process of the connection that runs the next statement: the one that was used last. */
const backend = async (): Promise<number> => {
  const [row] = await fixture.database.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row!.pid;
};

test.each([
  ['an invalid value', "select 'text'::integer", 'BAD_USER_INPUT', false],
  ['a violated constraint', 'insert into grimoire_migrations values (5, now())', 'INTERNAL_SERVER_ERROR', false],
  ['an unknown column', 'select missing from webhooks', 'STORE_UNAVAILABLE', true],
  ['a read-only transaction', 'set transaction read only; delete from webhooks', 'STORE_UNAVAILABLE', true],
])('a statement with %s rejects by its SQLSTATE', async (_fault, statement, code, retryable) => {
  const rejection = { code, extensions: { retryable } };
  await expect(fixture.database.query(statement)).rejects.toMatchObject(rejection);
  await expect(fixture.database.transaction((query) => query(statement))).rejects.toMatchObject(rejection);
});

test('a connection is kept after an invalid value, a violated constraint, and an error of this server in a transaction', async () => {
  const before = await backend();
  const rejected = async (statement: string) => {
    await fixture.database.query(statement).catch(() => {});
    await fixture.database.transaction((query) => query(statement)).catch(() => {});
  };
  await rejected("select 'text'::integer");
  await rejected('insert into grimoire_migrations values (5, now())');
  const error = new GraphError('BAD_USER_INPUT', 'too many webhooks');
  const failed = fixture.database.transaction(async (query) => {
    await query("insert into grimoire_migrations values (0, 'epoch')");
    throw error;
  });
  await expect(failed).rejects.toBe(error);
  expect(await fixture.database.query('select 1 from grimoire_migrations where version = 0')).toEqual([]);
  expect(await backend()).toBe(before);
});

test.each([
  ['U+0000', 'abc\0'],
  ['a lone surrogate', 'abc\ud800'],
])('an id with %s belongs to no webhook, delivery or event, and needs no statement', async (_name, id) => {
  let statements = 0;
  const database: Database = {
    ...fixture.database,
    query(text, values) {
      statements += 1;
      return fixture.database.query(text, values);
    },
    transaction(run) {
      statements += 1;
      return fixture.database.transaction(run);
    },
  };
  const registrations = new RegistrationStore(database);
  expect(await registrations.find('shop', id)).toBeUndefined();
  expect(await registrations.list('shop', { after: id, limit: 1 })).toBeUndefined();
  expect(await registrations.remove('shop', id)).toBe(false);
  expect(await registrations.rotate('shop', id, { token: 'whsec_token', graceHours: 1 })).toBeUndefined();
  expect(await redeliver(database, 'shop', id)).toBeUndefined();
  expect(await new DeliveryStore(database).sequenceOf('abc', id)).toBeUndefined();
  expect(await new EventStore(database).sequenceOf({ app: 'shop' }, id)).toBeUndefined();
  expect(statements).toBe(0);
});
