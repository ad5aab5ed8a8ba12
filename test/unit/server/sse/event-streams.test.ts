import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { prefersEventStream } from '../../../../src/server/requests/graph-request.ts';
import { connectEventStream } from '../../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: ['https://app.example'], timing: { heartbeatMs: 300 } });
});

afterAll(() => toy?.stop());

const TICKS = 'subscription ($after: String) { ticks(after: $after) { n } }';

const listening = (count = 1) => waitUntil(async () => (await toy.metric('subscriptions')) === count, `${count} listen`);

test('a subscription is a stream of events, and its end is one as well', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  expect(client.response.status).toBe(200);
  expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(client.response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  await listening();
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

test('it shares its group with subscribers over WebSocket', async () => {
  const { state } = toy;
  const socket = await RawSocket.connect(toy.url);
  socket.subscribe('1', TICKS);
  const clients = await Promise.all([
    connectEventStream(toy.url, { query: TICKS }),
    connectEventStream(toy.url, { query: TICKS, variables: { after: '1' } }),
  ]);
  await listening(3);
  const before = state.executions;
  state.ticker().emit();
  await socket.waitForResults('1', 1);
  expect((await clients[0]!.waitForEvents(1)).map(({ data }) => data.data.ticks.n)).toEqual([3]);
  expect((await clients[1]!.waitForEvents(2)).map(({ data }) => data.data.ticks.n)).toEqual([2, 3]);
  expect(state.executions - before).toBeLessThanOrEqual(2);
  expect(await toy.metric('subscription_groups')).toBe(1);
  for (const client of clients) client.close();
  socket.close();
  await listening(0);
});

test.each([
  ['a query', { query: '{ answer }' }, [{ event: 'next', data: { data: { answer: 42 } } }]],
  ['a mutation', { query: 'mutation { bump }' }, [{ event: 'next', data: { data: { bump: 1 } } }]],
  [
    'variables',
    { query: 'query ($s: Int!) { big(size: $s) }', variables: { s: 2 } },
    [{ event: 'next', data: { data: { big: 'xx' } } }],
  ],
])('%s is answered by one event and the end', async (_case, body, events) => {
  const client = await connectEventStream(toy.url, body);
  await client.ended;
  expect(client.events).toEqual([...events, { event: 'complete', data: undefined }]);
});

test('a GET asks as well, at the block that its header names, and changes nothing', async () => {
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

test.each([
  ['is no GraphQL', '{', 'GRAPHQL_PARSE_FAILED'],
  ['does not fit the schema', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['its field refuses', 'subscription { refused { n } }', 'BAD_USER_INPUT'],
  ['the server fails at', 'subscription { leak { n } }', 'INTERNAL_SERVER_ERROR'],
])('what %s is told by an event, under the id of the request', async (_case, query, code) => {
  const client = await connectEventStream(toy.url, { query });
  await client.ended;
  expect(client.events.map(({ event }) => event)).toEqual(['next', 'complete']);
  const { extensions } = client.events[0]!.data.errors[0];
  expect(extensions).toMatchObject({ code, requestId: client.response.headers.get('x-request-id') });
});

test('a stream that breaks is told by an event', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  await listening();
  toy.state.ticker().end(new GraphError('UPSTREAM_CHAIN_CHANGED', 'Another chain.'));
  await client.ended;
  expect(client.events.map(({ data }) => data?.errors[0].extensions.code)).toEqual(['UPSTREAM_CHAIN_CHANGED', undefined]);
});

const post = (body: string, headers: Record<string, string>) =>
  fetch(`${toy.url}/graphql`, { method: 'POST', body, headers: { accept: 'text/event-stream', ...headers } });
const JSON_TYPE = { 'content-type': 'application/json' };

test.each<[string, () => Promise<Response>, number]>([
  ['a form of any page', () => post('{"query":"{ answer }"}', { 'content-type': 'text/plain' }), 400],
  ['a body without a query', () => post('{}', JSON_TYPE), 400],
  ['a list of operations', () => post('[{"query":"{ answer }"}]', JSON_TYPE), 400],
  ['variables that are a text', () => post('{"query":"{ answer }","variables":"{}"}', JSON_TYPE), 400],
  ['extensions that are a list', () => post('{"query":"{ answer }","extensions":[]}', JSON_TYPE), 400],
  ['a name that is a number', () => post('{"query":"{ answer }","operationName":1}', JSON_TYPE), 400],
  ['a block that is none', () => post('{"query":"{ answer }"}', { ...JSON_TYPE, 'x-graph-block': 'abc' }), 400],
  ['more than 256 KiB', () => post(`{"query":"${'x'.repeat(256 * 1024)}"}`, JSON_TYPE), 413],
])('%s is refused like any other request', async (_case, ask, status) => {
  const response = await ask();
  expect(response.status).toBe(status);
  const { errors } = (await response.json()) as any;
  expect(errors[0].extensions).toMatchObject({ source: 'graph', requestId: response.headers.get('x-request-id') });
});

test('a page of an allowed origin may read it', async () => {
  const client = await connectEventStream(toy.url, { query: '{ answer }' }, { headers: { origin: 'https://app.example' } });
  expect(client.response.headers.get('access-control-allow-origin')).toBe('https://app.example');
});

test.each([
  ['text/event-stream', true],
  ['TEXT/event-stream;charset=utf-8', true],
  ['text/event-stream, */*', true],
  ['text/event-stream, multipart/mixed', true],
  ['multipart/mixed, text/event-stream', true],
  ['application/json;q=0.8, text/event-stream', true],
  ['application/graphql-response+json, application/json, text/event-stream, multipart/mixed', false],
  ['text/event-stream;q=0.5, application/json', false],
  ['text/event-stream;q=0', false],
  ['*/*', false],
  [undefined, false],
])('accept: %s asks for events or not', (accept, does) => {
  expect(prefersEventStream({ accept })).toBe(does);
});

test('comments come as long as nothing else does', async () => {
  const client = await connectEventStream(toy.url, { query: TICKS });
  await waitUntil(() => client.comments >= 3, 'three comments have come');
  client.close();
  await listening(0);
  await waitUntil(() => toy.state.openStreams === 0, 'the stream is stopped');
});

test.each(['POST', 'GET'])(
  'a subscription by %s without a stream of events is refused, and told what would do',
  async (method) => {
    const query = 'subscription { ticks { n } }';
    const response = await fetch(`${toy.url}/graphql${method === 'GET' ? `?query=${encodeURIComponent(query)}` : ''}`, {
      method,
      headers: JSON_TYPE,
      ...(method === 'POST' && { body: JSON.stringify({ query }) }),
    });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as any;
    expect(errors[0].extensions.code).toBe('BAD_REQUEST');
    expect(errors[0].message).toMatch(/graphql-transport-ws.*text\/event-stream/);
  },
);

const piped = (accept: string, query: string) => {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nHost: graph\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test('what is asked behind a stream of events on its connection ends with it', async () => {
  const { hostname, port } = new URL(toy.url);
  let letGo = (): void => {};
  toy.state.hold = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const before = toy.state.operations.length;
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(piped('text/event-stream', TICKS).repeat(3) + piped('application/json', '{ held }').repeat(12));
  await waitUntil(() => toy.state.operations.length === before + 13, 'the first stream and all queries have begun');
  await listening(1);
  expect(await toy.metric('event_streams')).toBe(1);
  socket.destroy();
  await listening(0);
  const held = toy.state.operations.slice(before + 1);
  await waitUntil(() => held.every(({ signal }) => signal.aborted), 'nobody waits for the queries');
  expect(await toy.metric('event_streams')).toBe(0);
  letGo();
});

test('the body of a request is not kept as long as its stream of events goes on', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const { hostname, port } = new URL(toy.url);
  const before = heap();
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(piped('text/event-stream', `${TICKS} #${'x'.repeat(200_000)}`));
    return socket;
  });
  await listening(60);
  expect(heap() - before).toBeLessThan(8_000_000);
  for (const socket of sockets) socket.destroy();
  await listening(0);
});
