import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { claimDueDeliveries, requeueDelivery } from '../../../../../src/domains/webhooks/delivery/jobs.ts';
import { cleanups } from '../../../../support/cleanups.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import {
  addWithBodies,
  countJobs,
  createRegistration,
  deliver,
  startTestWorker,
  waitForStatus,
} from '../../../../support/webhooks/delivery-setup.ts';
import { startReceiver } from '../../../../support/webhooks/receiver.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const store = useDatabase();

/** Its deliveries stop before the next test. */
function startWorker(): void {
  const worker = startTestWorker(store.url, store.database);
  cleanups.push(() => worker.stop());
}

const attemptsOf = (id: string) =>
  store.database.query('select number, status_code, error from webhook_attempts where delivery_id = $1 order by number', [id]);

test('a delivery arrives once, signed, and leaves no job', async () => {
  const receiver = await startReceiver();
  startWorker();
  const { id: registrationId, token } = await createRegistration(store.database, receiver.url);
  const [id] = await deliver(store.database, registrationId);
  const state = await waitForStatus(store.database, id!, 'DELIVERED');
  expect(state).toMatchObject({ attempts: 1, last_status_code: 200, next_attempt_at: null, delivered_at: expect.any(Date) });
  expect(await attemptsOf(id!)).toEqual([{ number: 1, status_code: 200, error: null }]);
  await waitUntil(async () => (await countJobs(store.database)) === 0, 'the job is removed');
  expect(receiver.received).toHaveLength(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers['webhook-id']).toBe(id);
  expect(new Webhook(token).verify(body, headers as Record<string, string>)).toEqual({ number: 0 });
});

test('a delivery whose id exists, or whose registration does not, is not added', async () => {
  const receiver = await startReceiver();
  const { id: registrationId } = await createRegistration(store.database, receiver.url);
  const delivery = { id: 'repeated', registrationId, eventId: null, body: '{}' };
  await store.database.transaction((query) =>
    addWithBodies(query, [delivery, { ...delivery, id: 'foreign', registrationId: 'none' }]),
  );
  await store.database.transaction((query) => addWithBodies(query, [{ ...delivery, body: '{"other":true}' }]));
  expect(await countJobs(store.database)).toBe(1);
  startWorker();
  await waitForStatus(store.database, 'repeated', 'DELIVERED');
  expect(receiver.received.map(({ body }) => body)).toEqual(['{}']);
});

test('a delivery that fails is attempted again with the same id until it is delivered', async () => {
  const receiver = await startReceiver((response, _delivery, index) => response.writeHead(index < 2 ? 500 : 204).end());
  startWorker();
  const [id] = await deliver(store.database, (await createRegistration(store.database, receiver.url)).id);
  expect(await waitForStatus(store.database, id!, 'DELIVERED')).toMatchObject({ attempts: 3, last_status_code: 204 });
  expect((await attemptsOf(id!)).map(({ status_code }) => status_code)).toEqual([500, 500, 204]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
});

test('a delivery is dead after twelve attempts, stays readable, and can be redelivered', async () => {
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  startWorker();
  const [id] = await deliver(store.database, (await createRegistration(store.database, receiver.url)).id);
  expect(await waitForStatus(store.database, id!, 'DEAD')).toMatchObject({
    attempts: 12,
    next_attempt_at: null,
    delivered_at: null,
  });
  status = 200;
  await store.database.transaction((query) => requeueDelivery(query, id!));
  expect(await waitForStatus(store.database, id!, 'DELIVERED')).toMatchObject({ attempts: 13 });
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
});

test('status 410 deactivates the registration, and its other deliveries are dead without an attempt', async () => {
  const receiver = await startReceiver((response) => response.writeHead(410).end());
  const { id: registrationId } = await createRegistration(store.database, receiver.url);
  startWorker();
  const [first] = await deliver(store.database, registrationId);
  expect(await waitForStatus(store.database, first!, 'DEAD')).toMatchObject({ attempts: 1, last_status_code: 410 });
  expect(await store.database.query('select active from webhooks where id = $1', [registrationId])).toEqual([{ active: false }]);
  const [second] = await deliver(store.database, registrationId);
  expect(await waitForStatus(store.database, second!, 'DEAD')).toMatchObject({ attempts: 0 });
  expect(receiver.received).toHaveLength(1);
});

test('a server takes over the deliveries and the job of a server that has ended, not those of one that is alive', async () => {
  const receiver = await startReceiver();
  const claimed: { readonly id: string; readonly by: string }[] = [];
  for (const by of ['alive', 'ended']) {
    const { id: registrationId } = await createRegistration(store.database, receiver.url);
    const [id] = await deliver(store.database, registrationId);
    await claimDueDeliveries(store.database.query, registrationId, by, 1);
    const lock = 'update graphile_worker._private_jobs set locked_by = $2, locked_at = now() where flags ? $1';
    await store.database.query(lock, [registrationId, by]);
    claimed.push({ id: id!, by });
  }
  const alive = await store.createServer().connect();
  await alive.query("select pg_advisory_lock(7462, hashtext('alive'))");
  startWorker();
  await waitForStatus(store.database, claimed[1]!.id, 'DELIVERED');
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([claimed[1]!.id]);
  await alive.end();
  await waitForStatus(store.database, claimed[0]!.id, 'DELIVERED');
});

test('a delivery whose job was lost with a connection is sent once the connection is restored', async () => {
  const receiver = await startReceiver();
  const { id: registrationId } = await createRegistration(store.database, receiver.url);
  startWorker();
  const [first] = await deliver(store.database, registrationId);
  await waitForStatus(store.database, first!, 'DELIVERED');
  await store.database.transaction(async (query) => {
    await addWithBodies(query, [{ id: 'without a job', registrationId, eventId: null, body: '{}' }]);
    await query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
  });
  await store.database.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 7462");
  await waitForStatus(store.database, 'without a job', 'DELIVERED');
});
