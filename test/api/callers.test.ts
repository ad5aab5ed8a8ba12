import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { GraphError } from '../../src/lib/errors.ts';
import type { Caller } from '../../src/operation/operation.ts';
import { parseApiKeys } from '../../src/server/callers/api-keys.ts';
import { connectEventStream } from '../support/clients/event-stream-client.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { createGate } from '../support/gate.ts';
import { bodyOf } from '../support/graph/results.ts';
import { startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';

/** Callers over every transport, of the real server over a small graph. */
const SHOP = 'shop-key-of-this-test';
const FARM = 'farm-key-of-this-test';
const TOKEN = 'aaaa.bbbb.cccc';

let toy: ToyServer;
const cached = new Map<string, unknown>();

async function start(options: Parameters<typeof startToyServer>[0] = {}): Promise<void> {
  cached.clear();
  toy = await startToyServer({
    authenticatedFields: new Set(['Query.big', 'Query.held', 'Subscription.ticks']),
    callers: { apiKeys: parseApiKeys([`shop=${SHOP}`, `farm=${FARM}`]) },
    responseCache: {
      scopeOf: () => 'head',
      get: (key) => cached.get(key),
      set: (key, value) => void cached.set(key, value),
    },
    lifetimeOf: () => 60,
    ...options,
  });
}

const send = async (query: string, headers: Record<string, string> = {}, isGet = false) => {
  const response = await fetch(`${toy.url}/graphql${isGet ? `?query=${encodeURIComponent(query)}` : ''}`, {
    method: isGet ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'apollo-require-preflight': '1', ...headers },
    ...(!isGet && { body: JSON.stringify({ query }) }),
  });
  const { data, errors } = await bodyOf(response);
  return { status: response.status, headers: response.headers, data, code: errors?.[0]?.extensions.code, errors };
};

