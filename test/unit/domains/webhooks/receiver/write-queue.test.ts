import { expect, jest, test } from '@jest/globals';
import type { NewWebhookEvent } from '../../../../../src/domains/webhooks/model.ts';
import { WriteQueue } from '../../../../../src/domains/webhooks/receiver/write-queue.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';

/** A queue whose transactions a test completes one by one. */
function createQueue() {
  const transactions: {
    ids: string[];
    /** The bodies that this transaction marks as answered, once it has the lock of the writers. */
    answered(): string[];
    commit(isNew?: boolean | undefined): void;
    fail(error: Error): void;
  }[] = [];
  const queue = new WriteQueue(
    (events, answered = () => []) =>
      new Promise((resolve, reject) => {
        transactions.push({
          ids: events.map(({ id }) => id),
          answered: () => answered().map(String),
          commit: (...[isNew = true]) => resolve(events.map(() => isNew)),
          fail: reject,
        });
      }),
  );
  /** Writes an event of an application. */
  const write = (
    id: number | string,
    {
      app = 'shop',
      bytes = 1,
      isConnected = () => true,
      ...event
    }: Partial<NewWebhookEvent> & { bytes?: number; isConnected?: () => boolean } = {},
  ) => queue.write({ app, bytes, read: () => ({ ...newEventOf(0), ...event, id: String(id) }), isConnected });
  /** Writes an event that may recur. */
  const writeRecurring = (
    id: string,
    { body = id, ...event }: { body?: string; app?: string; isConnected?: () => boolean } = {},
  ) => write(id, { mayRecur: true, bodyHash: Buffer.from(body), ...event });
  return { queue, transactions, write, writeRecurring };
}

const MIB = 1024 * 1024;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const idsFrom = (start: number, count: number) => Array.from({ length: count }, (_none, at) => String(start + at));

test('write queue stores the events that arrive during a transaction together, in order, at most 500 at once', async () => {
  const { transactions, write } = createQueue();
  const writes = Array.from({ length: 1_201 }, (_none, index) => write(index));
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
  const { transactions, write } = createQueue();
  const writes = Array.from({ length: 3 }, (_none, index) => write(index));
  const results = Promise.allSettled(writes);
  transactions[0]!.commit();
  await turn();
  const later = write(3);
  transactions[1]!.fail(new Error('the database is down'));
  await turn();
  transactions[2]!.commit();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await later).toBe(true);
});

test('write queue rejects events of an application with 5,000 events or 128 MiB waiting, and accepts others', async () => {
  const { transactions, write } = createQueue();
  const writes = [write(0)];
  writes.push(...Array.from({ length: 5_000 }, (_none, index) => write(index)));
  writes.push(...Array.from({ length: 128 }, (_none, index) => write(index, { app: 'farm', bytes: MIB })));
  for (const app of ['shop', 'farm'])
    await expect(write('late', { app })).rejects.toMatchObject({ code: 'OVERLOADED', extensions: { retryAfterMs: 1_000 } });
  writes.push(write('other', { app: 'other' }));
  for (let at = 0; at < transactions.length; at++) {
    transactions[at]!.commit();
    await turn();
  }
  expect(await Promise.all(writes)).toHaveLength(5_130);
});

test('write queue takes the notifications of applications in turns, at most 1 MiB at once', async () => {
  const { transactions, write } = createQueue();
  for (let index = 0; index < 5; index++) void write(`large ${index}`, { app: 'large', bytes: MIB });
  void write('a 0', { app: 'a', bytes: 500_000 });
  for (let index = 0; index < 3; index++) void write(`b ${index}`, { app: 'b', bytes: 100 });
  for (let at = 0; at < 6; at++) {
    transactions[at]!.commit();
    await turn();
  }
  expect(transactions.map(({ ids }) => ids)).toEqual([
    ['large 0'],
    ['large 1'],
    ['a 0', 'b 0'],
    ['large 2'],
    ['b 1'],
    ['large 3'],
    ['b 2'],
  ]);
});

