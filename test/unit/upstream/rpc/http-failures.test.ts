import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import {
  echoParams,
  respondWith,
  type Script,
  type ScriptedNode,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

const KEYS = ['pathkey0123456789', 'querykey0123456789', 'alicealice01', 'opensesame0123'] as const;
const [PATH_KEY, QUERY_KEY, USER, PASSWORD] = KEYS;

let node: ScriptedNode;
let rpc: HttpRpcTransport;

const neverAborted = new AbortController().signal;
const callA: RpcCall = { method: 'eth_a', params: ['a'] };
const callB: RpcCall = { method: 'eth_b', params: ['b'] };

/** Starts a node with this script, under a URL with a key in each part that can contain one. */
async function open(script: Script): Promise<void> {
  node = await startScriptedNode(script);
  const url = `http://${USER}:${PASSWORD}@127.0.0.1:${node.port}/v2/${PATH_KEY}?apikey=${QUERY_KEY}`;
  rpc = untilTestsEnd(createHttpRpcTransport({ url, maxBatchSize: 100 }));
}

const errorOf = (outcome: RpcOutcome | undefined): GraphError => {
  if (!outcome || !('error' in outcome)) throw new Error(`no error but ${JSON.stringify(outcome)}`);
  return outcome.error;
};

/** The parts of an error that clients may see. */
const errorText = ({ message, extensions, stack }: GraphError) => JSON.stringify({ message, extensions, stack });

function expectNoKey(outcomes: readonly RpcOutcome[]): void {
  const text = outcomes.map((outcome) => errorText(errorOf(outcome))).join();
  const base64 = (key: string) =>
    ['', 'x', 'xx'].map((before) =>
      Buffer.from(before + key)
        .toString('base64')
        .slice(4, -4),
    );
  expect(KEYS.flatMap((key) => [key, ...base64(key)]).filter((spelling) => text.includes(spelling))).toEqual([]);
}

const abortResponse: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"jsonrpc":"2.0","id":1,"res', () => response.destroy());
};
const resetConnection: Script = ({ socket }) => void socket.destroy();
const errorWithKeys = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: `no app ${KEYS.join(' ')}` } });

const cases: [string, Script, string, object][] = [
  ['HTTP status 401', respondWith(401, `bad key ${PATH_KEY}`), 'UPSTREAM_AUTH', { retryable: false, method: 'eth_a' }],
  ['HTTP status 403', respondWith(403, ''), 'UPSTREAM_AUTH', { retryable: false }],
  ['HTTP status 429', respondWith(429, ''), 'UPSTREAM_RATE_LIMITED', { retryable: true }],
  ['HTTP status 500', respondWith(500, `at /v2/${PATH_KEY}`), 'UPSTREAM_UNAVAILABLE', { retryable: true, method: 'eth_a' }],
  ['HTTP status 404', respondWith(404, ''), 'UPSTREAM_UNAVAILABLE', { retryable: true }],
  ['an error object without an id', respondWith(200, errorWithKeys), 'UPSTREAM_ERROR', { rpcCode: -32000 }],
  ['an error object under HTTP status 500', respondWith(500, errorWithKeys), 'UPSTREAM_ERROR', { rpcCode: -32000 }],
  ['an HTML page with status 200', respondWith(200, `<html>${PATH_KEY}</html>`), 'UPSTREAM_BAD_RESPONSE', { method: 'eth_a' }],
  [
    'a text as error beside null',
    ({ calls }) => calls.map(({ id }) => ({ id, result: null, error: 'busy' })),
    'UPSTREAM_BAD_RESPONSE',
    {},
  ],
  ['null', respondWith(200, 'null'), 'UPSTREAM_BAD_RESPONSE', { method: 'eth_a' }],
  ['an empty body', respondWith(200, ''), 'UPSTREAM_BAD_RESPONSE', {}],
  ['a number', respondWith(200, '5'), 'UPSTREAM_BAD_RESPONSE', {}],
  ['text', respondWith(200, '"x"'), 'UPSTREAM_BAD_RESPONSE', {}],
  ['truncated JSON', respondWith(200, '{"jsonrpc":"2.0","id":1,"result":'), 'UPSTREAM_BAD_RESPONSE', {}],
  ['a response with an unknown id', respondWith(200, '{"jsonrpc":"2.0","id":77,"result":"0x1"}'), 'UPSTREAM_BAD_RESPONSE', {}],
  ['a redirect', respondWith(302, '', { location: `/${PATH_KEY}` }), 'UPSTREAM_BAD_RESPONSE', {}],
  ['a truncated body', abortResponse, 'UPSTREAM_UNAVAILABLE', { retryable: true }],
  ['a closed connection', resetConnection, 'UPSTREAM_UNAVAILABLE', { retryable: true }],
];