/** Expects the metric and the debug log to have this number of rejections, and the log no key. */
async function expectRejections(code: string, count: number): Promise<void> {
  expect(await toy.metric(`requests_rejected_total{code="${code}"}`)).toBe(count);
  const lines = toy.logText().match(/\{"level":20.*"msg":"request rejected"\}/g) ?? [];
  expect(lines.filter((line) => line.includes(`"code":"${code}","reason":"`))).toHaveLength(count);
  expect(toy.logText()).not.toMatch(/-key-of-this-test|wrong"/);
}

const BIG = '{ big(size: 5000) }';
const as = (key: string) => ({ authorization: `Bearer ${key}`, 'x-api-key': key });

describe('HTTP', () => {
  test('the response of a caller is private and never in the response cache', async () => {
    await start();
    for (const isGet of [true, false]) {
      for (const key of [SHOP, FARM, SHOP]) {
        const { status, headers, data } = await send(BIG, { 'x-api-key': key }, isGet);
        expect([status, data.big.length, headers.get('cache-control')]).toEqual([200, 5_000, 'private, no-store']);
        expect(headers.get('etag')).toBeNull();
      }
    }
    expect(cached.size).toBe(0);
    expect(await send(BIG, {}, true)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', data: undefined });
  });

  test('a public field that a caller reads is cached as for any client', async () => {
    await start({ authenticatedFields: new Set() });
    for (const headers of [{ 'x-api-key': SHOP }, {}]) {
      expect((await send(BIG, headers, true)).headers.get('cache-control')).toBe('public, max-age=60, must-revalidate');
    }
    expect(cached.size).toBe(1);
  });

  test('a missing caller and a wrong key are 401 with a challenge, and no cache stores them', async () => {
    await start();
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { authorization: 'Basic abc' }] as Record<string, string>[]) {
      const { status, headers: received, code } = await send(BIG, headers, true);
      expect([status, code]).toEqual([401, 'UNAUTHENTICATED']);
      expect([received.get('www-authenticate'), received.get('cache-control')]).toEqual(['Bearer', 'no-store']);
    }
    await expectRejections('UNAUTHENTICATED', 2);
    expect(await send('{ answer }')).toMatchObject({ status: 200, data: { answer: 42 } });
    expect(await send('query A { answer } query B { big(size: 1) }')).toMatchObject({ code: 'OPERATION_RESOLUTION_FAILURE' });
  });

  test.each([false, true])('drop-in mode %s does not change the statuses 401, 429 and 503', async (isDropIn) => {
    const verifyToken = async (): Promise<Caller> => {
      throw new GraphError('UPSTREAM_UNAVAILABLE', 'The keys could not be read.', { source: 'graph' });
    };
    await start({ isDropIn, callers: { verifyToken }, rateLimits: { requestsPerMinute: 3 } });
    const unavailable = await send('{ answer }', { authorization: `Bearer ${TOKEN}` });
    expect([unavailable.status, unavailable.code, unavailable.headers.get('retry-after')]).toEqual([
      503,
      'UPSTREAM_UNAVAILABLE',
      '1',
    ]);
    expect(unavailable.errors[0].extensions).toMatchObject({ source: 'graph', retryable: true });
    expect((await send(BIG)).status).toBe(401);
    expect((await send('{ answer }', { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await send('{ answer }')).status).toBe(200);
    expect((await send('{ answer }')).status).toBe(200);
    const limited = await send('{ answer }');
    expect([limited.status, limited.code]).toEqual([429, 'RATE_LIMITED']);
    const { retryAfterMs } = limited.errors[0].extensions;
    expect(limited.headers.get('retry-after')).toBe(String(Math.ceil(retryAfterMs! / 1_000)));
  });
});

const TICKS = 'subscription { ticks { n } }';

/** Opens a WebSocket without credentials in its headers, and sends this payload of connection_init. */
async function connect(payload?: unknown): Promise<RawSocket> {
  const socket = await RawSocket.connect(toy.url, { init: false, headers: { authorization: '', 'x-api-key': '' } });
  socket.send({ type: 'connection_init', payload });
  return socket;
}

const acknowledged = (socket: RawSocket) => socket.waitForMessage(({ type }) => type === 'connection_ack');

const subscribed = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `the server has ${count} subscriptions`);

describe('WebSocket', () => {
  test.each([
    { 'x-api-key': SHOP },
    { Authorization: `Bearer ${SHOP}` },
    { authorization: `bearer ${SHOP}`, 'x-api-key': SHOP, other: [1] },
  ])('connection_init with %j identifies the application', async (payload) => {
    await start();
    const socket = await connect(payload);
    await acknowledged(socket);
    socket.subscribe('1', '{ big(size: 2) }');
    expect(await socket.waitForResults('1', 1)).toEqual([{ data: { big: 'xx' } }]);
    expect(toy.state.operations.at(-1)?.caller).toEqual({ app: 'shop' });
    socket.close();
  });

  test.each<[string, Record<string, unknown>]>([
    ['a wrong key', { 'x-api-key': 'wrong' }],
    ['a number', { 'x-api-key': 7 }],
    ['two keys', { authorization: `Bearer ${SHOP}`, 'x-api-key': FARM }],
  ])('connection_init with %s closes with 4403', async (_case, payload) => {
    await start();
    const socket = await connect(payload);
    const { code, reason } = await socket.closed;
    expect([code, reason.length > 20, reason.length <= 123]).toEqual([4403, true, true]);
    expect(socket.messages).toEqual([]);
    await expectRejections('UNAUTHENTICATED', 1);
  });

  test('a client without credentials uses public fields, and a field that needs a caller is an error of its operation', async () => {
    await start();
    const ws = new WebSocket(`${toy.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(ws, 'open');
    const messages: RawSocket['messages'] = [];
    ws.on('message', (data) => messages.push(JSON.parse(String(data))));
    ws.send('{"type":"connection_init","payload":{"other":1}}');
    for (const [id, query] of Object.entries({ a: '{ answer }', b: BIG, c: TICKS }))
      ws.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
    await waitUntil(async () => messages.length === 5, 'five messages');
    expect(messages.find(({ id, type }) => id === 'a' && type === 'next')!.payload.data).toEqual({ answer: 42 });
    for (const id of ['b', 'c'])
      expect(messages.find((message) => message.id === id)).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'UNAUTHENTICATED' } }],
      });
    ws.close();
  });

  test('equal subscriptions share a group within one application, not between two', async () => {
    await start();
    const sockets = await Promise.all([SHOP, FARM, SHOP].map((key) => connect({ 'x-api-key': key })));
    for (const socket of sockets) {
      await acknowledged(socket);
      socket.subscribe('1', TICKS);
    }
    const events = await connectEventStream(toy.url, { query: TICKS }, { headers: as(FARM) });
    await subscribed(4);
    expect(await toy.metric('subscription_groups')).toBe(2);
    toy.state.ticker().emit();
    for (const socket of sockets) await socket.waitForResults('1', 1);
    await events.waitForEvents(1);
    expect(toy.state.executions).toBe(2);
    for (const socket of sockets) socket.close();
    events.close();
  });

  test('RATE_LIMITED is an error of the operation, with the time to wait, and the connection stays open', async () => {
    await start({ rateLimits: { requestsPerMinute: 2 } });
    const socket = await connect({ 'x-api-key': SHOP });
    await acknowledged(socket);
    for (const id of ['1', '2', '3']) socket.subscribe(id, '{ answer }');
    const { type, payload } = await socket.waitForEnd('3');
    expect([type, payload[0].extensions]).toEqual([
      'error',
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfterMs: expect.any(Number), requestId: expect.any(String) }),
    ]);
    expect(await socket.waitForResults('2', 1)).toHaveLength(1);
    expect((await send('{ answer }', { 'x-api-key': SHOP })).status).toBe(429);
    await expectRejections('RATE_LIMITED', 2);
    expect(toy.logText()).toContain(`"requestId":"${payload[0].extensions.requestId}"`);
    expect((await send('{ answer }', { 'x-api-key': FARM })).status).toBe(200);
    socket.close();
  });
});

describe('a server that requires callers', () => {
  const startClosed = (options: Parameters<typeof startToyServer>[0] = {}) =>
    start({
      authenticatedFields: new Set(),
      callers: { apiKeys: parseApiKeys([`shop=${SHOP}`]), isRequired: true },
      documents: { '/devnet.json': { accounts: [] } },
      routes: [{ method: 'POST', path: '/webhooks', maxBodyBytes: 9, handle: async () => ({ status: 200, body: 'signed' }) }],
      ...options,
    });

  test.each<[string, string, RequestInit]>([
    ['a query over POST', '/graphql', { method: 'POST', body: '{"query":"{ answer }"}' }],
    ['a query over GET', '/graphql?query={answer}', {}],
    ['the path with a slash', '/graphql/', { method: 'POST', body: '{"query":"{ answer }"}' }],
    ['a mutation', '/graphql', { method: 'POST', body: '{"query":"mutation { bump }"}' }],
    ['an event stream', '/graphql', { method: 'POST', body: '{"query":"{ answer }"}', headers: { accept: 'text/event-stream' } }],
    ['an event stream over GET', '/graphql?query=subscription{ticks{n}}', { headers: { accept: 'text/event-stream' } }],
    ['the description of the embedded network', '/devnet.json', {}],
  ])('%s without a key is 401, and with a key is served', async (_case, path, { headers, ...init }) => {
    await startClosed();
    const statusWith = async (key: Record<string, string>): Promise<number> => {
      const control = new AbortController();
      const json = { 'content-type': 'application/json', 'apollo-require-preflight': '1' };
      const response = await fetch(toy.url + path, { ...init, headers: { ...json, ...headers, ...key }, signal: control.signal });
      if (response.status === 401 && init.method !== 'HEAD') {
        expect((await bodyOf(response)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
      control.abort();
      return response.status;
    };
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ 'x-api-key': 'wrong' })).toBe(401);
    expect(toy.state.operations).toEqual([]);
    expect(await statusWith({ 'x-api-key': SHOP })).not.toBe(401);
  });

  test('a WebSocket without a key closes with 4403 before its first operation, and with a key is served', async () => {
    await startClosed();
    const ws = new WebSocket(`${toy.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(ws, 'open');
    ws.send('{"type":"connection_init"}');
    ws.send('{"id":"1","type":"subscribe","payload":{"query":"{ answer }"}}');
    const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([4403, expect.stringMatching(/^Every operation of this server needs a caller\./)]);
    expect(toy.state.operations).toEqual([]);
    const socket = await connect({ 'x-api-key': SHOP });
    await acknowledged(socket);
    socket.subscribe('1', '{ answer }');
    expect(await socket.waitForResults('1', 1)).toEqual([{ data: { answer: 42 } }]);
    socket.close();
  });

  test('health, metrics and signed webhooks need no key', async () => {
    await startClosed();
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(toy.url + path)).status).toBe(200);
    expect((await fetch(`${toy.url}/webhooks`, { method: 'POST', body: '{}' })).status).toBe(200);
  });
});

/** A caller of this token, which expires after some time. */
const tokenOf = (validMs: number) => ({
  verifyToken: async (): Promise<Caller> => ({ app: 'wallet', expiresAt: Date.now() + validMs }),
});

describe('a token that expires', () => {
  test('a token that expires closes its WebSocket with 4403', async () => {
    await start({ callers: tokenOf(150) });
    const socket = await connect({ authorization: `Bearer ${TOKEN}` });
    await acknowledged(socket);
    socket.subscribe('1', TICKS);
    expect((await socket.closed).code).toBe(4403);
    await subscribed(0);
  });

  test.each([
    ['a subscription', TICKS],
    ['a query', '{ held }'],
  ])('an expired token ends the event stream of %s with UNAUTHENTICATED, and its operation', async (_case, query) => {
    await start({ callers: tokenOf(150) });
    toy.state.hold = new Promise(() => {});
    const stream = await connectEventStream(toy.url, { query }, { headers: as(TOKEN) });
    await stream.ended;
    expect(stream.events).toMatchObject([
      { event: 'next', data: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } },
      { event: 'complete' },
    ]);
    expect(stream.response.headers.get('cache-control')).toBe('private, no-store, no-transform');
    await subscribed(0);
    if (query !== TICKS) expect(toy.state.operations.at(-1)!.signal.aborted).toBe(true);
  });
});

