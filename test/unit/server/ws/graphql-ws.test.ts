import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { GraphError } from '../../../../src/errors.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** The library that most clients are made with, as it comes. */
let toy: ToyServer;
let client: Client;

beforeAll(async () => {
  toy = await startToyServer();
  client = createClient({ url: `${toy.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
});

afterAll(async () => {
  await client?.dispose();
  await toy?.stop();
});

const listening = () => waitUntil(async () => (await toy.metric('subscriptions')) === 1, 'somebody listens');

/** Everything that comes of an operation. */
async function all(query: string, variables?: Record<string, unknown>, operationName?: string): Promise<any[]> {
  const results: any[] = [];
  for await (const result of client.iterate({ query, variables: variables ?? null, operationName: operationName ?? null })) {
    results.push(result);
  }
  return results;
}

test('a query and a mutation are answered once and completed', async () => {
  expect(await all('{ answer }')).toEqual([{ data: { answer: 42 } }]);
  expect(await all('mutation { bump }')).toEqual([{ data: { bump: 1 } }]);
});

test('an answer tells what it would tell over HTTP beside its data', async () => {
  expect(await all('{ block }')).toEqual([{ data: { block: 'head' }, extensions: { block: { number: 'head' } } }]);
});

test('the operation is named where the document has several', async () => {
  expect(await all('query A { answer } query B { big(size: 2) }', {}, 'B')).toEqual([{ data: { big: 'xx' } }]);
});

test('an error of a field comes with the data', async () => {
  const [{ data, errors }] = await all('{ answer fail }');
  expect(data).toEqual({ answer: 42, fail: null });
  expect(errors[0]).toMatchObject({ path: ['fail'], extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true, source: 'node' } });
  expect(errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

const nested = `{ ${'sum(of: [1]) '.repeat(300)} }`;

test.each([
  ['is no GraphQL', '{ answer', {}, undefined, 'GRAPHQL_PARSE_FAILED'],
  ['is nested without end', '{ a'.repeat(20_000), {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['has too many tokens', `{ ${'answer '.repeat(6_000)} }`, {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['has too many fields', nested, {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['does not fit the schema', '{ nothing }', {}, undefined, 'GRAPHQL_VALIDATION_FAILED'],
  ['lacks a variable', 'query ($size: Int!) { big(size: $size) }', {}, undefined, 'BAD_USER_INPUT'],
  [
    'has variables of a wrong kind',
    'query ($of: [Int!]!) { sum(of: $of) }',
    { of: 'abc'.split('') },
    undefined,
    'BAD_USER_INPUT',
  ],
  [
    'has variables that are nested too deeply',
    'query ($of: [Int!]!) { sum(of: $of) }',
    { of: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) },
    undefined,
    'QUERY_TOO_COMPLEX',
  ],
  ['has no such operation', 'query A { answer }', {}, 'B', 'OPERATION_RESOLUTION_FAILURE'],
  ['has two operations and names none', 'query A { answer } query B { answer }', {}, undefined, 'OPERATION_RESOLUTION_FAILURE'],
  ['has a name that is none', 'query A { answer }', {}, 'a name', 'OPERATION_RESOLUTION_FAILURE'],
  ['subscribes to two things', 'subscription { a: ticks { n } b: ticks { n } }', {}, undefined, 'GRAPHQL_VALIDATION_FAILED'],
  ['subscribes to nothing', 'subscription { ticks @skip(if: true) { n } }', {}, undefined, 'BAD_USER_INPUT'],
  ['has an argument that its field refuses', 'subscription { ticks(after: "nonsense") { n } }', {}, undefined, 'BAD_USER_INPUT'],
  ['is refused by its field later', 'subscription { refused { n } }', {}, undefined, 'BAD_USER_INPUT'],
  ['fails by a mistake of the server', 'subscription { leak { n } }', {}, undefined, 'INTERNAL_SERVER_ERROR'],
  ['goes on from a place that is gone', 'subscription { ticks(after: "-1") { n } }', {}, undefined, 'CURSOR_EXPIRED'],
])('an operation that %s ends with an error message', async (_case, query, variables, operationName, code) => {
  const errors: any = await all(query, variables, operationName).then(
    (results) => results,
    (error) => error,
  );
  expect(errors[0].extensions).toMatchObject({ code, source: 'graph' });
  expect(errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(errors.length).toBeLessThan(11);
  expect(JSON.stringify(errors)).not.toMatch(/stacktrace|node_modules|\.ts:/);
});

test('a stream that ends completes its subscribers, one that breaks tells them why', async () => {
  for (const error of [undefined, new GraphError('UPSTREAM_CHAIN_CHANGED', 'Another chain.')]) {
    const emitted = all('subscription { ticks { n } }').catch((errors) => errors);
    await listening();
    toy.state.ticker().emit();
    toy.state.ticker().end(error);
    const [one] = await emitted;
    if (error) expect(one).toMatchObject({ message: 'Another chain.', extensions: { code: 'UPSTREAM_CHAIN_CHANGED' } });
    else expect(one).toEqual({ data: { ticks: { n: expect.any(Number) } } });
  }
});

test('a subscription that the client ends is over on the server as well', async () => {
  const events = client.iterate({ query: 'subscription { ticks { n } }' });
  const first = events.next();
  await listening();
  toy.state.ticker().emit();
  expect((await first).value.data.ticks.n).toBeGreaterThan(0);
  await events.return!();
  await waitUntil(() => toy.state.openStreams === 0, 'the stream is stopped');
});

test('a query that the client ends is ended, with all that it waits for', async () => {
  toy.state.hold = new Promise(() => {});
  const before = toy.state.operations.length;
  const dispose = client.subscribe({ query: '{ held }' }, { next() {}, error() {}, complete() {} });
  await waitUntil(() => toy.state.operations.length > before, 'it runs');
  const { signal } = toy.state.operations.at(-1)!;
  dispose();
  await waitUntil(() => signal.aborted, 'it is ended');
  expect(signal.reason).toMatchObject({ message: 'The client has disconnected or cancelled the operation.' });
});
