import { expect, test } from '@jest/globals';
import { BoundedQueue } from '../../../src/sync/bounded-queue.ts';

test('what has come is taken in order, at once', async () => {
  const mailbox = new BoundedQueue<number>(10);
  for (const item of [1, 2, 3]) mailbox.put(item);
  expect([await mailbox.take(0), await mailbox.take(0), await mailbox.take(0)]).toEqual([1, 2, 3]);
});

test('who waits is given what comes, long before the time is over', async () => {
  const mailbox = new BoundedQueue<number>(10);
  const waiting = mailbox.take(60_000);
  mailbox.put(7);
  expect(await waiting).toBe(7);
});

test('who waits in vain is given nothing, and loses nothing', async () => {
  const mailbox = new BoundedQueue<number>(10);
  expect(await mailbox.take(1)).toBeUndefined();
  mailbox.put(8);
  expect(await mailbox.take(1)).toBe(8);
});

test('when too much waits all of it goes, which is told once', async () => {
  const mailbox = new BoundedQueue<number>(2);
  for (const item of [1, 2, 3, 4]) mailbox.put(item);
  expect(await mailbox.take(60_000)).toBeUndefined();
  expect(await mailbox.take(60_000)).toBe(4);
});

test('as much as it may hold is no loss', async () => {
  const mailbox = new BoundedQueue<number>(2);
  for (const item of [1, 2]) mailbox.put(item);
  expect(await mailbox.take(0)).toBe(1);
});

test('closing ends the wait, drops what waits, and takes nothing in any more', async () => {
  const mailbox = new BoundedQueue<number>(10);
  const waiting = mailbox.take(60_000);
  mailbox.close();
  expect(await waiting).toBeUndefined();
  mailbox.put(1);
  expect(await mailbox.take(60_000)).toBeUndefined();
  const full = new BoundedQueue<number>(10);
  full.put(1);
  full.close();
  expect(await full.take(60_000)).toBeUndefined();
});
