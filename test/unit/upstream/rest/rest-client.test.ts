import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { createRestClient, type RestClient } from '../../../../src/upstream/rest/rest-client.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { startTestServer } from '../../../support/test-server.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const KEYS = ['tokentoken0123', 'owl@wizards.example', 'urlkey0123456', 'alicealice01', 'opensesame0123'] as const;
const [TOKEN, EMAIL, URL_KEY, USER, PASSWORD] = KEYS;

let server: Server;
let stop: () => Promise<void>;
let rest: RestClient;
let receivedRequests: IncomingMessage[] = [];
let port = 0;

async function listen(handler: Handler, at = 0): Promise<void> {
  server = createServer((request, response) => {
    receivedRequests.push(request);
    handler(request, response);
  });
  ({ port, stop } = await startTestServer(server, at));
}

async function open(
  handler: Handler,
  options: { path?: string; timeoutMs?: number; maxResponseBytes?: number; sizeSetting?: string } = {},
): Promise<void> {
  const { path = `/api/v1?apikey=${URL_KEY}`, ...limits } = options;
  receivedRequests = [];
  await listen(handler);
  rest = untilTestsEnd(
    createRestClient({
      url: `http://${USER}:${PASSWORD}@127.0.0.1:${port}${path}`,
      headers: { 'x-api-token': TOKEN, 'x-email': EMAIL },
      name: 'The wizard service',
      source: 'wizard',
      ...limits,
    }),
  );
}

const respondWith =
  (status: number, text: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    void response.writeHead(status, headers).end(text);

const neverAborted = new AbortController().signal;
const get = (path = '/wizards', signal = neverAborted) => rest.get(path, signal);

async function failure(path?: string, signal?: AbortSignal): Promise<GraphError> {
  const error = await get(path, signal).then(
    (result) => new Error(`no error but ${JSON.stringify(result)}`),
    (reason) => reason,
  );
  if (!(error instanceof GraphError)) throw error;
  const visible = JSON.stringify([error.message, error.extensions, error.stack]);
  const base64 = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
  expect([...KEYS, base64, '/wizards', '/api'].filter((text) => visible.includes(text))).toEqual([]);
  return error;
}

describe('GET', () => {
  test('a GET has the credentials as headers, and the path and key of the base URL', async () => {
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
  ])('a GET with the base path "%s" requests %s', async (path, url) => {
    await open(respondWith(200, '[]'), { path });
    await get();
    expect(receivedRequests.map((request) => request.url)).toEqual([url]);
  });

  test.each(['{"error":"no such wizard"}', '<html>not found</html>', ''])(
    'a GET returns null for 404 with the body "%s"',
    async (text) => {
      await open(respondWith(404, text));
      expect(await get()).toBeNull();
    },
  );

  test('a GET reads a compressed response', async () => {
    await open(respondWith(200, gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }));
    expect(await get()).toEqual({ a: 1 });
  });
});

const abortResponse: Handler = (_request, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"wizards":[', () => response.destroy());
};

describe('failures', () => {
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
    ['429 in every response', respondWith(429, '', { 'retry-after': '0' }), 'UPSTREAM_RATE_LIMITED', 3, { retryAfterMs: 0 }],
    ['500', respondWith(500, `at /api/v1 ${EMAIL}`), 'UPSTREAM_UNAVAILABLE', 3],
    ['503 in HTML', respondWith(503, '<html>'), 'UPSTREAM_UNAVAILABLE', 3],
    ['410', respondWith(410, ''), 'UPSTREAM_UNAVAILABLE', 3],
    ['an HTML page with status 200', respondWith(200, `<html>${TOKEN}</html>`), 'UPSTREAM_BAD_RESPONSE', 2],
    ['an empty body', respondWith(200, ''), 'UPSTREAM_BAD_RESPONSE', 2],
    ['truncated JSON', respondWith(200, '{"wizards":['), 'UPSTREAM_BAD_RESPONSE', 2],
    ['a redirect', respondWith(302, '{}', { location: `/${URL_KEY}` }), 'UPSTREAM_BAD_RESPONSE', 2],
    ['an invalid compression', respondWith(200, 'no gzip', { 'content-encoding': 'gzip' }), 'UPSTREAM_BAD_RESPONSE', 2],
    ['a truncated body', abortResponse, 'UPSTREAM_UNAVAILABLE', 3],
    ['a closed connection', ({ socket }) => void socket.destroy(), 'UPSTREAM_UNAVAILABLE', 3],
  ])(
    'a failure by %s has its code and source, without a secret or a text of the service',
    async (_case, handler, code, attempts, detail = {}) => {
      await open(handler);
      const { extensions } = await failure();
      expect(extensions).toMatchObject({ code, source: 'wizard', ...detail });
      expect(receivedRequests).toHaveLength(attempts);
    },
  );

  test('a response above the size limit fails with RESULT_TOO_LARGE, also if it is compressed', async () => {
    const body = gzipSync(`[${'1,'.repeat(50_000)}1]`);
    const limits = { maxResponseBytes: 10_000, sizeSetting: 'WIZARDS_MAX_BYTES' };
    await open(respondWith(200, body, { 'content-encoding': 'gzip' }), limits);
    const { message, extensions } = await failure();
    expect(extensions).toEqual({ code: 'RESULT_TOO_LARGE', retryable: false, source: 'wizard', limit: 10_000 });
    expect(message).toBe('The wizard service sent a response of more than 10000 bytes. WIZARDS_MAX_BYTES sets the limit.');
    expect(receivedRequests).toHaveLength(1);
  });

  test('a service that never responds fails with UPSTREAM_TIMEOUT after three attempts', async () => {
    await open(() => {}, { timeoutMs: 400 });
    const { code, message } = await failure();
    expect([code, message, receivedRequests.length]).toEqual([
      'UPSTREAM_TIMEOUT',
      'The wizard service did not respond in time.',
      3,
    ]);
  });
});

