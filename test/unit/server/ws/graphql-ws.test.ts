import type { Socket } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { GraphError } from '../../../../src/lib/errors.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** The graphql-ws client with its default settings against a test server. */
let toy: ToyServer;
let client: Client;

beforeAll(async () => {
  toy = await startToyServer();
  client = createClient({ url: `${toy.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
});

const subscribed = () => waitUntil(async () => (await toy.metric('subscriptions')) === 1, 'the server has one subscription');

/** Returns all results of an operation. */
async function all(query: string, variables?: Record<string, unknown>, operationName?: string) {
  const results: any[] = [];
  for await (const result of client.iterate({ query, variables: variables ?? null, operationName: operationName ?? null })) {
    results.push(result);
  }
  return results;
}

test('queries and mutations return one result and complete', async () => {
  expect(await all('{ answer }')).toEqual([{ data: { answer: 42 } }]);
  expect(await all('mutation { bump }')).toEqual([{ data: { bump: 1 } }]);
});

test('field error is sent together with the data', async () => {
  const [{ data, errors }] = await all('{ answer fail }');
  expect(data).toEqual({ answer: 42, fail: null });
  expect(errors[0]).toMatchObject({ path: ['fail'], extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true, source: 'node' } });
  expect(errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('stream that ends completes its subscribers, and stream that fails sends them its error', async () => {
  for (const error of [undefined, new GraphError('UPSTREAM_CHAIN_CHANGED', 'Another chain.')]) {
    const emitted = all('subscription { ticks { n } }').catch((errors) => errors);
    await subscribed();
    toy.state.ticker().emit();
    toy.state.ticker().end(error);
    const [one] = await emitted;
    if (error) expect(one).toMatchObject({ message: 'Another chain.', extensions: { code: 'UPSTREAM_CHAIN_CHANGED' } });
    else expect(one).toEqual({ data: { ticks: { n: expect.any(Number) } } });
  }
});

test('subscription that the client completes stops its stream on the server', async () => {
  const events = client.iterate({ query: 'subscription { ticks { n } }' });
  const first = events.next();
  await subscribed();
  toy.state.ticker().emit();
  expect((await first).value.data.ticks.n).toBeGreaterThan(0);
  await events.return!();
  await waitUntil(() => toy.state.openStreams === 0, 'the stream is stopped');
});

test('query that the client completes is aborted', async () => {
  toy.state.hold = new Promise(() => {});
  const before = toy.state.operations.length;
  const dispose = client.subscribe({ query: '{ held }' }, { next() {}, error() {}, complete() {} });
  await waitUntil(() => toy.state.operations.length > before, 'the query runs');
  const { signal } = toy.state.operations.at(-1)!;
  dispose();
  await waitUntil(() => signal.aborted, 'the query is aborted');
  expect(signal.reason).toMatchObject({ message: 'The client has disconnected or cancelled the operation.' });
});

test('a ping of a client that does not read has its pong once the client reads again', async () => {
  const socket = await RawSocket.connect(toy.url);
  const network = (socket.ws as unknown as { readonly _socket: Socket })._socket.pause();
  socket.subscribe('1', 'subscription { ticks { n text } }');
  await subscribed();
  for (let i = 0; i < 50; i++) toy.state.ticker().emit(1, 100_000);
  await waitUntil(async () => (await toy.metric('unsent_bytes')) > 64 * 1024, 'events wait for the client');
  socket.send({ type: 'ping' });
  // The server runs in this process, and has the ping after a few turns.
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  network.resume();
  await socket.waitForMessage(({ type }) => type === 'pong');
  socket.ws.close();
  await socket.closed;
});
