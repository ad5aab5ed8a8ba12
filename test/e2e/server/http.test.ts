import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';

/** The program from outside: HTTP, health, shutdown, settings. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup({ CORS_ORIGINS: 'https://game.example', OPERATION_TIMEOUT_MS: '1500' });
});

afterAll(() => setup?.stop());

const JSON_TYPE = { 'content-type': 'application/json' };

const http = (path: string, init?: RequestInit) => fetch(`${setup.graph.url}${path}`, init);

const post = (body: string, headers: Record<string, string> = JSON_TYPE) => http('/graphql', { method: 'POST', headers, body });

/**
 * A node that takes calls of these methods and never answers; `asked` resolves when each of them has come. The head is asked for by
 * others: a graph without a WebSocket polls.
 */
function silent(proxy: NodeProxy, ...methods: readonly string[]): { asked: Promise<void>; release(): void } {
  const missing = new Set(methods);
  const held: (() => void)[] = [];
  const asked = new Promise<void>((resolve) => {
    proxy.rewrite = (answer, request) => {
      const names = [request].flat().map((call) => (call as { method: string }).method);
      if (!names.some((name) => methods.includes(name))) return answer;
      for (const name of names) missing.delete(name);
      if (missing.size === 0) resolve();
      return new Promise((go) => held.push(() => go(answer)));
    };
  });
  return {
    asked,
    release() {
      for (const go of held) go();
    },
  };
}

