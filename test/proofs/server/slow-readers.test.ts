import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil, waitUntilIdle } from '../../support/graph/toy-server.ts';

let toy: ToyServer;

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n text } }';
/** Characters per event. The network buffers several million bytes before the server notices that a client has stopped reading. */
const SIZE = 50_000;

const numbers = (results: readonly { data: { ticks: { n: number } } }[]): number[] => results.map(({ data }) => data.ticks.n);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

const subscribed = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `there are ${count} subscriptions`);

/** Emits events until the server has ended `count` slow subscriptions. Returns the number of emitted events. */
async function emitUntilSlowConsumers(reading: RawSocket, count: number): Promise<number> {
  let emitted = 0;
  while ((await toy.metric('slow_consumers_total')) < count) {
    if (emitted > 1_000) throw new Error(`The server has not ended ${count} slow subscriptions.`);
    for (let i = 0; i < 10; i++) toy.state.ticker().emit(1, SIZE);
    emitted += 10;
    await reading.waitForResults('1', emitted);
  }
  return emitted;
}

test('slow client gets SLOW_CONSUMER with a cursor, resumes from it without loss, and does not delay others', async () => {
  toy = await startToyServer();
  const [slow, reading] = [await RawSocket.connect(toy.url), await RawSocket.connect(toy.url)];
  slow.subscribe('1', TICKS);
  slow.subscribe('other', 'subscription { ticks(name: "b") { n } }');
  reading.subscribe('1', TICKS);
  await subscribed(3);
  slow.ws.pause();
  const last = await emitUntilSlowConsumers(reading, 1);
  expect(numbers(reading.resultsOf('1'))).toEqual(upTo(last));
  slow.ws.resume();
  const { type, payload } = await slow.waitForEnd('1');
  const delivered = slow.resultsOf('1').length;
  expect(numbers(slow.resultsOf('1'))).toEqual(upTo(delivered));
  expect(delivered).toBeLessThan(last);
  expect(type).toBe('error');
  expect(payload[0].extensions).toMatchObject({ code: 'SLOW_CONSUMER', cursor: String(delivered), retryable: true });
  slow.subscribe('2', TICKS, { after: payload[0].extensions.cursor });
  expect(numbers(await slow.waitForResults('2', last - delivered))).toEqual(upTo(last, delivered + 1));
  // The other subscription of the slow client continues.
  toy.state.ticker('b').emit();
  expect(await slow.waitForResults('other', 1)).toHaveLength(1);
  for (const socket of [slow, reading]) socket.close();
});

test('server pauses the operations of a client that does not read its responses', async () => {
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

test('socket that pauses while responses wait for it is not terminated by heartbeats', async () => {
  toy = await startToyServer({ timing: { heartbeatMs: 120 } });
  const [slow, reading] = [await RawSocket.connect(toy.url), await RawSocket.connect(toy.url)];
  slow.ws.pause();
  for (let i = 0; i < 30; i++) slow.subscribe(`${i}`, '{ big(size: 1000000) }');
  await waitUntil(async () => (await toy.metric('unsent_bytes')) > 0, 'a response waits for the client');
  for (let pings = 0; pings < 5; pings++) await once(reading.ws, 'ping');
  slow.ws.resume();
  for (let i = 0; i < 30; i++) expect((await slow.waitForResults(`${i}`, 1))[0].data.big).toHaveLength(1_000_000);
  for (const socket of [slow, reading]) socket.close();
});
