import { describe, expect, test } from '@jest/globals';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import {
  echoParams,
  respondWith,
  resultOf,
  type Script,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

let node: ScriptedNode;
let rpc: HttpRpcTransport;

const neverAborted = new AbortController().signal;
const call = (name: string): RpcCall => ({ method: `eth_${name}`, params: [name] });
const callsOf = (...names: string[]) => names.map(call);
const result = (name: string): RpcOutcome => ({ result: [name] });
const codeOf = (outcome: RpcOutcome) => ('error' in outcome ? outcome.error.code : outcome.result);

/** Sends calls to a node with this script. */
async function send(script: Script, calls: readonly RpcCall[], maxBatchSize = 100): Promise<RpcOutcome[]> {
  node = await startScriptedNode(script);
  rpc = untilTestsEnd(createHttpRpcTransport({ url: node.url, maxBatchSize }));
  return rpc.send(calls, neverAborted);
}

/** Responds to batches with `script`, and to single calls with their parameters. */
const batchesBy =
  (script: (calls: readonly ScriptedCall[]) => unknown): Script =>
  (request, response) =>
    Array.isArray(request.body) ? script(request.calls) : echoParams(request, response);

describe('calls sent together', () => {
  test('calls sent together are one POST of JSON-RPC 2.0, each with its own id', async () => {
    expect(await send(echoParams, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
    const [{ verb, headers, body }] = node.requests as [ScriptedNode['requests'][number]];
    expect([node.requests.length, verb, headers['content-type']]).toEqual([1, 'POST', 'application/json']);
    expect(body).toEqual(['a', 'b', 'c'].map((name) => ({ jsonrpc: '2.0', id: expect.any(Number), ...call(name) })));
    expect(new Set((body as ScriptedCall[]).map(({ id }) => id)).size).toBe(3);
  });

  test('an empty list of calls sends no POST', async () => {
    expect(await send(echoParams, [])).toEqual([]);
    expect(node.posts()).toEqual([]);
  });

  test('a single call is sent as an object, not as a batch', async () => {
    expect(await send(echoParams, callsOf('a'))).toEqual([result('a')]);
    expect(Array.isArray(node.requests[0]!.body)).toBe(false);
  });

  test('calls beyond the batch size are split into several POSTs, and the outcomes stay in order', async () => {
    const names = Array.from({ length: 250 }, (_, i) => String(i));
    expect(await send(echoParams, callsOf(...names))).toEqual(names.map(result));
    const sizes = node.posts().map((post) => post.length);
    expect(sizes.sort((a, b) => a - b)).toEqual([50, 100, 100]);
  });

  test('calls never reuse an id', async () => {
    await send(echoParams, callsOf('a', 'b'));
    await rpc.send(callsOf('c', 'd'), neverAborted);
    await rpc.send(callsOf('e'), neverAborted);
    expect(new Set(node.requests.flatMap(({ calls }) => calls.map(({ id }) => id))).size).toBe(5);
  });
});

describe('batch responses', () => {
  const outcomes = ['a', 'b', 'c'].map(result);
  test.each<[string, (calls: readonly ScriptedCall[]) => unknown]>([
    ['in any order', (calls) => calls.map(resultOf).reverse()],
    ['with ids as text', (calls) => calls.map((each) => ({ ...resultOf(each), id: String(each.id) }))],
    [
      'with a duplicate id, of which the first counts',
      (calls) => [...calls.map(resultOf), ...calls.map((each) => ({ ...resultOf(each), result: 'late' }))],
    ],
    ['with an entry of an unknown id', (calls) => [{ jsonrpc: '2.0', id: 999_999, result: 'x' }, ...calls.map(resultOf)]],
    ['with invalid entries', (calls) => [null, 5, 'x', [], {}, { id: null, result: 'x' }, ...calls.map(resultOf)]],
    ['without the version', (calls) => calls.map(({ id, params }) => ({ id, result: params }))],
    ['with an error of null beside the result', (calls) => calls.map((each) => ({ ...resultOf(each), error: null }))],
  ])('a batch response is matched by id: %s', async (_case, script) => {
    expect(await send(batchesBy(script), callsOf('a', 'b', 'c'))).toEqual(outcomes);
    expect(node.posts()).toHaveLength(1);
  });

  test('an error entry of a batch response fails only its own call', async () => {
    const rpcError = { code: -32601, message: 'the method eth_b does not exist' };
    const script = batchesBy((calls) =>
      calls.map((each, i) => (i === 1 ? { jsonrpc: '2.0', id: each.id, error: rpcError } : resultOf(each))),
    );
    expect(await send(script, callsOf('a', 'b', 'c'))).toMatchObject([
      result('a'),
      { error: { code: 'METHOD_NOT_SUPPORTED', extensions: { method: 'eth_b', rpcCode: -32601 } }, rpcError },
      result('c'),
    ]);
  });

  test('an entry with neither result nor error fails with UPSTREAM_BAD_RESPONSE', async () => {
    const script = batchesBy((calls) => calls.map((each, i) => (i === 0 ? { jsonrpc: '2.0', id: each.id } : resultOf(each))));
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual(['UPSTREAM_BAD_RESPONSE', ['b']]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['false', false],
    ['an empty list', []],
  ])('a batch entry with the result %s is a result', async (_case, value) => {
    const script = batchesBy((calls) => calls.map((each) => ({ ...resultOf(each), result: value })));
    expect(await send(script, callsOf('a', 'b'))).toEqual([{ result: value }, { result: value }]);
  });
});

describe('incomplete batch responses', () => {
  test('a call that is missing in a batch response is sent again alone', async () => {
    const script = batchesBy((calls) => calls.filter((_, i) => i !== 1).map(resultOf));
    expect(await send(script, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
    expect(node.posts()).toEqual([['eth_a', 'eth_b', 'eth_c'], ['eth_b']]);
  });

  test('a call that is missing twice fails with UPSTREAM_BAD_RESPONSE', async () => {
    const script: Script = ({ body, calls }) =>
      Array.isArray(body) ? [resultOf(calls[0]!)] : { jsonrpc: '2.0', id: 999_999, result: 'x' };
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual([['a'], 'UPSTREAM_BAD_RESPONSE']);
  });

  test('an incomplete batch response does not reduce later batches', async () => {
    const script = batchesBy((calls) => calls.slice(1).map(resultOf));
    await send(script, callsOf('a', 'b'));
    await rpc.send(callsOf('c', 'd'), neverAborted);
    expect(node.posts()).toEqual([['eth_a', 'eth_b'], ['eth_a'], ['eth_c', 'eth_d'], ['eth_c']]);
  });
});

describe('responses that are too large', () => {
  const TOO_LARGE = { code: -32003, message: 'response too large' };
  const tooLarge = ({ id }: ScriptedCall) => ({ jsonrpc: '2.0', id, error: TOO_LARGE });

  test('calls that do not fit into the response to their batch are sent again in smaller batches', async () => {
    const script = batchesBy((calls) => [...calls.slice(0, 2).map(resultOf), ...calls.slice(2).map(tooLarge)]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(await send(script, callsOf(...names))).toEqual(names.map(result));
    expect(node.requests.map(({ calls }) => calls.length)).toEqual([7, 3, 2, 1]);
  });

  test('calls are not sent again when the node refuses each of them', async () => {
    const outcomes = await send(
      batchesBy((calls) => calls.map(tooLarge)),
      callsOf('a', 'b', 'c'),
    );
    expect(outcomes.map(codeOf)).toEqual(['RESULT_TOO_LARGE', 'RESULT_TOO_LARGE', 'RESULT_TOO_LARGE']);
    expect(node.requests).toHaveLength(1);
  });
});

test('a list of one error about the batch, as geth sends it, is not treated as the error of the first call', async () => {
  const error = { code: -32600, message: 'batch too large' };
  const script = batchesBy((calls) => [{ jsonrpc: '2.0', id: calls[0]!.id, error }]);
  expect(await send(script, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
});

describe('a node that rejects batches', () => {
  const object = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
  test.each<[string, Script]>([
    ['after one error object', () => object(-32600, 'batch requests are not supported')],
    ['after one error object without a code', () => ({ error: { message: 'no batches' } })],
    ['after HTTP status 405', respondWith(405, '')],
    ['after HTTP status 400 without an error', respondWith(400, 'Bad Request')],
    ['after HTTP status 413', respondWith(413, '<html>Request Entity Too Large</html>')],
    ['after HTTP status 400 with an error object', respondWith(400, JSON.stringify(object(-32600, 'Invalid Request')))],
    [
      'after the error of Besu for a batch that is too large',
      respondWith(200, JSON.stringify(object(-32005, 'Number of requests exceeds max batch size'))),
    ],
  ])('calls, also later calls, are sent singly %s', async (_case, reject) => {
    const script: Script = (request, response) =>
      Array.isArray(request.body) ? reject(request, response) : echoParams(request, response);
    expect(await send(script, callsOf('a', 'b'))).toEqual(['a', 'b'].map(result));
    expect(await rpc.send(callsOf('c', 'd'), neverAborted)).toEqual(['c', 'd'].map(result));
    const posts = node.posts().map((post) => post.join());
    expect(posts.sort()).toEqual(['eth_a', 'eth_a,eth_b', 'eth_b', 'eth_c', 'eth_d']);
  });
});

test('a rejected batch is split into batches of a tenth, and later batches have that size', async () => {
  const maxAccepted = 25;
  const rejection = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } });
  const limitedNode: Script = (request, response) =>
    [request.body].flat().length > maxAccepted ? respondWith(200, rejection)(request, response) : echoParams(request, response);
  const names = Array.from({ length: 60 }, (_none, i) => `m${i}`);
  const sizes = () => node.posts().map((post) => post.length);
  expect(await send(limitedNode, callsOf(...names))).toEqual(names.map(result));
  expect(sizes()).toEqual([60, ...Array.from({ length: 10 }, () => 6)]);
  expect(await rpc.send(callsOf(...names), neverAborted)).toEqual(names.map(result));
  expect(sizes().slice(11)).toEqual(Array.from({ length: 10 }, () => 6));
});

test.each([['a "quoted" \\ text'], ['\u2028 and \u0000'], ['0xab'], [''], [null], [{ a: ['b', 1] }], [[[]]]])(
  'a parameter %j is sent unchanged',
  async (param) => {
    let received: unknown;
    const script: Script = (request, response) => {
      received = (request.body as { params: unknown }).params;
      return echoParams(request, response);
    };
    await send(script, [{ method: 'eth_a', params: [param, 'x'] }]);
    expect(received).toEqual([param, 'x']);
  },
);

test('an ambiguous error with the id of a call fails only that call', async () => {
  const error = { code: -32603, message: 'internal error' };
  const script = batchesBy((calls) => [{ jsonrpc: '2.0', id: calls[0]!.id, error }]);
  expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual(['UPSTREAM_INTERNAL', ['b']]);
  expect(node.posts()).toEqual([['eth_a', 'eth_b'], ['eth_b']]);
});

describe('responses that do not reject batches', () => {
  const object = (code: number, message = 'limit') => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  test.each<[string, Script, string]>([
    ['a rate limit object of -32005', respondWith(200, object(-32005)), 'UPSTREAM_RATE_LIMITED'],
    ['a rate limit object of 429', respondWith(200, object(429)), 'UPSTREAM_RATE_LIMITED'],
    ['a rate limit object of another code', respondWith(200, object(-32016, 'over rate limit')), 'UPSTREAM_RATE_LIMITED'],
    ['a quota object', respondWith(200, object(-32000, 'monthly capacity limit exceeded')), 'UPSTREAM_QUOTA_EXCEEDED'],
    ['a rate limit object under HTTP status 400', respondWith(400, object(-32005)), 'UPSTREAM_RATE_LIMITED'],
    ['HTTP status 429', respondWith(429, ''), 'UPSTREAM_RATE_LIMITED'],
    ['HTTP status 401', respondWith(401, ''), 'UPSTREAM_AUTH'],
    ['HTTP status 403', respondWith(403, ''), 'UPSTREAM_AUTH'],
    ['HTTP status 404', respondWith(404, 'no such app'), 'UPSTREAM_UNAVAILABLE'],
    ['HTTP status 500', respondWith(500, ''), 'UPSTREAM_UNAVAILABLE'],
    ['HTTP status 503', respondWith(503, 'busy'), 'UPSTREAM_UNAVAILABLE'],
    ['an HTML page', respondWith(200, '<html>Please pay</html>'), 'UPSTREAM_BAD_RESPONSE'],
    ['null', respondWith(200, 'null'), 'UPSTREAM_BAD_RESPONSE'],
    ['an empty body', respondWith(200, ''), 'UPSTREAM_BAD_RESPONSE'],
    ['one result object', respondWith(200, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'), 'UPSTREAM_BAD_RESPONSE'],
  ])('a batch is not resent after %s', async (_case, script, code) => {
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual([code, code]);
    expect(node.posts()).toEqual([['eth_a', 'eth_b']]);
    node.script = echoParams;
    expect(await rpc.send(callsOf('c', 'd'), neverAborted)).toEqual(['c', 'd'].map(result));
    expect(node.posts()).toHaveLength(2);
  });
});
