import { expect, test } from '@jest/globals';
import { WriteQueue } from '../../../../../src/domains/webhooks/receiver/write-queue.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';

/** A queue whose transactions a test completes one by one. */
function createQueue() {
  const transactions: { ids: string[]; commit(): void; fail(error: Error): void }[] = [];
  const queue = new WriteQueue(
    (events) =>
      new Promise((resolve, reject) => {
        transactions.push({ ids: events.map(({ id }) => id), commit: () => resolve(events.map(() => true)), fail: reject });
      }),
  );
  return { queue, transactions };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const eventAt = (index: number) => ({ ...newEventOf(0), id: String(index) });
const idsFrom = (start: number, count: number) => Array.from({ length: count }, (_none, at) => String(start + at));

test('write queue stores the events that arrive during a transaction together, in order, at most 500 at once', async () => {
  const { queue, transactions } = createQueue();
  const writes = Array.from({ length: 1_201 }, (_none, index) => queue.write(eventAt(index)));
  for (const [at, ids] of [idsFrom(0, 1), idsFrom(1, 500), idsFrom(501, 500), idsFrom(1_001, 200)].entries()) {
    // The next transaction starts only after this one.
    expect(transactions).toHaveLength(at + 1);
    expect(transactions[at]!.ids).toEqual(ids);
    transactions[at]!.commit();
    await turn();
  }
  expect(await Promise.all(writes)).toEqual(writes.map(() => true));
  expect(transactions).toHaveLength(4);
});

test('a failed transaction of a write queue rejects only its own events', async () => {
  const { queue, transactions } = createQueue();
  const writes = Array.from({ length: 3 }, (_none, index) => queue.write(eventAt(index)));
  const results = Promise.allSettled(writes);
  transactions[0]!.commit();
  await turn();
  const later = queue.write(eventAt(3));
  transactions[1]!.fail(new Error('the database is down'));
  await turn();
  transactions[2]!.commit();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await later).toBe(true);
});

test('write queue rejects an event with OVERLOADED while 10,000 wait, and accepts it afterwards', async () => {
  const { queue, transactions } = createQueue();
  const writes = Array.from({ length: 10_001 }, (_none, index) => queue.write(eventAt(index)));
  await expect(queue.write(eventAt(10_001))).rejects.toMatchObject({ code: 'OVERLOADED' });
  transactions[0]!.commit();
  await turn();
  writes.push(queue.write(eventAt(10_002)));
  for (let at = 1; at < 22; at++) {
    transactions[at]!.commit();
    await turn();
  }
  expect(await Promise.all(writes)).toHaveLength(10_002);
});
