import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { createWebSocketClient } from '../../../clients/js/src/ws.ts';
import { cleanups } from '../../support/cleanups.ts';

/** A client of a server that is about to listen. The test moves its timers. */
async function createClientOf(server: WebSocketServer | Server) {
  cleanups.push(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  cleanups.push(() => void jest.useRealTimers());
  return createWebSocketClient({ url: `ws://127.0.0.1:${port}`, webSocketImpl: WebSocket });
}

test('a connection stays open while events delay its pong, and without any message it counts as lost', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const client = await createClientOf(server);
  const accepted = once(server, 'connection');
  const events = client.iterate({ query: 'subscription { n }' });
  let next = events.next();
  const [socket] = (await accepted) as [WebSocket];
  const received = async () => JSON.parse(String((await once(socket, 'message'))[0]));
  expect(await received()).toEqual({ type: 'connection_init' });
  socket.send('{"type":"connection_ack"}');
  const { id } = await received();
  const emit = async (n: number) => {
    socket.send(JSON.stringify({ id, type: 'next', payload: { data: { n } } }));
    expect((await next).value).toEqual({ data: { n } });
    next = events.next();
  };
  const pinged = received();
  jest.advanceTimersByTime(12_000);
  expect(await pinged).toEqual({ type: 'ping' });
  for (let n = 1; n <= 3; n++) {
    jest.advanceTimersByTime(7_000);
    await emit(n);
  }
  const closed = once(socket, 'close');
  jest.advanceTimersByTime(8_000);
  await expect(next).rejects.toMatchObject({ code: 4499 });
  await closed;
});

test('a server that accepts a connection and does not answer its handshake counts as lost', async () => {
  const server = createServer((socket) => void cleanups.push(() => void socket.destroy()));
  const client = await createClientOf(server.listen(0, '127.0.0.1'));
  const accepted = once(server, 'connection');
  const next = client.iterate({ query: 'subscription { n }' }).next();
  const ended = next.then(
    () => 'an event',
    () => 'lost',
  );
  await accepted;
  jest.advanceTimersByTime(120_000);
  const waited = (async () => {
    for (let i = 0; i < 100; i++) await new Promise(setImmediate);
    return 'still waiting';
  })();
  expect(await Promise.race([ended, waited])).toBe('lost');
});
