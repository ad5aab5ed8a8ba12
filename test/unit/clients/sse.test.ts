import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createEventStreamClient, follow, HttpError } from '../../../clients/js/src/index.ts';
import { parseEvents } from '../../../clients/js/src/sse-parser.ts';
import { startTestServer } from '../../support/test-server.ts';

const NO_TIMER = { start() {}, stop() {} };

/** Serves one handler and returns its URL. */
const serve = async (handle: RequestListener): Promise<string> => (await startTestServer(createServer(handle))).url;

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

async function collect(url: string, options = {}) {
  const results: unknown[] = [];
  for await (const result of createEventStreamClient({ url, ...options }).iterate({ query: 'subscription { n }' }))
    results.push(result);
  return results;
}

test('events are read whatever the chunks and line ends, and comments are ignored', async () => {
  const text =
    ':\r\n\r\nevent: next\r\ndata: {"data":{"n":"ü1"}}\r\n\r\n:\n\nevent: next\ndata:{"data":\ndata: {"n":2}}\n\nevent: complete\ndata:\n\n';
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const url = await serve(async (_request, response) => {
      stream(response);
      for (let i = 0; i < bytes.length; i += size) {
        response.write(bytes.subarray(i, i + size));
        if (size < 7) await new Promise(setImmediate);
      }
      response.end();
    });
    expect(await collect(url)).toEqual([{ data: { n: 'ü1' } }, { data: { n: 2 } }]);
  }
});

test('headers are requested for each stream', async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers.accept);
    stream(response).end('event: complete\ndata:\n\n');
  });
  await collect(url, { headers: async () => ({ authorization: 'Bearer one' }) });
  expect(seen).toEqual(['Bearer one', 'text/event-stream']);
});

test('a stream without `complete` rejects, as does one that is silent', async () => {
  const ended = await serve((_request, response) => stream(response).end('event: next\ndata: {"data":{"n":1}}\n\n'));
  await expect(collect(ended)).rejects.toThrow('without `complete`');
  const silent = await serve((_request, response) => void stream(response).write(':\n\n'));
  await expect(collect(silent, { idleTimeoutMs: 20 })).rejects.toThrow('silent for too long');
});

test('a caller that takes long for an event does not lose the connection', async () => {
  const url = await serve((_request, response) =>
    stream(response).end('event: next\ndata: {"data":{"n":1}}\n\nevent: complete\ndata:\n\n'),
  );
  const events = createEventStreamClient({ url, idleTimeoutMs: 500 }).iterate({ query: 'subscription { n }' });
  expect((await events.next()).value).toEqual({ data: { n: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect((await events.next()).done).toBe(true);
});

test('a refusal rejects with its GraphQL errors, or with its status where a retry may succeed', async () => {
  const refuse = (status: number, headers: Record<string, string>, body: string) =>
    serve((_request, response) => response.writeHead(status, headers).end(body));
  const errors = [{ message: 'no', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }];
  const json = { 'content-type': 'application/json' };
  await expect(collect(await refuse(400, json, JSON.stringify({ errors })))).rejects.toEqual(errors);
  await expect(collect(await refuse(503, { ...json, 'retry-after': '2' }, JSON.stringify({ errors })))).rejects.toEqual(
    expect.objectContaining({ status: 503, retryAfterMs: 2000 }),
  );
  await expect(collect(await refuse(404, {}, 'nothing here'))).rejects.toBeInstanceOf(HttpError);
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const refusal = await collect(await refuse(503, { 'retry-after': date }, '')).catch((error) => error);
  expect(refusal.retryAfterMs / 3_600_000).toBeCloseTo(1, 1);
});

test('`return` ends the request while an event is awaited', async () => {
  let onClose: () => void;
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const url = await serve((_request, response) => {
    stream(response).write(':\n\n');
    response.once('close', () => onClose());
  });
  const events = createEventStreamClient({ url }).iterate({ query: 'subscription { n }' });
  const next = events.next().catch(() => 'aborted');
  void events.return?.();
  expect(await Promise.race([next, closed])).not.toEqual({ done: false });
});

test('a connection without an idle timeout stays open', async () => {
  const url = await serve((_request, response) => {
    stream(response).write(':\n\n');
    setTimeout(() => response.end('event: next\ndata: {"data":{"n":1}}\n\nevent: complete\ndata:\n\n'), 50);
  });
  expect(await collect(url, { idleTimeoutMs: Number.POSITIVE_INFINITY })).toEqual([{ data: { n: 1 } }]);
});

test('the time to read an event is proportional to its length', async () => {
  const secondsOf = async (chunks: number) => {
    const parts = ['event: next\ndata: ', ...Array.from({ length: chunks }, () => 'x'.repeat(4_096)), '\n\n'];
    const before = process.cpuUsage();
    for await (const { data } of parseEvents(ReadableStream.from(parts.map((part) => Buffer.from(part))) as never, NO_TIMER))
      expect(data.length).toBe(chunks * 4_096);
    return process.cpuUsage(before).user / 1e6;
  };
  await secondsOf(100);
  // A quadratic time would be 64 times as long.
  expect(await secondsOf(4_000)).toBeLessThan(24 * (await secondsOf(500)) + 0.5);
});

test('a variable that JSON does not have ends a subscription at once', async () => {
  const client = createEventStreamClient({ url: await serve((_request, response) => stream(response).end()) });
  const interruptions: unknown[] = [];
  const events = follow(client, {
    ...{ query: 'subscription { n }', variables: { fromBlock: 5n }, backoff: { firstMs: 1, maxMs: 1 }, maxAttempts: 2 },
    onInterruption: ({ error }) => interruptions.push(error),
  });
  await expect(events.next()).rejects.toThrow('BigInt');
  expect(interruptions).toEqual([]);
});

test('a stream whose headers do not arrive counts as lost', async () => {
  const url = await serve((_request, response) => stream(response).end());
  await expect(collect(url, { idleTimeoutMs: 20, headers: () => new Promise(() => {}) })).rejects.toThrow('silent for too long');
});
