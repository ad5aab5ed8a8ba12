import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { createGraphClient } from '../../../src/mcp/graph-client.ts';
import { collectEvents } from '../../../src/mcp/tool-results.ts';
import { startTestServer } from '../../support/test-server.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const MAX_BYTES = 262_144;

/** Starts a server that sends 48 MiB, and returns its URL and the number of bytes that it has sent. */
async function startLargeGraph(type: string, start: string) {
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).write(start);
    const send = (): void => {
      while (sent < 48 * 1024 * 1024 && !response.destroyed) {
        sent += CHUNK.length;
        if (!response.write(CHUNK)) return void response.once('drain', send);
      }
      response.end();
    };
    send();
  });
  return { url: (await startTestServer(server)).url, sentBytes: () => sent };
}

const signal = new AbortController().signal;

test('a response that is too large for a result is not read to its end', async () => {
  const { url, sentBytes } = await startLargeGraph('application/json', '{"data":{"a":"');
  await expect(createGraphClient(url, {}).execute({ query: '{ a }' }, signal, MAX_BYTES)).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
    extensions: { limit: MAX_BYTES, setting: 'MCP_MAX_RESULT_BYTES' },
  });
  expect(sentBytes()).toBeLessThan(24 * 1024 * 1024);
});

test('an event that is too large for a result is not read to its end', async () => {
  const { url, sentBytes } = await startLargeGraph('text/event-stream', 'event: next\ndata: {"data":{"a":"');
  const options = { maxBytes: MAX_BYTES, count: 1, signal };
  await expect(collectEvents(createGraphClient(url, {}), { query: 'subscription { a }' }, options)).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
  });
  expect(sentBytes()).toBeLessThan(24 * 1024 * 1024);
});
