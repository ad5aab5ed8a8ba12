import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { addLostJobs } from '../../../src/domains/webhooks/delivery/jobs.ts';
import type { DeliveryWorkerOptions, startDeliveryWorker } from '../../../src/domains/webhooks/delivery/worker.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  countJobs,
  createRegistration,
  deliver,
  startTestWorker,
  stateOf,
  waitForStatus,
} from '../../support/webhooks/delivery-setup.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';
import { useDatabase } from '../../support/webhooks/store-fixture.ts';

const store = useDatabase();
const workers: ReturnType<typeof startDeliveryWorker>[] = [];
const receivers: TestReceiver[] = [];
const children: ChildProcess[] = [];

const start = (options: Partial<DeliveryWorkerOptions> = {}) => {
  const worker = startTestWorker(store.url, store.database, options);
  workers.push(worker);
  return worker;
};
const receive = async (...parameters: Parameters<typeof startReceiver>): Promise<TestReceiver> => {
  const receiver = await startReceiver(...parameters);
  receivers.push(receiver);
  return receiver;
};
const startProcess = (): ChildProcess => {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/webhooks/delivery-server.ts', store.url], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  children.push(child);
  return child;
};
const registrationOf = async ({ url: target }: TestReceiver): Promise<string> =>
  (await createRegistration(store.database, target)).id;

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

test('sixty receivers that hang do not delay twenty others', async () => {
  const hanging = await receive(() => {});
  const fast = await Promise.all(Array.from({ length: 20 }, () => receive()));
  const hangingIds = await Promise.all(Array.from({ length: 60 }, () => registrationOf(hanging)));
  const fastIds = await Promise.all(fast.map(registrationOf));
  // The deliveries of the receivers that hang are the first of the queue.
  for (const id of hangingIds) await deliver(store.database, id, 10);
  // No attempt ends during the test.
  start({ timeoutMs: 600_000 });
  await waitUntil(() => hanging.received.length >= 60, 'every receiver that hangs has a request');
  await Promise.all(fastIds.map((id) => deliver(store.database, id, 10)));
  await waitUntil(() => fast.every(({ received }) => received.length === 10), 'all other receivers have their deliveries');
  expect(hanging.received).toHaveLength(60);
  await store.database.query('delete from webhooks');
});

test('a server takes over the deliveries of a killed one within ten seconds', async () => {
  const receiver = await receive((response, _delivery, index) => (index < 1 ? undefined : response.end()));
  const [first] = await deliver(store.database, await registrationOf(receiver));
  const child = startProcess();
  await waitUntil(() => receiver.received.length === 1, 'the first server has sent the delivery');
  start();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const killedAt = performance.now();
  await waitForStatus(store.database, first!, 'DELIVERED');
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([first, first]);
  expect(await stateOf(store.database, first!)).toMatchObject({ attempts: 1 });
});

test('a delivery that was added while a killed server was sending another delivery arrives', async () => {
  const receiver = await receive((response, _delivery, index) => (index < 1 ? undefined : response.end()));
  const registrationId = await registrationOf(receiver);
  const child = startProcess();
  const [first] = await deliver(store.database, registrationId);
  await waitUntil(() => receiver.received.length === 1, 'the first server has sent the delivery');
  const [second] = await deliver(store.database, registrationId);
  const countWaitingJobs = async (): Promise<number> =>
    (await store.database.query('select from graphile_worker.jobs where locked_at is null')).length;
  await waitUntil(async () => (await countWaitingJobs()) === 0, 'the first server has seen the second delivery');
  child.kill('SIGKILL');
  await once(child, 'exit');
  start();
  await Promise.all([first, second].map((id) => waitForStatus(store.database, id!, 'DELIVERED')));
  expect(receiver.received).toHaveLength(3);
  // A job is removed after its delivery is recorded.
  await waitUntil(async () => (await countJobs(store.database)) === 0, 'no job is left');
});

test('deliveries without a job are sent', async () => {
  const receiver = await receive();
  const [id] = await deliver(store.database, await registrationOf(receiver));
  await store.database.query("update webhook_deliveries set next_attempt_at = now() - interval '2 minutes'");
  await store.database.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
  // A job is removed after its delivery is recorded.
  await waitUntil(async () => (await countJobs(store.database)) === 0, 'no job is left');
  await store.database.transaction(addLostJobs);
  start();
  expect(await waitForStatus(store.database, id!, 'DELIVERED')).toMatchObject({ attempts: 1 });
});

test('a server does not take over the deliveries of a server that is alive', async () => {
  // Longer than two checks of the workers.
  const receiver = await receive((response) => void setTimeout(() => response.end(), 7_500));
  startProcess();
  start();
  const ids = (
    await Promise.all(Array.from({ length: 30 }, async () => deliver(store.database, await registrationOf(receiver))))
  ).flat();
  await Promise.all(ids.map((id) => waitForStatus(store.database, id, 'DELIVERED')));
  expect(receiver.received).toHaveLength(30);
});

test('a server stops within two seconds, and another server makes the attempt that was in flight', async () => {
  const receiver = await receive((response, _delivery, index) => (index < 1 ? undefined : response.end()));
  const worker = start();
  const [id] = await deliver(store.database, await registrationOf(receiver));
  await waitUntil(() => receiver.received.length === 1, 'the delivery is sent');
  workers.length = 0;
  const stoppedAt = performance.now();
  await worker.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(2_500);
  expect(await stateOf(store.database, id!)).toMatchObject({ status: 'PENDING', attempts: 0 });
  start();
  expect(await waitForStatus(store.database, id!, 'DELIVERED')).toMatchObject({ attempts: 1 });
});

test('an attempt that ends while the database is down is recorded later, and deliveries continue', async () => {
  let respond: (() => void) | undefined;
  const receiver = await receive((response, _delivery, index) => {
    if (index === 0) respond = () => response.end();
    else response.end();
  });
  start();
  const registrationId = await registrationOf(receiver);
  const [first] = await deliver(store.database, registrationId);
  await waitUntil(() => respond !== undefined, 'the delivery is sent');
  await store.postgres.kill();
  respond!();
  await store.postgres.restart();
  await waitUntil(
    () =>
      stateOf(store.database, first!)
        .then(({ status }) => status === 'DELIVERED')
        .catch(() => false),
    'it is recorded',
  );
  const [second] = await deliver(store.database, registrationId);
  await waitForStatus(store.database, second!, 'DELIVERED');
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([first, second]);
});

test('deliveries continue after two statements that complete jobs have failed together', async () => {
  const responses: ServerResponse[] = [];
  const gated = await receive((response) => void responses.push(response));
  start();
  for (let i = 0; i < 2; i++) await deliver(store.database, await registrationOf(gated));
  await waitUntil(() => responses.length === 2, 'both deliveries are sent');
  const connections = "from pg_stat_activity where application_name = 'grimoire deliveries'";
  await store.database.transaction(async (lock) => {
    await lock('select from graphile_worker._private_jobs for update');
    for (const [before, response] of responses.entries()) {
      response.end();
      await waitUntil(
        async () => (await store.database.query(`select ${connections} and wait_event_type = 'Lock'`)).length > before,
        `${before + 1} statements wait for the lock`,
      );
    }
    await store.database.query(`select pg_terminate_backend(pid) ${connections}`);
  });
  const receiver = await receive();
  const [next] = await deliver(store.database, await registrationOf(receiver));
  await waitForStatus(store.database, next!, 'DELIVERED');
});
