import { beforeAll, describe, expect, test } from '@jest/globals';
import { domains } from '../../src/app/installed-domains.ts';
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { postJson } from '../support/clients/post-json.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { errorsOver, type JsonRequest } from '../support/clients/transport-errors.ts';
import { hostileQueries, TOO_LARGE } from '../support/graph/hostile-queries.ts';
import { ManualHead } from '../support/graph/manual-head.ts';
import { bodyOf } from '../support/graph/results.ts';
import { startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';

/** Errors of an operation that a draining server ends. The drain takes seconds, so the other tests run meanwhile. */
let errorsWhileDraining: Promise<unknown>;

beforeAll(async () => {
  const head = new ManualHead();
  const server = await startToyServer({ operationTimeoutMs: 60_000, follower: head });
  server.state.hold = new Promise(() => {});
  const requests = [{ query: '{ held }' }, { query: '{ answer }', extensions: { minBlock: 1 } }];
  const reported = Promise.all(
    requests.flatMap((request) =>
      [errorsOver.http, errorsOver.events, errorsOver.webSocket].map((over) => over(server.url, request)),
    ),
  );
  await waitUntil(() => server.state.operations.length === 3 && head.waiting === 3, 'three operations run, and three wait');
  errorsWhileDraining = Promise.all([reported, server.stop()]).then(([errors]) => errors);
  // A rejection fails the test that awaits the errors, even if they arrive while another test runs.
  errorsWhileDraining.catch(() => {});
});

describe('attack documents', () => {
  let server: ToyServer;

  beforeAll(async () => {
    server = await startToyServer({
      schema: composeSchema(domains),
      weights: Object.assign({}, ...domains.map(({ weights }) => weights)),
    });
  });

  const rows = hostileQueries.map(([name, code, attack]) => [name, code, attack] as const);

  // Whether the limit of tokens or the stack ends the parser first depends on the frames below the parser.
  const asExpected = (errors: readonly { code: unknown; message: string }[]) =>
    errors.map(({ code, message }) => ({
      code,
      message: message.replace(/^The document (?:is nested|has more than).*$/, 'too complex'),
    }));

  test.each(rows)('HTTP, WebSocket and event stream reject %s with the same errors', async (_name, code, attack) => {
    const expected = asExpected(await errorsOver.http(server.url, attack));
    expect(expected[0]!.code).toBe(code);
    expect(asExpected(await errorsOver.events(server.url, attack))).toEqual(expected);
    // A WebSocket message above the limit of a body closes the connection with 1009.
    if (code !== TOO_LARGE) expect(asExpected(await errorsOver.webSocket(server.url, attack))).toEqual(expected);
    expect(server.state.operations).toEqual([]);
  });
});

describe('errors of requests', () => {
  let server: ToyServer;

  beforeAll(async () => {
    server = await startToyServer({ operationTimeoutMs: 300, maxConnections: 20 });
    server.state.hold = new Promise(() => {});
  });

  const sum = 'query ($of: [Int!]!) { sum(of: $of) }';
  const nestedLists = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`);

  test.each<[string, string, JsonRequest]>([
    ['an empty document', 'BAD_REQUEST', { query: '' }],
    ['a syntax error', 'GRAPHQL_PARSE_FAILED', { query: '{ answer' }],
    ['too many tokens', 'QUERY_TOO_COMPLEX', { query: `{ ${'answer '.repeat(6_000)} }` }],
    ['an unknown field', 'GRAPHQL_VALIDATION_FAILED', { query: '{ answr }' }],
    ['a missing variable', 'BAD_USER_INPUT', { query: sum }],
    ['variables of a wrong type', 'BAD_USER_INPUT', { query: sum, variables: { of: ['a', 'b'] } }],
    ['many variables of a wrong type', 'BAD_USER_INPUT', { query: sum, variables: { of: 'abcdefghijklmn'.split('') } }],
    ['deeply nested variables', 'QUERY_TOO_COMPLEX', { query: sum, variables: { of: nestedLists } }],
    ['an unknown operation name', 'OPERATION_RESOLUTION_FAILURE', { query: 'query A { answer }', operationName: 'B' }],
    ['a failure of the node', 'UPSTREAM_TIMEOUT', { query: '{ answer fail }' }],
    ['a failure of the server', 'INTERNAL_SERVER_ERROR', { query: '{ answer leak }' }],
    ['an operation past its deadline', 'TIMEOUT', { query: '{ held }' }],
  ])('HTTP, WebSocket and event stream report the same error for %s', async (_name, code, request) => {
    const expected = await errorsOver.http(server.url, request);
    expect(expected[0]!.code).toBe(code);
    expect(await errorsOver.events(server.url, request)).toEqual(expected);
    expect(await errorsOver.webSocket(server.url, request)).toEqual(expected);
  });

  test('HTTP, WebSocket and event stream execute the text of a request that has the hash of a persisted query, too', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'ab' } };
    for (const over of Object.values(errorsOver)) {
      expect(await over(server.url, { query: '{ fail }', extensions })).toEqual(await over(server.url, { query: '{ fail }' }));
    }
  });

  test('HTTP, WebSocket and event stream reject a variable in a list that is null', async () => {
    const request = { query: 'query ($a: Int = 1) { sum(of: [$a]) }', variables: { a: null } };
    for (const over of Object.values(errorsOver))
      expect(await over(server.url, request)).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  });

  test('HTTP, WebSocket and event stream treat an empty operation name as absent', async () => {
    const several = 'query A { answer } query B { answer }';
    const named = 'query A { answer fail }';
    for (const over of Object.values(errorsOver)) {
      const errors = [await over(server.url, { query: named, operationName: '' }), await over(server.url, { query: named })];
      expect(errors.map(([error]) => error!.code)).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
      expect(await over(server.url, { query: several, operationName: '' })).toEqual(await over(server.url, { query: several }));
    }
  });

  test.each(['{', '{"query": "{ answer }', ''])('the body %j is rejected as invalid JSON', async (body) => {
    expect(await errorsOver.http(server.url, body)).toMatchObject([{ message: 'The body is not valid JSON.' }]);
  });

  // Jest passes its callback for a missing parameter, so every row has headers.
  test.each<[string, string, JsonRequest, Record<string, string>]>([
    ['a body that is not JSON', 'BAD_REQUEST', '{', {}],
    [
      'a persisted query',
      'PERSISTED_QUERY_NOT_SUPPORTED',
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } } },
      {},
    ],
    ['variables that are a string', 'BAD_REQUEST', { query: '{ answer }', variables: '{}' }, {}],
    ['extensions that are a list', 'BAD_REQUEST', { query: '{ answer }', extensions: [] }, {}],
    ['a body that is too large', TOO_LARGE, { query: 'x'.repeat(256 * 1024) }, {}],
    ['an invalid block header', 'BAD_USER_INPUT', { query: '{ block }' }, { 'x-graph-block': 'abc' }],
    ['a content type without preflight', 'BAD_REQUEST', { query: '{ answer }' }, { 'content-type': 'text/plain' }],
    ['an unsupported content type', 'BAD_REQUEST', { query: '{ answer }' }, { 'content-type': 'application/xml' }],
  ])('HTTP and event stream report the same error for %s', async (_name, code, request, headers) => {
    const expected = await errorsOver.http(server.url, request, headers);
    expect(expected[0]!.code).toBe(code);
    expect(await errorsOver.events(server.url, request, headers)).toEqual(expected);
  });

  test.each<[string, string, JsonRequest]>([
    ['two root fields', 'GRAPHQL_VALIDATION_FAILED', { query: 'subscription { a: ticks { n } b: ticks { n } }' }],
    ['no root field', 'BAD_USER_INPUT', { query: 'subscription { ticks @skip(if: true) { n } }' }],
    ['an invalid argument', 'BAD_USER_INPUT', { query: 'subscription { ticks(after: "nonsense") { n } }' }],
    ['an expired cursor', 'CURSOR_EXPIRED', { query: 'subscription { ticks(after: "-1") { n } }' }],
    ['a failing source', 'INTERNAL_SERVER_ERROR', { query: 'subscription { leak { n } }' }],
  ])('WebSocket and event stream report the same error for a subscription with %s', async (_name, code, request) => {
    const expected = await errorsOver.webSocket(server.url, request);
    expect(expected[0]!.code).toBe(code);
    expect(await errorsOver.events(server.url, request)).toEqual(expected);
  });

  test('GET reports the same error for a mutation with and without an event stream, and 405 without', async () => {
    const get = (accept: string) =>
      fetch(`${server.url}/graphql?query=${encodeURIComponent('mutation { bump }')}`, {
        headers: { accept, 'apollo-require-preflight': '1' },
      });
    const response = await get('application/json');
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    const [{ message, extensions }] = (await bodyOf(response)).errors;
    expect(extensions.code).toBe('BAD_REQUEST');
    expect(await (await get('text/event-stream')).text()).toContain(JSON.stringify(message));
    expect(server.state.bumped).toBe(0);
  });
});

describe('responses of any size', () => {
  const sizes = [10, 65_000, 65_536, 70_000, 200_000, 5_000_000];
  let server: ToyServer;

  beforeAll(async () => {
    server = await startToyServer();
  });

  test.each(sizes)('HTTP, WebSocket and event stream send a value of %i characters whole', async (size) => {
    const query = `{ big(size: ${size}) answer }`;
    const expected = JSON.stringify({ data: { big: 'x'.repeat(size), answer: 42 } });
    const send = (accept: string) => postJson(`${server.url}/graphql`, { query }, { accept });
    const response = await send('application/json');
    expect(response.headers.get('content-length')).toBe(String(expected.length));
    expect((await response.text()) === expected).toBe(true);
    const [, data] = /^data: (.*)$/m.exec(await (await send('text/event-stream')).text())!;
    expect(data === expected).toBe(true);
    const socket = await RawSocket.connect(server.url);
    socket.subscribe('1', query);
    const { payload } = await socket.waitForMessage(({ type }) => type === 'next');
    expect(JSON.stringify(payload) === expected).toBe(true);
    socket.ws.terminate();
  });

  test('an unsupported accept is 406 with an error, not a long response', async () => {
    const response = await postJson(`${server.url}/graphql`, { query: `{ big(size: 70000) }` }, { accept: 'image/png' });
    expect(response.status).toBe(406);
    expect(await response.json()).toEqual({ errors: [{ message: expect.any(String), extensions: expect.any(Object) }] });
  });

  test('HTTP, WebSocket and event stream report the same RESULT_TOO_LARGE above MAX_RESPONSE_BYTES', async () => {
    const request = { query: '{ big(size: 17000000) }' };
    const errors = await errorsOver.http(server.url, request);
    expect(errors).toMatchObject([{ code: 'RESULT_TOO_LARGE', message: expect.stringContaining('(MAX_RESPONSE_BYTES)') }]);
    expect(await errorsOver.events(server.url, request)).toEqual(errors);
    expect(await errorsOver.webSocket(server.url, request)).toEqual(errors);
  });
});

test('HTTP, WebSocket and event stream report the same error for running and waiting operations while the server drains', async () => {
  const error = { code: 'SHUTTING_DOWN', message: 'The server is shutting down. Try again in a moment.' };
  expect(await errorsWhileDraining).toEqual(Array(6).fill([error]));
});
