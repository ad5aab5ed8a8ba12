import { beforeEach, expect, test } from '@jest/globals';
import type { Query } from '../../../../../src/database/statements.ts';
import { createAttemptRecorder } from '../../../../../src/domains/webhooks/delivery/attempt-recorder.ts';
import { createDeliveryTask, type DeliveryTaskOptions } from '../../../../../src/domains/webhooks/delivery/delivery-task.ts';
import { untilStored } from '../../../../../src/domains/webhooks/delivery/job-queue.ts';
import { addLostJobs, claimDueDeliveries, releasePools } from '../../../../../src/domains/webhooks/delivery/jobs.ts';
import { createReceiverSlots, type ReceiverSlot } from '../../../../../src/domains/webhooks/delivery/receiver-slots.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { withMovedClock } from '../../../../support/clock.ts';
import { log } from '../../../../support/silent-log.ts';
import { createRegistration, deliver, stateOf } from '../../../../support/webhooks/delivery-setup.ts';
import { startReceiver } from '../../../../support/webhooks/receiver.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const store = useDatabase();

beforeEach(async () => {
  await store.database.query('delete from webhooks');
  await store.database.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
});

/** A delivery task without the job queue that starts it. Each retry waits for its longest delay. */
function createTask(changes: Partial<DeliveryTaskOptions> = {}) {
  const options = { signal: new AbortController().signal, log };
  const counts = { DELIVERED: 0, RETRYING: 0, DEAD: 0 };
  const record = createAttemptRecorder(store.database, counts, options);
  const slots = createReceiverSlots(1, () => 1);
  const attempt = { allowsPrivate: true, exempt: new Set<string>() };
  const base = { database: store.database, record, slots, attempt, random: () => 1, isEnding: () => false, ...options };
  const task = createDeliveryTask({ ...base, ...changes });
  return { run: (registrationId: string) => task({ registrationId }, 'pool'), record, slots, counts };
}

/** A registration of a receiver, with due deliveries. */
async function registerWith(url: string, count: number): Promise<string> {
  const { id } = await createRegistration(store.database, url);
  await deliver(store.database, id, count);
  return id;
}

/** The jobs of all registrations. */
const readJobs = () =>
  store.database.query<{ isDue: boolean; isNextAttempt: boolean | null; locked_by: string | null }>(
    `select run_at <= now() as "isDue", run_at = (select min(next_attempt_at) from webhook_deliveries) as "isNextAttempt", locked_by
     from graphile_worker.jobs`,
  );

test('a job sends all due deliveries of a fast receiver', async () => {
  const receiver = await startReceiver();
  const { run, counts } = createTask();
  await run(await registerWith(receiver.url, 9));
  expect([counts.DELIVERED, receiver.received.length]).toEqual([9, 9]);
});

test('a job ends after the attempts in flight when the server stops, and leaves a job for the other deliveries', async () => {
  const receiver = await startReceiver();
  const { run, counts } = createTask({ isEnding: () => true });
  await run(await registerWith(receiver.url, 2));
  expect(counts.DELIVERED).toBe(1);
  expect(await readJobs()).toMatchObject([{ isDue: true }]);
});

test('a job ends after thirty seconds, and leaves a job for the other deliveries', async () => {
  const receiver = await startReceiver();
  const { record, counts } = createTask();
  await withMovedClock(async (moveTo) => {
    const { run } = createTask({
      async record(attempt) {
        await record(attempt);
        moveTo(30_000);
      },
    });
    await run(await registerWith(receiver.url, 2));
    expect(counts.DELIVERED).toBe(1);
    expect(await readJobs()).toMatchObject([{ isDue: true }]);
  });
});

test('a receiver is slow from the first second of its response, and its job then ends', async () => {
  const { run, slots, counts } = createTask();
  let slot!: ReceiverSlot;
  const speeds: string[] = [];
  const receiver = await startReceiver((response) => {
    const respond = () => {
      speeds.push(slot.speed);
      response.end();
    };
    setTimeout(respond, 1_100);
  });
  const id = await registerWith(receiver.url, 2);
  slot = slots.acquire(id) as ReceiverSlot;
  slots.release(slot);
  await run(id);
  expect([speeds, counts.DELIVERED]).toEqual([['slow'], 1]);
});

test('a job of a registration whose job is running ends at once', async () => {
  const { run } = createTask();
  const receiver = await startReceiver((response, _delivery, index) => {
    if (index > 0) response.end();
    else run(id).then(() => response.end());
  });
  const id = await registerWith(receiver.url, 2);
  await run(id);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  expect(receiver.received).toHaveLength(2);
});

test('a job without a slot is postponed', async () => {
  const receiver = await startReceiver();
  const { run, slots } = createTask();
  slots.acquire('other');
  await run(await registerWith(receiver.url, 1));
  expect([receiver.received.length, await readJobs()]).toMatchObject([0, [{ isDue: false, isNextAttempt: false }]]);
});

test('a job of a delivery that fails leaves a job for its next attempt; a registration that does not exist has none', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  const { run, counts } = createTask();
  await run(await registerWith(receiver.url, 1));
  await run('none');
  expect(counts.RETRYING).toBe(1);
  expect(await readJobs()).toMatchObject([{ isDue: false, isNextAttempt: true }]);
});

