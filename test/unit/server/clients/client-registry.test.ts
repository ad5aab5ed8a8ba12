import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { ClientRegistry, CONNECTION_TIMING, type ConnectedClient } from '../../../../src/server/clients/client-registry.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => void jest.useRealTimers());

/** Creates a registry of clients that leave when drained, and counts the heartbeats of each. */
function createClients(count: number) {
  const clients = new ClientRegistry(CONNECTION_TIMING);
  const heartbeats = new Map<ConnectedClient, number>();
  for (let i = 0; i < count; i++) {
    const client: ConnectedClient = {
      kind: i % 2 === 0 ? 'socket' : 'events',
      heartbeat: () => void heartbeats.set(client, heartbeats.get(client)! + 1),
      drain: () => clients.remove(client),
      terminate: () => clients.remove(client),
    };
    heartbeats.set(client, 0);
    clients.add(client);
  }
  const connected = () => clients.count('socket') + clients.count('events');
  return { clients, heartbeats, connected };
}

test('client registry drains its clients evenly over two seconds', async () => {
  const { clients, connected } = createClients(1_000);
  const stopped = clients.drain();
  expect(connected()).toBe(1_000);
  jest.advanceTimersByTime(1_000);
  expect(connected()).toBeGreaterThan(400);
  expect(connected()).toBeLessThan(600);
  jest.advanceTimersByTime(1_000);
  expect(connected()).toBe(0);
  await stopped;
  expect(jest.getTimerCount()).toBe(0);
});

test('client registry sends each client a heartbeat after eighteen to twenty-five seconds', () => {
  const { heartbeats } = createClients(120);
  const sent = () => [...heartbeats.values()].filter((count) => count === 1).length;
  jest.advanceTimersByTime(18_300);
  expect(sent()).toBe(0);
  jest.advanceTimersByTime(3_500);
  expect(sent()).toBeGreaterThan(30);
  expect(sent()).toBeLessThan(90);
  jest.advanceTimersByTime(3_200);
  expect([...heartbeats.values()]).toEqual(Array.from({ length: 120 }, () => 1));
});

test('client registry drain ends when the remaining clients are terminated', async () => {
  const { clients, connected } = createClients(3);
  const stopped = clients.drain();
  clients.terminateAll();
  await stopped;
  expect(connected()).toBe(0);
});
