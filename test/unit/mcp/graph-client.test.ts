import { once } from 'node:events';
import { createServer } from 'node:http';
import { beforeEach, expect, test } from '@jest/globals';
import type { EventSourceMessage } from 'eventsource-parser';
import { withTimeout } from '../../../src/lib/abort.ts';
import { createGraphClient, type GraphClient, graphTimeout, readEventStream } from '../../../src/mcp/graph-client.ts';
import { collectEvents } from '../../../src/mcp/tool-results.ts';
import { cleanups } from '../../support/cleanups.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { startTestServer } from '../../support/test-server.ts';

/** The start of the event streams of the server, which then stay silent. */
let streamed: string;
/** Of a server whose other responses never end. */
let client: GraphClient;
let disconnected: Promise<unknown>;

beforeEach(async () => {
  streamed = ':\n\n';
  const server = createServer(({ headers }, response) => {
    disconnected = once(response, 'close');
    const isStream = headers.accept === 'text/event-stream';
    response
      .writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      .write(isStream ? streamed : '{');
  });
  client = createGraphClient((await startTestServer(server)).url, {});
  const collecting = setInterval(collectGarbage, 20);
  cleanups.push(() => clearInterval(collecting));
});

const collect = (timeoutMs: number, signal: AbortSignal) =>
  withTimeout(
    timeoutMs,
    (timeout) =>
      collectEvents(
        client,
        { query: 'subscription { a }' },
        { count: 1, maxBytes: 10_000, signal: AbortSignal.any([timeout, signal]) },
      ),
    graphTimeout,
  );

test('a collection of events ends after its time and disconnects, also if garbage is collected meanwhile', async () => {
  expect(await collect(300, new AbortController().signal)).toEqual({ events: [], ended: 'TIMEOUT' });
  await disconnected;
});

test('a collection of events ends when the call is cancelled, also if garbage is collected meanwhile', async () => {
  const control = new AbortController();
  const collection = collect(60_000, AbortSignal.any([control.signal, new AbortController().signal]));
  setTimeout(() => control.abort(), 300);
  await expect(collection).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await disconnected;
});

test('user and password of GRAPH_URL are sent as Basic authentication', async () => {
  const { url } = await startTestServer(
    createServer(({ headers: { authorization } }, response) => void response.end(JSON.stringify({ data: { authorization } }))),
  );
  const withCredentials = createGraphClient(`${url.replace('//', '//user:pass@')}/graphql`, {});
  const { data } = await withCredentials.execute({ query: '{ a }' }, new AbortController().signal);
  expect(data).toEqual({ authorization: `Basic ${btoa('user:pass')}` });
});

test('a response that does not end is aborted by its signal, also if garbage is collected meanwhile', async () => {
  const response = withTimeout(300, (signal) => client.execute({ query: '{ a }' }, signal), graphTimeout);
  await expect(response).rejects.toMatchObject({ code: 'TIMEOUT' });
  await disconnected;
});

test('an event that fits the maximum size of a result with its comma and 512 other bytes is collected', async () => {
  streamed = `event: next\ndata: ${JSON.stringify({ data: 'x'.repeat(10_000 - 512 - 1 - '{"data":""}'.length) })}\n\n`;
  expect(await collect(60_000, new AbortController().signal)).toMatchObject({ ended: 'COUNT' });
});

async function eventsIn(text: string, size: number, maxBytes = 1_000): Promise<EventSourceMessage[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const events: EventSourceMessage[] = [];
  for await (const event of readEventStream(chunks(), maxBytes)) events.push(event);
  return events;
}

const STREAM =
  ':\n\nevent: next\ndata: {"a":"ä"}\n\ndata:first\ndata: second\n\nid: 1\n\nevent: complete\ndata:\n\nevent: next\ndata: cut';

test.each(['\n', '\r\n', '\r'])('events are read from chunks of every size, with line ends %j', async (lineEnd) => {
  for (let size = 1; size <= 40; size += 1) {
    expect([size, await eventsIn(STREAM.replaceAll('\n', lineEnd), size)]).toEqual([
      size,
      [{ event: 'next', data: '{"a":"ä"}' }, { data: 'first\nsecond' }, { event: 'complete', data: '' }],
    ]);
  }
});

test.each([`data: ${'x'.repeat(2_000)}`, 'data: x\n'.repeat(1_000)])('an event above the maximum size rejects', async (text) => {
  await expect(eventsIn(text, 100)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
});