test('a query over GET is answered, with a header that names the request', async () => {
  const response = await http(`/graphql?query=${encodeURIComponent('{chainID}')}`, {
    headers: { 'apollo-require-preflight': '1' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.json()).toEqual({ data: { chainID: '0x7a69' } });
});

test('a mutation over GET is refused', async () => {
  const query = encodeURIComponent('mutation { sendRawTransaction(data: "0x") }');
  expect((await http(`/graphql?query=${query}`, { headers: { 'apollo-require-preflight': '1' } })).status).toBe(405);
});

test.each([
  ['a document that is no GraphQL', '{"query":"{ block"}', 400, 'GRAPHQL_PARSE_FAILED'],
  ['a field that there is not', '{"query":"{ blok { hash } }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a literal that is no Long', '{"query":"{ block(number: \\"nine\\") { hash } }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a variable that is no Long',
    '{"query":"query ($n: Long) { block(number: $n) { hash } }","variables":{"n":"nine"}}',
    400,
    'BAD_USER_INPUT',
  ],
  ['an operation that there is not', '{"query":"query A { chainID }","operationName":"B"}', 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['a body without a query', '{}', 400, 'BAD_REQUEST'],
  ['a body that is no JSON', '{"query":', 400, 'BAD_REQUEST'],
  [
    'a persisted query',
    '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}',
    200,
    'PERSISTED_QUERY_NOT_SUPPORTED',
  ],
])('%s is answered with a stable code', async (_case, body, status, code) => {
  const response = await post(body);
  expect(response.status).toBe(status);
  const { errors } = (await response.json()) as any;
  expect(errors[0].extensions).toMatchObject({ code, source: 'graph' });
  expect(JSON.stringify(errors)).not.toMatch(/stacktrace|node_modules|\.ts:/);
});

test('a body of another kind is refused, and the answer says what would be right', async () => {
  const response = await post('{ chainID }', { 'content-type': 'application/graphql' });
  expect(response.status).toBe(415);
  const { errors } = (await response.json()) as any;
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('application/json'), extensions: { code: 'BAD_REQUEST' } });
});

test('a body over 256 KiB is refused unread', async () => {
  const response = await post(JSON.stringify({ query: `{ chainID } #${'x'.repeat(256 * 1024)}` }));
  expect(response.status).toBe(413);
  expect(((await response.json()) as any).errors[0].extensions.code).toBe('PAYLOAD_TOO_LARGE');
});

test('another method than GET and POST is refused, and the answer names the right ones', async () => {
  const response = await http('/graphql', { method: 'PUT', headers: JSON_TYPE, body: '{}' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, POST');
});

test('a page of an allowed origin may call, any other may not', async () => {
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
    'in an answer',
    '/graphql',
    { method: 'POST', headers: JSON_TYPE, body: '{"query":"{ block(number: 1, tag: LATEST) { hash } }"}' },
  ],
  ['before execution', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{"query":"{ blok }"}' }],
  ['about a list for a body', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '[]' }],
  ['about null for a body', '/graphql', { method: 'POST', headers: JSON_TYPE, body: 'null' }],
  ['about a body that is no JSON', '/graphql', { method: 'POST', headers: JSON_TYPE, body: '{' }],
  ['about a request without a preflight', '/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
  [
    'about what is accepted',
    '/graphql',
    { method: 'POST', headers: { ...JSON_TYPE, accept: 'text/html' }, body: '{"query":"{chainID}"}' },
  ],
  ['about a method', '/graphql', { method: 'DELETE' }],
  ['about a path', '/nothing', {}],
  ['about a path that is malformed', '/%zz', {}],
])('an error %s carries the id of its request, the one in the header', async (_case, path, init) => {
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
])('a Host header of %j is answered with %i', async (host, status) => {
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

test('a subscription whose client takes no events is refused, and the answer says how to take them', async () => {
  const { status, errors } = await setup.graph.execute('subscription { newHeads { number } }');
  expect({ status, code: errors![0]!.extensions.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  expect(errors![0]!.message).toMatch(/WebSocket.*text\/event-stream/);
});

test('a document that is nested without end is refused in our words', async () => {
  const deep = `${'{ block { parent '.repeat(6000)}{ hash ${'}'.repeat(12_001)}`;
  const { status, errors } = await setup.graph.execute(deep);
  expect(status).toBe(400);
  expect(errors![0]!.message).not.toContain('call stack');
});

test('the mistakes of clients are not logged as failures of the server', async () => {
  const failures = () => setup.graph.output().match(/"level":50/g)?.length ?? 0;
  const before = failures();
  await setup.graph.execute('query ($n: Long) { block(number: $n) { hash } }', { n: 'nine' });
  await setup.graph.execute('{ block(number: 1, tag: LATEST) { hash } }');
  await setup.graph.execute('{ nothing }');
  expect(failures()).toBe(before);
});

test('a part of an answer that fails when nobody waits for it any more does not end the program', async () => {
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

test('an operation ends at its deadline with TIMEOUT and 504', async () => {
  const node = silent(setup.proxy, 'eth_chainId');
  const { status, data, errors } = await setup.graph.execute('{ chainID }');
  node.release();
  setup.proxy.rewrite = undefined;
  expect({ status, data }).toEqual({ status: 504, data: null });
  expect(errors![0]!.extensions).toMatchObject({ code: 'TIMEOUT', limit: 1500, retryable: true });
});

test('a client that goes takes its call to the node with it', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '600000' });
  const held = silent(node, 'eth_gasPrice');
  const client = new AbortController();
  const body = '{"query":"{ gasPrice }"}';
  const going = fetch(`${graph.url}/graphql`, { method: 'POST', headers: JSON_TYPE, body, signal: client.signal });
  await held.asked;
  const cut = node.waitForAbort();
  client.abort();
  await expect(going).rejects.toThrow('aborted');
  await cut;
  held.release();
});

test('/healthz says that the process runs, and /readyz how high the node is', async () => {
  expect(await (await http('/healthz')).json()).toEqual({ status: 'ok' });
  const ready = await http('/readyz');
  const head = { number: '0x1f', ageMs: expect.any(Number), state: 'live', transport: 'websocket' };
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 200,
    body: { status: 'ready', block: '0x1f', head },
  });
});

test('the embedded chain is described at /devnet.json, and only where it is embedded', async () => {
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

const KEY = 'k3y-that-must-not-be-seen-0123456789';
const SPELLINGS = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64').replace(/=+$/, '').slice(0, -1)];

test('the key in the URL of the node shows nowhere, whatever the node does', async () => {
  const target = setup.devnet.description.nodeService.http;
  const node = await startProxy(target, `/v2/${KEY}`);
  const graph = await startGraph({ RPC_URL: node.url, LOG_LEVEL: 'trace' });
  const seen: string[] = [];
  const ask = async (query: string) => seen.push(JSON.stringify(await graph.execute(query)));
  await ask('{ chainID block { hash } }');
  node.intercept = () => ({ error: { code: -32000, message: `no access to ${node.url}` } });
  await ask('{ chainID block { hash } }');
  node.rewrite = () => `<html>${node.url}</html>`;
  await ask('{ chainID block { hash } }');
  await node.stop();
  await ask('{ chainID block { hash } }');
  seen.push(await (await fetch(`${graph.url}/readyz`)).text());
  expect(await graph.stop()).toBe(0);
  seen.push(graph.output());
  for (const spelling of SPELLINGS) expect(seen.join('\n')).not.toContain(spelling);
  // Polls of the node fail beside the questions, and each failure counts.
  expect(seen[3]).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  expect(seen.at(-2)).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
});

test('the program starts before its node does, and is ready as soon as the node is', async () => {
  const target = setup.devnet.description.nodeService.http;
  const away = await startProxy(target);
  const { url } = away;
  await away.stop();
  const graph = await startGraph({ RPC_URL: url });
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  const { errors } = await graph.execute('{ chainID }');
  expect(errors![0]!.extensions.code).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  await startProxy(target, '/', Number(new URL(url).port));
  while ((await fetch(`${graph.url}/readyz`)).status !== 200);
  while ((await graph.execute('{ chainID }')).errors);
  expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
});

test('on SIGTERM running operations are answered, new ones find nobody, and the program ends with status 0', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url });
  const held = silent(node, 'eth_gasPrice');
  const running = graph.execute('{ gasPrice }');
  await held.asked;
  graph.process.kill('SIGTERM');
  await untilClosed(graph);
  node.rewrite = undefined;
  held.release();
  expect((await running).data).toEqual({ gasPrice: expect.stringMatching(/^0x[1-9a-f]/) });
  const [status] = await once(graph.process, 'exit');
  expect(status).toBe(0);
});

test('an operation that outlasts the shutdown is answered with SHUTTING_DOWN, and the program still ends inside ten seconds', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '60000' });
  const held = silent(node, 'eth_maxPriorityFeePerGas', 'eth_gasPrice');
  const running = [graph.execute('{ maxPriorityFeePerGas }'), graph.execute('{ gasPrice }')];
  await held.asked;
  const asked = performance.now();
  graph.process.kill('SIGTERM');
  for (const { status, headers, errors } of await Promise.all(running)) {
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '1' });
    const requestId = headers.get('x-request-id');
    expect(errors![0]!.extensions).toMatchObject({ code: 'SHUTTING_DOWN', retryable: true, requestId });
  }
  const [exitStatus] = await once(graph.process, 'exit');
  expect(exitStatus).toBe(0);
  expect(performance.now() - asked).toBeLessThan(10_000);
});

test('a second start on the same port ends with status 1 and names the port', async () => {
  const { port } = new URL(setup.graph.url);
  await expect(startGraph({ PORT: port, RPC_URL: setup.proxy.url })).rejects.toThrow(new RegExp(`status 1.*${port}`, 's'));
});

/** Resolves when a server takes no more connections. */
async function untilClosed(graph: RunningGraph): Promise<void> {
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
])('a wrong %s ends the program with status 1 and says what would be right', async (name, value, message) => {
  const error = await startGraph({ [name]: value }).then(
    () => new Error('it started'),
    (failure: Error) => failure,
  );
  expect(error.message).toMatch(/status 1/);
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('secret-key');
});
