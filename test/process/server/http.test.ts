import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { request } from 'undici';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { transactionFixture } from '../../support/graph/stubbed-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { blockOf } from '../../support/simulator/rpc-simulator.ts';

/** The built program over HTTP: requests, errors, health endpoints, and the audits of the GraphQL-over-HTTP working group. */
const chain = new SimChain({ seed: 1 });
let proxy: NodeProxy;
let graph: GraphProcess;

beforeAll(async () => {
  chain.mine(31);
  const node = await startSimNode({ chain });
  proxy = await startProxy(node.url);
  graph = await startGraph({
    RPC_URL: proxy.url,
    RPC_WS_URL: node.wsUrl,
    CORS_ORIGINS: 'https://game.example',
    // Only the disconnect of a client may abort a request.
    OPERATION_TIMEOUT_MS: '3600000',
  });
});

afterEach(() => {
  proxy.intercept = undefined;
  proxy.rewrite = undefined;
});

const JSON_TYPE = { 'content-type': 'application/json' };

const PREFLIGHT = { 'apollo-require-preflight': '1' };

const http = (path: string, init?: RequestInit) => fetch(`${graph.url}${path}`, init);

/** Sends a GET with exactly these headers: `fetch` sends `sec-fetch-mode: cors`. */
const get = (path: string, headers: Record<string, string>) => request(`${graph.url}${path}`, { headers });

test('a query over GET returns data and the header x-request-id', async () => {
  const response = await http(`/graphql?query=${encodeURIComponent('{chainID}')}`, {
    headers: PREFLIGHT,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.json()).toEqual({ data: { chainID: '0x7' } });
});

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const NAVIGATION = { accept: BROWSER_ACCEPT, 'sec-fetch-mode': 'navigate' };

test.each([
  ['/graphql', { accept: BROWSER_ACCEPT }, './'],
  ['/graphql/', { accept: BROWSER_ACCEPT }, '../'],
  ['/graphql?query=%7BchainID%7D&variables=%7B%7D&other=1', NAVIGATION, './#query=%7BchainID%7D&variables=%7B%7D'],
])('a browser that opens %s is redirected to the playground', async (path, headers, location) => {
  const response = await get(path, headers);
  expect([response.statusCode, response.headers.location, response.headers['cache-control']]).toEqual([
    303,
    location,
    'no-store',
  ]);
});

test.each([
  ['a query of a client that accepts HTML', '/graphql?query=%7BchainID%7D', { accept: BROWSER_ACCEPT }, 400],
  ['a query of such a client with a preflight', '/graphql?query=%7BchainID%7D', { ...PREFLIGHT, accept: BROWSER_ACCEPT }, 200],
  ['a request without a query that accepts all types', '/graphql', { ...PREFLIGHT, accept: '*/*' }, 400],
])('%s is not redirected to the playground', async (_title, path, headers, status) => {
  expect((await get(path, headers)).statusCode).toBe(status);
});

test('CORS preflight allows the origins of CORS_ORIGINS only', async () => {
  const preflight = (origin: string) =>
    http('/graphql', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
  expect((await preflight('https://game.example')).headers.get('access-control-allow-origin')).toBe('https://game.example');
  expect((await preflight('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
});

test('a subscription over POST without an event stream is rejected and names the supported transports', async () => {
  const { status, errors } = await graph.execute('subscription { newHeads { number } }');
  expect({ status, code: errors![0]!.extensions.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  expect(errors![0]!.message).toMatch(/WebSocket.*text\/event-stream/);
});

test('client errors are not logged at level error', async () => {
  const failures = () => graph.output().match(/"level":50/g)?.length ?? 0;
  const before = failures();
  await graph.execute('query ($n: Long) { block(number: $n) { hash } }', { n: 'nine' });
  await graph.execute('{ block(number: 1, tag: LATEST) { hash } }');
  await graph.execute('{ nothing }');
  expect(failures()).toBe(before);
});

test('a promise that rejects after the response is sent does not end the process', async () => {
  const block = [...Array(32).keys()].map((height) => chain.main.at(height)!).find((one) => one.transactions.length > 0)!;
  const { hash, number } = block.header;
  const transactions = [0, 1, 2].map((i) =>
    transactionFixture({
      blockHash: hash,
      blockNumber: number,
      transactionIndex: `0x${i}`,
      ...(i === 1 && { nonce: undefined }),
    }),
  );
  proxy.intercept = ({ method, params: [, isFull] }) =>
    method.startsWith('eth_getBlockBy') && isFull ? { result: { ...blockOf(block), transactions } } : undefined;
  const { errors } = await graph.execute(
    `{ block(number: ${block.height}) { transactions { nonce from(block: 999) { balance } } } }`,
  );
  expect(errors![0]!.path).toEqual(['block', 'transactions', 1, 'nonce']);
  expect((await http('/readyz')).status).toBe(200);
  expect(graph.process.exitCode).toBeNull();
});

test('a client disconnect aborts the upstream request', async () => {
  let release = () => {};
  const received = new Promise<void>((resolve) => {
    proxy.rewrite = (answer, request) => {
      if (!JSON.stringify(request).includes('eth_gasPrice')) return answer;
      resolve();
      return new Promise((respond) => {
        release = () => respond(answer);
      });
    };
  });
  const client = new AbortController();
  const body = '{"query":"{ gasPrice }"}';
  const request = http('/graphql', { method: 'POST', headers: JSON_TYPE, body, signal: client.signal });
  await received;
  const upstreamAborted = proxy.waitForAbort();
  client.abort();
  await expect(request).rejects.toThrow('aborted');
  await upstreamAborted;
  release();
});

test('/healthz returns ok, and /readyz the head', async () => {
  expect(await (await http('/healthz')).json()).toEqual({ status: 'ok' });
  const ready = await http('/readyz');
  const head = { number: '0x1f', ageMs: expect.any(Number), state: 'live', transport: 'websocket' };
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 200,
    body: { status: 'ready', block: '0x1f', head },
  });
});

test('/devnet.json is 404 without an embedded chain', async () => {
  expect((await http('/devnet.json')).status).toBe(404);
});

describe('GraphQL over HTTP audits', () => {
  const APOLLO_STATUS_400 =
    'Apollo answers a request that cannot be executed with 400 whatever the client accepts: 200 is for old clients, and hides failures';
  /** Each audit that does not pass, with its level and the reason. None is an error. */
  const KNOWN_WARNINGS: Record<string, readonly ['warn', string]> = {
    '572B': ['warn', APOLLO_STATUS_400],
    FDE2: ['warn', APOLLO_STATUS_400],
    '7B9B': ['warn', APOLLO_STATUS_400],
  };
  const audits = serverAudits({ url: () => `${graph.url}/graphql` });

  test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    'audit %s passes or has a known warning: %s',
    async (id, _name, audit) => {
      const result = await audit.fn();
      expect({ status: result.status, reason: 'reason' in result ? result.reason : '' }).toMatchObject({
        status: KNOWN_WARNINGS[id]?.[0] ?? 'ok',
      });
    },
  );

  test('each known warning belongs to an existing audit', () => {
    expect(Object.keys(KNOWN_WARNINGS).filter((id) => !audits.some((audit) => audit.id === id))).toEqual([]);
  });
});
