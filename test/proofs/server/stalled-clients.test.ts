import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { EncodedBody, QueuedEvents } from '../../../src/graphql/subscriptions/event-execution.ts';
import { Admission } from '../../../src/server/clients/admission.ts';
import { Connections } from '../../../src/server/clients/connections.ts';
import { StalledClients } from '../../../src/server/clients/stalled-clients.ts';
import { cleanups } from '../../support/cleanups.ts';
import { startTestServer } from '../../support/test-server.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** More bytes than the network buffers of one connection take, which is about 10 MB. */
const BODY = Buffer.alloc(15_000_000, 'x');
const MEBIBYTE = 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: graph\r\n\r\n';

/** Starts an HTTP server that responds to each request with `BODY`. */
async function startServer({ stallTimeoutMs = 30_000, maxUnsentBytes = 1024 * MEBIBYTE } = {}) {
  const server = createServer((_request, response) => response.end(BODY));
  const connections = new Connections(100);
  connections.trackRequests(server);
  new Admission(server, connections, 1_000);
  const sharedEvents = new QueuedEvents();
  const stalled = new StalledClients({ connections, sharedEvents, maxUnsentBytes, timing: { stallTimeoutMs } });
  const { port } = await startTestServer(server);
  cleanups.push(() => stalled.stop());
  return { server, port, connections, sharedEvents, stalled };
}

/** Sends requests over one connection and reads nothing. */
async function sendWithoutReading({ port }: { readonly port: number }, requests: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  // After each test: the clients that do not read fill the memory.
  cleanups.push(() => socket.destroy());
  socket.pause();
  await once(socket, 'connect');
  socket.write(REQUEST.repeat(requests));
  return socket;
}

/** Reads until this many bytes have arrived: 256 KiB at a time, with a pause of `pauseMs` after each. Resolves with the number of bytes. */
async function readSlowly(socket: Socket, bytes: number, pauseMs: number): Promise<number> {
  let received = 0;
  let unpaused = 0;
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
      unpaused += chunk.length;
      if (received >= bytes) return resolve(received);
      if (unpaused < 256 * 1024) return;
      unpaused = 0;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    socket.once('close', () => resolve(received));
    socket.resume();
  });
}

test.each([1, 3])('HTTP client that does not read %i responses for the stall timeout is disconnected', async (responses) => {
  const running = await startServer({ stallTimeoutMs: 200 });
  const { connections, stalled } = running;
  await sendWithoutReading(running, responses);
  await waitUntil(() => stalled.unsentBytes > (responses - 1) * BODY.length, 'the responses wait for the client');
  await waitUntil(() => stalled.disconnected === 1, 'the client is disconnected');
  expect([connections.count, stalled.unsentBytes]).toEqual([0, 0]);
});

test('HTTP client that reads slowly receives responses that take longer than the stall timeout', async () => {
  const running = await startServer({ stallTimeoutMs: 1_000 });
  const socket = await sendWithoutReading(running, 6);
  const start = performance.now();
  expect(await readSlowly(socket, 6 * BODY.length, 8)).toBeGreaterThanOrEqual(6 * BODY.length);
  // The transfer must take longer than the stall timeout.
  expect(performance.now() - start).toBeGreaterThan(2_000);
  expect(running.stalled.disconnected).toBe(0);
});

test('clients that do not read are disconnected above the limit of unsent bytes, and a client that reads more is not', async () => {
  const maxUnsentBytes = 60 * MEBIBYTE;
  const running = await startServer({ maxUnsentBytes });
  const received = readSlowly(await sendWithoutReading(running, 3), 3 * BODY.length, 10);
  for (let i = 0; i < 8; i++) await sendWithoutReading(running, 1);
  const { stalled } = running;
  await waitUntil(() => stalled.unsentBytes > maxUnsentBytes, 'the unsent bytes exceed the limit');
  expect(await received).toBeGreaterThanOrEqual(3 * BODY.length);
  await waitUntil(() => stalled.unsentBytes <= maxUnsentBytes, 'the unsent bytes are within the limit');
  expect(stalled.disconnected).toBeGreaterThan(0);
  expect(stalled.disconnected).toBeLessThan(8);
});

test('a client that reads is disconnected when it alone exceeds the limit of unsent bytes for seconds', async () => {
  const running = await startServer({ maxUnsentBytes: 10 * MEBIBYTE });
  const socket = await sendWithoutReading(running, 20);
  expect(await readSlowly(socket, 20 * BODY.length, 10)).toBeLessThan(20 * BODY.length);
  expect(running.stalled.disconnected).toBe(1);
});

test('bytes that wait outside of the socket count until the connection closes', async () => {
  const running = await startServer();
  const { server, connections, stalled } = running;
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = await sendWithoutReading(running, 1);
  const [socket] = await connected;
  await waitUntil(() => stalled.unsentBytes > 0, 'the response waits for the client');
  const waiting = stalled.unsentBytes;
  connections.of(socket)!.queuedBytes += 5_000;
  expect(stalled.unsentBytes).toBe(waiting + 5_000);
  client.destroy();
  await waitUntil(() => connections.count === 0, 'the connection is closed');
  expect(stalled.unsentBytes).toBe(0);
});

test('an event that waits in queues of clients counts as unsent bytes, but a client without bytes is not disconnected', async () => {
  const running = await startServer({ maxUnsentBytes: 50 });
  const { sharedEvents, stalled, connections } = running;
  sharedEvents.add({ body: new EncodedBody([Buffer.alloc(100)]), cursor: undefined });
  expect(stalled.unsentBytes).toBe(100);
  await sendWithoutReading(running, 0);
  for (const disconnected of [1, 2, 3]) {
    await sendWithoutReading(running, 1);
    await waitUntil(() => stalled.disconnected === disconnected, 'a client with bytes is disconnected');
  }
  expect(connections.count).toBe(1);
});
