import { afterEach, expect, jest, test } from '@jest/globals';
import { install } from '@sinonjs/fake-timers';
import { cleanups } from '../../../support/cleanups.ts';
import { connectEventStream } from '../../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { errorsOver } from '../../../support/clients/transport-errors.ts';
import { createGate } from '../../../support/gate.ts';
import { startToyServer, type ToyServer, waitUntil, waitUntilIdle } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

afterEach(() => void jest.useRealTimers());

/** Stops the server and resolves when it has stopped. Fake timers advance by exactly `ms`, so the load of the machine does not matter. */
async function stopWithin(ms: number): Promise<void> {
  const others = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const;
  jest.useFakeTimers({ doNotFake: [...others] });
  const stopped = toy.server.stop();
  await jest.advanceTimersByTimeAsync(ms);
  await stopped;
}

const TICKS = 'subscription { ticks { n } }';

const subscribed = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `the server has ${count} subscriptions`);

test('shutdown closes sockets with 1001 and ends event streams without a complete event', async () => {
  toy = await startToyServer();
  const sockets = await Promise.all(Array.from({ length: 12 }, () => RawSocket.connect(toy.url)));
  for (const socket of sockets) socket.subscribe('1', TICKS);
  const events = await connectEventStream(toy.url, { query: TICKS });
  await subscribed(13);
  const closed = sockets.map(async (socket) => {
    const { code, reason } = await socket.closed;
    // A client does not resubscribe completed operations when it reconnects, so subscriptions must stay incomplete.
    return { code, reason, ended: socket.messages.some(({ type }) => type === 'complete' || type === 'error') };
  });
  const stopped = toy.server.stop();
  for (const end of await Promise.all(closed))
    expect(end).toEqual({ code: 1001, reason: 'The server is shutting down.', ended: false });
  await events.ended;
  expect(events.events).toEqual([]);
  await stopped;
  expect(toy.state.openStreams).toBe(0);
});

test('a process that stands still while it drains sends the errors of the operations that it ends', async () => {
  toy = await startToyServer();
  toy.state.hold = new Promise(() => {});
  const reported = errorsOver.http(toy.url, { query: '{ held }' });
  await waitUntil(() => toy.state.operations.length === 1, 'the operation runs');
  const clock = install({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    shouldClearNativeTimers: true,
  });
  cleanups.push(() => clock.uninstall());
  const stopped = toy.server.stop();
  clock.jump(10_000);
  expect(await reported).toMatchObject([{ code: 'SHUTTING_DOWN' }]);
  await clock.tickAsync(2_000);
  await stopped;
});

test('shutdown completes running queries and rejects new operations with SHUTTING_DOWN', async () => {
  toy = await startToyServer();
  const { opened, open: release } = createGate();
  toy.state.hold = opened;
  const socket = await RawSocket.connect(toy.url);
  const events = await connectEventStream(toy.url, { query: '{ held }' });
  socket.subscribe('1', '{ held }');
  await waitUntil(() => toy.state.operations.length === 2, 'both operations run');
  const stopped = toy.server.stop();
  socket.subscribe('2', '{ answer }');
  const { payload } = await socket.waitForEnd('2');
  expect(payload[0].extensions).toMatchObject({ code: 'SHUTTING_DOWN', retryable: true });
  await expect(RawSocket.connect(toy.url)).rejects.toThrow();
  expect(socket.ws.readyState).toBe(socket.ws.OPEN);
  release();
  expect(await socket.waitForResults('1', 1)).toEqual([{ data: { held: 'let go' } }]);
  expect((await socket.closed).code).toBe(1001);
  await events.ended;
  expect(events.events[0]!.data).toEqual({ data: { held: 'let go' } });
  await stopped;
});

test('shutdown ends operations that outlast it with SHUTTING_DOWN and takes less than ten seconds', async () => {
  toy = await startToyServer({ operationTimeoutMs: 60_000 });
  toy.state.hold = new Promise(() => {});
  const socket = await RawSocket.connect(toy.url);
  const events = await connectEventStream(toy.url, { query: '{ held }' });
  socket.subscribe('1', '{ held }');
  await waitUntil(() => toy.state.operations.length === 2, 'both operations run');
  await stopWithin(8_500);
  expect(socket.resultsOf('1')[0].errors[0].extensions.code).toBe('SHUTTING_DOWN');
  expect((await socket.closed).code).toBe(1001);
  await events.ended;
  expect(events.events[0]!.data.errors[0].extensions.code).toBe('SHUTTING_DOWN');
});

test('shutdown does not wait for a client that never answers the close frame', async () => {
  toy = await startToyServer();
  const socket = await RawSocket.connect(toy.url);
  socket.subscribe('1', TICKS);
  await subscribed(1);
  socket.ws.pause();
  await stopWithin(3_000);
  socket.ws.terminate();
});

test('shutdown terminates a client with unread responses in less than ten seconds', async () => {
  toy = await startToyServer();
  const socket = await RawSocket.connect(toy.url);
  socket.ws.pause();
  for (let i = 0; i < 30; i++) socket.subscribe(`${i}`, '{ big(size: 1000000) }');
  await waitUntilIdle(toy);
  await stopWithin(9_500);
  socket.ws.terminate();
});
