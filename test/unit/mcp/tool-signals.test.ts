import { expect, test } from '@jest/globals';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { pino } from 'pino';
import type { GraphClient } from '../../../src/mcp/graph-client.ts';
import { createSchemaSource } from '../../../src/mcp/graph-schema.ts';
import { createMcpServer } from '../../../src/mcp/server.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { LIMITS } from '../../support/graph/toy-server.ts';

const schema = buildSchema('type Query { block: Block chainID: Int } type Block { number: Int }');

/** Starts the tools over a graph, and returns a function that calls one of them and resolves with the message of its result. */
async function startTools(client: GraphClient, stopping: AbortSignal) {
  const options = { schemaOf: createSchemaSource(), maxBytes: 10_000, allowsMutations: false, limits: LIMITS, stopping };
  const server = createMcpServer(client, { ...options, mask: (text) => text, log: pino({ level: 'silent' }) });
  const [end, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);
  stopAfterTests(() => server.close());
  const waiting = new Map<unknown, (message: unknown) => void>();
  end.onmessage = (message) => waiting.get('id' in message ? message.id : undefined)?.(message);
  await end.start();
  let id = 0;
  return async (name: string, input: object) => {
    const requestId = ++id;
    const result = new Promise((resolve) => waiting.set(requestId, resolve));
    await end.send({
      jsonrpc: '2.0',
      id: requestId,
      method: 'tools/call',
      params: { name, arguments: input as Record<string, unknown> },
    });
    return result;
  };
}

/** The number of signals that Node holds for a signal, also after their garbage collection. */
const dependantsOf = (signal: AbortSignal): number => {
  const sets = Object.getOwnPropertySymbols(signal).filter(({ description }) => description === 'kDependantSignals');
  return sets.reduce((sum, symbol) => sum + (signal as unknown as Record<symbol, Set<unknown>>)[symbol]!.size, 0);
};

test('a signal that depends on another one is counted', () => {
  const { signal } = new AbortController();
  const dependant = AbortSignal.any([signal]);
  expect([dependantsOf(signal), dependant.aborted]).toEqual([1, false]);
});

test('calls of tools that have ended leave nothing on the signal of the process', async () => {
  const { signal } = new AbortController();
  const client: GraphClient = {
    execute: async () => ({ data: { blockNumber: '0x1' } }),
    async *subscribe() {
      yield { data: { blockNumber: '0x1' } };
    },
  };
  const call = await startTools(client, signal);
  for (let i = 0; i < 20; i++) {
    const collected = await call('collect_events', { query: 'subscription { blockNumber }' });
    const executed = await call('execute_operation', { query: '{ blockNumber }' });
    for (const message of [collected, executed]) expect(JSON.stringify(message)).toContain('0x1');
  }
  expect(dependantsOf(signal)).toBe(0);
});

test('a running call of a tool ends when the server stops', async () => {
  const stopping = new AbortController();
  const abortedOf = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const call = await startTools(
    {
      execute: (_request, signal) => abortedOf(signal),
      async *subscribe(_request, signal) {
        yield abortedOf(signal);
      },
    },
    stopping.signal,
  );
  const results = [call('execute_operation', { query: '{ a }' }), call('collect_events', { query: 'subscription { a }' })];
  await new Promise(setImmediate);
  stopping.abort();
  for (const result of await Promise.all(results)) expect(JSON.stringify(result)).toContain('"isError":true');
});

test('validate_operation rejects a document above MAX_TOKENS, as the graph does', async () => {
  const client = { execute: async () => graphqlSync({ schema, source: getIntrospectionQuery() }) } as unknown as GraphClient;
  const call = await startTools(client, new AbortController().signal);
  const result = await call('validate_operation', { query: `{ block { ${'number '.repeat(LIMITS.MAX_TOKENS)} } }` });
  expect(JSON.stringify(result)).toMatch(/QUERY_TOO_COMPLEX.*5000/);
});

test('errors above MCP_MAX_RESULT_BYTES fail with RESULT_TOO_LARGE', async () => {
  const errors = [{ message: 'x'.repeat(10_000), extensions: { code: 'BAD_USER_INPUT' } }];
  const call = await startTools({ execute: async () => ({ errors }) } as unknown as GraphClient, new AbortController().signal);
  expect(JSON.stringify(await call('execute_operation', { query: '{ chainID }' }))).toContain('RESULT_TOO_LARGE');
});
