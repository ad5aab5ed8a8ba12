import { mkdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Client, fetchExchange } from '@urql/core';
import { pino } from 'pino';
import { createHostCheck } from '../../../src/lib/urls.ts';
import { createApp } from '../../../src/server/app.ts';
import { registerWebPages, sendNotFound } from '../../../src/server/web-pages.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { type RawResponse, rawRequest } from '../../support/clients/raw-request.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

const APP = 'https://app.example';
let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: [APP, 'http://localhost:*'], acceptsHost: createHostCheck(['graph.lan']) });
});

const EVENTS = 'text/event-stream';
const URQL = 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

const get = (query: string, headers: Record<string, string>) =>
  rawRequest(`${toy.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

const errorOf = ({ body }: RawResponse) => JSON.parse(body).errors[0];

const PAGES: [string, Record<string, string>, number][] = [
  ['from an allowed origin', { origin: APP }, 200],
  ['from a host that is allowed on every port', { origin: 'http://localhost:5173' }, 200],
  ['from a page of the server', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
  ['from a page of the server, with an Origin header', { host: 'graph.lan', origin: 'http://graph.lan' }, 200],
  ['from Node fetch', { 'sec-fetch-mode': 'cors' }, 200],
  ['from another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, 403],
  ['from an opaque origin', { origin: 'null' }, 403],
  ['from an image or script of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 400],
  ['from an image of the same site', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, 400],
  ['from the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 400],
  ['of an unknown origin', {}, 400],
];

describe.each([
  ['event stream', EVENTS],
  ['urql', URQL],
])('%s over GET', (client, accept) => {
  test.each(PAGES)(`${client} request over GET %s returns the status for its origin`, async (_page, headers, status) => {
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

  test(`${client} request over GET from an allowed origin cannot run a mutation`, async () => {
    const before = toy.state.bumped;
    const { status, body } = await get('mutation { bump }', { accept, origin: APP });
    expect(status).toBe(accept === EVENTS ? 200 : 405);
    expect(body).toContain('"BAD_REQUEST"');
    expect(toy.state.bumped).toBe(before);
  });
});

test('POST request that needs no preflight is rejected even from an allowed origin', async () => {
  const headers = { origin: APP, 'content-type': 'text/plain' };
  const response = await rawRequest(`${toy.url}/graphql`, { method: 'POST', headers, body: '{"query":"mutation { bump }"}' });
  expect(response.status).toBe(400);
  expect(errorOf(response).extensions.code).toBe('BAD_REQUEST');
});

test('a page request over GET is redirected to the playground, and a POST that accepts HTML is executed', async () => {
  const headers = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/json' };
  expect(await rawRequest(`${toy.url}/graphql`, { headers })).toMatchObject({ status: 303, headers: { location: './' } });
  const posted = await rawRequest(`${toy.url}/graphql`, { method: 'POST', headers, body: '{"query":"{ answer }"}' });
  expect(JSON.parse(posted.body)).toEqual({ data: { answer: 42 } });
});

test('urql with its default settings queries over GET and mutates over POST', async () => {
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
  const mutated = await client.mutation('mutation { bump }', {}).toPromise();
  expect(mutated.data).toMatchObject({ bump: expect.any(Number) });
  expect(methods).toEqual(['GET', 'POST']);
});

test('origin that is not allowed is rejected over all transports', async () => {
  const headers = { origin: 'https://page.example' };
  expect((await get('{ answer }', { ...headers, accept: EVENTS })).status).toBe(403);
  await expect(RawSocket.connect(toy.url, { headers })).rejects.toThrow('HTTP 403');
  expect((await rawRequest(`${toy.url}/healthz`, { headers })).headers['access-control-allow-origin']).toBeUndefined();
});

describe('x-request-id of the client', () => {
  test.each(['a', 'Trace-1.2_3', 'x'.repeat(128)])('client request id %s is returned in the response', async (id) => {
    const response = await get('{ nothing }', { origin: APP, 'x-request-id': id });
    expect(response.headers['x-request-id']).toBe(id);
    expect(errorOf(response).extensions.requestId).toBe(id);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a"b', 'a,b'])(
    'invalid client request id %j is replaced by a generated one',
    async (id) => {
      const response = await get('{ nothing }', { origin: APP, 'x-request-id': id });
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(errorOf(response).extensions.requestId).toBe(response.headers['x-request-id']);
    },
  );

  test('client request id is in the log, in events and in a rejected upgrade, and is exposed to allowed origins', async () => {
    const id = 'trace-77';
    const events = await connectEventStream(toy.url, { query: '{ leak }' }, { headers: { origin: APP, 'x-request-id': id } });
    await events.ended;
    expect(events.events[0]!.data.errors[0].extensions.requestId).toBe(id);
    expect(events.response.headers.get('x-request-id')).toBe(id);
    expect(events.response.headers.get('access-control-expose-headers')).toBe('x-request-id, x-graph-block, retry-after');
    await waitUntil(() => toy.logText().includes(`"requestId":"${id}"`), 'the failure is logged');
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'x-request-id': id };
    const refused = await rawRequest(`${toy.url}/elsewhere`, { headers: upgrade });
    expect(refused).toMatchObject({ status: 404, headers: { 'x-request-id': id } });
  });
});

test('an unknown path is a page with links to the sites for a browser, and an error in JSON for other clients', async () => {
  const page = await rawRequest(`${toy.url}/nothing/here?from=/docs/`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  const links = [...page.body.matchAll(/href="(.*?)"/g)].map(([, href]) => href);
  expect({ status: page.status, links }).toEqual({ status: 404, links: ['../', '../explore/', '../docs/'] });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  const other = await rawRequest(`${toy.url}/nothing/here`, { headers: { accept: '*/*' } });
  expect([other.status, errorOf(other).extensions.code]).toEqual([404, 'BAD_REQUEST']);
});

describe('a Host that is not allowed', () => {
  const host = { host: 'evil.example:4000' };

  test.each(['/graphql', '/', '/healthz', '/metrics', '/nothing'])(
    'request to %s with a Host that is not allowed is rejected with 421',
    async (path) => {
      const response = await rawRequest(`${toy.url}${path}`, { headers: host });
      expect(response.status).toBe(421);
      expect(errorOf(response)).toMatchObject({
        message: expect.stringContaining('ALLOWED_HOSTS'),
        extensions: { code: 'BAD_REQUEST', requestId: response.headers['x-request-id'] },
      });
    },
  );

  test('upgrade with a Host that is not allowed is rejected with 421', async () => {
    await expect(RawSocket.connect(toy.url, { headers: host })).rejects.toThrow('HTTP 421');
    const socket = await RawSocket.connect(toy.url, { headers: { host: 'graph.lan' } });
    socket.close();
  });
});

test('a page of a site that is not built reloads itself until the site is built', async () => {
  const dist = createTemporaryFolder();
  const lines: string[] = [];
  const app = createApp({ log: pino({ write: (line: string) => void lines.push(line) }), sendNotFound });
  await registerWebPages(app, pathToFileURL(`${dist}/`));
  expect(lines).toEqual([]);
  const page = async (path: string) => {
    const { statusCode, body } = await app.inject(path);
    return [statusCode, body.includes('location.reload()')];
  };
  for (const path of ['/', '/explore/block/1', '/docs/', '/docs/settings']) expect(await page(path)).toEqual([503, true]);
  mkdirSync(`${dist}/docs`);
  for (const name of ['index', 'settings']) writeFileSync(`${dist}/docs/${name}.html`, name);
  for (const path of ['/docs/', '/docs/settings']) expect(await page(path)).toEqual([200, false]);
  await app.close();
});
