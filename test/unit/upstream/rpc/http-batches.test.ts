import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
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

afterEach(async () => {
  await rpc.close();
  await node.stop();
});

const neverAborted = new AbortController().signal;
const call = (name: string): RpcCall => ({ method: `eth_${name}`, params: [name] });
const callsOf = (...names: string[]) => names.map(call);
const result = (name: string): RpcOutcome => ({ result: [name] });
const codeOf = (outcome: RpcOutcome) => ('error' in outcome ? outcome.error.code : outcome.result);

/** Sends calls to a node of this script. */
async function send(script: Script, calls: readonly RpcCall[], maxBatchSize = 100): Promise<RpcOutcome[]> {
  node = await startScriptedNode(script);
  rpc = createHttpRpcTransport({ url: node.url, maxBatchSize });
  return rpc.send(calls, neverAborted);
}

/** Batches are answered so, single calls by their parameters. */
const batchesBy =
  (script: (calls: readonly ScriptedCall[]) => unknown): Script =>
  (asked, response) =>
    Array.isArray(asked.body) ? script(asked.calls) : echoParams(asked, response);

describe('calls sent together', () => {
  test('are one POST of JSON-RPC 2.0, each with an id of its own', async () => {
    expect(await send(echoParams, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
    const [{ verb, headers, body }] = node.requests as [ScriptedNode['requests'][number]];
    expect([node.requests.length, verb, headers['content-type']]).toEqual([1, 'POST', 'application/json']);
    expect(body).toEqual(['a', 'b', 'c'].map((name) => ({ jsonrpc: '2.0', id: expect.any(Number), ...call(name) })));
    expect(new Set((body as ScriptedCall[]).map(({ id }) => id)).size).toBe(3);
  });

  test('are no POST when there are none', async () => {
    expect(await send(echoParams, [])).toEqual([]);
    expect(node.posts()).toEqual([]);
  });

  test('go as one call, not as a batch, when there is one', async () => {
    expect(await send(echoParams, callsOf('a'))).toEqual([result('a')]);
    expect(Array.isArray(node.requests[0]!.body)).toBe(false);
  });

  test('are cut into POSTs of the batch size, and the outcomes stay in order', async () => {
    const names = Array.from({ length: 250 }, (_, i) => String(i));
    expect(await send(echoParams, callsOf(...names))).toEqual(names.map(result));
    expect(
      node
        .posts()
        .map((post) => post.length)
        .sort((a, b) => a - b),
    ).toEqual([50, 100, 100]);
  });

  test('go singly when the batch size is 1', async () => {
    expect(await send(echoParams, callsOf('a', 'b', 'c'), 1)).toEqual(['a', 'b', 'c'].map(result));
    expect(node.requests.map(({ body }) => Array.isArray(body))).toEqual([false, false, false]);
  });

  test('never use an id twice', async () => {
    await send(echoParams, callsOf('a', 'b'));
    await rpc.send(callsOf('c', 'd'), neverAborted);
    await rpc.send(callsOf('e'), neverAborted);
    expect(new Set(node.requests.flatMap(({ calls }) => calls.map(({ id }) => id))).size).toBe(5);
  });
});

describe("a batch's answer is matched by id", () => {
  const outcomes = ['a', 'b', 'c'].map(result);
  test.each<[string, (calls: readonly ScriptedCall[]) => unknown]>([
    ['in any order', (calls) => calls.map(resultOf).reverse()],
    ['with ids as text', (calls) => calls.map((each) => ({ ...resultOf(each), id: String(each.id) }))],
    [
      'where an id comes twice, the first counts',
      (calls) => [...calls.map(resultOf), ...calls.map((each) => ({ ...resultOf(each), result: 'late' }))],
    ],
    ['with entries that nobody asked for', (calls) => [{ jsonrpc: '2.0', id: 999_999, result: 'x' }, ...calls.map(resultOf)]],
    ['with entries that are nothing', (calls) => [null, 5, 'x', [], {}, { id: null, result: 'x' }, ...calls.map(resultOf)]],
    ['without the version', (calls) => calls.map(({ id, params }) => ({ id, result: params }))],
    ['with an error of null beside the result', (calls) => calls.map((each) => ({ ...resultOf(each), error: null }))],
  ])('%s', async (_case, script) => {
    expect(await send(batchesBy(script), callsOf('a', 'b', 'c'))).toEqual(outcomes);
    expect(node.posts()).toHaveLength(1);
  });

  test('and an error in one entry is the error of that call alone', async () => {
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

  test('and an entry with neither result nor error is UPSTREAM_BAD_RESPONSE', async () => {
    const script = batchesBy((calls) => calls.map((each, i) => (i === 0 ? { jsonrpc: '2.0', id: each.id } : resultOf(each))));
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual(['UPSTREAM_BAD_RESPONSE', ['b']]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['false', false],
    ['an empty list', []],
  ])('and a result of %s is a result', async (_case, value) => {
    const script = batchesBy((calls) => calls.map((each) => ({ ...resultOf(each), result: value })));
    expect(await send(script, callsOf('a', 'b'))).toEqual([{ result: value }, { result: value }]);
  });
});

describe('a call that is missing in the answer of its batch', () => {
  test('is asked again singly, and only that one', async () => {
    const script = batchesBy((calls) => calls.filter((_, i) => i !== 1).map(resultOf));
    expect(await send(script, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
    expect(node.posts()).toEqual([['eth_a', 'eth_b', 'eth_c'], ['eth_b']]);
  });

  test('is UPSTREAM_BAD_RESPONSE when it is missing again', async () => {
    const script: Script = ({ body, calls }) =>
      Array.isArray(body) ? [resultOf(calls[0]!)] : { jsonrpc: '2.0', id: 999_999, result: 'x' };
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual([['a'], 'UPSTREAM_BAD_RESPONSE']);
  });

  test('does not turn batches off', async () => {
    const script = batchesBy((calls) => calls.slice(1).map(resultOf));
    await send(script, callsOf('a', 'b'));
    await rpc.send(callsOf('c', 'd'), neverAborted);
    expect(node.posts()).toEqual([['eth_a', 'eth_b'], ['eth_a'], ['eth_c', 'eth_d'], ['eth_c']]);
  });
});

test('an error about the whole batch in a list, as geth sends it for too many calls, is no error of the first call', async () => {
  const error = { code: -32600, message: 'batch too large' };
  const script = batchesBy((calls) => [{ jsonrpc: '2.0', id: calls[0]!.id, error }]);
  expect(await send(script, callsOf('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map(result));
});

const single = [['eth_a', 'eth_b'], ['eth_a'], ['eth_b'], ['eth_c'], ['eth_d']];

describe('a node that refuses batches is asked singly, from then on without trying,', () => {
  const object = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
  test.each<[string, Script]>([
    ['after one error object', () => object(-32600, 'batch requests are not supported')],
    ['after one error object without a code', () => ({ error: { message: 'no batches' } })],
    ['after HTTP status 405', respondWith(405, '')],
    ['after HTTP status 413', respondWith(413, '<html>Request Entity Too Large</html>')],
    ['after HTTP status 400 with an error object', respondWith(400, JSON.stringify(object(-32600, 'Invalid Request')))],
    [
      "after Besu's word for too large a batch",
      respondWith(200, JSON.stringify(object(-32005, 'Number of requests exceeds max batch size'))),
    ],
  ])('%s', async (_case, refuse) => {
    const script: Script = (asked, response) =>
      Array.isArray(asked.body) ? refuse(asked, response) : echoParams(asked, response);
    expect(await send(script, callsOf('a', 'b'))).toEqual(['a', 'b'].map(result));
    expect(await rpc.send(callsOf('c', 'd'), neverAborted)).toEqual(['c', 'd'].map(result));
    expect(
      node
        .posts()
        .map((post) => post.join())
        .sort(),
    ).toEqual(single.map((post) => post.join()).sort());
  });
});

test('a node that takes small batches only is sent a tenth of what it refused, and from then on no more than that', async () => {
  const most = 25;
  const picky: Script = (asked, response) =>
    [asked.body].flat().length > most ? respondWith(413, 'too many')(asked, response) : echoParams(asked, response);
  const names = Array.from({ length: 60 }, (_none, i) => `m${i}`);
  const sizes = () => node.posts().map((post) => post.length);
  expect(await send(picky, callsOf(...names))).toEqual(names.map(result));
  expect(sizes()).toEqual([60, ...Array.from({ length: 10 }, () => 6)]);
  expect(await rpc.send(callsOf(...names), neverAborted)).toEqual(names.map(result));
  expect(sizes().slice(11)).toEqual(Array.from({ length: 10 }, () => 6));
});

test('no calls are no POST, whatever was refused before', async () => {
  await send(echoParams, callsOf('a', 'b'));
  expect(await rpc.send([], neverAborted)).toEqual([]);
  expect(node.posts()).toHaveLength(1);
});

test.each([['a "quoted" \\ text'], ['\u2028 and \u0000'], ['0xab'], [''], [null], [{ a: ['b', 1] }], [[[]]]])(
  'a parameter %j arrives as it was given',
  async (param) => {
    let got: unknown;
    const script: Script = (asked, response) => {
      got = (asked.body as { params: unknown }).params;
      return echoParams(asked, response);
    };
    await send(script, [{ method: 'eth_a', params: [param, 'x'] }]);
    expect(got).toEqual([param, 'x']);
  },
);

describe('a refusal that may be a passing mood', () => {
  const moody: Script = (asked, response) =>
    Array.isArray(asked.body) ? respondWith(400, 'Bad Request')(asked, response) : echoParams(asked, response);

  test('has its batch asked singly, and the next one is tried', async () => {
    await send(moody, callsOf('a', 'b'));
    node.script = echoParams;
    expect(await rpc.send(callsOf('c', 'd'), neverAborted)).toEqual(['c', 'd'].map(result));
    expect(node.posts().at(-1)).toEqual(['eth_c', 'eth_d']);
  });

  test('is remembered when it comes twice in a row', async () => {
    await send(moody, callsOf('a', 'b'));
    await rpc.send(callsOf('c', 'd'), neverAborted);
    await rpc.send(callsOf('e', 'f'), neverAborted);
    expect(node.posts().slice(-2).flat().sort()).toEqual(['eth_e', 'eth_f']);
  });

  test('is an error of one call when it stands under the id of that call', async () => {
    const error = { code: -32603, message: 'internal error' };
    const script = batchesBy((calls) => [{ jsonrpc: '2.0', id: calls[0]!.id, error }]);
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual(['UPSTREAM_INTERNAL', ['b']]);
    expect(node.posts()).toEqual([['eth_a', 'eth_b'], ['eth_b']]);
  });
});

describe('is no refusal of batches, and nothing is asked again:', () => {
  const object = (code: number) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'limit' } });
  test.each<[string, Script, string]>([
    ['a rate limit object of -32005', respondWith(200, object(-32005)), 'UPSTREAM_RATE_LIMITED'],
    ['a rate limit object of 429', respondWith(200, object(429)), 'UPSTREAM_RATE_LIMITED'],
    ['a rate limit object under HTTP status 400', respondWith(400, object(-32005)), 'UPSTREAM_RATE_LIMITED'],
    ['HTTP status 429', respondWith(429, ''), 'UPSTREAM_RATE_LIMITED'],
    ['HTTP status 401', respondWith(401, ''), 'UPSTREAM_AUTH'],
    ['HTTP status 403', respondWith(403, ''), 'UPSTREAM_AUTH'],
    ['HTTP status 404', respondWith(404, 'no such app'), 'UPSTREAM_UNAVAILABLE'],
    ['HTTP status 500', respondWith(500, ''), 'UPSTREAM_UNAVAILABLE'],
    ['HTTP status 503', respondWith(503, 'busy'), 'UPSTREAM_UNAVAILABLE'],
    ['a page in HTML', respondWith(200, '<html>Please pay</html>'), 'UPSTREAM_BAD_RESPONSE'],
    ['null', respondWith(200, 'null'), 'UPSTREAM_BAD_RESPONSE'],
    ['an empty body', respondWith(200, ''), 'UPSTREAM_BAD_RESPONSE'],
    ['one result object', respondWith(200, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'), 'UPSTREAM_BAD_RESPONSE'],
  ])('%s', async (_case, script, code) => {
    expect((await send(script, callsOf('a', 'b'))).map(codeOf)).toEqual([code, code]);
    expect(node.posts()).toEqual([['eth_a', 'eth_b']]);
    node.script = echoParams;
    expect(await rpc.send(callsOf('c', 'd'), neverAborted)).toEqual(['c', 'd'].map(result));
    expect(node.posts()).toHaveLength(2);
  });
});
