import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createReceiver } from '../../../../../src/domains/webhooks/receiver/receive.ts';
import { WriteQueue } from '../../../../../src/domains/webhooks/receiver/write-queue.ts';
import type { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { sign } from '../../../../support/webhooks/sender.ts';
import { createTestStores, type TestStores } from '../../../../support/webhooks/test-stores.ts';

const TOKEN = 'shop-token-canary-Hq81Nd';
let postgres: TestPostgres;
let url: string;
let stores: TestStores;
let store: EventStore;
/** Two servers of one database. */
let servers: readonly ReturnType<typeof createReceiver>[];

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  stores = createTestStores(url);
  store = stores.create();
  await store.lastSequence();
  servers = [store, stores.create()].map((each) =>
    createReceiver([{ app: 'shop', token: TOKEN }], new WriteQueue((events, answered) => each.insert(events, answered)), {
      accepted: 0,
      repeated: 0,
      unauthenticated: 0,
      invalid: 0,
      failed: 0,
    }),
  );
});
beforeEach(() => runSql(url, 'truncate webhook_events, webhook_bodies, webhook_activities'));

/** Sends a body, and returns the status of its response, which the sender receives unless it is disconnected. */
async function send(body: object | string, { server = 0, isConnected = true } = {}): Promise<unknown> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const response = await servers[server]!(bytes, { 'x-svc-signature': sign(TOKEN, bytes) }, () => isConnected);
  return 'body' in response ? (response.body as { status: string }).status : response.status;
}

const eventCount = async () => (await store.oldest({ app: undefined }, { limit: 100 })).length;

/** The notifications that name neither a time nor a transaction. */
const UNTIMED = Object.entries(BODIES).flatMap(([type, body]) =>
  type === 'MINED_TRANSACTION' ? [] : [[type, { ...body, timestamp: null }] as const],
);

test.each(UNTIMED)('each %s without a time that follows the response to an equal one is an event', async (_type, body) => {
  expect([await send(body), await send(body), await send(body, { server: 1 })]).toEqual(Array(3).fill('stored'));
  expect(await eventCount()).toBe(3);
});

test.each(UNTIMED)('equal notifications of %s without a time that arrive together are events', async (_type, body) => {
  expect(await Promise.all([send(body), send(body), send(body)])).toEqual(Array(3).fill('stored'));
  expect(await eventCount()).toBe(3);
});

test.each(UNTIMED)('a %s without a time whose sender received no response is repeated once', async (_type, body) => {
  await send(body, { isConnected: false });
  await runSql(url, "update webhook_bodies set received_at = now() + interval '1 minute'");
  // Another server could be about to respond.
  expect(await send(body, { server: 1 })).toBe(503);
  await runSql(url, "update webhook_bodies set received_at = now() - interval '6 seconds'");
  expect([await send(body, { server: 1 }), await send(body)]).toEqual(['repeated', 'stored']);
  expect(await eventCount()).toBe(2);
});

test('equal notifications without a time that arrive together are an event each, whether their senders repeat them or not', async () => {
  const [, body] = UNTIMED[0]!;
  // While the first one is stored, the equal ones wait.
  const sendTogether = (...isConnected: boolean[]) =>
    Promise.all([send(BODIES.MINED_TRANSACTION), ...isConnected.map((each) => send(body, { isConnected: each }))]);
  const makeOld = () => runSql(url, "update webhook_bodies set received_at = now() - interval '6 seconds'");
  // Another server could be about to respond to the first one.
  expect(await sendTogether(false, false)).toEqual(['stored', 'stored', 503]);
  await makeOld();
  expect([await send(body), await send(body), await eventCount()]).toEqual(['repeated', 'stored', 3]);
  await runSql(url, 'truncate webhook_events, webhook_bodies');
  expect(await sendTogether(true, false)).toEqual(['stored', 'stored', 'stored']);
  await makeOld();
  expect([await send(body), await eventCount()]).toEqual(['repeated', 3]);
});

test.each(Object.entries(BODIES))('a %s with a time is repeated in the same and in other bytes', async (_type, body) => {
  const timed = { ...body, timestamp: '2026-11-01T12:00:00Z' };
  const sent = [timed, timed, JSON.stringify(timed, null, 2), Object.fromEntries(Object.entries(timed).reverse())];
  const statuses: unknown[] = [];
  for (const each of sent) statuses.push(await send(each));
  expect(statuses).toEqual(['stored', 'repeated', 'repeated', 'repeated']);
  expect(await eventCount()).toBe(1);
});

test.each(['DROPPED_TRANSACTION', 'ADDRESS_ACTIVITY', 'GAS_PRICE', 'CAPACITY_EXCEEDED'] as const)(
  'two notifications of %s that differ in their time alone are two events',
  async (type) => {
    const statuses: unknown[] = [];
    for (const second of ['00', '01']) statuses.push(await send({ ...BODIES[type], timestamp: `2026-11-01T12:00:${second}Z` }));
    expect(statuses).toEqual(['stored', 'stored']);
  },
);

test('an activity whose transfers name their transactions is repeated without a time', async () => {
  const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
  const body = { ...BODIES.ADDRESS_ACTIVITY, activity: [{ ...activity, hash: `0x${'ef'.repeat(32)}` }] };
  expect([await send(body), await send(body)]).toEqual(['stored', 'repeated']);
});