describe('a failed call', () => {
  test.each(cases)('a call fails without a key in the error on %s', async (_case, script, code, detail) => {
    await open(script);
    const outcomes = await rpc.send([callA], neverAborted);
    expect(errorOf(outcomes[0])).toBeInstanceOf(GraphError);
    expect(errorOf(outcomes[0]).extensions).toMatchObject({ code, ...detail });
    expectNoKey(outcomes);
  });
});

describe('a failed batch', () => {
  test.each(cases.filter(([, script]) => script === abortResponse || script === resetConnection))(
    'all calls of a batch fail on %s',
    async (_case, script, code) => {
      await open(script);
      const outcomes = await rpc.send([callA, callB], neverAborted);
      expect(outcomes.map((outcome) => errorOf(outcome).code)).toEqual([code, code]);
      expect(node.posts()).toEqual([['eth_a', 'eth_b']]);
      expectNoKey(outcomes);
    },
  );

  test('each error of a failed batch names its own method', async () => {
    await open(respondWith(429, ''));
    const outcomes = await rpc.send([callA, callB], neverAborted);
    expect(outcomes.map((outcome) => errorOf(outcome).extensions.method)).toEqual(['eth_a', 'eth_b']);
  });
});

describe('HTTP status 429', () => {
  const rateLimitEach =
    (message: string): Script =>
    ({ body, calls }, response) => {
      const entries = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: 429, message } }));
      response.writeHead(429, { 'retry-after': '2' }).end(JSON.stringify(Array.isArray(body) ? entries : entries[0]));
    };

  test.each([
    ['a call', [callA]],
    ['a batch', [callA, callB]],
  ])('%s fails with UPSTREAM_QUOTA_EXCEEDED, not retryable, when the quota is used up', async (_case, calls) => {
    await open(rateLimitEach('Monthly compute-unit capacity limit exceeded. Upgrade your scaling policy for continued service.'));
    const outcomes = await rpc.send(calls, neverAborted);
    expect(outcomes.map((outcome) => errorOf(outcome).extensions)).toEqual(
      calls.map(() => expect.objectContaining({ code: 'UPSTREAM_QUOTA_EXCEEDED', retryable: false })),
    );
  });

  test.each([
    ['a call', [callA]],
    ['a batch', [callA, callB]],
  ])(
    '%s under a rate limit fails with the wait of the Retry-After header, also if the error has its id',
    async (_case, calls) => {
      await open(rateLimitEach('Your app has exceeded its compute units per second capacity'));
      const outcomes = await rpc.send(calls, neverAborted);
      expect(outcomes.map((outcome) => errorOf(outcome).extensions)).toEqual(
        calls.map(() => expect.objectContaining({ code: 'UPSTREAM_RATE_LIMITED', retryAfterMs: 2_000 })),
      );
    },
  );
});

test.each<[string, string | undefined, number | undefined]>([
  ['3 seconds', '3', 3000],
  ['0 seconds', '0', 0],
  ['a negative number', '-5', 0],
  ['a text', 'soon', undefined],
  ['an empty text', '', undefined],
  ['no header', undefined, undefined],
])('a rate limit error has the wait of a Retry-After with %s', async (_case, header, retryAfterMs) => {
  await open(respondWith(429, '', header === undefined ? {} : { 'retry-after': header }));
  const { extensions } = errorOf((await rpc.send([callA], neverAborted))[0]);
  expect([extensions.code, extensions.retryAfterMs]).toEqual(['UPSTREAM_RATE_LIMITED', retryAfterMs]);
});

test('a rate limit error has the wait of a Retry-After with a date', async () => {
  await open(respondWith(429, '', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }));
  const { extensions } = errorOf((await rpc.send([callA], neverAborted))[0]);
  expect(extensions.retryAfterMs).toBeGreaterThan(30_000);
  expect(extensions.retryAfterMs).toBeLessThanOrEqual(60_000);
});

test('an outcome contains the error object of the node', async () => {
  const rpcError = { code: -32000, message: 'already known', data: '0x' };
  await open(({ calls }) => ({ jsonrpc: '2.0', id: calls[0]!.id, error: rpcError }));
  expect((await rpc.send([callA], neverAborted))[0]).toMatchObject({ error: { code: 'UPSTREAM_ERROR' }, rpcError });
});

test('a single call accepts a list of one response', async () => {
  await open(({ calls }) => [{ jsonrpc: '2.0', id: calls[0]!.id, result: '0x1' }]);
  expect(await rpc.send([callA], neverAborted)).toEqual([{ result: '0x1' }]);
});

test('the label of a transport contains no key', async () => {
  await open(echoParams);
  expect(rpc.label).toBe(`http://127.0.0.1:${node.port}`);
});
