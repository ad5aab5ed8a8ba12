import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { GraphError } from '../../../../src/lib/errors.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** The graphql-ws client with its default settings against a test server. */
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

const subscribed = () => waitUntil(async () => (await toy.metric('subscriptions')) === 1, 'the server has one subscription');

/** Returns all results of an operation. */
async function all(query: string, variables?: Record<string, unknown>, operationName?: string): Promise<any[]> {
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

test('result over WebSocket has the same extensions as over HTTP', async () => {
  expect(await all('{ block }')).toEqual([{ data: { block: 'head' }, extensions: { block: { number: 'head' } } }]);
});

test('operationName selects an operation of the document', async () => {
  expect(await all('query A { answer } query B { big(size: 2) }', {}, 'B')).toEqual([{ data: { big: 'xx' } }]);
});

test('field error is sent together with the data', async () => {
  const [{ data, errors }] = await all('{ answer fail }');
  expect(data).toEqual({ answer: 42, fail: null });
  expect(errors[0]).toMatchObject({ path: ['fail'], extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true, source: 'node' } });
  expect(errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

const nested = `{ ${'sum(of: [1]) '.repeat(300)} }`;

test.each([
  ['has a syntax error', '{ answer', {}, undefined, 'GRAPHQL_PARSE_FAILED'],
  ['is nested 20,000 levels deep', '{ a'.repeat(20_000), {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['has too many tokens', `{ ${'answer '.repeat(6_000)} }`, {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['has too many fields', nested, {}, undefined, 'QUERY_TOO_COMPLEX'],
  ['selects an unknown field', '{ nothing }', {}, undefined, 'GRAPHQL_VALIDATION_FAILED'],
  ['lacks a variable', 'query ($size: Int!) { big(size: $size) }', {}, undefined, 'BAD_USER_INPUT'],
  [
    'has variables of a wrong type',
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
  ['names an operation that the document lacks', 'query A { answer }', {}, 'B', 'OPERATION_RESOLUTION_FAILURE'],
  [
    'has two operations and no operationName',
    'query A { answer } query B { answer }',
    {},
    undefined,
    'OPERATION_RESOLUTION_FAILURE',
  ],
  ['has an invalid operationName', 'query A { answer }', {}, 'a name', 'OPERATION_RESOLUTION_FAILURE'],
  ['subscribes to two fields', 'subscription { a: ticks { n } b: ticks { n } }', {}, undefined, 'GRAPHQL_VALIDATION_FAILED'],
  ['subscribes to no field', 'subscription { ticks @skip(if: true) { n } }', {}, undefined, 'BAD_USER_INPUT'],
  [
    'has an argument that its resolver rejects',
    'subscription { ticks(after: "nonsense") { n } }',
    {},
    undefined,
    'BAD_USER_INPUT',
  ],
  ['is rejected by its resolver', 'subscription { refused { n } }', {}, undefined, 'BAD_USER_INPUT'],
  ['fails with an internal error', 'subscription { leak { n } }', {}, undefined, 'INTERNAL_SERVER_ERROR'],
  ['resumes from an expired cursor', 'subscription { ticks(after: "-1") { n } }', {}, undefined, 'CURSOR_EXPIRED'],
])('operation that %s ends with an error message', async (_case, query, variables, operationName, code) => {
  const errors: any = await all(query, variables, operationName).then(
    (results) => results,
    (error) => error,
  );
  expect(errors[0].extensions).toMatchObject({ code, source: 'graph' });
  expect(errors[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(errors.length).toBeLessThan(11);
  expect(JSON.stringify(errors)).not.toMatch(/stacktrace|node_modules|\.ts:/);
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
