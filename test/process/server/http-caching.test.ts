import { beforeAll, describe, expect, test } from '@jest/globals';
import { GET_HEADERS, type SimulatedGraph, startSimulatedGraph } from '../../support/graph/simulated-graph.ts';

/** The headers for caches, over a chain of 80 blocks with 12 seconds between them. Block 64 is final. */
let simulated: SimulatedGraph;

beforeAll(async () => {
  simulated = await startSimulatedGraph({ seed: 5, blockSeconds: 12, blocks: 80 });
});

const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The exact number of seconds depends on the time since the head arrived. */
const SHORT = /^public, max-age=(\d|1[01]), must-revalidate$/;
const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';
const ADDRESS = `0x${'1'.repeat(40)}`;

/** The timestamp of a block. */
const timeOf = (height: number): number => Number(simulated.chain.main.at(height)!.header.timestamp);
const hashAt = (height: number): string => simulated.chain.main.at(height)!.hash;

const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(simulated.urlOf(query), { headers: { ...GET_HEADERS, ...headers } });

/** Returns the header of a response without errors. */
async function cacheControlOf(query: string, headers: Record<string, string> = {}): Promise<string | null> {
  const response = await get(query, headers);
  expect((await response.json()) as object).not.toHaveProperty('errors');
  return response.headers.get('cache-control');
}

describe('Cache-Control', () => {
  test.each<[string, () => string, Record<string, string>?]>([
    ['a final block by hash', () => `{ block(hash: "${hashAt(20)}") { number size transactionHashes } }`],
    ['a final block by height', () => '{ block(number: 64) { hash size } }'],
    ['final blocks', () => '{ blocks(from: 3, to: 9) { hash } }'],
    ['a page of final blocks', () => `{ blocksConnection(from: 3, first: 9) { nodes { hash } ${PAGE_INFO} } }`],
    ['the transactions of final blocks', () => `{ transactionsConnection(from: 3, first: 5) { nodes { hash } ${PAGE_INFO} } }`],
    ['a final block by time', () => `{ block(timestamp: ${timeOf(20) + 11}) { number hash } }`],
    ['whether a final block is final', () => '{ block(number: 20) { finalized } }'],
    ['an account at a final block', () => `{ block(number: 20) { account(address: "${ADDRESS}") { balance } } }`],
    ['logs of final blocks', () => '{ logs(filter: { fromBlock: 3, toBlock: 60 }) { data } }'],
    ['the logs of a final block', () => `{ block(hash: "${hashAt(20)}") { logs(filter: {}) { data } } }`],
    [
      'a query at a final block',
      () => `{ block { number } account(address: "${ADDRESS}") { balance } }`,
      { 'x-graph-block': '20' },
    ],
    ['confirmations at a final block', () => '{ block(number: 5) { confirmations } }', { 'x-graph-block': '20' }],
    ['the next base fee of a requested final block', () => '{ block { nextBaseFeePerGas } }', { 'x-graph-block': '20' }],
  ])('a response with %s is immutable', async (...[_case, query, headers]) => {
    expect(await cacheControlOf(query(), headers)).toBe(IMMUTABLE);
    // The second response comes from the caches of the server.
    expect(await cacheControlOf(query(), headers)).toBe(IMMUTABLE);
  });

  test.each<[string, () => string, Record<string, string>?]>([
    ['the head', () => '{ block { hash size } }'],
    ['the number of the head', () => '{ block { number } }'],
    ['the version of the server', () => '{ block(number: 5) { hash } service { version } }'],
    ['a block by hash that is not final', () => `{ block(hash: "${hashAt(70)}") { size } }`],
    ['a block by height that is not final', () => '{ block(number: 65) { hash } }'],
    ['the final block', () => '{ block(tag: FINALIZED) { hash } }'],
    ['confirmations', () => '{ block(number: 20) { confirmations } }'],
    ['whether a block is final that is not', () => '{ block(number: 70) { finalized } }'],
    ['blocks up to the head', () => '{ blocks(from: 3) { hash } }'],
    ['the last blocks', () => '{ blocks(last: 3) { hash } }'],
    ['a page of blocks up to the head', () => '{ blocksConnection(last: 3) { nodes { hash } } }'],
    ['a page of heights up to the head', () => '{ blocksConnection(from: 60, first: 50) { nodes { number } } }'],
    ['a page of transactions up to the head', () => '{ transactionsConnection(from: 3, last: 5) { nodes { hash } } }'],
    ['the last final block by time', () => `{ block(timestamp: ${timeOf(64) + 11}) { number hash } }`],
    ['a block by a time after the head', () => '{ block(timestamp: 3000000000) { hash } }'],
    ['heights up to the head', () => '{ block(number: 5) { hash } blocks(from: 3) { number } }'],
    ['an account at the head', () => `{ account(address: "${ADDRESS}") { balance } }`],
    ['logs up to the head', () => '{ logs(filter: { fromBlock: 3 }) { data } }'],
    ['logs up to a height above the head', () => '{ logs(filter: { fromBlock: 3, toBlock: 1000 }) { data } }'],
    ['logs of recent blocks', () => '{ logs(filter: { fromBlock: 66, toBlock: 78 }) { data } }'],
    ['final and recent blocks', () => '{ final: block(number: 5) { hash } recent: block(number: 75) { hash } }'],
    ['the schema', () => '{ block(number: 5) { hash } __schema { queryType { name } } }'],
    ['no data of the chain', () => '{ __typename }'],
    ['a query at a block that is not final', () => '{ block(number: 5) { hash } }', { 'x-graph-block': '75' }],
  ])('a response with %s has an age below the block time', async (...[_case, query, headers]) => {
    expect(await cacheControlOf(query(), headers)).toMatch(SHORT);
    expect(await cacheControlOf(query(), headers)).toMatch(SHORT);
  });

  test.each<[string, () => string, Record<string, string>?]>([
    ['an unknown block', () => `{ block(hash: "0x${'7'.repeat(64)}") { number } }`],
    ['a height above the head', () => '{ block(number: 1000) { hash } }'],
    ['the chain id of the node', () => '{ chainID }'],
    ['the pending block', () => '{ pending { block { parentHash } } }'],
    ['a cost report', () => '{ block(number: 5) { hash } }', { 'x-graph-cost': '1' }],
  ])('a response with %s must not be stored', async (...[_case, query, headers]) => {
    expect(await cacheControlOf(query(), headers)).toBe('no-store');
  });

  test.each<[string, string, number]>([
    ['errors and data', '{ block(number: 5) { hash } gasPrice }', 200],
    ['an invalid document', '{ nope }', 400],
    ['a mutation', 'mutation { sendRawTransaction(data: "0x00") }', 405],
  ])('a response with %s must not be stored', async (_case, query, status) => {
    const response = await get(query);
    expect(await response.json()).toHaveProperty('errors');
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
  });

  test.each<[string, string, Record<string, string>?]>([
    ['the sync state', '{ block(number: 5) { hash } syncing { currentBlock } }'],
    ['the next base fee of the requested head', '{ block { nextBaseFeePerGas } }', { 'x-graph-block': '80' }],
  ])('a response with %s of a node without the method must not be stored', async (...[_case, query, headers]) => {
    // The second response needs no call, because the server has recorded that the method is missing.
    for (const _request of ['first', 'second']) expect(await cacheControlOf(query, headers)).toBe('no-store');
  });

  test('an event stream must not be stored', async () => {
    const response = await get('{ block(number: 5) { hash } }', { accept: 'text/event-stream' });
    expect(await response.text()).toContain(hashAt(5));
    expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform');
  });

  test('a response to POST has the same Cache-Control and no ETag', async () => {
    const { headers } = await simulated.graph.execute('{ block(number: 5) { hash } }');
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual([IMMUTABLE, null]);
  });

  test('an immutable response does not name the head', async () => {
    expect(await (await get('{ block(number: 5) { hash } }')).json()).toEqual({ data: { block: { hash: hashAt(5) } } });
  });
});

