import { request } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil, waitUntilIdle } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

afterEach(() => toy.stop());

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n text } }';
/** Each of the events, in characters. The network holds some millions before a reader that has stopped is felt. */
const SIZE = 50_000;

/** Longer than it takes a busy machine to send so much that a reader who has stopped is cut for that, and not for its silence. */
const STALLED = 2_000;

const numbers = (answers: readonly any[]): number[] => answers.map(({ data }) => data.ticks.n);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

const subscribed = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `there are ${count} subscriptions`);

/** Emits until the slow one is cut; gives how many events that took. */
async function emitUntilCut(reading: RawSocket, from = 0): Promise<number> {
  let emitted = from;
  while ((await toy.metric('slow_consumers_total')) === 0) {
    if (emitted > 1_000) throw new Error('nobody is cut');
    for (let i = 0; i < 10; i++) toy.state.ticker().emit(1, SIZE);
    emitted += 10;
    await reading.waitForResults('1', emitted);
  }
  return emitted;
}

test('one who stops reading is cut with its cursor, misses nothing when it goes on from there, and nobody else waits for it', async () => {
  toy = await startToyServer();
  const [slow, reading] = [await RawSocket.connect(toy.url), await RawSocket.connect(toy.url)];
  slow.subscribe('1', TICKS);
  slow.subscribe('other', 'subscription { ticks(name: "b") { n } }');
  reading.subscribe('1', TICKS);
  await subscribed(3);
  slow.ws.pause();
  const last = await emitUntilCut(reading);
  expect(numbers(reading.resultsOf('1'))).toEqual(upTo(last));
  slow.ws.resume();
  const { type, payload } = await slow.waitForEnd('1');
  const got = slow.resultsOf('1').length;
  expect(numbers(slow.resultsOf('1'))).toEqual(upTo(got));
  expect(got).toBeLessThan(last);
  expect(type).toBe('error');
  expect(payload[0].extensions).toMatchObject({ code: 'SLOW_CONSUMER', cursor: String(got), retryable: true });
  slow.subscribe('2', TICKS, { after: payload[0].extensions.cursor });
  expect(numbers(await slow.waitForResults('2', last - got))).toEqual(upTo(last, got + 1));
  // Only that subscription has ended.
  toy.state.ticker('b').emit();
  expect(await slow.waitForResults('other', 1)).toHaveLength(1);
  for (const socket of [slow, reading]) socket.close();
});

test('one who reads again in time gets everything', async () => {
  toy = await startToyServer();
  const socket = await RawSocket.connect(toy.url);
  socket.subscribe('1', TICKS);
  await subscribed(1);
  socket.ws.pause();
  for (let i = 0; i < 20; i++) toy.state.ticker().emit(1, 1_000);
  socket.ws.resume();
  expect(numbers(await socket.waitForResults('1', 20))).toEqual(upTo(20));
  socket.close();
});

test('a socket that takes nothing for too long is closed, with all of its operations', async () => {
  toy = await startToyServer({ timing: { stallTimeoutMs: STALLED } });
  const [slow, reading] = [await RawSocket.connect(toy.url), await RawSocket.connect(toy.url)];
  slow.subscribe('1', TICKS);
  reading.subscribe('1', TICKS);
  await subscribed(2);
  slow.ws.pause();
  await emitUntilCut(reading);
  await waitUntil(async () => (await toy.metric('sockets')) === 1, 'the slow one is gone');
  expect(await toy.metric('subscriptions')).toBe(1);
  slow.ws.terminate();
  reading.close();
});

test('one who does not read its answers gets no more operations run', async () => {
  toy = await startToyServer();
  const socket = await RawSocket.connect(toy.url);
  socket.ws.pause();
  for (let i = 0; i < 30; i++) socket.subscribe(`${i}`, '{ big(size: 1000000) }');
  await waitUntilIdle(toy);
  expect(toy.state.operations.length).toBeLessThan(20);
  socket.ws.resume();
  for (let i = 0; i < 30; i++) expect((await socket.waitForResults(`${i}`, 1))[0].data.big).toHaveLength(1_000_000);
  socket.close();
});

/** A stream of events of which nothing is read. */
async function unreadEvents(): Promise<{ close(): void }> {
  const requested = request(`${toy.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
  });
  requested.on('error', () => {});
  const answered = new Promise<void>((resolve) => {
    requested.once('response', (response) => {
      response.on('error', () => {});
      response.pause();
      resolve();
    });
  });
  requested.end(JSON.stringify({ query: TICKS }));
  await answered;
  return { close: () => requested.destroy() };
}

test('an event stream that is not read is cut and ended as well', async () => {
  toy = await startToyServer({ timing: { stallTimeoutMs: STALLED } });
  const reading = await RawSocket.connect(toy.url);
  reading.subscribe('1', TICKS);
  const unread = await unreadEvents();
  await subscribed(2);
  await emitUntilCut(reading);
  await waitUntil(async () => (await toy.metric('event_streams')) === 0, 'it is gone');
  expect(await toy.metric('subscriptions')).toBe(1);
  unread.close();
  reading.close();
});

test('whoever takes nothing for too long is let go, also when little waits for it', async () => {
  toy = await startToyServer({ timing: { stallTimeoutMs: 60 } });
  const [reading, slow] = [await RawSocket.connect(toy.url), await RawSocket.connect(toy.url)];
  for (const socket of [reading, slow]) socket.subscribe('1', TICKS);
  const unread = await unreadEvents();
  await subscribed(3);
  slow.ws.pause();
  let emitted = 0;
  // A little at a time, so that the time passes before too much waits.
  const isLeft = async () => (await toy.metric('subscriptions')) > 1;
  while (emitted < 500 && (await isLeft())) {
    toy.state.ticker().emit(1, SIZE);
    await reading.waitForResults('1', ++emitted);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  expect([await toy.metric('sockets'), await toy.metric('event_streams'), await toy.metric('slow_consumers_total')]).toEqual([
    1, 0, 0,
  ]);
  unread.close();
  slow.ws.terminate();
  reading.close();
});
