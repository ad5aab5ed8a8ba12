import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../../src/database/database.ts';
import { redeliver } from '../../../src/domains/webhooks/registrations/delivery-commands.ts';
import { RegistrationStore } from '../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../src/domains/webhooks/store/chain-statements.ts';
import { deliverySequenceOf } from '../../../src/domains/webhooks/store/delivery-store.ts';
import { EventStore } from '../../../src/domains/webhooks/store/event-store.ts';
import { GraphError } from '../../../src/lib/errors.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createDeliveryDatabase } from '../../support/webhooks/delivery-setup.ts';
import { newEventOf } from '../../support/webhooks/events.ts';
import { useDatabase } from '../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();

/** The PostgreSQL process of the connection that runs the next statement: the last used connection. */
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

test.each([
  ['with a wrong password', { password: 'wrong' }, 'rejects the user or the password of DATABASE_URL'],
  ['that does not exist', { pathname: 'missing' }, 'does not exist on the server of DATABASE_URL'],
  ['on an unused port', { port: '1' }, 'could not be reached: connection refused'],
])('a database %s is an error and a log line with the cause', async (_case, change, problem) => {
  const lines: unknown[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const database = createDeliveryDatabase(Object.assign(new URL(fixture.url), change).href, log);
  expect(await database.startProblem()).toBe(problem);
  const message = `The database ${problem}. Try again in a moment.`;
  await expect(database.check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message });
  const endpoint = Object.assign(new URL(fixture.url), change).host;
  expect(lines).toMatchObject([{ level: 40, endpoint, reason: message }]);
  expect(lines).not.toMatchObject([{ err: {} }]);
  await database.stop();
});

test('a connection stays open after an invalid value, a violated constraint, and an error in a transaction', async () => {
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
  const registrations = new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN));
  expect(await registrations.find('shop', id)).toBeUndefined();
  expect(await registrations.list('shop', { after: id, limit: 1 })).toBeUndefined();
  expect(await registrations.remove('shop', id)).toBe(false);
  expect(await registrations.rotate('shop', id, { token: 'whsec_token', graceHours: 1 })).toBeUndefined();
  expect(await redeliver(statementsOfChain(database, DEFAULT_CHAIN), 'shop', id)).toBeUndefined();
  expect(await deliverySequenceOf(database.query, 'abc', id)).toBeUndefined();
  expect(await new EventStore(database).sequenceOf({ app: 'shop' }, id)).toBeUndefined();
  expect(statements).toBe(0);
});

const check = () => fixture.database.check();
const succeeds = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );
const UNAVAILABLE = { code: 'STORE_UNAVAILABLE' };

/** Changes whether new connections may write, and closes the open connections of the server. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const client = await fixture.database.connect();
  await client.query(`set transaction_read_only = off; do $$ begin
    execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`);
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'grimoire' and pid <> pg_backend_pid()",
  );
  await client.end();
}

test('the check of a database fails while it is read-only, although reads succeed', async () => {
  await fixture.database.query('select 1');
  await expect(check()).resolves.toBeUndefined();
  await setReadOnly('on');
  await waitUntil(() => succeeds(fixture.database.query('select 1')), 'the database responds');
  await expect(check()).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('cannot be written') });
  await expect(fixture.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  await setReadOnly('off');
  await waitUntil(() => succeeds(check()), 'the database is writable');
});

test('the check of a database fails after a write for which the disk has no space, until a write succeeds', async () => {
  const store = new EventStore(fixture.database);
  await fixture.database.query(`create function fill_disk() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await fixture.database.query('create trigger fill_disk before insert on webhook_events execute function fill_disk()');
  await expect(store.insert([newEventOf(1)])).rejects.toMatchObject(UNAVAILABLE);
  await expect(check()).rejects.toMatchObject(UNAVAILABLE);
  await fixture.database.query('drop trigger fill_disk on webhook_events');
  expect(await store.insert([newEventOf(1)])).toEqual([true]);
  await expect(check()).resolves.toBeUndefined();
});

test('the check of a database that hangs ends with its signal', async () => {
  const client = await fixture.database.connect();
  await client.query('begin; lock table grimoire_migrations');
  const controller = new AbortController();
  const rejected = expect(fixture.database.check(controller.signal)).rejects.toMatchObject(UNAVAILABLE);
  controller.abort();
  await rejected;
  await client.end();
});
