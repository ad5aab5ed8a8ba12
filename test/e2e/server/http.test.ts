import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';

/** The built program over HTTP: requests, errors, health endpoints, shutdown and settings. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup({ CORS_ORIGINS: 'https://game.example', OPERATION_TIMEOUT_MS: '1500' });
});

afterAll(() => setup?.stop());

const JSON_TYPE = { 'content-type': 'application/json' };

const http = (path: string, init?: RequestInit) => fetch(`${setup.graph.url}${path}`, init);

const post = (body: string, headers: Record<string, string> = JSON_TYPE) => http('/graphql', { method: 'POST', headers, body });

/** Holds back the responses to these methods until `release`; `received` resolves when each method has been requested. */
function holdResponses(proxy: NodeProxy, ...methods: readonly string[]): { received: Promise<void>; release(): void } {
  const missing = new Set(methods);
  const held: (() => void)[] = [];
  const received = new Promise<void>((resolve) => {
    proxy.rewrite = (answer, request) => {
      const names = [request].flat().map((call) => (call as { method: string }).method);
      if (!names.some((name) => methods.includes(name))) return answer;
      for (const name of names) missing.delete(name);
      if (missing.size === 0) resolve();
      return new Promise((go) => held.push(() => go(answer)));
    };
  });
  return {
    received,
    release() {
      for (const go of held) go();
    },
  };
}

