import { expect, test } from '@jest/globals';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';
import { useDatabase } from './database.ts';

const fixture = useDatabase();

const never = new AbortController().signal;
const check = () => fixture.database.check(never);
const UNAVAILABLE = { code: 'STORE_UNAVAILABLE' };

/** Changes whether new connections may write, and closes those of the server. */
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
  await waitUntil(
    () =>
      fixture.database.query('select 1').then(
        () => true,
        () => false,
      ),
    'the database responds',
  );
  await expect(check()).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('cannot be written') });
  await expect(fixture.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  await setReadOnly('off');
  await waitUntil(
    () =>
      check().then(
        () => true,
        () => false,
      ),
    'the database is writable',
  );
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
