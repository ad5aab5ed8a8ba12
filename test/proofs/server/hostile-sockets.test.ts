import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { usedHeap } from '../../support/collect-garbage.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

/** Server for clients that violate the protocol or have lost their network. */
let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ timing: { heartbeatMs: 600 } });
});

const SUBSCRIBE = { id: '1', type: 'subscribe', payload: { query: 'subscription { ticks { n } }' } };
const many = (count: number, message: object) => Array.from({ length: count }, () => message);

test.each<[string, { init?: boolean; protocols?: string[] }, readonly (object | string)[], number]>([
  ['requests no subprotocol', { init: false, protocols: [] }, [], 4406],
  ['subscribes before connection_init', { init: false }, [SUBSCRIBE], 4401],
  ['sends connection_init twice', {}, [{ type: 'connection_init' }], 4429],
  ['sends invalid JSON', {}, ['{"type":'], 4400],
  ['sends a message that is not an object', {}, ['[]'], 4400],
  ['sends a message of an unknown type', {}, [{ type: 'start' }], 4400],
  ['sends a message of a server-only type', {}, [{ type: 'next', id: '1', payload: {} }], 4400],
  ['subscribes without a document', {}, [{ ...SUBSCRIBE, payload: {} }], 4400],
  ['subscribes without an id', {}, [{ ...SUBSCRIBE, id: '' }], 4400],
  ['subscribes with an id of 129 characters', {}, [{ ...SUBSCRIBE, id: 'x'.repeat(129) }], 4400],
  ['reuses the id of a running operation', {}, [SUBSCRIBE, SUBSCRIBE], 4409],
  ['reuses a long id of a running operation', {}, [SUBSCRIBE, SUBSCRIBE].map((one) => ({ ...one, id: 'x'.repeat(128) })), 4409],
  ['floods the server with pings', {}, many(2_000, { type: 'ping' }), 4429],
  [
    'floods the server with subscribe and complete messages',
    {},
    many(1_000, SUBSCRIBE).flatMap((one, i) => [
      { ...one, id: `${i}` },
      { id: `${i}`, type: 'complete' },
    ]),
    4429,
  ],
  ['sends a message of more than 256 KiB', {}, [{ type: 'ping', payload: { x: 'x'.repeat(256 * 1024) } }], 1009],
])('client that %s is disconnected with the matching close code', async (_case, options, messages, code) => {
  const socket = await RawSocket.connect(toy.url, options);
  for (const message of messages) socket.send(message);
  const closed = await socket.closed;
  expect(closed.code).toBe(code);
  expect(closed.reason).not.toContain('x'.repeat(10));
  if (code > 4000) expect(closed.reason).toMatch(/.\.$/);
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'the server has no sockets');
});

test('client that sends no connection_init is disconnected with 4408', async () => {
  const impatient = await startToyServer({ timing: { initTimeoutMs: 200 } });
  const socket = await RawSocket.connect(impatient.url, { init: false });
  const { code, reason } = await socket.closed;
  expect(code).toBe(4408);
  expect(reason).toMatch(/.\.$/);
  await waitUntil(async () => (await impatient.metric('sockets')) === 0, 'the server has no sockets');
  await impatient.stop();
});

test('client that floods the server with WebSocket ping frames is disconnected with 4429', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (let i = 0; i < 2_000; i++) socket.ws.ping();
  expect((await socket.closed).code).toBe(4429);
});

test('client that sends 150 messages in a burst stays connected', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (let i = 0; i < 150; i++) socket.send({ type: 'ping' });
  await socket.waitForMessage(() => socket.messages.filter(({ type }) => type === 'pong').length === 150);
  socket.subscribe('1', '{ answer }');
  expect(await socket.waitForResults('1', 1)).toEqual([{ data: { answer: 42 } }]);
  socket.close();
});

