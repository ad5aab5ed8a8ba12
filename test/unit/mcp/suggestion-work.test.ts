import { expect, test } from '@jest/globals';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { buildSchema } from 'graphql';
import { pino } from 'pino';
import { createMcpServer } from '../../../src/mcp/server.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { LIMITS } from '../../support/graph/toy-server.ts';

const options = {
  schemaOf: async () => buildSchema('type Query { chainID: Int }'),
  maxBytes: 10_000,
  allowsMutations: false,
  limits: LIMITS,
  stopping: new AbortController().signal,
  mask: (text: string) => text,
  log: pino({ level: 'silent' }),
};

/** Reads a resource, and resolves with the message of its result and the time that the event loop was blocked, in milliseconds. */
async function read(uri: string) {
  const server = createMcpServer({ execute: async () => ({ data: null }), async *subscribe() {} }, options);
  const [end, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);
  stopAfterTests(() => server.close());
  const result = new Promise((resolve) => {
    end.onmessage = resolve;
  });
  await end.start();
  const startedAt = performance.now();
  await end.send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  return { message: await result, ms: performance.now() - startedAt };
}

test.each([
  ['one long word', 'a'.repeat(30_000)],
  ['many words', 'docss/'.repeat(30_000)],
])('the error for an unknown resource with %s takes no more work than for a short one', async (_title, path) => {
  // Reads the list of resources.
  await read('grimoire://unknown');
  const { message, ms } = await read(`grimoire://${path}`);
  expect(message).toMatchObject({ error: { message: expect.stringContaining('No such resource') } });
  expect(ms).toBeLessThan(400);
});
