import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, fetchExchange } from '@urql/core';
import { createHostCheck } from '../../../src/hosts.ts';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { type RawResponse, rawRequest } from '../../support/clients/raw-request.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

/** What a server does for web pages, by the headers that browsers send for them. */
const APP = 'https://app.example';
let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: [APP, 'http://localhost:*'], acceptsHost: createHostCheck(['graph.lan']) });
});

afterAll(() => toy?.stop());

const EVENTS = 'text/event-stream';
const URQL = 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

const get = (query: string, headers: Record<string, string>) =>
  rawRequest(`${toy.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

const errorOf = ({ body }: RawResponse) => JSON.parse(body).errors[0];

const PAGES: [string, Record<string, string>, number][] = [
  ['of an allowed origin', { origin: APP }, 200],
  ['of a host that is allowed on every port', { origin: 'http://localhost:5173' }, 200],
  ['of the server itself', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
  ['of the server itself, which names its origin', { host: 'graph.lan', origin: 'http://graph.lan' }, 200],
  ["of no browser, sent by Node's fetch", { 'sec-fetch-mode': 'cors' }, 200],
  ['of another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, 403],
  ['of an origin that is hidden', { origin: 'null' }, 403],
  ['of any origin, as an image or a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 400],
  ['of a site with the same domain, as an image', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, 400],
  ['typed into the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 400],
  ['of unknown origin', {}, 400],
];

describe.each([
  ['an EventSource', EVENTS],
  ['a query of urql', URQL],
])('a GET of %s', (_client, accept) => {
  test.each(PAGES)('%s is answered by its origin', async (_page, headers, status) => {
    const response = await get('{ answer }', { accept, ...headers });
    expect(response.status).toBe(status);
    if (status === 200) {
      expect(response.body).toContain('{"data":{"answer":42}}');
      return;
    }
    const { message, extensions } = errorOf(response);
    expect(message).toMatch(
      status === 403 ? /CORS_ORIGINS.*\.$/ : /content-type: application\/json.*apollo-require-preflight\.$/,
    );
    expect(message).not.toContain('…');
    expect(extensions).toMatchObject({ code: 'BAD_REQUEST', source: 'graph', requestId: response.headers['x-request-id'] });
  });

  test('of an allowed origin runs no mutation', async () => {
    const before = toy.state.bumped;
    const { status, body } = await get('mutation { bump }', { accept, origin: APP });
    expect(status).toBe(accept === EVENTS ? 200 : 405);
    expect(body).toContain('"BAD_REQUEST"');
    expect(toy.state.bumped).toBe(before);
  });
});

test('a POST that needs no preflight is refused from an allowed origin too, since it could be a mutation', async () => {
  const headers = { origin: APP, 'content-type': 'text/plain' };
  const response = await rawRequest(`${toy.url}/graphql`, { method: 'POST', headers, body: '{"query":"mutation { bump }"}' });
  expect(response.status).toBe(400);
  expect(errorOf(response).extensions.code).toBe('BAD_REQUEST');
});

test('urql gets its data with its default settings, over GET', async () => {
  const methods: (string | undefined)[] = [];
  const client = new Client({
    url: `${toy.url}/graphql`,
    exchanges: [fetchExchange],
    fetch: (url, init) => {
      methods.push(init?.method);
      return fetch(url, init);
    },
  });
  const queried = await client.query('query ($size: Int!) { big(size: $size) }', { size: 2 }).toPromise();
  expect(queried.error).toBeUndefined();
  expect(queried.data).toMatchObject({ big: 'xx' });
  const changed = await client.mutation('mutation { bump }', {}).toPromise();
  expect(changed.data).toMatchObject({ bump: expect.any(Number) });
  expect(methods).toEqual(['GET', 'POST']);
});

test.each([
  ['Apollo Client', 'application/graphql-response+json,application/json;q=0.9'],
  ['graphql-request', 'application/graphql-response+json, application/json'],
  ['relay', '*/*'],
])('a POST of %s is answered', async (_client, accept) => {
  const headers = { accept, 'content-type': 'application/json', origin: APP };
  const {
    status,
    body,
    headers: answered,
  } = await rawRequest(`${toy.url}/graphql`, {
    method: 'POST',
    headers,
    body: '{"query":"{ answer }"}',
  });
  expect([status, body]).toEqual([200, '{"data":{"answer":42}}']);
  expect(answered['access-control-allow-origin']).toBe(APP);
});

test('a refused origin is logged once, with the setting, whichever way its pages come', async () => {
  const origin = 'https://page.example';
  const headers = { origin };
  expect((await get('{ answer }', { ...headers, accept: EVENTS })).status).toBe(403);
  await expect(RawSocket.connect(toy.url, { headers })).rejects.toThrow('HTTP 403');
  expect((await rawRequest(`${toy.url}/healthz`, { headers })).headers['access-control-allow-origin']).toBeUndefined();
  const lines = toy
    .logText()
    .split('\n')
    .filter((line) => line.includes(origin));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, origin, msg: expect.stringContaining('CORS_ORIGINS') });
});

test('no more than a hundred refused origins are logged', async () => {
  const own = await startToyServer();
  for (let i = 0; i < 120; i++) await rawRequest(`${own.url}/healthz`, { headers: { origin: `https://p${i}.example` } });
  expect(own.logText().match(/CORS_ORIGINS/g)).toHaveLength(100);
  await own.stop();
});

describe('x-request-id of the client', () => {
  test.each(['a', 'Trace-1.2_3', 'x'.repeat(128)])('%s names the request in the response', async (id) => {
    const response = await get('{ nothing }', { origin: APP, 'x-request-id': id });
    expect(response.headers['x-request-id']).toBe(id);
    expect(errorOf(response).extensions.requestId).toBe(id);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a"b', 'a,b'])('%j is replaced by one of the server', async (id) => {
    const response = await get('{ nothing }', { origin: APP, 'x-request-id': id });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(errorOf(response).extensions.requestId).toBe(response.headers['x-request-id']);
  });

  test('is in the log, in events and in a refused upgrade, and pages of allowed origins may read it', async () => {
    const id = 'trace-77';
    const events = await connectEventStream(toy.url, { query: '{ leak }' }, { headers: { origin: APP, 'x-request-id': id } });
    await events.ended;
    expect(events.events[0]!.data.errors[0].extensions.requestId).toBe(id);
    expect(events.response.headers.get('x-request-id')).toBe(id);
    expect(events.response.headers.get('access-control-expose-headers')).toBe('x-request-id');
    await waitUntil(() => toy.logText().includes(`"requestId":"${id}"`), 'the failure is logged');
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'x-request-id': id };
    const refused = await rawRequest(`${toy.url}/elsewhere`, { headers: upgrade });
    expect(refused).toMatchObject({ status: 404, headers: { 'x-request-id': id } });
  });
});

describe('a Host that is not allowed', () => {
  const host = { host: 'evil.example:4000' };

  test.each(['/graphql', '/', '/healthz', '/metrics', '/nothing'])('is refused at %s', async (path) => {
    const response = await rawRequest(`${toy.url}${path}`, { headers: host });
    expect(response.status).toBe(421);
    expect(errorOf(response)).toMatchObject({
      message: expect.stringContaining('ALLOWED_HOSTS'),
      extensions: { code: 'BAD_REQUEST', requestId: response.headers['x-request-id'] },
    });
  });

  test('is refused in an upgrade', async () => {
    await expect(RawSocket.connect(toy.url, { headers: host })).rejects.toThrow('HTTP 421');
    const socket = await RawSocket.connect(toy.url, { headers: { host: 'graph.lan' } });
    socket.close();
  });
});
