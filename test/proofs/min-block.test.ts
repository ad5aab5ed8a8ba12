import { beforeEach, describe, expect, test } from '@jest/globals';
import { connectEventStream } from '../support/clients/event-stream-client.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { errorsOver } from '../support/clients/transport-errors.ts';
import { ManualHead, windowOf } from '../support/graph/manual-head.ts';
import { startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';

/** `x-graph-min-block` on every transport, over a server whose head a test sets. */
let head: ManualHead;
let toy: ToyServer;

beforeEach(async () => {
  head = new ManualHead();
  head.moveTo(5);
  toy = await startToyServer({ follower: head, operationTimeoutMs: 60_000 });
});

const NO_SIGNAL = new AbortController().signal;
type Send = (url: string, query: string, minBlock: number | string, signal?: AbortSignal) => Promise<any>;

const headersOf = (minBlock: number | string) => ({
  'content-type': 'application/json',
  'x-graph-min-block': String(minBlock),
});

const overPost: Send = async (url, query, minBlock, signal = NO_SIGNAL) =>
  (
    await fetch(`${url}/graphql`, { method: 'POST', headers: headersOf(minBlock), body: JSON.stringify({ query }), signal })
  ).json();

const overGet: Send = async (url, query, minBlock, signal = NO_SIGNAL) =>
  (await fetch(`${url}/graphql?${new URLSearchParams({ query, extensions: JSON.stringify({ minBlock }) })}`, { signal })).json();

/** Aborting closes the connection, as when a client disconnects. */
const overEvents: Send = async (url, query, minBlock, signal = NO_SIGNAL) => {
  const options = { search: `?${new URLSearchParams({ query })}`, headers: headersOf(minBlock) };
  const client = await connectEventStream(url, undefined, options);
  signal.addEventListener('abort', () => client.close());
  const [event] = await client.waitForEvents(1);
  client.close();
  return event!.data;
};

const overSocket: Send = async (url, query, minBlock, signal = NO_SIGNAL) => {
  const socket = await RawSocket.connect(url);
  signal.addEventListener('abort', () => socket.ws.terminate());
  socket.send({ id: '1', type: 'subscribe', payload: { query, extensions: { minBlock } } });
  const { type, payload } = await socket.waitForMessage(({ id }) => id === '1');
  socket.close();
  return type === 'error' ? { errors: payload } : payload;
};

const TRANSPORTS: readonly (readonly [name: string, send: Send])[] = [
  ['the header of a POST', overPost],
  ['the extensions of a GET', overGet],
  ['the header of an event stream', overEvents],
  ['the extensions of a WebSocket message', overSocket],
];

describe('an operation with a minimum block', () => {
  test.each(TRANSPORTS)('an operation in %s waits until the head has its minimum height', async (_name, send) => {
    const response = send(toy.url, '{ answer }', 7);
    await waitUntil(() => head.waiting === 1, 'the operation waits');
    head.moveTo(6);
    expect({ waiting: head.waiting, executed: toy.state.operations.length }).toEqual({ waiting: 1, executed: 0 });
    head.moveTo(7);
    expect(await response).toEqual({ data: { answer: 42 } });
    expect(head.waiting).toBe(0);
    expect(toy.state.operations.map((operation) => operation.head?.height)).toEqual([7]);
  });

  test.each(TRANSPORTS)('a wait in %s ends when the client disconnects', async (_name, send) => {
    const control = new AbortController();
    const response = send(toy.url, '{ answer }', 7, control.signal);
    response.catch(() => {});
    await waitUntil(() => head.waiting === 1, 'the operation waits');
    control.abort();
    await waitUntil(() => head.waiting === 0, 'the operation has stopped waiting');
    expect(toy.state.operations).toEqual([]);
  });

  test.each([
    ['the header of an event stream', overEvents],
    ['the extensions of a WebSocket message', overSocket],
  ])('a subscription in %s waits for its minimum block once, not at each event', async (_name, send) => {
    const first = send(toy.url, 'subscription { ticks { n } }', 6);
    await waitUntil(() => head.waiting === 1, 'the subscription waits');
    expect(toy.state.openStreams).toBe(0);
    head.moveTo(6);
    await waitUntil(() => toy.state.openStreams === 1, 'the subscription has started');
    head.moveTo(2);
    toy.state.ticker().emit();
    expect(await first).toEqual({ data: { ticks: { n: 1 } } });
    expect(head.waiting).toBe(0);
  });
});

test('a minimum block that the head does not reach fails with BLOCK_NOT_YET, both heights and status 200, before execution', async () => {
  // A block time of one second: the wait takes two seconds.
  head.window = windowOf([100, 101, 102]);
  const response = await fetch(`${toy.url}/graphql`, {
    method: 'POST',
    headers: headersOf(300),
    body: '{"query":"{ answer }"}',
  });
  expect(response.status).toBe(200);
  const message = 'The head is block 5, and the request requires block 300. Send it again later.';
  const heights = { minBlock: '0x12c', height: '0x5' };
  const extensions = { code: 'BLOCK_NOT_YET', retryable: true, source: 'graph', ...heights };
  expect(await response.json()).toMatchObject({ errors: [{ message, extensions }] });
  head.head = undefined;
  const request = { query: '{ answer }', extensions: { minBlock: 300 } };
  const errors = await Promise.all([
    errorsOver.http(toy.url, request),
    errorsOver.events(toy.url, request),
    errorsOver.webSocket(toy.url, request),
  ]);
  const unknown = 'The head is unknown, and the request requires block 300. Send it again later.';
  expect(errors).toEqual(Array(3).fill([{ code: 'BLOCK_NOT_YET', message: unknown }]));
  expect(head.waiting).toBe(0);
  expect(toy.state.operations).toEqual([]);
});
