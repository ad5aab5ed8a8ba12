import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { beforeEach, expect, test } from '@jest/globals';
import { Admission } from '../../../../src/server/clients/admission.ts';
import { Connections } from '../../../../src/server/clients/connections.ts';
import { connectEventStream } from '../../../support/clients/event-stream-client.ts';
import { KeepAliveClient } from '../../../support/clients/keep-alive-client.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { createGate } from '../../../support/gate.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

const MAX_CONNECTIONS = 5;

let toy: ToyServer;

beforeEach(async () => {
  // A rejected connection stays until its client closes it, however slow the machine is.
  toy = await startToyServer({ maxConnections: MAX_CONNECTIONS, timing: { closeTimeoutMs: 60_000 } });
});

const createClients = (count: number) => Array.from({ length: count }, () => new KeepAliveClient(toy.url));

/** Opens connections up to the limit, each with a request in progress. */
async function occupyAll(): Promise<{ readonly statuses: Promise<number[]>; release(): void }> {
  const { opened, open: release } = createGate();
  toy.state.hold = opened;
  const clients = createClients(MAX_CONNECTIONS);
  const statuses = Promise.all(clients.map(async (client) => (await client.post('{ held }')).status));
  await waitUntil(() => toy.state.operations.length === MAX_CONNECTIONS, 'all requests are in progress');
  return { statuses, release };
}

test('the connection that has been idle for the longest time is closed for a new one at MAX_CONNECTIONS', async () => {
  const clients = createClients(MAX_CONNECTIONS);
  for (const client of clients) expect((await client.post('{ answer }')).status).toBe(200);
  // The first one is used again, so the second one is idle for the longest time.
  await clients[0]!.post('{ answer }');
  const closed = once(clients[1]!.socket!, 'close');
  const sixth = new KeepAliveClient(toy.url);
  expect((await sixth.post('{ answer }')).status).toBe(200);
  await closed;
  expect(await sixth.metric('connections')).toBe(MAX_CONNECTIONS);
  for (const client of [clients[0]!, ...clients.slice(2), sixth]) {
    expect((await client.post('{ answer }')).status).toBe(200);
    expect(client.connections).toBe(1);
  }
});

test('a new connection gets a 503 while all connections at MAX_CONNECTIONS have a request in progress', async () => {
  const { statuses, release } = await occupyAll();
  const rejected = new KeepAliveClient(toy.url);
  const { status, headers, body } = await rejected.post('mutation { bump }');
  expect({ status, retryAfter: headers['retry-after'], connection: headers.connection }).toEqual({
    status: 503,
    retryAfter: '1',
    connection: 'close',
  });
  const [{ message, extensions }] = JSON.parse(body).errors;
  expect(message).toContain('MAX_CONNECTIONS');
  expect(extensions).toMatchObject({ retryable: true, requestId: headers['x-request-id'] });
  release();
  expect(await statuses).toEqual(Array.from({ length: MAX_CONNECTIONS }, () => 200));
  expect(await rejected.metric('connections_rejected_total')).toBe(1);
  expect(toy.state.bumped).toBe(0);
});

test('a rejected client that sends a large request before it reads receives the whole 503', async () => {
  const { statuses, release } = await occupyAll();
  const { hostname, port } = new URL(toy.url);
  const socket = connect(Number(port), hostname);
  const body = 'x'.repeat(200_000);
  socket.write(`POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  let response = '';
  for await (const chunk of socket) response += chunk;
  expect(response).toMatch(/^HTTP\/1\.1 503 /);
  expect(response.endsWith('}')).toBe(true);
  release();
  await statuses;
});

test('connections above 512 that are being rejected are closed without a response', async () => {
  const { statuses, release } = await occupyAll();
  const { hostname, port } = new URL(toy.url);
  /** A client that does not close after its response. */
  const openClient = async () => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    await once(socket, 'end');
    return { socket, status: response.slice(9, 12) };
  };
  const rejected = await Promise.all(Array.from({ length: 512 }, openClient));
  expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set(['503']));
  expect((await openClient()).status).toBe('');
  for (const { socket } of rejected) socket.destroy();
  release();
  await statuses;
});

test('connections without a request are replaced, so that they cannot exclude other clients', async () => {
  const { hostname, port } = new URL(toy.url);
  const silent = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const client = new KeepAliveClient(toy.url);
  expect((await client.post('{ answer }')).status).toBe(200);
  expect(await client.metric('connections')).toBeLessThanOrEqual(MAX_CONNECTIONS);
  for (const socket of silent) socket.destroy();
});

test('WebSockets and event streams count into MAX_CONNECTIONS and are not replaced', async () => {
  const sockets = await Promise.all(Array.from({ length: 3 }, () => RawSocket.connect(toy.url)));
  const streams = await Promise.all(
    Array.from({ length: 2 }, () => connectEventStream(toy.url, { query: 'subscription { ticks { n } }' })),
  );
  await expect(RawSocket.connect(toy.url)).rejects.toThrow('HTTP 503');
  const client = new KeepAliveClient(toy.url);
  expect((await client.post('{ answer }')).status).toBe(503);
  streams[0]!.close();
  await waitUntil(async () => (await client.send('/healthz')).status === 200, 'one event stream is closed');
  expect([await client.metric('sockets'), await client.metric('event_streams'), await client.metric('connections')]).toEqual([
    3, 1, 5,
  ]);
  // Replaces the idle connection of the client.
  const another = await RawSocket.connect(toy.url);
  for (const one of [...sockets, streams[1]!, another]) one.close();
});

test('a request that offers an upgrade to HTTP/2 counts as one connection', async () => {
  const client = new KeepAliveClient(toy.url);
  const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  expect((await client.send('/healthz', { headers: upgrade })).status).toBe(200);
  await waitUntil(async () => (await client.metric('connections')) === 1, 'its connection is closed');
});

test('a connection whose client leaves while other processes are asked for an idle one does not count', async () => {
  const server = createServer((_request, response) => void response.write('x'));
  const connections = new Connections(1);
  connections.trackRequests(server);
  const [asked, answered, handled] = [createGate(), createGate(), createGate()];
  new Admission(server, connections, 1_000, async () => {
    asked.open();
    await answered.opened;
    setImmediate(handled.open);
    return true;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const busy = connect(port, '127.0.0.1');
  busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(busy, 'data');
  const accepted = once(server, 'connection');
  const leaving = connect(port, '127.0.0.1');
  const [socket] = await accepted;
  await asked.opened;
  // Not `once`, which rejects with the error of the reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  leaving.resetAndDestroy();
  busy.destroy();
  await closed;
  await waitUntil(() => !connections.isFull, 'the busy connection has ended');
  answered.open();
  await handled.opened;
  expect(connections.count).toBe(0);
  server.close();
  await connections.waitUntilClosed();
});