test('a transient failure is retried', async () => {
  await open((_request, response) => respondWith(receivedRequests.length < 3 ? 503 : 200, '{"a":1}')(_request, response));
  expect(await get()).toEqual({ a: 1 });
  expect(receivedRequests).toHaveLength(3);
});

test('a retry waits for the Retry-After of the service', async () => {
  await open((_request, response) =>
    receivedRequests.length === 1
      ? respondWith(429, '', { 'retry-after': '0.2' })(_request, response)
      : respondWith(200, '[]')(_request, response),
  );
  const start = performance.now();
  expect(await get()).toEqual([]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(190);
});

test('an abort closes the connection, prevents retries, and rejects with its reason', async () => {
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

test('an operation that ends during a retry reports the failure of the attempt before', async () => {
  await open(() => {}, { timeoutMs: 200 });
  await expect(get('/wizards', AbortSignal.timeout(350))).rejects.toThrow();
  expect(() => rest.check('/wizards')).toThrow('The wizard service did not respond in time.');
});

test('at most 8 requests are sent concurrently, and the others are queued', async () => {
  let concurrent = 0;
  let maxConcurrent = 0;
  const held: ServerResponse[] = [];
  await open((_request, response) => {
    maxConcurrent = Math.max(maxConcurrent, ++concurrent);
    // The delay shows requests beyond the limit, if there were any.
    if (held.push(response) < 8) return;
    setTimeout(() => {
      for (const pending of held.splice(0)) {
        concurrent -= 1;
        pending.end('[]');
      }
    }, 10);
  });
  await Promise.all(Array.from({ length: 40 }, (_none, i) => get(`/wizards/${i}`)));
  // A request is sent again if its connection is lost, as on a busy machine.
  const requested = new Set(receivedRequests.map(({ url }) => url));
  expect([requested.size, maxConcurrent]).toEqual([40, 8]);
});

test('requests to a failed service are suspended for half a second, and while one request probes the service', async () => {
  await open(respondWith(500, ''));
  await failure();
  await failure();
  const before = receivedRequests.length;
  const { message, extensions } = await failure();
  expect([extensions.code, extensions.source, extensions.retryAfterMs]).toEqual(['UPSTREAM_CIRCUIT_OPEN', 'wizard', 500]);
  expect(message).toMatch(/^The wizard service responded with HTTP status 500\. The wizard service has failed 5 times in a row;/);
  expect([before, receivedRequests.length]).toEqual([5, 5]);
  await stop();
  await listen(() => {}, port);
  await sleep(550);
  const first = get('/wizards/1');
  const [request, response] = (await once(server, 'request')) as Parameters<Handler>;
  expect((await failure()).code).toBe('UPSTREAM_CIRCUIT_OPEN');
  server.removeAllListeners('request').on('request', respondWith(200, '[8]'));
  respondWith(200, '[7]')(request, response);
  expect([await first, await get()]).toEqual([[7], [8]]);
});

test('rejected values do not open the circuit breaker', async () => {
  await open(respondWith(422, '{}'));
  for (let i = 0; i < 8; i++) expect((await failure()).code).toBe('BAD_USER_INPUT');
  expect(receivedRequests).toHaveLength(8);
});

test('retries end when the retry budget is used up', async () => {
  await open(respondWith(429, '', { 'retry-after': '0' }));
  for (let i = 0; i < 20; i++) await failure();
  // The budget is ten retries, plus a tenth of the requests.
  expect(receivedRequests.length).toBeLessThanOrEqual(20 + 12);
});

describe('conditional requests', () => {
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
  ])('a resource with a %s is requested conditionally, and 304 returns the same value', async (_case, headers, condition) => {
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

  test('304 may name the encoding of the resource, which it does not contain', async () => {
    const headers = { etag: '"v1"', 'content-encoding': 'gzip' };
    await open((request, response) => {
      const isKnown = request.headers['if-none-match'] === '"v1"';
      respondWith(isKnown ? 304 : 200, isKnown ? '' : gzipSync('[1]'), headers)(request, response);
    });
    expect([await read(), await read()]).toEqual([{ decoded: [1] }, { decoded: [1] }]);
  });

  test('a changed resource replaces the cached value', async () => {
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
  ])('a resource with %s is requested unconditionally', async (_case, headers) => {
    await open(respondWith(200, '[1]', headers));
    expect([await read(), await read(), conditions()]).toEqual([{ decoded: [1] }, { decoded: [1] }, [null, null]]);
  });

  test('a removed resource is null, and is requested unconditionally afterwards', async () => {
    await open((request, response) =>
      respondWith(receivedRequests.length === 2 ? 404 : 200, '[1]', { etag: '"v1"' })(request, response),
    );
    expect([await read(), await read(), await read()]).toEqual([{ decoded: [1] }, null, { decoded: [1] }]);
    expect(conditions()).toEqual([null, '"v1"', null]);
  });

  test('a resource that cannot be decoded is not cached', async () => {
    await open(respondWith(200, '[1]', { etag: '"v1"' }));
    const reject = () => Promise.reject(new GraphError('UPSTREAM_BAD_RESPONSE', 'no list'));
    await expect(rest.get('/duels', neverAborted, reject)).rejects.toThrow('no list');
    expect([await read(), conditions()]).toEqual([{ decoded: [1] }, [null, null]]);
  });

  test('304 to an unconditional request fails with UPSTREAM_BAD_RESPONSE', async () => {
    await open(respondWith(304, ''));
    expect((await failure('/duels')).code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});