test('write queue decodes a notification in its turn, and rejects it alone if it is invalid', async () => {
  const { queue, transactions, write } = createQueue();
  let isRead = false;
  const first = write(0);
  const invalid = queue.write({
    app: 'shop',
    bytes: 1,
    isConnected: () => true,
    read() {
      isRead = true;
      throw new Error('no notification');
    },
  });
  const last = write(1);
  expect(isRead).toBe(false);
  transactions[0]!.commit();
  await expect(invalid).rejects.toThrow('no notification');
  transactions[1]!.commit();
  expect(await Promise.all([first, last])).toEqual([true, true]);
});

test('write queue decodes invalid notifications of 1 MiB in turns of the event loop', async () => {
  const { queue } = createQueue();
  let reads = 0;
  const read = () => {
    reads += 1;
    throw new Error('no notification');
  };
  const writes = Array.from({ length: 10 }, () => queue.write({ app: 'shop', bytes: MIB, isConnected: () => true, read }));
  const settled = Promise.allSettled(writes);
  await turn();
  expect(reads).toBeLessThan(5);
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('write queue resolves an event that may recur when the next transaction has marked its body as answered', async () => {
  const { transactions, writeRecurring } = createQueue();
  let isResolved = false;
  const first = writeRecurring('first').finally(() => {
    isResolved = true;
  });
  transactions[0]!.commit();
  await turn();
  expect([isResolved, transactions[1]!.ids, transactions[1]!.answered()]).toEqual([false, [], ['first']]);
  // Without a connection the sender has no response.
  const lost = writeRecurring('lost', { isConnected: () => false });
  transactions[1]!.commit();
  expect(await first).toBe(true);
  transactions[2]!.commit();
  expect(await lost).toBe(true);
  expect(transactions).toHaveLength(3);
});

test('write queue does not mark the body of a sender that has left while the transaction waited for the other writers', async () => {
  const { transactions, writeRecurring } = createQueue();
  let isConnected = true;
  const left = writeRecurring('left', { isConnected: () => isConnected });
  transactions[0]!.commit();
  await turn();
  isConnected = false;
  expect(transactions[1]!.answered()).toEqual([]);
  transactions[1]!.commit();
  expect(await left).toBe(true);
});

test('write queue marks bodies again, after a pause, when a transaction has failed that may have marked them', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const { transactions, write, writeRecurring } = createQueue();
    const connections = [true, true];
    void write('first');
    const [kept, left] = connections.map((_none, i) => writeRecurring(`event ${i}`, { isConnected: () => connections[i]! }));
    transactions[0]!.commit();
    await turn();
    const failed = expect(write('new')).rejects.toThrow('the connection was lost');
    transactions[1]!.commit();
    await turn();
    transactions[2]!.fail(new Error('the connection was lost'));
    await turn();
    await failed;
    expect(transactions[3]!.answered()).toEqual(['event 0', 'event 1']);
    connections[1] = false;
    transactions[3]!.fail(new Error('the connection was lost'));
    await turn();
    expect(transactions).toHaveLength(4);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(transactions[4]!.answered()).toEqual(['event 0']);
    transactions[4]!.commit();
    expect(await Promise.all([kept, left])).toEqual([true, true]);
  } finally {
    jest.useRealTimers();
  }
});

test('write queue stores equal notifications that may recur one at a time, without delay for other applications', async () => {
  const { transactions, write, writeRecurring } = createQueue();
  const first = write('first');
  const equal = ['a', 'b', 'c'].map((id) => writeRecurring(id, { body: 'equal' }));
  const others = ['d', 'e', 'f'].map((id) => write(id, { app: 'other' }));
  for (let at = 0; at < transactions.length; at++) {
    transactions[at]!.commit();
    await turn();
  }
  expect(transactions.map(({ ids }) => ids)).toEqual([['first'], ['a', 'd', 'e', 'f'], ['b'], ['c'], []]);
  expect(transactions.map(({ answered }) => answered())).toEqual([[], [], ['equal'], ['equal'], ['equal']]);
  expect(await Promise.all([first, ...equal, ...others])).toEqual(Array(7).fill(true));
});
