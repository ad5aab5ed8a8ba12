import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../../../../src/database/migrations.ts';
import { createReceiver } from '../../../../../src/domains/webhooks/receiver/receive.ts';
import { WriteQueue } from '../../../../../src/domains/webhooks/receiver/write-queue.ts';
import type { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { runSql, startTestPostgres } from '../../../../support/postgres.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { sign } from '../../../../support/webhooks/sender.ts';
import { createTestStores, type TestStores } from '../../../../support/webhooks/test-stores.ts';

const TOKEN = 'shop-token-canary-Hq81Nd';
let url: string;
let stores: TestStores;
let store: EventStore;
const BODY = { ...BODIES.GAS_PRICE, timestamp: null };

const serverOf = (insert: EventStore['insert']) => {
  const handle = createReceiver([{ app: 'shop', token: TOKEN }], new WriteQueue(insert), {
    ...{ accepted: 0, repeated: 0, unauthenticated: 0, invalid: 0, failed: 0 },
  });
  return async (): Promise<unknown> => {
    const bytes = Buffer.from(JSON.stringify(BODY));
    const response = await handle(bytes, { 'x-svc-signature': sign(TOKEN, bytes) }, () => true);
    return 'body' in response ? (response.body as { status: string }).status : response.status;
  };
};

beforeAll(async () => {
  const postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  stores = createTestStores(url);
  store = stores.create();
  await store.lastSequence();
});

const eventCount = async () => (await store.oldest({ app: undefined }, { limit: 100 })).length;
const blocked = (count: number) =>
  waitUntil(async () => {
    const rows = await runSql(
      url,
      'select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
    );
    return rows.length >= count;
  }, `${count} wait`);
async function session() {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

test('an equal notification is no repeat of one that is being answered after a transaction that waited for its lock', async () => {
  const sendTo1 = serverOf((...args) => store.insert(...args));
  const other = stores.create();
  await other.lastSequence();
  const sendTo2 = serverOf((...args) => other.insert(...args));
  const writer = await session();
  const disk = await session();
  await writer.query('begin');
  await writer.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.inserts]);
  await disk.query('begin');
  await disk.query('lock table webhook_bodies in share mode');
  const first = sendTo1();
  await blocked(1);
  await delay(4_200);
  await writer.query('commit');
  // The first transaction has the lock, but its next statement is slow.
  await delay(1_200);
  const second = sendTo2();
  await blocked(2);
  await disk.query('commit');
  await Promise.all([writer.end(), disk.end()]);
  const responses = [await first, await second];
  // 503 would be correct, too: the sender repeats.
  const events = (await eventCount()) + (responses[1] === 503 ? 1 : 0);
  expect([responses[0], events]).toEqual(['stored', 2]);
});
