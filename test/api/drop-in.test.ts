import { beforeAll, describe, expect, test } from '@jest/globals';
import { connectEventStream } from '../support/clients/event-stream-client.ts';
import { postJson } from '../support/clients/post-json.ts';
import { rawRequest } from '../support/clients/raw-request.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { bodyOf } from '../support/graph/results.ts';
import type { RunningGraph } from '../support/graph/running-graph.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { startSimNode } from '../support/simulator/node.ts';
import { waitUntil } from '../support/wait-until.ts';

/**
 * Drop-in mode over a chain of 40 blocks. The requests and their results come from the GraphQL test suites of geth and Besu.
 * Where both suites differ, as for an unknown number, the expected result is the result of geth.
 */
const chain = new SimChain({ seed: 3, blockSeconds: 12 });
let graph: RunningGraph;

beforeAll(async () => {
  chain.mine(40);
  const node = await startSimNode({ chain });
  graph = await serveGraph({
    RPC_URL: node.url,
    RPC_WS_URL: node.wsUrl,
    NODE_METHODS: 'plain',
    COMPATIBILITY: 'eip1767',
    LOG_LEVEL: 'warn',
    CORS_ORIGINS: 'https://game.example',
  });
  await waitUntil(async () => (await get('{ block { number } }')).headers.has('x-graph-block'), 'the server has a head');
});

const COMPRESSED_JSON = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const UNKNOWN_HASH = `0x${'12'.repeat(32)}`;

const post = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  postJson(`${graph.url}/graphql`, { query, variables: null }, headers);

