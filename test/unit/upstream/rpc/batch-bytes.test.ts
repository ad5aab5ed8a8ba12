import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { BatchLimits } from '../../../../src/upstream/rpc/http/batches.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import type { RpcCall } from '../../../../src/upstream/rpc/rpc-call.ts';
import {
  echoParams,
  respondWith,
  type Script,
  type ScriptedNode,
  type ScriptedRequest,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

const KIB = 1024;

let node: ScriptedNode;
let rpc: HttpRpcTransport;

afterEach(async () => {
  await rpc.close();
  await node.stop();
});

const neverAborted = new AbortController().signal;

async function open(script: Script): Promise<void> {
  node = await startScriptedNode(script);
  rpc = createHttpRpcTransport({ url: node.url, maxBatchSize: 1_000 });
}

/** Calls with a parameter of this many bytes, each with another one. */
const callsOf = (count: number, bytes: number): RpcCall[] =>
  Array.from({ length: count }, (_none, i) => ({ method: 'eth_a', params: [String(i).padEnd(bytes, 'x')] }));

const resultsOf = (calls: readonly RpcCall[]) => calls.map(({ params }) => ({ result: params }));
const sizes = () => node.posts().map((post) => post.length);
const bytesOf = ({ body }: ScriptedRequest) => JSON.stringify(body).length;

/** Accepts requests up to this many bytes. */
const acceptUpTo =
  (maxBytes: number): Script =>
  (request, response) =>
    bytesOf(request) > maxBytes
      ? respondWith(413, '<html>Request Entity Too Large</html>')(request, response)
      : echoParams(request, response);

describe('batches', () => {
  test('batches are cut by the size of the request, and the outcomes stay in order', async () => {
    await open(echoParams);
    const calls = callsOf(10, 100 * KIB);
    expect(await rpc.send(calls, neverAborted)).toEqual(resultsOf(calls));
    expect(sizes()).toEqual([5, 5]);
    expect(Math.max(...node.requests.map(bytesOf))).toBeLessThanOrEqual(512 * KIB);
  });

  test('a call above the size of a batch is sent alone', async () => {
    await open(echoParams);
    const calls = [...callsOf(2, 10), ...callsOf(1, 600 * KIB), ...callsOf(2, 20)];
    expect(await rpc.send(calls, neverAborted)).toEqual(resultsOf(calls));
    expect(sizes().sort()).toEqual([1, 2, 2]);
  });
});

describe('HTTP status 413', () => {
  test('HTTP status 413 reduces the size of batches and resends the calls, also of later operations', async () => {
    await open(acceptUpTo(200 * KIB));
    const calls = callsOf(10, 50 * KIB);
    expect(await rpc.send(calls, neverAborted)).toEqual(resultsOf(calls));
    expect(sizes()).toEqual([10, 2, 2, 2, 2, 2]);
    expect(await rpc.send(calls, neverAborted)).toEqual(resultsOf(calls));
    expect(sizes().slice(6)).toEqual([2, 2, 2, 2, 2]);
  });

  test('HTTP status 413 does not reduce the number of calls in a batch', async () => {
    await open(acceptUpTo(200 * KIB));
    await rpc.send(callsOf(10, 50 * KIB), neverAborted);
    const small = callsOf(900, 4);
    expect(await rpc.send(small, neverAborted)).toEqual(resultsOf(small));
    expect(sizes().at(-1)).toBe(900);
  });

  test('HTTP status 413 reduces the size repeatedly, down to single calls', async () => {
    await open(acceptUpTo(2 * KIB));
    const calls = callsOf(60, KIB);
    expect(await rpc.send(calls, neverAborted)).toEqual(resultsOf(calls));
    expect(sizes().filter((size) => size === 1)).toHaveLength(60);
  });

  test('HTTP status 413 to a single call is RESULT_TOO_LARGE, and later batches have their full size', async () => {
    await open(acceptUpTo(200 * KIB));
    const [outcome] = await rpc.send(callsOf(1, 300 * KIB), neverAborted);
    expect(outcome).toMatchObject({
      error: { extensions: { code: 'RESULT_TOO_LARGE', retryable: false, source: 'graph', method: 'eth_a' } },
    });
    await rpc.send(callsOf(3, 50 * KIB), neverAborted);
    expect(sizes()).toEqual([1, 3]);
  });
});

describe('reduced batch limits', () => {
  test('a reduced size of batches ends after a minute', async () => {
    await open(echoParams);
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    try {
      const limits = new BatchLimits(100);
      limits.recordTooLarge(400 * KIB);
      expect([limits.maxBytes, limits.maxCalls]).toEqual([100 * KIB, 100]);
      jest.setSystemTime(59_999);
      expect(limits.maxBytes).toBe(100 * KIB);
      jest.setSystemTime(60_000);
      expect(limits.maxBytes).toBe(512 * KIB);
    } finally {
      jest.useRealTimers();
    }
  });

  test('a batch that was sent before the last reduction does not raise the size again', async () => {
    await open(echoParams);
    const limits = new BatchLimits(100);
    limits.recordTooLarge(100 * KIB);
    limits.recordTooLarge(400 * KIB);
    expect(limits.maxBytes).toBe(25 * KIB);
  });
});
