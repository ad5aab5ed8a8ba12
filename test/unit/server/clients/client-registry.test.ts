import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { ClientRegistry, type ConnectedClient } from '../../../../src/server/clients/client-registry.ts';
import { CONNECTION_TIMING } from '../../../../src/server/clients/connection-timing.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Clients that go when they are let go, and how often each has been given a sign of life. */
function createClients(count: number) {
  const clients = new ClientRegistry(count, CONNECTION_TIMING);
  const beats = new Map<ConnectedClient, number>();
  for (let i = 0; i < count; i++) {
    const client: ConnectedClient = {
      kind: i % 2 === 0 ? 'socket' : 'events',
      heartbeat: () => void beats.set(client, beats.get(client)! + 1),
      drain: () => clients.remove(client),
      terminate: () => clients.remove(client),
    };
    beats.set(client, 0);
    clients.add(client);
  }
  const left = () => clients.count('socket') + clients.count('events');
  return { clients, beats, left };
}

test('on shutdown they are let go over two seconds, not all at once', async () => {
  const { clients, left } = createClients(1_000);
  const stopped = clients.drain();
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
  const { beats } = createClients(120);
  jest.advanceTimersByTime(1_000);
  expect([...beats.values()].filter((count) => count === 1)).toHaveLength(10);
  jest.advanceTimersByTime(11_000);
  expect([...beats.values()]).toEqual(Array.from({ length: 120 }, () => 1));
});

test('those that do not go are dropped', async () => {
  const { clients, left } = createClients(3);
  const stopped = clients.drain();
  clients.terminateAll();
  await stopped;
  expect(left()).toBe(0);
});

test('there is a bound, and room again when one goes', () => {
  const { clients } = createClients(2);
  expect(clients.isFull).toBe(true);
  clients.terminateAll();
  expect(clients.isFull).toBe(false);
});
