import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Client, Clients } from '../../../src/server/clients.ts';
import { TIMING } from '../../../src/server/timing.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Clients that go when they are let go, and how often each has been given a sign of life. */
function crowd(count: number) {
  const clients = new Clients(count, TIMING);
  const beats = new Map<Client, number>();
  for (let i = 0; i < count; i++) {
    const client: Client = {
      kind: i % 2 === 0 ? 'socket' : 'events',
      beat: () => void beats.set(client, beats.get(client)! + 1),
      retire: () => clients.remove(client),
      terminate: () => clients.remove(client),
    };
    beats.set(client, 0);
    clients.add(client);
  }
  const left = () => clients.count('socket') + clients.count('events');
  return { clients, beats, left };
}

test('on shutdown they are let go over two seconds, not all at once', async () => {
  const { clients, left } = crowd(1_000);
  const stopped = clients.stop();
  expect(left()).toBe(1_000);
  jest.advanceTimersByTime(1_000);
  expect(left()).toBeGreaterThan(400);
  expect(left()).toBeLessThan(600);
  jest.advanceTimersByTime(1_000);
  expect(left()).toBe(0);
  await stopped;
  expect(jest.getTimerCount()).toBe(0);
});

test('each is given a sign of life every twelve seconds, a twelfth of them a second', () => {
  const { beats } = crowd(120);
  jest.advanceTimersByTime(1_000);
  expect([...beats.values()].filter((count) => count === 1)).toHaveLength(10);
  jest.advanceTimersByTime(11_000);
  expect([...beats.values()]).toEqual(Array.from({ length: 120 }, () => 1));
});

test('those that do not go are dropped', async () => {
  const { clients, left } = crowd(3);
  const stopped = clients.stop();
  clients.terminate();
  await stopped;
  expect(left()).toBe(0);
});

test('there is a bound, and room again when one goes', () => {
  const { clients } = crowd(2);
  expect(clients.isFull).toBe(true);
  clients.terminate();
  expect(clients.isFull).toBe(false);
});
