import { expect, test } from '@jest/globals';
import { BoundedQueue } from '../../../src/sync/head/head-subscription.ts';

test('BoundedQueue returns queued items in order without waiting', async () => {
  const queue = new BoundedQueue<number>(10);
  for (const item of [1, 2, 3]) queue.put(item);
  expect([await queue.take(0), await queue.take(0), await queue.take(0)]).toEqual([1, 2, 3]);
});

test('BoundedQueue resolves a waiting take as soon as an item is added', async () => {
  const queue = new BoundedQueue<number>(10);
  const waiting = queue.take(60_000);
  queue.put(7);
  expect(await waiting).toBe(7);
});

test('BoundedQueue resolves take with undefined after the timeout and returns the next item later', async () => {
  const queue = new BoundedQueue<number>(10);
  expect(await queue.take(1)).toBeUndefined();
  queue.put(8);
  expect(await queue.take(1)).toBe(8);
});

test('BoundedQueue drops all items on overflow and resolves one take with undefined', async () => {
  const queue = new BoundedQueue<number>(2);
  for (const item of [1, 2, 3, 4]) queue.put(item);
  expect(await queue.take(60_000)).toBeUndefined();
  expect(await queue.take(60_000)).toBe(4);
});

test('BoundedQueue holds its maximum number of items without an overflow', async () => {
  const queue = new BoundedQueue<number>(2);
  for (const item of [1, 2]) queue.put(item);
  expect(await queue.take(0)).toBe(1);
});

test('BoundedQueue ends a waiting take, drops its items and ignores later ones when it is closed', async () => {
  const queue = new BoundedQueue<number>(10);
  const waiting = queue.take(60_000);
  queue.close();
  expect(await waiting).toBeUndefined();
  queue.put(1);
  expect(await queue.take(60_000)).toBeUndefined();
  const full = new BoundedQueue<number>(10);
  full.put(1);
  full.close();
  expect(await full.take(60_000)).toBeUndefined();
});
