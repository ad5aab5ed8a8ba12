import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import type { RawRequest } from '../../support/clients/raw-request.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { createGate } from '../../support/gate.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

let toy: ToyServer;

/** Long enough for every request of a test on a busy machine. */
const LONG_GRACE_MS = 3_000;

const start = async (drainGraceMs: number): Promise<void> => {
  toy = await startToyServer({ timing: { drainGraceMs }, corsOrigins: ['https://app.example'] });
};

const JSON_TYPE = { 'content-type': 'application/json' };
const PREFLIGHT = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
const EVENTS = { ...JSON_TYPE, accept: 'text/event-stream' };

const REQUESTS: readonly [name: string, status: number, path: string, request?: RawRequest][] = [
  ['a query', 200, '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{"query":"{ answer }"}' }],
  ['a query over GET', 200, '/graphql?query=%7Banswer%7D', { headers: { 'apollo-require-preflight': '1' } }],
  ['a query as an event stream', 200, '/graphql', { method: 'POST', headers: EVENTS, body: '{"query":"{ answer }"}' }],
  ['a syntax error', 400, '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{"query":"{"}' }],
  ['a body that is not JSON', 400, '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{' }],
  ['a body that is too large', 413, '/graphql', { method: 'POST', headers: JSON_TYPE, body: 'x'.repeat(300_000) }],
  ['another method', 405, '/graphql', { method: 'PUT', headers: JSON_TYPE, body: '{}' }],
  ['a preflight request', 204, '/graphql', { method: 'OPTIONS', headers: PREFLIGHT }],
  ['an invalid Host', 400, '/healthz', { headers: { host: 'gr aph' } }],
  ['an unknown path', 404, '/nothing'],
  ['a malformed URL', 400, '/%zz'],
  ['/healthz', 200, '/healthz'],
  ['/readyz', 503, '/readyz'],
  ['/metrics', 200, '/metrics'],
  ['an unknown file of the playground', 404, '/assets/nothing.js'],
];

test('every response of a draining server has the header connection: close', async () => {
  await start(LONG_GRACE_MS);
  const clients = REQUESTS.map(() => new KeepAliveClient(toy.url));
  for (const client of clients) await client.send('/readyz');
  void toy.server.stop();
  const responses = await Promise.all(REQUESTS.map(([, , path, request], i) => clients[i]!.send(path, request)));
  const summary = responses.map(({ status, headers }, i) => [REQUESTS[i]![0], status, headers.connection]);
  expect(summary).toEqual(REQUESTS.map(([name, status]) => [name, status, 'close']));
  expect(clients.map(({ connections }) => connections)).toEqual(clients.map(() => 1));
});

/** Opens a connection and collects the text that arrives on it. */
async function connectRaw(): Promise<{
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<unknown>;
}> {
  const { hostname, port } = new URL(toy.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'connect');
  return { socket, received: () => text, closed: once(socket, 'close') };
}

const HELD = '{"query":"{ held }"}';
const HELD_REQUEST = `POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Type: application/json\r\nContent-Length: ${HELD.length}\r\n\r\n${HELD}`;

/** Makes `held` wait; returns the function that releases it. */
function hold(): () => void {
  const { opened, open: release } = createGate();
  toy.state.hold = opened;
  return () => release();
}

test('responses to requests that were pipelined before and during the shutdown are complete, and the last one closes', async () => {
  await start(0);
  const release = hold();
  const { socket, received, closed } = await connectRaw();
  socket.write(HELD_REQUEST.repeat(2));
  await waitUntil(() => toy.state.operations.length === 2, 'two operations run');
  const stopped = toy.server.stop();
  socket.write(HELD_REQUEST);
  await waitUntil(() => toy.state.operations.length === 3, 'the third operation runs');
  release();
  await closed;
  expect(received().match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
  expect(received().match(/let go/g)).toHaveLength(3);
  expect(received().match(/connection: close/gi)).toHaveLength(1);
  await stopped;
});

test('a request whose body arrives while the server drains is executed', async () => {
  await start(LONG_GRACE_MS);
  const { socket, received, closed } = await connectRaw();
  socket.write(HELD_REQUEST.slice(0, -5));
  // The server has read the first part.
  const other = new KeepAliveClient(toy.url);
  await other.send('/healthz');
  other.close();
  const stopped = toy.server.stop();
  socket.write(HELD_REQUEST.slice(-5));
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*let go/i);
  await stopped;
});

test('idle connections are closed after the grace period, without a response', async () => {
  const graceMs = 300;
  await start(graceMs);
  const [silent, used] = [await connectRaw(), await connectRaw()];
  used.socket.write('GET /healthz HTTP/1.1\r\nHost: graph\r\n\r\n');
  await waitUntil(() => used.received() !== '', 'the connection has its response');
  const before = used.received();
  const stoppedAt = performance.now();
  const stopped = toy.server.stop();
  await Promise.all([silent.closed, used.closed]);
  expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(graceMs);
  expect([silent.received(), used.received()]).toEqual(['', before]);
  await stopped;
});

test('server whose /readyz is polled accepts new connections in the grace period, also WebSockets and event streams', async () => {
  await start(LONG_GRACE_MS);
  await new KeepAliveClient(toy.url).send('/readyz');
  void toy.server.stop();
  const client = new KeepAliveClient(toy.url);
  for (let i = 1; i <= 3; i++) {
    const { status, headers } = await client.post('{ answer }');
    expect({ status, connection: headers.connection }).toEqual({ status: 200, connection: 'close' });
    expect(client.connections).toBe(i);
  }
  const socket = await RawSocket.connect(toy.url);
  const body = '{"query":"subscription { ticks { n } }"}';
  const events = client.send('/graphql', { method: 'POST', headers: EVENTS, body });
  // Both end when the grace period is over, without `complete`, so that the clients subscribe again at another server.
  expect((await socket.closed).code).toBe(1001);
  const { status, body: received } = await events;
  expect({ status, isComplete: received.includes('complete') }).toEqual({ status: 200, isComplete: false });
});

test('a draining server responds 503 to event streams on open connections after the grace period', async () => {
  await start(LONG_GRACE_MS);
  const client = new KeepAliveClient(toy.url);
  await client.send('/healthz');
  // No client polls /readyz, so the port is closed at once.
  void toy.server.stop();
  await waitUntil(
    () =>
      new KeepAliveClient(toy.url).send('/healthz').then(
        () => false,
        () => true,
      ),
    'the port is closed',
  );
  const { status, headers, body } = await client.post('subscription { ticks { n } }', { accept: 'text/event-stream' });
  expect({ status, connection: headers.connection }).toEqual({ status: 503, connection: 'close' });
  expect(JSON.parse(body).errors[0].extensions).toMatchObject({ code: 'SHUTTING_DOWN', retryable: true });
});