test('a query over GET returns data and the header x-request-id', async () => {
  const response = await http(`/graphql?query=${encodeURIComponent('{chainID}')}`, {
    headers: { 'apollo-require-preflight': '1' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.json()).toEqual({ data: { chainID: '0x7a69' } });
});

test('a mutation over GET is rejected with 405', async () => {
  const query = encodeURIComponent('mutation { sendRawTransaction(data: "0x") }');
  expect((await http(`/graphql?query=${query}`, { headers: { 'apollo-require-preflight': '1' } })).status).toBe(405);
});

test.each([
  ['a document with a syntax error', '{"query":"{ block"}', 400, 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', '{"query":"{ blok { hash } }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['an invalid Long literal', '{"query":"{ block(number: \\"nine\\") { hash } }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an invalid Long variable',
    '{"query":"query ($n: Long) { block(number: $n) { hash } }","variables":{"n":"nine"}}',
    400,
    'BAD_USER_INPUT',
  ],
  ['an unknown operationName', '{"query":"query A { chainID }","operationName":"B"}', 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['a body without a query', '{}', 400, 'BAD_REQUEST'],
  ['a body with invalid JSON', '{"query":', 400, 'BAD_REQUEST'],
  [
    'a persisted query',
    '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}',
    200,
    'PERSISTED_QUERY_NOT_SUPPORTED',
  ],
])('%s returns an error with a stable code', async (_case, body, status, code) => {
  const response = await post(body);
  expect(response.status).toBe(status);
  const { errors } = (await response.json()) as any;
  expect(errors[0].extensions).toMatchObject({ code, source: 'graph' });
  expect(JSON.stringify(errors)).not.toMatch(/stacktrace|node_modules|\.ts:/);
});

test('a body of another content type is rejected with 415 and names application/json', async () => {
  const response = await post('{ chainID }', { 'content-type': 'application/graphql' });
  expect(response.status).toBe(415);
  const { errors } = (await response.json()) as any;
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('application/json'), extensions: { code: 'BAD_REQUEST' } });
});

test('a body over 256 KiB is rejected with PAYLOAD_TOO_LARGE', async () => {
  const response = await post(JSON.stringify({ query: `{ chainID } #${'x'.repeat(256 * 1024)}` }));
  expect(response.status).toBe(413);
  expect(((await response.json()) as any).errors[0].extensions.code).toBe('PAYLOAD_TOO_LARGE');
});

test('a method other than GET and POST is rejected with 405 and the header Allow', async () => {
  const response = await http('/graphql', { method: 'PUT', headers: JSON_TYPE, body: '{}' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, POST');
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

test.each<[string, string, RequestInit]>([
  [
    'during execution',
    '/graphql',
    { method: 'POST', headers: JSON_TYPE, body: '{"query":"{ block(number: 1, tag: LATEST) { hash } }"}' },
  ],
  ['before execution', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{"query":"{ blok }"}' }],
  ['for a list as body', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '[]' }],
  ['for null as body', '/graphql', { method: 'POST', headers: JSON_TYPE, body: 'null' }],
  ['for a body with invalid JSON', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{' }],
  ['for a request without a preflight', '/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
  [
    'for an unacceptable Accept header',
    '/graphql',
    { method: 'POST', headers: { ...JSON_TYPE, accept: 'text/html' }, body: '{"query":"{chainID}"}' },
  ],
  ['for a method', '/graphql', { method: 'DELETE' }],
  ['for a path', '/nothing', {}],
  ['for a malformed path', '/%zz', {}],
])('an error %s carries the request id of the response header', async (_case, path, init) => {
  const response = await http(path, init);
  const { errors } = (await response.json()) as any;
  expect(errors[0].extensions).toMatchObject({
    code: expect.any(String),
    source: 'graph',
    requestId: response.headers.get('x-request-id'),
  });
});

test.each([
  ['l]ocalhost', 400],
  ['a b', 400],
  ['', 400],
  ['localhost:99999', 400],
  ['elsewhere.example', 200],
])('a request with the Host header %j returns %i', async (host, status) => {
  const { hostname, port } = new URL(setup.graph.url);
  const socket = connect(Number(port), hostname);
  const body = '{"query":"{ chainID }"}';
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain(status === 200 ? '"0x7a69"' : '"BAD_REQUEST"');
});

test('a subscription over POST without an event stream is rejected and names the supported transports', async () => {
  const { status, errors } = await setup.graph.execute('subscription { newHeads { number } }');
  expect({ status, code: errors![0]!.extensions.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  expect(errors![0]!.message).toMatch(/WebSocket.*text\/event-stream/);
});

test('a document of 12,000 levels is rejected without a stack overflow message', async () => {
  const deep = `${'{ block { parent '.repeat(6000)}{ hash ${'}'.repeat(12_001)}`;
  const { status, errors } = await setup.graph.execute(deep);
  expect(status).toBe(400);
  expect(errors![0]!.message).not.toContain('call stack');
});

test('client errors are not logged at level error', async () => {
  const failures = () => setup.graph.output().match(/"level":50/g)?.length ?? 0;
  const before = failures();
  await setup.graph.execute('query ($n: Long) { block(number: $n) { hash } }', { n: 'nine' });
  await setup.graph.execute('{ block(number: 1, tag: LATEST) { hash } }');
  await setup.graph.execute('{ nothing }');
  expect(failures()).toBe(before);
});

test('a rejected promise after the response is sent does not crash the process', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  node.rewrite = (answer) =>
    [answer]
      .flat()
      .map((entry: any) =>
        entry.result?.transactions ? { ...entry, result: { ...entry.result, transactions: odd(entry) } } : entry,
      );
  const odd = ({ result }: any) =>
    result.transactions.map((one: object, i: number) => (i === 1 ? { ...one, r: undefined } : one));
  const graph = await startGraph({ RPC_URL: node.url });
  const { errors } = await graph.execute('{ block(number: 4) { transactions { r from(block: 999) { balance } } } }');
  expect(errors![0]!.path).toEqual(['block', 'transactions', 1, 'r']);
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(200);
  expect(await graph.stop()).toBe(0);
});

test('an operation over OPERATION_TIMEOUT_MS returns TIMEOUT with 504', async () => {
  const node = holdResponses(setup.proxy, 'eth_chainId');
  const { status, data, errors } = await setup.graph.execute('{ chainID }');
  node.release();
  setup.proxy.rewrite = undefined;
  expect({ status, data }).toEqual({ status: 504, data: null });
  expect(errors![0]!.extensions).toMatchObject({ code: 'TIMEOUT', limit: 1500, retryable: true });
});

test('a client disconnect aborts the upstream request', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '600000' });
  const held = holdResponses(node, 'eth_gasPrice');
  const client = new AbortController();
  const body = '{"query":"{ gasPrice }"}';
  const going = fetch(`${graph.url}/graphql`, { method: 'POST', headers: JSON_TYPE, body, signal: client.signal });
  await held.received;
  const cut = node.waitForAbort();
  client.abort();
  await expect(going).rejects.toThrow('aborted');
  await cut;
  held.release();
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

test('/devnet.json describes the embedded chain, and is 404 without one', async () => {
  expect((await http('/devnet.json')).status).toBe(404);
  const graph = await startGraph();
  const { accounts, endpoints, nodeService, contracts, chainId } = (await (
    await fetch(`${graph.url}/devnet.json`)
  ).json()) as any;
  expect({ accounts: accounts.length, contracts: contracts.length, chainId }).toEqual({
    accounts: 11,
    contracts: 4,
    chainId: 31337,
  });
  expect(endpoints.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(nodeService.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2\/devnet$/);
  expect(nodeService.ws).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/devnet$/);
});

test('SIGTERM drains running operations, closes the port and exits with status 0', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url });
  const held = holdResponses(node, 'eth_gasPrice');
  const running = graph.execute('{ gasPrice }');
  await held.received;
  graph.process.kill('SIGTERM');
  await waitForClosedPort(graph);
  node.rewrite = undefined;
  held.release();
  expect((await running).data).toEqual({ gasPrice: expect.stringMatching(/^0x[1-9a-f]/) });
  const [status] = await once(graph.process, 'exit');
  expect(status).toBe(0);
});

test('an operation that outlasts the shutdown returns SHUTTING_DOWN', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '60000' });
  const held = holdResponses(node, 'eth_maxPriorityFeePerGas', 'eth_gasPrice');
  const running = [graph.execute('{ maxPriorityFeePerGas }'), graph.execute('{ gasPrice }')];
  await held.received;
  const start = performance.now();
  graph.process.kill('SIGTERM');
  for (const { status, headers, errors } of await Promise.all(running)) {
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '1' });
    const requestId = headers.get('x-request-id');
    expect(errors![0]!.extensions).toMatchObject({ code: 'SHUTTING_DOWN', retryable: true, requestId });
  }
  const [exitStatus] = await once(graph.process, 'exit');
  expect(exitStatus).toBe(0);
  expect(performance.now() - start).toBeLessThan(20_000);
});

/** Resolves when a server accepts no more connections. */
async function waitForClosedPort(graph: RunningGraph): Promise<void> {
  const { hostname, port } = new URL(graph.url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const open = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (!open) return;
  }
}

test.each([
  ['PORT', 'many', /PORT \(or --port\) is "many"/],
  ['RPC_URL', 'ftp://node.example/secret-key-0123', /RPC_URL \(or --rpc-url\): is not an http/],
  ['DEVNET_LIFE', 'maybe', /DEVNET_LIFE/],
])('an invalid %s exits with status 1 and names what is accepted', async (name, value, message) => {
  const error = await startGraph({ [name]: value }).then(
    () => new Error('the program started'),
    (failure: Error) => failure,
  );
  expect(error.message).toMatch(/status 1/);
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('secret-key');
});
