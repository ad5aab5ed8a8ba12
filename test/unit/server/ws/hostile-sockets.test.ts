import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** Clients that do not keep to the protocol, or are not there any more. */
let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ timing: { heartbeatMs: 600 } });
});

afterAll(() => toy?.stop());

const SUBSCRIBE = { id: '1', type: 'subscribe', payload: { query: 'subscription { ticks { n } }' } };
const many = (count: number, message: object) => Array.from({ length: count }, () => message);

test.each<[string, { init?: boolean; protocols?: string[] }, readonly (object | string)[], number]>([
  ['speaks no protocol', { init: false, protocols: [] }, [], 4406],
  ['subscribes before it has said hello', { init: false }, [SUBSCRIBE], 4401],
  ['says hello twice', {}, [{ type: 'connection_init' }], 4429],
  ['sends what is no JSON', {}, ['{"type":'], 4400],
  ['sends what is no object', {}, ['[]'], 4400],
  ['sends a message of no kind', {}, [{ type: 'start' }], 4400],
  ['sends a message that only servers send', {}, [{ type: 'next', id: '1', payload: {} }], 4400],
  ['subscribes without a document', {}, [{ ...SUBSCRIBE, payload: {} }], 4400],
  ['subscribes without an id', {}, [{ ...SUBSCRIBE, id: '' }], 4400],
  ['has an id that is a document', {}, [{ ...SUBSCRIBE, id: 'x'.repeat(129) }], 4400],
  ['uses an id twice', {}, [SUBSCRIBE, SUBSCRIBE], 4409],
  ['uses a long id twice', {}, [SUBSCRIBE, SUBSCRIBE].map((one) => ({ ...one, id: 'x'.repeat(128) })), 4409],
  ['speaks without end', {}, many(2_000, { type: 'ping' }), 4429],
  [
    'subscribes and completes without end',
    {},
    many(1_000, SUBSCRIBE).flatMap((one, i) => [
      { ...one, id: `${i}` },
      { id: `${i}`, type: 'complete' },
    ]),
    4429,
  ],
  ['sends more than 256 KiB', {}, [{ type: 'ping', payload: { x: 'x'.repeat(256 * 1024) } }], 1009],
])('a client that %s is closed with its code', async (_case, options, messages, code) => {
  const socket = await RawSocket.connect(toy.url, options);
  for (const message of messages) socket.send(message);
  const closed = await socket.closed;
  expect(closed.code).toBe(code);
  expect(closed.reason).not.toContain('x'.repeat(10));
  if (code > 4000) expect(closed.reason).toMatch(/.\.$/);
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'its socket is gone');
});

test('a client that says nothing is closed with its code', async () => {
  const impatient = await startToyServer({ timing: { initTimeoutMs: 200 } });
  const socket = await RawSocket.connect(impatient.url, { init: false });
  const { code, reason } = await socket.closed;
  expect(code).toBe(4408);
  expect(reason).toMatch(/.\.$/);
  await waitUntil(async () => (await impatient.metric('sockets')) === 0, 'its socket is gone');
  await impatient.stop();
});

test('pings of the WebSocket itself are counted as well', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (let i = 0; i < 2_000; i++) socket.ws.ping();
  expect((await socket.closed).code).toBe(4429);
});

test('fifty messages a second are nobody’s fault', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (let i = 0; i < 150; i++) socket.send({ type: 'ping' });
  await socket.waitForMessage(() => socket.messages.filter(({ type }) => type === 'pong').length === 150);
  socket.subscribe('1', '{ answer }');
  expect(await socket.waitForResults('1', 1)).toEqual([{ data: { answer: 42 } }]);
  socket.close();
});

test('an id may be anything that is a text, and may be used again', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (const id of ['__proto__', 'constructor', '"', '\u2028', 'ü'.repeat(60), '1']) {
    for (let i = 1; i <= 3; i++) {
      socket.subscribe(id, '{ answer }');
      expect(await socket.waitForResults(id, i)).toHaveLength(i);
      await waitUntil(
        () => socket.messages.filter((message) => message.id === id && message.type === 'complete').length === i,
        'it is over',
      );
    }
  }
  socket.close();
});

test('an operation that is completed and begun again under the same id in one packet goes on', async () => {
  const socket = await RawSocket.connect(toy.url);
  socket.send(SUBSCRIBE);
  await waitUntil(() => toy.state.ticker().openStreams === 1, 'somebody listens');
  const { _socket: stream } = socket.ws as unknown as { _socket: Socket };
  stream.cork();
  socket.send({ id: '1', type: 'complete' });
  socket.send(SUBSCRIBE);
  stream.uncork();
  socket.subscribe('2', '{ answer }');
  await socket.waitForResults('2', 1);
  expect(await toy.metric('subscriptions')).toBe(1);
  toy.state.ticker().emit();
  expect(await socket.waitForResults('1', 1)).toHaveLength(1);
  expect(socket.messages.filter(({ id, type }) => id === '1' && type === 'complete')).toEqual([]);
  socket.close();
});

test('a client whose network is gone is noticed by its silence', async () => {
  const socket = await RawSocket.connect(toy.url, { autoPong: false } as object);
  socket.send(SUBSCRIBE);
  await waitUntil(() => toy.state.ticker().openStreams === 1, 'it listens');
  expect((await socket.closed).code).toBe(1006);
  await waitUntil(() => toy.state.openStreams === 0, 'its stream is stopped');
});

test('a client that answers pings stays', async () => {
  const socket = await RawSocket.connect(toy.url);
  let pings = 0;
  socket.ws.on('ping', () => pings++);
  await waitUntil(() => pings >= 3, 'three pings have come');
  expect(socket.ws.readyState).toBe(socket.ws.OPEN);
  socket.close();
});

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

test.each([
  ['breaks off in the middle of a frame', Buffer.from([0x81, 0xfe, 0x10])],
  ['sends what is no frame', Buffer.from('\xff\xff\xff\xff', 'latin1')],
  ['sends a frame that is not masked', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
])('a connection that %s leaves nothing behind', async (_case, bytes) => {
  const { hostname, port } = new URL(toy.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: graph\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${KEY}Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
  );
  await waitUntil(async () => (await toy.metric('sockets')) === 1, 'it is connected');
  socket.write(bytes);
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'it is gone');
  socket.destroy();
});

test('a client that goes on speaking and reads nothing is let go', async () => {
  const impatient = await startToyServer({ timing: { stallTimeoutMs: 200 } });
  const socket = await RawSocket.connect(impatient.url);
  socket.ws.pause();
  socket.subscribe('1', '{ big(size: 30000000) }');
  const isGone = async () => {
    socket.send({ type: 'pong' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    return (await impatient.metric('sockets')) === 0;
  };
  await waitUntil(isGone, 'it is let go');
  socket.ws.terminate();
  await impatient.stop();
});

test('what a message has beside its operation, and the operation does not need, is not kept as long as it runs', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const socket = await RawSocket.connect(toy.url);
  const before = heap();
  const query = 'subscription ($name: String) { ticks(name: $name) { n } }';
  const junk = 'x'.repeat(80_000);
  for (let i = 0; i < 80; i++) {
    const variables = { name: 'a'.repeat(i + 1), junk };
    socket.send({ id: `${i}`, type: 'subscribe', junk, payload: { query, variables, junk } });
  }
  await waitUntil(async () => (await toy.metric('subscriptions')) === 80, 'all listen');
  expect(heap() - before).toBeLessThan(5_000_000);
  socket.close();
  await waitUntil(async () => (await toy.metric('subscriptions')) === 0, 'nobody listens');
});
