import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { assertNoSecret, CLIENT_HEADERS, NODE_KEY, WIZARD_CREDENTIALS } from '../../support/secrets.ts';

/**
 * Keys show nowhere. Every test of the kit looks for them; here it is shown that it would find them, and a node and a client do
 * all they can to bring them out.
 */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup();
});

afterAll(() => setup?.stop());

const CLIENT_KEY = CLIENT_HEADERS['x-api-key']!;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.each([
  ['node', NODE_KEY],
  ['client', CLIENT_KEY],
  ['wizard service', WIZARD_CREDENTIALS.token],
])('the search finds the key of the %s', (_whose, key) => {
  const half = key.slice(0, key.length / 2);
  test.each<[string, string]>([
    ['as it is', `no access with ${key} today`],
    ['cut in half', `no access with ${half}`],
    ['in JSON', JSON.stringify({ message: key })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ message: key }))],
    ['in JSON with all signs escaped', key.replace(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
    ['URL-encoded', `https://node.example/v2/${encodeURIComponent(key)}`],
    ['URL-encoded as a whole URL', encodeURI(`https://node.example/v2/${key}`)],
    ['URL-encoded in lower case', encodeURIComponent(key).replace(/%../g, (sign) => sign.toLowerCase())],
    ['URL-encoded with every sign', [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['URL-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['in base64', `Basic ${base64(key)}`],
    ['in base64 after one byte', base64(`u${key}:x`)],
    ['in base64 after two bytes', base64(`u:${key}x`)],
    ['in base64 after a user name', base64(`user:${key}`)],
    ['in base64 for URLs', Buffer.from(`u:${key}`).toString('base64url')],
    ['in base64 that stands behind other signs of base64', `path/${base64(key)}`],
    ['in base64, URL-encoded', encodeURIComponent(base64(`user:${key}`))],
  ])('%s', (_case, text) => {
    expect(() => assertNoSecret(text, 'a text')).toThrow('a secret shows in a text');
  });
});

test('the search finds nothing in what holds no key', () => {
  const words = `canary n0de cl1ent ${base64('user:password-of-another-node')} 0x${'7f'.repeat(400)} %7E%zz \\u00 \\`;
  expect(() => assertNoSecret(words, 'a text')).not.toThrow();
});

test('a graph that writes a key cannot be stopped without failing the test', async () => {
  await expect(startGraph({ PORT: NODE_KEY })).rejects.toThrow('a secret shows in what the graph wrote before it ended');
  const graph = await startGraph({ RPC_URL: setup.proxy.url });
  graph.process.stdout!.emit('data', Buffer.from(`{"level":30,"msg":"${base64(`user:${NODE_KEY}`)}"}\n`));
  await expect(graph.stop()).rejects.toThrow('a secret shows in what the graph wrote');
});

test('an answer with a key cannot be fetched, be it in a header or in the body', async () => {
  const echo = createServer(({ url }, response) =>
    url === '/header' ? response.setHeader('x-node', encodeURI(NODE_KEY)).end() : response.end(NODE_KEY),
  ).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const place = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  await expect(fetch(`${place}/header`)).rejects.toThrow('a secret shows in the answer');
  await expect(fetch(`${place}/body`)).rejects.toThrow('a secret shows in the answer');
  echo.close();
  echo.closeAllConnections();
});

test('a node is asked with its key and without those of the client', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url });
  expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
  await graph.stop();
  await node.stop();
});

const SPELLINGS = [NODE_KEY, encodeURIComponent(NODE_KEY), base64(`user:${NODE_KEY}`), base64(NODE_KEY)].join(' ');
const HASH = `0x${'ab'.repeat(32)}`;

/** What a node can do with the URL and the headers that it is asked with. */
const leakingNodes: Record<string, (node: NodeProxy) => void> = {
  'an error in its own words': (node) => {
    node.intercept = () => ({ error: { code: -32000, message: `no access to ${node.url}: ${SPELLINGS}` } });
  },
  'an error about too many requests': (node) => {
    node.intercept = () => ({ error: { code: -32005, message: `${SPELLINGS} is over its limit` } });
  },
  'an error with data': (node) => {
    node.intercept = () => ({ error: { code: 3, message: SPELLINGS, data: { url: node.url } } as any });
  },
  'an error about a nonce': (node) => {
    node.intercept = () => ({ error: { code: -32000, message: `nonce too low: ${SPELLINGS}` } });
  },
  'an HTML page': (node) => {
    node.rewrite = () => `<html>${node.url} ${SPELLINGS}</html>`;
  },
  'nothing of JSON-RPC': (node) => {
    node.rewrite = () => ({ url: node.url, [NODE_KEY]: SPELLINGS });
  },
  'an id that is its key': (node) => {
    node.rewrite = (answer) => [answer].flat().map((entry: any) => ({ ...entry, id: SPELLINGS }));
  },
  'results of another kind': (node) => {
    node.intercept = () => ({ result: SPELLINGS });
  },
  'results with keys inside': (node) => {
    node.intercept = () => ({ result: { hash: SPELLINGS, number: SPELLINGS, transactions: [SPELLINGS] } });
  },
};

const QUERIES = [
  '{ chainID gasPrice network { networkID accounts } syncing { currentBlock } }',
  '{ block { hash number transactions { hash } miner { balance code } } }',
  `{ transaction(hash: "${HASH}") { hash } receipt(hash: "${HASH}") { gasUsed } logs(filter: { fromBlock: 1 }) { data } }`,
];

test.each(Object.keys(leakingNodes))('a node that sends its key back shows it to nobody: %s', async (name) => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '3000' });
  leakingNodes[name]!(node);
  for (const query of QUERIES) expect((await graph.execute(query)).errors).not.toEqual([]);
  await fetch(`${graph.url}/readyz`);
  await graph.stop();
});

test('a key that is wrong, and a node that is away, show no key', async () => {
  const node = await startProxy(setup.devnet.description.nodeService.http);
  const graph = await startGraph({ RPC_URL: `${node.url}-not-this-one` });
  expect((await graph.execute('{ chainID }')).errors![0]!.extensions.code).toBe('UPSTREAM_AUTH');
  await node.stop();
  expect((await graph.execute('{ chainID }')).errors).toHaveLength(1);
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  await graph.stop();
});

test('what a client sends beside its question comes back in nothing and is written nowhere', async () => {
  // A valid request id is used and returned by design; this one is not valid.
  const requestId = `${CLIENT_KEY}!`;
  const headers = { ...CLIENT_HEADERS, 'content-type': 'application/json', 'x-request-id': requestId, 'user-agent': CLIENT_KEY };
  const statuses = [];
  for (const [method, path, body] of [
    ['POST', '/graphql', '{"query":"{ nothing }"}'],
    ['POST', '/graphql', '{'],
    ['PUT', '/graphql', '{}'],
    ['GET', '/graphql', undefined],
    ['GET', '/nothing', undefined],
    ['GET', '/%zz', undefined],
  ] as const) {
    const response = await fetch(`${setup.graph.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([400, 400, 405, 400, 404, 400]);
  expect(setup.graph.output()).not.toContain(CLIENT_KEY);
});
