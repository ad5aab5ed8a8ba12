import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createDeliveryQueue, type DeliveryQueue } from '../../../../devnet/src/notification-service/delivery-queue.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { type NotificationReceiver, startReceiver } from './receiver.ts';

const TOKEN = 'b'.repeat(64);

let receiver: NotificationReceiver;
let queue: DeliveryQueue;
let logged: { msg: string; status?: number }[];

async function start(...statuses: readonly (number | undefined)[]): Promise<void> {
  logged = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  receiver = await startReceiver(TOKEN, ...statuses);
  queue = untilTestsEnd(createDeliveryQueue({ token: TOKEN, log }));
}

const numbersOf = (bodies: readonly any[]) => bodies.map(({ n }) => n);

test('the delivery queue repeats a notification after 5xx, 429 and a closed connection, in order', async () => {
  await start(503, 429, undefined);
  queue.setUrl(receiver.url);
  for (const n of [1, 2, 3]) queue.push({ n });
  await receiver.until(({ length }) => length === 3);
  expect(numbersOf(receiver.requests.map(({ body }) => body))).toEqual([1, 1, 1, 1, 2, 3]);
  expect(receiver.requests.every(({ isSigned }) => isSigned)).toBe(true);
  expect(logged).toEqual([]);
});

test('the delivery queue logs and drops a notification that the receiver rejects', async () => {
  await start(400);
  queue.setUrl(receiver.url);
  for (const n of [1, 2]) queue.push({ n });
  await receiver.until(({ length }) => length === 1);
  expect(numbersOf(receiver.accepted())).toEqual([2]);
  expect(logged).toMatchObject([{ msg: 'the receiver rejected a notification of the embedded network', status: 400 }]);
});

test('the delivery queue drops the oldest of more than 1,000 waiting notifications and logs it once', async () => {
  await start();
  queue.setUrl(receiver.url);
  // The first one is in flight.
  for (let n = 0; n <= 1_002; n += 1) queue.push({ n });
  await receiver.until((accepted) => accepted.at(-1)?.n === 1_002);
  expect(numbersOf(receiver.accepted())).toEqual([0, ...Array.from({ length: 1_000 }, (_, index) => index + 3)]);
  expect(logged).toMatchObject([{ msg: 'too many notifications wait; the oldest are dropped' }]);
});

test('the delivery queue stops during the backoff of an unavailable receiver', async () => {
  await start(...Array.from({ length: 100 }, () => 503));
  queue.setUrl(receiver.url);
  queue.push({ n: 1 });
  await expect(queue.stop()).resolves.toBeUndefined();
  await expect(queue.stop()).resolves.toBeUndefined();
});
