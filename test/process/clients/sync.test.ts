import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { PositionConflictError, type SyncPage } from '../../../clients/js/src/sync.ts';
import { createPostgresStore, isTransientPostgresError, type Query } from '../../../clients/js/src/sync-postgres.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { createGate } from '../../support/gate.ts';
import { startTestPostgres } from '../../support/postgres.ts';

/** The store for PostgreSQL on a real server. */
interface Log {
  readonly id: number;
}

let url: string;
let pool: pg.Pool;

function poolOf(connectionString: string): pg.Pool {
  const created = new pg.Pool({ connectionString, max: 4 });
  created.on('error', () => {});
  stopAfterTests(() => created.end());
  return created;
}

beforeAll(async () => {
  url = await (await startTestPostgres()).createDatabase();
  pool = poolOf(url);
  await pool.query('create table logs (store text, id int, primary key (store, id))');
});

const storeOf = (name: string, options: object = {}) =>
  createPostgresStore<Log>({
    database: pool,
    name,
    write: (query, { id }) => query('insert into logs values ($1, $2)', [name, id]),
    remove: async (query, { id }) => {
      const { rows } = await query('delete from logs where store = $1 and id = $2 returning id', [name, id]);
      expect(rows).toHaveLength(1);
    },
    ...options,
  });

const page = (after: string | undefined, cursor: string, added: number[] = [], removed: number[] = []): SyncPage<Log> => ({
  added: added.map((id) => ({ id })),
  removed: removed.map((id) => ({ id })),
  after,
  cursor,
  searchedTo: cursor.charCodeAt(0),
});

const idsOf = async (name: string) =>
  (await pool.query('select id from logs where store = $1 order by id', [name])).rows.map(({ id }) => id);
const searchedTo = async (name: string) =>
  (await pool.query('select searched_to from grimoire_positions where name = $1', [name])).rows[0]?.searched_to;

test('a page and its position are one transaction, and a page is applied once', async () => {
  const store = storeOf('once');
  expect(await store.position()).toBeUndefined();
  await store.apply(page(undefined, 'a', [1, 2]));
  await expect(store.apply(page(undefined, 'a', [1, 2]))).rejects.toThrow(PositionConflictError);
  await store.apply(page('a', 'b', [], [2, 1]));
  await store.apply(page('b', 'c', [3]));
  // The second insert of 3 fails, and with it the first insert and the position.
  await expect(store.apply(page('c', 'd', [4, 3]))).rejects.toMatchObject({ code: '23505' });
  expect([await store.position(), await idsOf('once'), await searchedTo('once')]).toEqual(['c', [3], '99']);
});

test('an error that a callback catches does not lose its page', async () => {
  const write = (query: Query) => query('select no_such_column').catch(() => {});
  const store = storeOf('caught', { write, undoPages: 0 });
  await store.position();
  await expect(store.apply(page(undefined, 'a', [1]))).rejects.toThrow('Do not catch its error.');
  expect(await store.position()).toBeUndefined();
});

test('of two processes that apply a page at once, one fails with PositionConflictError', async () => {
  const stores = [storeOf('race'), storeOf('race')];
  await Promise.all(stores.map((store) => store.position()));
  for (const [after, cursor, id] of [
    [undefined, 'a', 1],
    ['a', 'b', 2],
  ] as const) {
    const results = await Promise.allSettled(stores.map((store) => store.apply(page(after, cursor, [id]))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'PositionConflictError' } });
  }
  expect(await idsOf('race')).toEqual([1, 2]);
});

