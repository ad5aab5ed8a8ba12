import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { responseTypeOf } from '../../../../src/server/graph-route.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { connectEventStream } from '../../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { usedHeap } from '../../../support/collect-garbage.ts';
import { createGate } from '../../../support/gate.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: ['https://app.example'], timing: { heartbeatMs: 300 } });
});

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n } }';

const subscribed = (count = 1) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `the server has ${count} subscriptions`);

test('event stream sends one event per result and ends with a complete event', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  expect(client.response.status).toBe(200);
  expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(client.response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  await subscribed();
  toy.state.ticker().emit(2);
  await client.waitForEvents(2);
  toy.state.ticker().end();
  await client.ended;
  expect(client.events).toEqual([
    { event: 'next', data: { data: { ticks: { n: 1 } } } },
    { event: 'next', data: { data: { ticks: { n: 2 } } } },
    { event: 'complete', data: undefined },
  ]);
});

test('event stream shares its subscription group with WebSocket subscribers', async () => {
  const { state } = toy;
  const socket = await RawSocket.connect(toy.url);
  socket.subscribe('1', TICKS);
  const clients = await Promise.all([
    connectEventStream(toy.url, { query: TICKS }),
    connectEventStream(toy.url, { query: TICKS, variables: { after: '1' } }),
  ]);
  await subscribed(3);
  const before = state.executions;
  state.ticker().emit();
  await socket.waitForResults('1', 1);
  expect((await clients[0]!.waitForEvents(1)).map(({ data }) => data.data.ticks.n)).toEqual([3]);
  expect((await clients[1]!.waitForEvents(2)).map(({ data }) => data.data.ticks.n)).toEqual([2, 3]);
  expect(state.executions - before).toBeLessThanOrEqual(2);
  expect(await toy.metric('subscription_groups')).toBe(1);
  for (const client of clients) client.close();
  socket.close();
  await subscribed(0);
});

test('event stream over GET reads at the block of the x-graph-block header and rejects mutations', async () => {
  const get = (query: string, headers: Record<string, string>) =>
    connectEventStream(toy.url, undefined, { search: `?query=${encodeURIComponent(query)}`, headers });
  const requested = await get('{ block }', { 'x-graph-block': '7' });
  await requested.ended;
  expect(requested.events[0]!.data).toEqual({ data: { block: '0x7' }, extensions: { block: { number: '0x7' } } });
  const before = toy.state.bumped;
  const changing = await get('mutation { bump }', {});
  await changing.ended;
  expect(changing.events[0]!.data.errors[0].extensions).toMatchObject({ code: 'BAD_REQUEST' });
  expect(toy.state.bumped).toBe(before);
});

test('event stream reports the error that ends its source stream', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  await subscribed();
  toy.state.ticker().end(new GraphError('UPSTREAM_CHAIN_CHANGED', 'Another chain.'));
  await client.ended;
  expect(client.events.map(({ data }) => data?.errors[0].extensions.code)).toEqual(['UPSTREAM_CHAIN_CHANGED', undefined]);
});

test.each([
  ['text/event-stream', 'text/event-stream'],
  ['TEXT/event-stream;charset=utf-8', 'text/event-stream'],
  ['text/event-stream, */*', 'text/event-stream'],
  ['text/event-stream, multipart/mixed', 'text/event-stream'],
  ['multipart/mixed, text/event-stream', 'text/event-stream'],
  ['application/json;q=0.8, text/event-stream', 'text/event-stream'],
  [
    'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
    'application/graphql-response+json',
  ],
  ['text/event-stream;q=0.5, application/json', 'application/json'],
  ['text/event-stream;q=0', undefined],
  ['image/png', undefined],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['', 'application/json'],
  [undefined, 'application/json'],
])('responseTypeOf with accept: %s returns %s', (accept, type) => {
  expect(responseTypeOf({ accept })).toBe(type && `${type}; charset=utf-8`);
});

test('event stream sends heartbeat comments while there are no events', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  await waitUntil(() => client.comments >= 3, 'the client has three comments');
  client.close();
  await subscribed(0);
  await waitUntil(() => toy.state.openStreams === 0, 'the stream is stopped');
});

const pipelined = (accept: string, query: string) => {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nHost: graph\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test('requests pipelined behind an event stream are aborted when its connection closes', async () => {
  const { hostname, port } = new URL(toy.url);
  const { opened, open: release } = createGate();
  toy.state.hold = opened;
  const before = toy.state.operations.length;
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(pipelined('text/event-stream', TICKS).repeat(3) + pipelined('application/json', '{ held }').repeat(12));
  await waitUntil(() => toy.state.operations.length === before + 13, 'the first stream and all queries run');
  await subscribed(1);
  expect(await toy.metric('event_streams')).toBe(1);
  socket.destroy();
  await subscribed(0);
  const held = toy.state.operations.slice(before + 1);
  await waitUntil(() => held.every(({ signal }) => signal.aborted), 'all queries are aborted');
  expect(await toy.metric('event_streams')).toBe(0);
  release();
});

test('event stream does not retain the body of its request', async () => {
  const { hostname, port } = new URL(toy.url);
  const before = usedHeap();
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(pipelined('text/event-stream', `${TICKS} #${'x'.repeat(200_000)}`));
    return socket;
  });
  await subscribed(60);
  expect(usedHeap() - before).toBeLessThan(8_000_000);
  for (const socket of sockets) socket.destroy();
  await subscribed(0);
});

test('event stream continues when its client reads again, also with events below the buffer of a response', async () => {
  const own = await startToyServer();
  for (let i = 0; i < 800; i++) own.state.ticker().emit(1, 10_000);
  const body = JSON.stringify({ query: 'subscription { ticks(after: "0") { n text } }' });
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1').pause();
  cleanups.push(() => socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received = (received + chunk).slice(-30_000);
  });
  const headers = `Host: graph\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`POST /graphql HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  await waitUntil(async () => (await own.metric('unsent_bytes')) > 64 * 1024, 'events wait for the client');
  socket.resume();
  await waitUntil(() => received.includes('"n":800,'), 'the client has all events');
  expect(received).toContain('"n":799,');
});
