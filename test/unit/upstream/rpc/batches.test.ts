import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { toRpcLogFilter } from '../../../../src/ethereum/log-filters.ts';
import { BatchLimits, computeUnitsOf, METHOD_UNITS, OTHER_METHOD_UNITS } from '../../../../src/upstream/rpc/http/batches.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import { LogRangeError } from '../../../../src/upstream/rpc/log-range-limit.ts';
import { type RpcCall, serializeParams } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { withNodeKey } from '../../../support/secrets.ts';
import {
  echoParams,
  respondWith,
  type Script,
  type ScriptedCall,
  type ScriptedNode,
  type ScriptedRequest,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

describe('batch bytes', () => {
  const KIB = 1024;

  let node: ScriptedNode;
  let rpc: HttpRpcTransport;

  const neverAborted = new AbortController().signal;

  async function open(script: Script): Promise<void> {
    node = await startScriptedNode(script);
    rpc = untilTestsEnd(createHttpRpcTransport({ url: node.url, maxBatchSize: 1_000 }));
  }

  /** Calls with a parameter of this size in bytes, which differs from call to call. */
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

    test('one call with HTTP status 413 fails with RESULT_TOO_LARGE, and later batches keep their size', async () => {
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
      jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      try {
        const limits = new BatchLimits(100);
        limits.recordTooLarge(400 * KIB);
        expect([limits.maxBytes, limits.maxCalls]).toEqual([100 * KIB, 100]);
        jest.advanceTimersByTime(59_999);
        expect(limits.maxBytes).toBe(100 * KIB);
        jest.advanceTimersByTime(1);
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

    test('a rejected batch that was sent before the last reduction does not raise the number of calls again', () => {
      const limits = new BatchLimits(100);
      expect([limits.recordRejection(10), limits.recordRejection(100), limits.maxCalls]).toEqual([1, 1, 1]);
    });
  });
});

describe('compute units', () => {
  /** The rows of the table of docs/limits.md. */
  const documentedRows = (): [units: number, methods: string][] =>
    [
      ...readFileSync('docs/limits.md', 'utf8')
        .split('### Compute units')[1]!
        .split('\n## ')[0]!
        .matchAll(/^\| (\d+) \| (.+) \|$/gm),
    ].map(([, units, methods]) => [Number(units), methods!]);

  test('docs/limits.md has the compute units of every method', () => {
    const documented = documentedRows().flatMap(([units, methods]) =>
      [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => [method!, units] as const),
    );
    expect(new Map(documented)).toEqual(METHOD_UNITS);
    expect(documentedRows().filter(([, methods]) => methods.startsWith('all others'))).toEqual([
      [OTHER_METHOD_UNITS, expect.any(String)],
    ]);
  });

  test('the compute units of a batch are the sum over its calls, unknown methods included', () => {
    const calls = ['eth_blockNumber', 'eth_call', 'eth_call', 'eth_getLogs', 'eth_getBalance', 'svc_unknown'].map((method) => ({
      method,
    }));
    expect(computeUnitsOf(calls)).toBe(10 + 26 + 26 + 60 + 20 + 20);
    expect(computeUnitsOf([])).toBe(0);
  });
});

describe('parameters', () => {
  test.each([
    [[]],
    [['0x1', 'latest', 'a "quoted" \\ text']],
    [[{ to: '0x01', data: '0x' }, { blockHash: '0x02' }]],
    [[{}, [], [[]], [{}], null, true, 5]],
    [[{ a: undefined, b: null, c: [undefined, null, 'x'], d: [['y', undefined], null] }]],
    [[{ fromBlock: '0x1', toBlock: '0x2', address: ['0x1', '0x2'], topics: [null, '0x3', ['0x4', '0x5']] }]],
  ])('parameters are serialized as JSON.stringify does: %j', (params) => {
    expect(serializeParams(params)).toBe(JSON.stringify(params));
    expect(serializeParams(params)).toBe(JSON.stringify(params));
  });

  test('a list that the filters of several calls share is read and serialized once', () => {
    let reads = 0;
    const topics = Object.defineProperty(['0x1', '0x2'], 0, {
      get: () => {
        reads += 1;
        return '0x1';
      },
    });
    const textOf = (height: string) =>
      serializeParams([toRpcLogFilter({ fromBlock: height, toBlock: '0xff' }, { topics: [topics] })]);
    expect(textOf('0x1')).toBe('[{"fromBlock":"0x1","toBlock":"0xff","topics":[["0x1","0x2"]]}]');
    const readsOfFirst = reads;
    expect(textOf('0x2')).toBe('[{"fromBlock":"0x2","toBlock":"0xff","topics":[["0x1","0x2"]]}]');
    expect([readsOfFirst, reads]).toEqual([1, 1]);
  });
});

describe('oversized responses', () => {
  /** Responses above the limit of 32 MiB. The first parameter of a call is the number of MiB of its result. */
  const MEBIBYTE = 'x'.repeat(1024 * 1024);

  let node: ScriptedNode;
  let transport: HttpRpcTransport;

  beforeEach(async () => {
    const resultOf = ({ id, params }: ScriptedCall) => ({
      jsonrpc: '2.0',
      id,
      result: Array.from({ length: (params[0] as { mebibytes: number }).mebibytes }, () => MEBIBYTE),
    });
    node = await startScriptedNode(({ body }) => (Array.isArray(body) ? body.map(resultOf) : resultOf(body as ScriptedCall)));
    transport = untilTestsEnd(createHttpRpcTransport({ url: withNodeKey(node.url), maxBatchSize: 10, timeoutMs: 60_000 }));
  });

  const call = (mebibytes: number, filter: object = {}) => ({ method: 'eth_getLogs', params: [{ mebibytes, ...filter }] });
  const RANGE = { fromBlock: '0x1', toBlock: '0x9' };
  const send = (...calls: ReturnType<typeof call>[]) => transport.send(calls, new AbortController().signal);

  test('a log search with an oversized response is too wide, so that it is narrowed by a lot', async () => {
    const [outcome] = await send(call(33, RANGE));
    expect(outcome).toMatchObject({ error: { code: 'RESULT_TOO_LARGE', hint: { limitsBlocks: false, isOversized: true } } });
    expect((outcome as { error: unknown }).error).toBeInstanceOf(LogRangeError);
  });

  test('another oversized response fails with UPSTREAM_BAD_RESPONSE', async () => {
    expect(await send(call(33, { blockHash: `0x${'1'.repeat(64)}` }))).toMatchObject([
      { error: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
  });

  test('the calls of a batch with an oversized response are sent again in halves, and only one that is too large alone fails', async () => {
    const outcomes = await send(call(1), call(33, RANGE), call(1), call(1));
    expect(outcomes.map((outcome) => ('error' in outcome ? outcome.error.code : 'ok'))).toEqual([
      'ok',
      'RESULT_TOO_LARGE',
      'ok',
      'ok',
    ]);
  });
});