test('the deliveries and the job of a pool that has ended are released', async () => {
  const id = await registerWith('https://hooks.example.com/', 2);
  const { query } = store.database;
  expect(await claimDueDeliveries(query, id, 'ended', 1)).toHaveLength(1);
  await query("update graphile_worker._private_jobs set locked_by = 'ended', locked_at = now()");
  await store.database.transaction((locked) => releasePools(locked, ['other']));
  expect(await readJobs()).toMatchObject([{ locked_by: 'ended' }]);
  await store.database.transaction((locked) => releasePools(locked, ['ended']));
  expect(await readJobs()).toMatchObject([{ locked_by: null, isDue: true }]);
  expect(await claimDueDeliveries(query, id, 'pool', 3)).toHaveLength(2);
});

test('a delivery that has been due for a minute without a job has a job again', async () => {
  await registerWith('https://hooks.example.com/', 1);
  const { query } = store.database;
  await query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
  const addLost = () => store.database.transaction((locked) => addLostJobs(locked));
  await addLost();
  expect(await readJobs()).toEqual([]);
  await query("update webhook_deliveries set next_attempt_at = now() - interval '61 seconds'");
  await addLost();
  expect(await readJobs()).toMatchObject([{ isDue: true }]);
});

test('statements that fail are repeated until the signal aborts', async () => {
  const aborter = new AbortController();
  const outcomes = [Promise.reject(new Error('the database is down')), Promise.resolve('stored')];
  for (const outcome of outcomes) outcome.catch(() => {});
  const options = { signal: aborter.signal, log };
  expect(await untilStored(() => outcomes.shift()!, options)).toBe('stored');
  const failing = untilStored(async () => {
    aborter.abort(new Error('the server is shutting down'));
    throw new Error('the database is down');
  }, options);
  await expect(failing).rejects.toThrow('the database is down');
});

const changesOf = (changes: object) =>
  ({
    url: undefined,
    active: undefined,
    gasPrice: undefined,
    confirmations: undefined,
    addAddresses: [],
    removeAddresses: [],
    ...changes,
  }) as never;
const update = (id: string, changes: object) =>
  new RegistrationStore(statementsOfChain(store.database, DEFAULT_CHAIN)).update(undefined, id, changesOf(changes), 100);

test('a delivery that is added after a webhook is active again is sent', async () => {
  const receiver = await startReceiver();
  const { id } = await createRegistration(store.database, receiver.url);
  await update(id, { active: false });
  let added: string[] = [];
  const query: Query = async (text, values) => {
    // The owner activates the webhook after the job has read it, and a block has a notification.
    if (text.includes("status = 'DEAD'") && added.length === 0) {
      await update(id, { active: true });
      added = await deliver(store.database, id);
    }
    return store.database.query(text, values);
  };
  await createTask({ database: { ...store.database, query } }).run(id);
  // The job that the delivery has added.
  await createTask().run(id);
  expect(added).toHaveLength(1);
  expect(await stateOf(store.database, added[0]!)).toMatchObject({ status: 'DELIVERED', attempts: 1 });
  expect(receiver.received).toHaveLength(1);
});

test('410 of a URL that the owner has replaced meanwhile does not deactivate the webhook', async () => {
  const receiver = await startReceiver((response) => {
    update(id, { url: 'https://new.example/', active: true }).then(() => response.writeHead(410).end());
  });
  const { id } = await createRegistration(store.database, receiver.url);
  await deliver(store.database, id);
  await createTask().run(id);
  expect(await store.database.query('select url, active from webhooks')).toEqual([{ url: 'https://new.example/', active: true }]);
});

test('a registration whose deliveries are overdue gets its next turn after those whose jobs were added meanwhile', async () => {
  const receiver = await startReceiver();
  const busy = await registerWith(receiver.url, 2);
  const other = await registerWith(receiver.url, 1);
  await createTask({ isEnding: () => true }).run(busy);
  const jobs = await store.database.query<{ id: string }>(
    'select jsonb_object_keys(flags) as id from graphile_worker.jobs order by run_at',
  );
  expect(jobs.map(({ id }) => id)).toEqual([other, busy]);
});

test('a due delivery of a webhook that its owner activates again while its job ends is sent by a later job', async () => {
  const receiver = await startReceiver();
  const { id } = await createRegistration(store.database, receiver.url);
  const [delivery] = await deliver(store.database, id);
  const registrations = new RegistrationStore(statementsOfChain(store.database, DEFAULT_CHAIN));
  const unchanged = { url: undefined, gasPrice: undefined, confirmations: undefined, addAddresses: [], removeAddresses: [] };
  const setActive = (active: boolean) => registrations.update(undefined, id, { ...unchanged, active }, 100);
  await setActive(false);
  const query: Query = async (text, values) => {
    // The job has claimed the delivery, and has read that the webhook is inactive.
    if (text.includes("status = 'DEAD'")) await setActive(true);
    return store.database.query(text, values);
  };
  await store.database.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
  await createTask({ database: { ...store.database, query } }).run(id);
  expect(await stateOf(store.database, delivery!)).toMatchObject({ status: 'PENDING' });
  expect(await readJobs()).toMatchObject([{ isDue: true }]);
  const claims = await store.database.query('select claimed_by from webhook_deliveries where id = $1', [delivery]);
  expect(claims).toEqual([{ claimed_by: null }]);
});
