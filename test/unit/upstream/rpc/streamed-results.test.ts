import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { HeaderChecks } from '../../../../src/upstream/rpc/header-check-policy.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import { createOperationCalls } from '../../../../src/upstream/rpc/operation-calls.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { startTestServer } from '../../../support/test-server.ts';

/** Results of a long response to a batch, which are passed on while the rest of the response arrives. */
interface Request {
  readonly ids: readonly number[];
  readonly response: ServerResponse;
}

const received: Request[] = [];
let onRequest: () => void;
let transport: HttpRpcTransport;

const server = createServer(async (request, response) => {
  const calls = [await json(request)].flat() as { id: number }[];
  received.push({ ids: calls.map(({ id }) => id), response });
  onRequest();
});

const nextRequest = async (): Promise<Request> => {
  if (received.length === 0) {
    await new Promise<void>((resolve) => {
      onRequest = resolve;
    });
  }
  return received.shift()!;
};

beforeAll(async () => {
  const { url } = await startTestServer(server);
  transport = untilTestsEnd(createHttpRpcTransport({ url, maxBatchSize: 100, timeoutMs: 20_000 }));
});

beforeEach(() => {
  received.length = 0;
  onRequest = () => {};
});

const LONG = 'x'.repeat(800_000);
const method = { name: 'm', params: (name: string) => [name], read: (result: unknown) => String(result)[0] };
const entry = (id: number | undefined, result: string) => JSON.stringify({ jsonrpc: '2.0', id, result });

test('a call receives its result before the response to its batch is complete, and calls that follow wait for the end', async () => {
  const calls = createOperationCalls(transport, new AbortController().signal);
  const results = ['a', 'b', 'c', 'd'].map((name) => calls.call(method, name));
  const { ids, response } = await nextRequest();
  // The delimiter after the second long entry ends it.
  response.write(`[${entry(ids[0], `a${LONG}`)},${entry(ids[1], `b${LONG}`)},${entry(ids[2], 'c')},`);
  expect(await results[0]).toBe('a');
  expect(await results[1]).toBe('b');
  const following = [calls.call(method, 'e'), calls.call(method, 'f')];
  response.end(`${entry(ids[3], 'd')}]`);
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  const second = await nextRequest();
  second.response.end(`[${second.ids.map((id, i) => entry(id, 'ef'[i]!)).join()}]`);
  expect(await Promise.all(following)).toEqual(['e', 'f']);
});

test('when a long response breaks off, calls with a complete result succeed and the others fail', async () => {
  const calls = createOperationCalls(transport, new AbortController().signal);
  const results = ['a', 'b', 'c'].map((name) => calls.call(method, name));
  const { ids, response } = await nextRequest();
  response.write(`[${entry(ids[0], `a${LONG}`)},${entry(ids[1], `b${LONG}`)},${entry(ids[2], 'c').slice(0, 30)}`);
  expect(await results[0]).toBe('a');
  response.destroy();
  expect(await Promise.allSettled(results)).toMatchObject([
    { value: 'a' },
    { value: 'b' },
    { reason: { extensions: { code: 'UPSTREAM_UNAVAILABLE' } } },
  ]);
});

test.each([{}, { result: null }])(
  'an error in a long response, beside %j, is reported when the response is complete',
  async (beside) => {
    const calls = createOperationCalls(transport, new AbortController().signal);
    const results = ['a', 'b', 'c'].map((name) => calls.call(method, name));
    const { ids, response } = await nextRequest();
    const error = JSON.stringify({ jsonrpc: '2.0', id: ids[0], ...beside, error: { code: -32005, message: 'rate limit' } });
    response.end(`[${error},${entry(ids[1], `b${LONG}`)},${entry(ids[2], `c${LONG}`)}]`);
    expect(await Promise.allSettled(results)).toMatchObject([
      { reason: { extensions: { code: 'UPSTREAM_RATE_LIMITED' } } },
      { value: 'b' },
      { value: 'c' },
    ]);
  },
);

test('an error about the batch after results that are passed on does not repeat the calls', async () => {
  const calls = createOperationCalls(transport, new AbortController().signal);
  const results = ['a', 'b', 'c'].map((name) => calls.call(method, name));
  const { ids, response } = await nextRequest();
  const error = JSON.stringify({ jsonrpc: '2.0', id: ids[2], error: { code: -32000, message: 'batch response too large' } });
  response.end(`[${entry(ids[0], `a${LONG}`)},${entry(ids[1], `b${LONG}`)},${error}]`);
  expect(await Promise.allSettled(results)).toMatchObject([
    { value: 'a' },
    { value: 'b' },
    { reason: { extensions: { rpcCode: -32000 } } },
  ]);
  expect(received).toEqual([]);
});

test('a released result is requested again', async () => {
  const calls = createOperationCalls(transport, new AbortController().signal);
  const prefetched = calls.prefetch(method, 'a');
  expect(calls.isSent(method, 'a')).toBe(true);
  const first = await nextRequest();
  first.response.end(entry(first.ids[0], 'a'));
  await prefetched;
  expect(await calls.call(method, 'a')).toBe('a');
  calls.release(method, 'a');
  expect(calls.isSent(method, 'a')).toBe(false);
  const again = calls.call(method, 'a');
  const second = await nextRequest();
  second.response.end(entry(second.ids[0], 'z'));
  expect(await again).toBe('z');
});

test('a result in a long response that contradicts a block header is counted once', async () => {
  const url = transport.label;
  const headerChecks = new HeaderChecks('on');
  const other = untilTestsEnd(createHttpRpcTransport({ url, maxBatchSize: 100, timeoutMs: 20_000, headerChecks }));
  const checked = {
    ...method,
    read: (result: unknown) => ({ name: String(result)[0] }),
    contradiction: ({ name }: { name: string | undefined }) => (name === 'a' ? { check: 'hash' as const, text: 'x' } : undefined),
  };
  const calls = createOperationCalls(other, new AbortController().signal);
  const results = ['a', 'b'].map((name) => calls.call(checked, name));
  const { ids, response } = await nextRequest();
  response.end(`[${entry(ids[0], `a${LONG}`)},${entry(ids[1], `b${LONG}`)}]`);
  expect(await Promise.allSettled(results)).toMatchObject([
    { reason: { code: 'UPSTREAM_BAD_RESPONSE' } },
    { value: { name: 'b' } },
  ]);
  expect(headerChecks.checks).toBe(2);
});