test('operation id may be any string and can be reused after the operation completes', async () => {
  const socket = await RawSocket.connect(toy.url);
  for (const id of ['__proto__', 'constructor', '"', '\u2028', 'ü'.repeat(60), '1']) {
    for (let i = 1; i <= 3; i++) {
      socket.subscribe(id, '{ answer }');
      expect(await socket.waitForResults(id, i)).toHaveLength(i);
      await waitUntil(
        () => socket.messages.filter((message) => message.id === id && message.type === 'complete').length === i,
        'the operation is complete',
      );
    }
  }
  socket.close();
});

test('operation that is completed and resubscribed with the same id in one packet receives events', async () => {
  const socket = await RawSocket.connect(toy.url);
  socket.send(SUBSCRIBE);
  await waitUntil(() => toy.state.ticker().openStreams === 1, 'the stream is open');
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

test('client that does not answer pings is disconnected, and one that answers them stays connected', async () => {
  const [silent, answering] = [await RawSocket.connect(toy.url, { autoPong: false } as object), await RawSocket.connect(toy.url)];
  let pings = 0;
  answering.ws.on('ping', () => pings++);
  silent.send(SUBSCRIBE);
  await waitUntil(() => toy.state.ticker().openStreams === 1, 'the stream is open');
  expect((await silent.closed).code).toBe(1006);
  await waitUntil(() => toy.state.openStreams === 0, 'the stream is stopped');
  await waitUntil(() => pings >= 3, 'the answering client has received three pings');
  expect(answering.ws.readyState).toBe(answering.ws.OPEN);
  answering.close();
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'the server has no sockets');
});

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

test('connections that send a truncated, an invalid or an unmasked frame are closed and their resources are released', async () => {
  const { hostname, port } = new URL(toy.url);
  const frames = {
    truncated: Buffer.from([0x81, 0xfe, 0x10]),
    invalid: Buffer.from('\xff\xff\xff\xff', 'latin1'),
    unmasked: Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
  };
  const connections = Object.entries(frames).map(([name, bytes]) => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket
      .resume()
      .write(
        `GET /graphql HTTP/1.1\r\nHost: graph\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${KEY}Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
      );
    const closed = once(socket, 'close').then(() => name);
    return { socket, bytes, closed };
  });
  await waitUntil(async () => (await toy.metric('sockets')) === 3, 'the sockets are connected');
  for (const { socket, bytes } of connections) socket.write(bytes);
  expect(await Promise.all(connections.map(({ closed }) => closed))).toEqual(Object.keys(frames));
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'the server has no sockets');
});

test('client that sends messages without reading is disconnected after the stall timeout', async () => {
  const impatient = await startToyServer({ timing: { stallTimeoutMs: 200 } });
  const socket = await RawSocket.connect(impatient.url);
  socket.ws.pause();
  socket.subscribe('1', '{ big(size: 16000000) }');
  const isDisconnected = async () => {
    socket.send({ type: 'pong' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    return (await impatient.metric('sockets')) === 0;
  };
  await waitUntil(isDisconnected, 'the client is disconnected');
  socket.ws.terminate();
  await impatient.stop();
});

test('running operation does not retain unused parts of its subscribe message', async () => {
  const socket = await RawSocket.connect(toy.url);
  const before = usedHeap();
  const query = 'subscription ($name: String) { ticks(name: $name) { n } }';
  const junk = 'x'.repeat(80_000);
  for (let i = 0; i < 80; i++) {
    const variables = { name: 'a'.repeat(i + 1), junk };
    socket.send({ id: `${i}`, type: 'subscribe', junk, payload: { query, variables, junk } });
  }
  await waitUntil(async () => (await toy.metric('subscriptions')) === 80, 'the server has 80 subscriptions');
  expect(usedHeap() - before).toBeLessThan(5_000_000);
  socket.close();
  await waitUntil(async () => (await toy.metric('subscriptions')) === 0, 'the server has no subscriptions');
});
