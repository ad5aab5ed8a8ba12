import { beforeEach, expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

let toy: ToyServer;

beforeEach(async () => {
  toy = await startToyServer();
});

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n text } }';

const numbers = (results: readonly { data: { ticks: { n: number } } }[]): number[] => results.map(({ data }) => data.ticks.n);

const subscribed = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `there are ${count} subscriptions`);

test('seven subscribers with equal operations share one stream and one execution per event', async () => {
  const { state } = toy;
  const sockets = await Promise.all(Array.from({ length: 7 }, () => RawSocket.connect(toy.url)));
  for (const [i, socket] of sockets.entries()) socket.subscribe(`id ${i}`, TICKS);
  await subscribed(7);
  for (let i = 0; i < 5; i++) state.ticker().emit();
  for (const [i, socket] of sockets.entries()) {
    expect(await socket.waitForResults(`id ${i}`, 5)).toEqual(
      [1, 2, 3, 4, 5].map((n) => ({ data: { ticks: { n, text: 'xxxxxxxx' } } })),
    );
  }
  expect({ executed: state.executions, opened: state.ticker().openedStreams }).toEqual({ executed: 5, opened: 1 });
  expect(await toy.metric('events_sent_total')).toBe(35);
  for (const socket of sockets) socket.close();
});

test('operations that differ only in their cursor share live events and each replay their own backlog', async () => {
  const { state } = toy;
  for (let i = 0; i < 4; i++) state.ticker().emit();
  const socket = await RawSocket.connect(toy.url);
  socket.subscribe('all', TICKS, { after: '0' });
  socket.subscribe('half', TICKS, { after: '2' });
  socket.subscribe('none', TICKS);
  expect(numbers(await socket.waitForResults('all', 4))).toEqual([1, 2, 3, 4]);
  expect(numbers(await socket.waitForResults('half', 2))).toEqual([3, 4]);
  await subscribed(3);
  state.ticker().emit(2);
  expect(numbers(await socket.waitForResults('all', 6))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(numbers(await socket.waitForResults('half', 4))).toEqual([3, 4, 5, 6]);
  expect(numbers(await socket.waitForResults('none', 2))).toEqual([5, 6]);
  // Six replayed events, one execution per subscriber, and two live events, shared.
  expect({ executed: state.executions, opened: state.ticker().openedStreams }).toEqual({ executed: 8, opened: 1 });
  socket.close();
});

test('each event is executed as its own operation at the block of the event', async () => {
  const { state } = toy;
  const socket = await RawSocket.connect(toy.url, { headers: { 'x-graph-block': '0x7' } });
  socket.subscribe('1', 'subscription { ticks { block requestId } }');
  await subscribed(1);
  state.ticker().emit(1, 1, '0xb10c');
  state.ticker().emit(1);
  const [first, second] = (await socket.waitForResults('1', 2)).map(({ data }) => data.ticks);
  expect([first.block, second.block]).toEqual(['0xb10c', null]);
  expect(first.requestId).not.toBe(second.requestId);
  // One operation for `subscribe` and two for the events; none was aborted.
  expect(state.operations.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  socket.close();
});
