import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createDatabase } from '../../../src/database/database.ts';
import { holdConnection } from '../../../src/database/held-connection.ts';
import { onAbort } from '../../../src/lib/abort.ts';
import { untilTestsEnd } from '../../support/cleanups.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { startTcpProxy } from '../../support/proxies/tcp-proxy.ts';
import { log } from '../../support/silent-log.ts';

// Before the faked clock, so that PostgreSQL starts in real time.
const postgres = await startTestPostgres();
const url = await postgres.createDatabase();

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] }));
afterEach(() => void jest.useRealTimers());

test('a task ends when its connection is lost without a close, and runs again over a new connection', async () => {
  const lost = new Set<Socket>();
  const open: Socket[] = [];
  const proxy = await startTcpProxy(Number(new URL(url).port), (client, upstream) => {
    open.push(client);
    upstream.on('data', (chunk) => lost.has(client) || client.write(chunk));
  });
  const database = untilTestsEnd(createDatabase({ url: Object.assign(new URL(url), { port: proxy.port }).href, log }));
  await database.query('select 1');
  const events: string[] = [];
  const untilEvents = async (count: number): Promise<void> => {
    while (events.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const held = holdConnection(database, 100, async (client, signal) => {
    await client.query('select 1');
    events.push('starts');
    await new Promise<void>((resolve) => onAbort(signal, resolve));
    events.push('ends');
  });
  await untilEvents(1);
  for (const client of open) lost.add(client);
  // The statement that checks the connection, and its timeout.
  await jest.advanceTimersByTimeAsync(5_000);
  expect(events).toEqual(['starts']);
  await jest.advanceTimersByTimeAsync(5_000);
  await untilEvents(2);
  // The pause before the next connection. PostgreSQL accepts it in real time, so the faked clock stands still from then on.
  const connections = open.length;
  while (open.length === connections) await jest.advanceTimersByTimeAsync(10);
  await untilEvents(3);
  expect(events).toEqual(['starts', 'ends', 'starts']);
  jest.useRealTimers();
  await held.stop();
  expect(events).toEqual(['starts', 'ends', 'starts', 'ends']);
});