const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${graph.url}/graphql?query=${encodeURIComponent(query)}`, { headers: { 'apollo-require-preflight': '1', ...headers } });

describe('responses in drop-in mode', () => {
  test.each<[string, string, object]>([
    ['the head', '{ block { number } }', { block: { number: '0x28' } }],
    ['a block by a JSON number', '{ block(number: 0) { number } }', { block: { number: '0x0' } }],
    ['a block by 0x-hex', '{ block(number: "0x1f") { number } }', { block: { number: '0x1f' } }],
    ['an unknown number', '{ block(number: 1337) { number } }', { block: null }],
    ['an unknown transaction', `{ transaction(hash: "${UNKNOWN_HASH}") { index } }`, { transaction: null }],
    ['a range', '{ blocks(from: 1, to: 2) { number } }', { blocks: [{ number: '0x1' }, { number: '0x2' }] }],
  ])('%s has status 200 and data alone', async (_case, query, data) => {
    const response = await post(query);
    expect([response.status, await response.json()]).toEqual([200, { data }]);
  });

  test.each<[string, string, string, object | undefined | null]>([
    ['an unknown hash', `{ block(hash: "${UNKNOWN_HASH}") { number } }`, 'BLOCK_NOT_AVAILABLE', { block: null }],
    ['a number and a hash', `{ block(number: 3, hash: "${UNKNOWN_HASH}") { number } }`, 'BAD_USER_INPUT', { block: null }],
    ['a range without a start', '{ blocks { number } }', 'BAD_USER_INPUT', null],
    [
      'an error beside data',
      `{ chainID block(hash: "${UNKNOWN_HASH}") { number } }`,
      'BLOCK_NOT_AVAILABLE',
      { chainID: '0x7', block: null },
    ],
    ['a number that is none', '{ block(number: "a") { number } }', 'GRAPHQL_VALIDATION_FAILED', undefined],
    ['an unknown field', '{ bleh { number } }', 'GRAPHQL_VALIDATION_FAILED', undefined],
    ['a syntax error', '{ block', 'GRAPHQL_PARSE_FAILED', undefined],
  ])('%s has status 400, and its error has a code', async (_case, query, code, data) => {
    const response = await post(query);
    const body = await bodyOf(response);
    expect([response.status, body.data, Object.keys(body).sort()]).toEqual([
      400,
      data,
      data === undefined ? ['errors'] : ['data', 'errors'],
    ]);
    expect(body.errors).toEqual([expect.objectContaining({ extensions: expect.objectContaining({ code }) })]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('a persisted query, which is not executed, has status 400', async () => {
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}',
    });
    expect(response.status).toBe(400);
  });

  test('x-graph-cost adds no extensions', async () => {
    expect(await (await post('{ block { number } }', { 'x-graph-cost': '1' })).json()).toEqual({
      data: { block: { number: '0x28' } },
    });
  });
});

describe('requests in drop-in mode', () => {
  const send = (path: string, init: RequestInit) => fetch(graph.url + path, init);
  const json = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  test('/graphql/ responds like /graphql', async () => {
    const response = await send('/graphql/', json({ query: '{ chainID }' }));
    expect([response.status, await response.json()]).toEqual([200, { data: { chainID: '0x7' } }]);
    const byGet = await send('/graphql/?query=%7BchainID%7D', { headers: { 'apollo-require-preflight': '1' } });
    expect([byGet.status, await byGet.json()]).toEqual([200, { data: { chainID: '0x7' } }]);
    const removal = await send('/graphql/', { method: 'DELETE' });
    expect([removal.status, removal.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect((await send('/graphql/ui', {})).status).toBe(404);
  });

  test.each([
    [400, 'a plain GET', {}],
    [415, 'a compressed body', { method: 'POST', headers: COMPRESSED_JSON, body: 'gzip' }],
    [
      400,
      'a POST with text/plain',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"query":"{ chainID }"}' },
    ],
    [
      415,
      'a POST with application/graphql',
      { method: 'POST', headers: { 'content-type': 'application/graphql' }, body: '{ chainID }' },
    ],
  ])('drop-in mode responds with status %i to %s', async (status, _case, options) => {
    const response = await rawRequest(`${graph.url}/graphql?query=%7BchainID%7D`, options);
    expect([response.status, JSON.parse(response.body).errors[0].extensions.code]).toEqual([status, 'BAD_REQUEST']);
  });
});

describe('the response header x-graph-block', () => {
  test('x-graph-block names the head, also of a cached response, and pages of other origins can read it', async () => {
    const query = '{ blocks(from: 1) { hash parentHash stateRoot receiptsRoot transactionsRoot logsBloom } }';
    for (const _turn of [1, 2]) {
      const response = await post(query, { origin: 'https://game.example' });
      expect(response.headers.get('x-graph-block')).toBe(chain.head.hash);
      expect(response.headers.get('access-control-expose-headers')).toContain('x-graph-block');
    }
  });

  test('x-graph-block names the block of the request header, and selects it when a client sends it back', async () => {
    const hash = chain.main.at(9)!.hash;
    const byNumber = await post('{ block { number } }', { 'x-graph-block': '9' });
    expect(byNumber.headers.get('x-graph-block')).toBe(hash);
    const again = await post('{ block { number } }', { 'x-graph-block': byNumber.headers.get('x-graph-block')! });
    expect(await again.json()).toEqual({ data: { block: { number: '0x9' } } });
  });

  test('x-graph-block names the block of a response with errors', async () => {
    const response = await post(`{ block { number } unknown: block(hash: "${UNKNOWN_HASH}") { number } }`);
    expect([response.status, response.headers.get('x-graph-block')]).toEqual([400, chain.head.hash]);
  });

  test('x-graph-block is absent when the operation has read no block', async () => {
    for (const query of ['{ chainID }', '{ __typename }', '{ bleh }'])
      expect((await post(query)).headers.has('x-graph-block')).toBe(false);
  });

  test('x-graph-block is part of a 304', async () => {
    const response = await get('{ block { number } }');
    const etag = response.headers.get('etag')!;
    const again = await get('{ block { number } }', { 'if-none-match': etag });
    expect([again.status, again.headers.get('x-graph-block')]).toEqual([304, chain.head.hash]);
  });

  test('x-graph-block names the block of a query whose response is an event stream', async () => {
    const client = await connectEventStream(graph.url, { query: '{ block { number } }' });
    await client.ended;
    expect(client.response.headers.get('x-graph-block')).toBe(chain.head.hash);
    expect(client.events).toEqual([
      { event: 'next', data: { data: { block: { number: '0x28' } } } },
      { event: 'complete', data: undefined },
    ]);
  });
});

test('a subscription over an event stream sends its headers before the first event, and events have no extensions', async () => {
  const client = await connectEventStream(graph.url, { query: 'subscription { newHeads { number block { size } } }' });
  expect([client.response.status, client.response.headers.has('x-graph-block')]).toEqual([200, false]);
  expect(client.events).toEqual([]);
  chain.mine(1);
  const [event] = await client.waitForEvents(1);
  expect(Object.keys(event!.data)).toEqual(['data']);
  client.close();
});

test('a query over a WebSocket has no extensions', async () => {
  const socket = await RawSocket.connect(graph.url);
  socket.subscribe('1', '{ block { number } }');
  const [result] = await socket.waitForResults('1', 1);
  expect(Object.keys(result)).toEqual(['data']);
  socket.close();
});