test('rollback undoes pages of added and of removed logs, the last first, down to the start', async () => {
  const store = storeOf('undo');
  await store.position();
  await store.apply(page(undefined, 'a', [1, 2]));
  await store.apply(page('a', 'b'));
  await store.apply(page('b', 'c', [], [2]));
  await store.apply(page('c', 'd', [3]));
  await store.apply(page('d', 'e'));
  await expect(store.rollback!('d')).rejects.toThrow(PositionConflictError);
  expect(await store.rollback!('e')).toBe(true);
  expect([await store.position(), await idsOf('undo'), await searchedTo('undo')]).toEqual(['c', [1], '99']);
  expect(await store.rollback!('c')).toBe(true);
  expect([await store.position(), await idsOf('undo')]).toEqual(['b', [1, 2]]);
  await store.apply(page('b', 'f', [4]));
  expect(await store.rollback!('f')).toBe(true);
  expect(await store.rollback!('b')).toBe(true);
  expect([await store.position(), await idsOf('undo')]).toEqual([undefined, []]);
  await expect(store.rollback!('a')).rejects.toThrow(PositionConflictError);
});

test('rollback is limited to the last `undoPages` pages with logs', async () => {
  const store = storeOf('limit', { undoPages: 2 });
  await store.position();
  await store.apply(page(undefined, 'a', [1]));
  await store.apply(page('a', 'b', [2]));
  await store.apply(page('b', 'c', [3]));
  expect(await store.rollback!('c')).toBe(true);
  expect(await store.rollback!('b')).toBe(true);
  expect(await store.rollback!('a')).toBe(false);
  expect([await store.position(), await idsOf('limit')]).toEqual(['a', [1]]);
  const without = storeOf('none', { undoPages: 0 });
  await without.position();
  await without.apply(page(undefined, 'a', [1]));
  expect(await without.rollback!('a')).toBe(false);
});

test('a database with transactions takes the place of a pool', async () => {
  const database = {
    async transaction<T>(run: (tx: { query: Query }) => Promise<T>): Promise<T> {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await run({ query: (text, values) => client.query(text, values) });
        await client.query('commit');
        return result;
      } finally {
        client.release(true);
      }
    },
  };
  const store = storeOf('transactional', { database });
  await store.position();
  await store.apply(page(undefined, 'a', [1]));
  expect([await store.position(), await idsOf('transactional')]).toEqual(['a', [1]]);
});

test('a store without logs starts again after its position has expired, and one whose pages to undo are deleted does not', async () => {
  const [empty, full] = [storeOf('empty'), storeOf('full', { undoPages: 1 })];
  for (const store of [empty, full]) await store.position();
  await empty.apply(page(undefined, 'a'));
  await empty.apply(page('a', 'b', [1]));
  expect([await empty.rollback!('b'), await empty.position(), await idsOf('empty')]).toEqual([true, 'a', []]);
  expect([await empty.rollback!('a'), await empty.position()]).toEqual([true, undefined]);
  await full.apply(page(undefined, 'a', [1]));
  await full.apply(page('a', 'b', [2]));
  expect([await full.rollback!('b'), await full.rollback!('a'), await full.position()]).toEqual([true, false, 'a']);
});

test('a role without the right to create tables uses those that exist', async () => {
  await storeOf('owner').position();
  await pool.query(`create role writer login password 'secret'`);
  await pool.query('grant select, insert, update, delete on grimoire_positions, grimoire_pages, logs to writer');
  const database = poolOf(Object.assign(new URL(url), { username: 'writer', password: 'secret' }).href);
  const store = storeOf('writer', { database });
  expect(await store.position()).toBeUndefined();
  await store.apply(page(undefined, 'a', [1]));
  expect(await store.position()).toBe('a');
});

test('a process whose lock_timeout ends while another one applies a page may try again', async () => {
  const [writes, released] = [createGate(), createGate()];
  const write = () => {
    writes.open();
    return released.opened;
  };
  const slow = storeOf('lock', { write });
  const waiting = storeOf('lock', { database: poolOf(`${url}?options=-c%20lock_timeout%3D200`) });
  for (const store of [slow, waiting]) await store.position();
  const applied = slow.apply(page(undefined, 'a', [1]));
  await writes.opened;
  const error = await waiting.apply(page(undefined, 'a', [1])).catch((reason) => reason);
  released.open();
  await applied;
  expect([error.code, isTransientPostgresError(error)]).toEqual(['55P03', true]);
});