describe('a client that disconnects while its token is verified', () => {
  test.each(['WebSocket', 'event stream', 'response'])('a disconnect leaves no state: %s', async (transport) => {
    const started = createGate();
    const verified = createGate();
    const caller = { app: 'wallet', expiresAt: Date.now() + 3_600_000 };
    const verifyToken = (): Promise<Caller> => {
      started.open();
      return verified.opened.then(() => caller);
    };
    await start({ callers: { verifyToken } });
    // Opens the keep-alive connections of `metric` before the server's connections are counted.
    for (let i = 0; i < 4; i++) await toy.metric('connections');
    const accept = transport === 'response' ? 'application/json' : 'text/event-stream';
    const headers = { 'content-type': 'application/json', accept, authorization: `Bearer ${TOKEN}` };
    const query = transport === 'response' ? BIG : TICKS;
    const client =
      transport === 'WebSocket'
        ? (await connect({ authorization: `Bearer ${TOKEN}` })).ws
        : request(`${toy.url}/graphql`, { method: 'POST', headers, agent: false }).end(JSON.stringify({ query }));
    client.on('error', () => {});
    await started.opened;
    const connections = await toy.metric('connections');
    if (client instanceof WebSocket) client.terminate();
    else client.destroy();
    await waitUntil(async () => (await toy.metric('connections')) < connections, 'the client is disconnected');
    verified.open();
    expect((await send('{ answer }')).status).toBe(200);
    await subscribed(0);
    expect(await toy.metric('event_streams')).toBe(0);
    expect(await toy.metric('sockets')).toBe(0);
  });
});

test('no shared cache may store a response of a server whose every operation needs a caller', async () => {
  await start({ callers: { apiKeys: parseApiKeys([`shop=${SHOP}`]), isRequired: true } });
  const response = await send('{ answer }', { 'x-api-key': SHOP }, true);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
});
