import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { requeueDelivery } from '../../../../../src/domains/webhooks/delivery/jobs.ts';
import type { DeliveryWorker } from '../../../../../src/domains/webhooks/delivery/worker.ts';
import type { Database } from '../../../../../src/domains/webhooks/store/database.ts';
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import {
  addWithBodies,
  countJobs,
  createDeliveryDatabase,
  createRegistration,
  deliver,
  startTestWorker,
  waitForStatus,
  waitUntilPrepared,
} from '../../../../support/webhooks/delivery-setup.ts';
import { startReceiver, type TestReceiver } from '../../../../support/webhooks/receiver.ts';

let postgres: TestPostgres;
let database: Database;
let url: string;
let worker: DeliveryWorker | undefined;
let receiver: TestReceiver | undefined;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = createDeliveryDatabase(url);
  await waitUntilPrepared(database);
});

afterEach(async () => {
  await worker?.stop();
  await receiver?.close();
  worker = undefined;
  receiver = undefined;
});

afterAll(async () => {
  await database.stop();
  await postgres.stop();
});

const attemptsOf = (id: string) =>
  database.query('select number, status_code, error from webhook_attempts where delivery_id = $1 order by number', [id]);

test('a delivery arrives once, signed, and leaves no job', async () => {
  receiver = await startReceiver();
  worker = startTestWorker(url, database);
  const { id: registrationId, token } = await createRegistration(database, receiver.url);
  const [id] = await deliver(database, registrationId);
  const state = await waitForStatus(database, id!, 'DELIVERED');
  expect(state).toMatchObject({ attempts: 1, last_status_code: 200, next_attempt_at: null, delivered_at: expect.any(Date) });
  expect(await attemptsOf(id!)).toEqual([{ number: 1, status_code: 200, error: null }]);
  await waitUntil(async () => (await countJobs(database)) === 0, 'the job is removed');
  expect(receiver.received).toHaveLength(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers['webhook-id']).toBe(id);
  expect(new Webhook(token).verify(body, headers as Record<string, string>)).toEqual({ number: 0 });
});

test('a delivery whose id exists, or whose registration does not, is not added', async () => {
  receiver = await startReceiver();
  const { id: registrationId } = await createRegistration(database, receiver.url);
  const delivery = { id: 'repeated', registrationId, eventId: null, body: '{}' };
  await database.transaction((query) => addWithBodies(query, [delivery, { ...delivery, id: 'foreign', registrationId: 'none' }]));
  await database.transaction((query) => addWithBodies(query, [{ ...delivery, body: '{"other":true}' }]));
  expect(await countJobs(database)).toBe(1);
  worker = startTestWorker(url, database);
  await waitForStatus(database, 'repeated', 'DELIVERED');
  expect(receiver.received.map(({ body }) => body)).toEqual(['{}']);
});

test('a delivery that fails is attempted again with the same id until it is delivered', async () => {
  receiver = await startReceiver((response, _delivery, index) => response.writeHead(index < 2 ? 500 : 204).end());
  worker = startTestWorker(url, database);
  const [id] = await deliver(database, (await createRegistration(database, receiver.url)).id);
  expect(await waitForStatus(database, id!, 'DELIVERED')).toMatchObject({ attempts: 3, last_status_code: 204 });
  expect((await attemptsOf(id!)).map(({ status_code }) => status_code)).toEqual([500, 500, 204]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
});

test('a delivery is dead after twelve attempts, stays readable, and can be redelivered', async () => {
  let status = 500;
  receiver = await startReceiver((response) => response.writeHead(status).end());
  worker = startTestWorker(url, database);
  const [id] = await deliver(database, (await createRegistration(database, receiver.url)).id);
  expect(await waitForStatus(database, id!, 'DEAD')).toMatchObject({ attempts: 12, next_attempt_at: null, delivered_at: null });
  status = 200;
  await database.transaction((query) => requeueDelivery(query, id!));
  expect(await waitForStatus(database, id!, 'DELIVERED')).toMatchObject({ attempts: 13 });
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
});

test('status 410 deactivates the registration, and its other deliveries are dead without an attempt', async () => {
  receiver = await startReceiver((response) => response.writeHead(410).end());
  const { id: registrationId } = await createRegistration(database, receiver.url);
  worker = startTestWorker(url, database);
  const [first] = await deliver(database, registrationId);
  expect(await waitForStatus(database, first!, 'DEAD')).toMatchObject({ attempts: 1, last_status_code: 410 });
  expect(await database.query('select active from webhooks where id = $1', [registrationId])).toEqual([{ active: false }]);
  const [second] = await deliver(database, registrationId);
  expect(await waitForStatus(database, second!, 'DEAD')).toMatchObject({ attempts: 0 });
  expect(receiver.received).toHaveLength(1);
});
