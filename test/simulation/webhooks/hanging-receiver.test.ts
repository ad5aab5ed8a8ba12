import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../../src/domains/webhooks/store/database.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  addWithBodies,
  createDeliveryDatabase,
  createRegistration,
  deliver,
  startTestWorker,
  type TestRegistration,
} from '../../support/webhooks/delivery-setup.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';

const ROUNDS = runSize(1, 5);
const DELIVERIES = runSize(200, 1_000);
const RECEIVERS = 20;
/** Deliveries that wait for the receiver that hangs. */
const WAITING = 1_000;
const INTERVAL_MS = 10;
/** Of the 99th percentile beside a receiver that hangs to that without it. */
const MAX_RATIO = 1.25;
/** The short run is too small to measure the ratio. The receiver hangs for 15 seconds. */
const MAX_SHORT_MS = 5_000;

let postgres: TestPostgres;
let database: Database;
let url: string;
let receivers: TestReceiver[];
let registrations: TestRegistration[];
let hanging: TestReceiver;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = createDeliveryDatabase(url);
  await waitUntil(
    () =>
      database.check().then(
        () => true,
        () => false,
      ),
    'the database is prepared',
  );
  receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startReceiver()));
  registrations = await Promise.all(receivers.map((receiver) => createRegistration(database, receiver.url)));
  hanging = await startReceiver(() => {});
});

afterAll(async () => {
  await Promise.all([...receivers, hanging].map((receiver) => receiver.close()));
  await database.stop();
  await postgres.stop();
});

/** The times from the commit of each delivery to its arrival, sorted. */
async function measure(): Promise<number[]> {
  const committed = new Map<string, number>();
  const from = receivers.map(({ received }) => received.length);
  for (let i = 0; i < DELIVERIES; i++) {
    const id = randomUUID();
    const registrationId = registrations[i % RECEIVERS]!.id;
    await database.transaction((query) => addWithBodies(query, [{ id, registrationId, eventId: null, body: '{}' }]));
    committed.set(id, performance.now());
    await wait(INTERVAL_MS);
  }
  const arrived = () => receivers.flatMap(({ received }, i) => received.slice(from[i]));
  await waitUntil(() => arrived().length >= DELIVERIES, 'all deliveries have arrived');
  return arrived()
    .map(({ at, headers }) => at - committed.get(String(headers['webhook-id']))!)
    .sort((a, b) => a - b);
}

async function percentile99(hasHangingReceiver: boolean): Promise<number> {
  const worker = startTestWorker(url, database);
  const { id } = await createRegistration(database, hanging.url);
  if (hasHangingReceiver) {
    const before = hanging.received.length;
    await deliver(database, id, WAITING);
    await waitUntil(() => hanging.received.length > before, 'the receiver hangs');
  }
  try {
    return (await measure())[Math.floor(DELIVERIES * 0.99)]!;
  } finally {
    await worker.stop();
    await database.query('delete from webhooks where id = $1', [id]);
  }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test(`a receiver that hangs with ${WAITING} waiting deliveries does not delay ${RECEIVERS} others`, async () => {
  await percentile99(false);
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await percentile99(false));
    beside.push(await percentile99(true));
  }
  process.stdout.write(
    `p99 of a delivery: ${median(alone).toFixed(1)} ms, beside a receiver that hangs ${median(beside).toFixed(1)} ms ` +
      `(medians of ${ROUNDS} interleaved rounds)\n`,
  );
  expect(median(beside)).toBeLessThan(runSize(MAX_SHORT_MS, MAX_RATIO * median(alone)));
});