describe('validation', () => {
  test('a response names the request headers that select it', async () => {
    const { headers } = await get('{ block(number: 5) { hash } }');
    expect(headers.get('vary')).toBe('accept, x-graph-block, x-graph-min-block, x-graph-verify, x-graph-cost');
  });

  test.each([
    ['short', '{ block(number: 5) { hash } }'],
    ['long', '{ blocks(from: 1, to: 60) { a: logsBloom b: logsBloom c: logsBloom } }'],
  ])('a GET with the ETag of a %s response gets a 304 with the same headers', async (_case, query) => {
    const first = await get(query);
    const body = await first.text();
    const etag = first.headers.get('etag')!;
    for (const tags of [etag, `"other", W/${etag}`, '*']) {
      const again = await get(query, { 'if-none-match': tags });
      expect([again.status, await again.text()]).toEqual([304, '']);
      for (const name of ['etag', 'cache-control', 'vary']) expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    const other = await get(query, { 'if-none-match': '"other"' });
    expect([other.status, await other.text()]).toEqual([200, body]);
  });

  test('responses of different media types have different ETags', async () => {
    const tags = ['application/json', 'application/graphql-response+json'].map(async (accept) =>
      (await get('{ block(number: 5) { hash } }', { accept })).headers.get('etag'),
    );
    expect(new Set(await Promise.all(tags)).size).toBe(2);
  });

  test('a request that is rejected for its media type must not be stored', async () => {
    const response = await get('{ block(number: 5) { hash } }', { accept: 'text/html' });
    expect([response.status, response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
      406,
      'no-store',
      null,
    ]);
  });
});
