import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { createRestClient, type RestClient } from '../../../../src/upstream/rest/rest-client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const KEYS = ['tokentoken0123', 'owl@wizards.example', 'urlkey0123456', 'alicealice01', 'opensesame0123'] as const;
const [TOKEN, EMAIL, URL_KEY, USER, PASSWORD] = KEYS;

let server: Server | undefined;
let rest: RestClient;
let receivedRequests: IncomingMessage[] = [];
let port = 0;

afterEach(async () => {
  await rest.close();
  await stop();
});

async function stop(): Promise<void> {
  const running = server;
  server = undefined;
  if (!running) return;
  const closed = once(running, 'close');
  running.close();
  running.closeAllConnections();
  await closed;
}

async function listen(handler: Handler, at = 0): Promise<void> {
  server = createServer((request, response) => {
    receivedRequests.push(request);
    handler(request, response);
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

async function open(
  handler: Handler,
  options: { path?: string; timeoutMs?: number; maxResponseBytes?: number; sizeSetting?: string } = {},
): Promise<void> {
  const { path = `/api/v1?apikey=${URL_KEY}`, ...limits } = options;
  receivedRequests = [];
  await listen(handler);
  rest = createRestClient({
    url: `http://${USER}:${PASSWORD}@127.0.0.1:${port}${path}`,
    headers: { 'x-api-token': TOKEN, 'x-email': EMAIL },
    name: 'The wizard service',
    source: 'wizard',
    ...limits,
  });
}

const respondWith =
  (status: number, text: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    void response.writeHead(status, headers).end(text);

const neverAborted = new AbortController().signal;
const get = (path = '/wizards', signal = neverAborted) => rest.get(path, signal);

async function failure(path?: string, signal?: AbortSignal): Promise<GraphError> {
  const error = await get(path, signal).then(
    (told) => new Error(`no error but ${JSON.stringify(told)}`),
    (reason) => reason,
  );
  if (!(error instanceof GraphError)) throw error;
  const shown = JSON.stringify([error.message, error.extensions, error.stack]);
  const base64 = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
  expect([...KEYS, base64, '/wizards', '/api'].filter((text) => shown.includes(text))).toEqual([]);
  return error;
}

describe('a GET', () => {
  test('carries the credentials as headers, below the path of the base URL and with its key', async () => {
    await open(respondWith(200, '{"wizards":[]}'));
    expect(await get('/wizards?owner=0x1')).toEqual({ wizards: [] });
    const [{ method, url, headers }] = receivedRequests as [IncomingMessage];
    expect([method, url]).toEqual(['GET', `/api/v1/wizards?owner=0x1&apikey=${URL_KEY}`]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-token': TOKEN,
      'x-email': EMAIL,
      authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`,
    });
    expect(headers['content-length']).toBeUndefined();
  });

  test.each([
    ['', '/wizards'],
    ['/', '/wizards'],
    ['/v1', '/v1/wizards'],
    ['/v1/', '/v1/wizards'],
    ['/v1?', '/v1/wizards'],
    ['/v1?a=1&b=2', '/v1/wizards?a=1&b=2'],
  ])('under the base path "%s" asks for %s', async (path, url) => {
    await open(respondWith(200, '[]'), { path });
    await get();
    expect(receivedRequests.map((request) => request.url)).toEqual([url]);
  });

  test.each<[string, string, unknown]>([
    ['an object', '{"a":1}', { a: 1 }],
    ['a list', '[1]', [1]],
    ['null', 'null', null],
  ])('gives %s as it came', async (_what, text, told) => {
    await open(respondWith(200, text));
    expect(await get()).toEqual(told);
  });

  test.each(['{"error":"no such wizard"}', '<html>not found</html>', ''])(
    'of something that is not there (404, %s) is null',
    async (text) => {
      await open(respondWith(404, text));
      expect(await get()).toBeNull();
    },
  );

  test('reads a compressed answer', async () => {
    await open(respondWith(200, gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }));
    expect(await get()).toEqual({ a: 1 });
  });
});

const abortResponse: Handler = (_request, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"wizards":[', () => response.destroy());
};

describe('a failure has a code, the source, no secret, and no words of the service:', () => {
  test.each<[string, Handler, string, number, object?]>([
    ['400', respondWith(400, `{"error":"bad ${URL_KEY}"}`), 'BAD_USER_INPUT', 1],
    ['422', respondWith(422, '{}'), 'BAD_USER_INPUT', 1],
    ['401', respondWith(401, `bad token ${TOKEN}`), 'UPSTREAM_AUTH', 1],
    ['403', respondWith(403, ''), 'UPSTREAM_AUTH', 1],
    ['402', respondWith(402, ''), 'UPSTREAM_QUOTA_EXCEEDED', 1],
    [
      '429 with a long Retry-After',
      respondWith(429, '', { 'retry-after': '60' }),
      'UPSTREAM_RATE_LIMITED',
      1,
      { retryAfterMs: 60_000 },
    ],
    ['429 that lasts', respondWith(429, '', { 'retry-after': '0' }), 'UPSTREAM_RATE_LIMITED', 3, { retryAfterMs: 0 }],
    ['500', respondWith(500, `at /api/v1 ${EMAIL}`), 'UPSTREAM_UNAVAILABLE', 3],
    ['503 in HTML', respondWith(503, '<html>'), 'UPSTREAM_UNAVAILABLE', 3],
    ['410', respondWith(410, ''), 'UPSTREAM_UNAVAILABLE', 3],
    ['a page in HTML with status 200', respondWith(200, `<html>${TOKEN}</html>`), 'UPSTREAM_BAD_RESPONSE', 2],
    ['an empty body', respondWith(200, ''), 'UPSTREAM_BAD_RESPONSE', 2],
    ['JSON that ends too soon', respondWith(200, '{"wizards":['), 'UPSTREAM_BAD_RESPONSE', 2],
    ['a redirect', respondWith(302, '{}', { location: `/${URL_KEY}` }), 'UPSTREAM_BAD_RESPONSE', 2],
    ['a broken compression', respondWith(200, 'no gzip', { 'content-encoding': 'gzip' }), 'UPSTREAM_BAD_RESPONSE', 2],
    ['a body that breaks off', abortResponse, 'UPSTREAM_UNAVAILABLE', 3],
    ['a connection that is hung up', ({ socket }) => void socket.destroy(), 'UPSTREAM_UNAVAILABLE', 3],
  ])('%s', async (_what, handler, code, tries, detail = {}) => {
    await open(handler);
    const { extensions } = await failure();
    expect(extensions).toMatchObject({ code, source: 'wizard', ...detail });
    expect(receivedRequests).toHaveLength(tries);
  });

  test('a response that is larger than the limit, whatever it says of its length', async () => {
    const body = gzipSync(`[${'1,'.repeat(50_000)}1]`);
    const limits = { maxResponseBytes: 10_000, sizeSetting: 'WIZARDS_MAX_BYTES' };
    await open(respondWith(200, body, { 'content-encoding': 'gzip' }), limits);
    const { message, extensions } = await failure();
    expect(extensions).toEqual({ code: 'RESULT_TOO_LARGE', retryable: false, source: 'wizard', limit: 10_000 });
    expect(message).toBe('The wizard service sent a response of more than 10000 bytes. WIZARDS_MAX_BYTES sets the limit.');
    expect(receivedRequests).toHaveLength(1);
  });

  test('an answer that does not come', async () => {
    await open(() => {}, { timeoutMs: 400 });
    const { code, message } = await failure();
    expect([code, message, receivedRequests.length]).toEqual([
      'UPSTREAM_TIMEOUT',
      'The wizard service did not respond in time.',
      3,
    ]);
  });

  test('an answer that comes byte by byte', async () => {
    const drip: Handler = (_request, response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.once('close', () => clearInterval(timer));
    };
    await open(drip, { timeoutMs: 60 });
    expect((await failure()).code).toBe('UPSTREAM_TIMEOUT');
  });

  test('a service that is not there', async () => {
    await open(respondWith(200, '{}'));
    await stop();
    expect((await failure()).extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', source: 'wizard', retryable: true });
  });
});

test('what fails for a passing reason is asked again', async () => {
  await open((_request, response) => respondWith(receivedRequests.length < 3 ? 503 : 200, '{"a":1}')(_request, response));
  expect(await get()).toEqual({ a: 1 });
  expect(receivedRequests).toHaveLength(3);
});

test('a wait that the service asks for is kept', async () => {
  await open((_request, response) =>
    receivedRequests.length === 1
      ? respondWith(429, '', { 'retry-after': '0.2' })(_request, response)
      : respondWith(200, '[]')(_request, response),
  );
  const start = performance.now();
  expect(await get()).toEqual([]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(190);
});

test("an operation's end cuts the connection, ends the tries, and is the reason", async () => {
  const reason = new GraphError('TIMEOUT', 'The operation took too long.');
  const abort = new AbortController();
  let cut = Promise.resolve<unknown>(undefined);
  await open((request) => {
    cut = once(request.socket, 'close');
    abort.abort(reason);
  });
  await expect(get('/wizards', abort.signal)).rejects.toBe(reason);
  await cut;
  await expect(get('/wizards', abort.signal)).rejects.toBe(reason);
  expect(receivedRequests).toHaveLength(1);
});

test("an operation's end also ends the wait before the next try", async () => {
  const reason = new GraphError('TIMEOUT', 'The operation took too long.');
  const abort = new AbortController();
  await open(respondWith(429, '', { 'retry-after': '5' }));
  setTimeout(() => abort.abort(reason), 50);
  await expect(get('/wizards', abort.signal)).rejects.toBe(reason);
});

test('at most 8 requests are out at once, and the others take their turn', async () => {
  let out = 0;
  let most = 0;
  const held: ServerResponse[] = [];
  await open((_request, response) => {
    most = Math.max(most, ++out);
    // Until as many are out as may be, and whatever else may be on its way has come.
    if (held.push(response) < 8) return;
    setTimeout(() => {
      for (const one of held.splice(0)) {
        out -= 1;
        one.end('[]');
      }
    }, 10);
  });
  await Promise.all(Array.from({ length: 40 }, (_none, i) => get(`/wizards/${i}`)));
  expect([receivedRequests.length, most]).toEqual([40, 8]);
});

test('a request that waits for its turn is not out of time before it leaves', async () => {
  await open((_request, response) => void setTimeout(() => response.end('[]'), 100), { timeoutMs: 1_000 });
  const told = await Promise.all(Array.from({ length: 96 }, () => get()));
  expect([told.length, receivedRequests.length]).toEqual([96, 96]);
});

test('a dead service is left alone for a moment, and asked again when it may be back', async () => {
  await open(respondWith(500, ''));
  await failure();
  await failure();
  const before = receivedRequests.length;
  const { extensions } = await failure();
  expect([extensions.code, extensions.source, extensions.retryAfterMs]).toEqual(['UPSTREAM_CIRCUIT_OPEN', 'wizard', 500]);
  expect([before, receivedRequests.length]).toEqual([5, 5]);
  const { port: old } = { port };
  await stop();
  await listen(respondWith(200, '[7]'), old);
  await sleep(550);
  expect(await get()).toEqual([7]);
});

test('nobody waits for the request that finds out whether a dead service is back', async () => {
  await open(respondWith(500, ''));
  await failure();
  await failure();
  await stop();
  await listen(() => {}, port);
  const running = server!;
  await sleep(550);
  const first = get('/wizards/1');
  const [request, response] = (await once(running, 'request')) as Parameters<Handler>;
  expect((await failure()).code).toBe('UPSTREAM_CIRCUIT_OPEN');
  respondWith(200, '[7]')(request, response);
  expect(await first).toEqual([7]);
});

test('what the service refuses does not count as its death', async () => {
  await open(respondWith(422, '{}'));
  for (let i = 0; i < 8; i++) expect((await failure()).code).toBe('BAD_USER_INPUT');
  expect(receivedRequests).toHaveLength(8);
});

test('retries end with their budget, so that they do not add to an outage', async () => {
  await open(respondWith(429, '', { 'retry-after': '0' }));
  for (let i = 0; i < 20; i++) await failure();
  // Ten in hand, and a tenth of the traffic.
  expect(receivedRequests.length).toBeLessThanOrEqual(20 + 12);
});

test('a response of 20 MiB is read, and blocks the process for a small part of the time that JSON.parse would', async () => {
  const entry = { id: `0x${'ab'.repeat(32)}`, power: '1'.repeat(20), moves: `0x${'01'.repeat(32)}`, at: [1, 2, { a: null }] };
  const list = { duels: Array.from({ length: 110_000 }, (_none, n) => ({ ...entry, n })) };
  const text = Buffer.from(JSON.stringify(list));
  expect(text.length).toBeGreaterThan(20 * 1024 * 1024);
  await open(respondWith(200, text));
  const start = performance.now();
  JSON.parse(text.toString());
  const whole = performance.now() - start;
  const { longest, value } = await maxBlockedMs(() => get());
  expect(value).toEqual(list);
  expect([longest, whole, longest < whole / 2]).toEqual([longest, whole, true]);
});

/** The longest time in milliseconds for which nothing else could run. */
async function maxBlockedMs<T>(task: () => Promise<T>): Promise<{ readonly longest: number; readonly value: T }> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const value = await task();
  isOver = true;
  return { longest, value };
}

describe('a decoded resource', () => {
  const decode = (body: unknown) => ({ decoded: body });
  const read = () => rest.get('/duels', neverAborted, decode);
  const OLD = 'Sun, 01 Nov 2026 10:00:00 GMT';
  const conditions = () =>
    receivedRequests.map(({ headers }) => headers['if-none-match'] ?? headers['if-modified-since'] ?? null);

  test.each<[string, Record<string, string>, string]>([
    ['ETag', { etag: '"v1"' }, '"v1"'],
    ['weak ETag', { etag: 'W/"v1"' }, 'W/"v1"'],
    ['ETag and a Last-Modified', { etag: '"v1"', 'last-modified': OLD }, '"v1"'],
    ['Last-Modified', { 'last-modified': OLD, date: 'Sun, 01 Nov 2026 10:00:01 GMT' }, OLD],
  ])('with a %s is read under a condition, and is the same value when it has not changed', async (_what, headers, condition) => {
    await open((request, response) => {
      const isKnown = [request.headers['if-none-match'], request.headers['if-modified-since']].includes(condition);
      respondWith(isKnown ? 304 : 200, isKnown ? '' : '[1]', headers)(request, response);
    });
    const first = await read();
    expect(first).toEqual({ decoded: [1] });
    expect([(await read()) === first, (await read()) === first, conditions()]).toEqual([
      true,
      true,
      [null, condition, condition],
    ]);
  });

  test('that has changed replaces the one before', async () => {
    await open((request, response) =>
      respondWith(200, `[${receivedRequests.length}]`, { etag: `"v${receivedRequests.length}"` })(request, response),
    );
    expect([await read(), await read(), await read()]).toEqual([1, 2, 3].map((n) => ({ decoded: [n] })));
    expect(conditions()).toEqual([null, '"v1"', '"v2"']);
  });

  test.each<[string, Record<string, string>]>([
    ['no validator', {}],
    ['a Last-Modified of the second in which it was sent', { 'last-modified': OLD, date: OLD }],
    ['a Last-Modified that is no time', { 'last-modified': 'yesterday', date: OLD }],
  ])('with %s is read without a condition', async (_what, headers) => {
    await open(respondWith(200, '[1]', headers));
    expect([await read(), await read(), conditions()]).toEqual([{ decoded: [1] }, { decoded: [1] }, [null, null]]);
  });

  test('that is gone is null, and is read without a condition when it is there again', async () => {
    await open((request, response) =>
      respondWith(receivedRequests.length === 2 ? 404 : 200, '[1]', { etag: '"v1"' })(request, response),
    );
    expect([await read(), await read(), await read()]).toEqual([{ decoded: [1] }, null, { decoded: [1] }]);
    expect(conditions()).toEqual([null, '"v1"', null]);
  });

  test('that could not be decoded is not kept', async () => {
    await open(respondWith(200, '[1]', { etag: '"v1"' }));
    const refuse = () => Promise.reject(new GraphError('UPSTREAM_BAD_RESPONSE', 'no list'));
    await expect(rest.get('/duels', neverAborted, refuse)).rejects.toThrow('no list');
    expect([await read(), conditions()]).toEqual([{ decoded: [1] }, [null, null]]);
  });

  test('is never 304 to a request without a condition', async () => {
    await open(respondWith(304, ''));
    expect((await failure('/duels')).code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});
