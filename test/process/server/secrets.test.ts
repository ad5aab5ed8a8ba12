import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { assertNoSecret, CLIENT_HEADERS, NODE_KEY, WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The secret search of test/support finds keys in every encoding, and hostile nodes and clients cannot make the graph reveal one. */
let target: SimNode;
let node: NodeProxy;
let graph: GraphProcess;

beforeAll(async () => {
  const chain = new SimChain({ seed: 1, blocks: 3 });
  target = await startSimNode({ chain });
  const port = await findFreePort();
  node = await startProxy(target.url, '/', port);
  node.intercept = gasPrice;
  graph = await startGraph({ RPC_URL: node.url, OPERATION_TIMEOUT_MS: '3000' });
});

/** A method that the simulated node lacks. */
const gasPrice: NodeProxy['intercept'] = ({ method }) => (method === 'eth_gasPrice' ? { result: '0x1' } : undefined);

const CLIENT_KEY = CLIENT_HEADERS['x-api-key']!;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.each([
  ['node', NODE_KEY],
  ['client', CLIENT_KEY],
  ['wizard service', WIZARD_CREDENTIALS.token],
])('the secret search finds the key of the %s', (_owner, key) => {
  const half = key.slice(0, key.length / 2);
  test.each<[string, string]>([
    ['as it is', `no access with ${key} today`],
    ['cut in half', `no access with ${half}`],
    ['in JSON', JSON.stringify({ message: key })],
    ['in JSON with all signs escaped', key.replace(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
    ['URL-encoded', `https://node.example/v2/${encodeURIComponent(key)}`],
    ['URL-encoded as a whole URL', encodeURI(`https://node.example/v2/${key}`)],
    ['URL-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['in base64', `Basic ${base64(key)}`],
    ['in base64 after a user name', base64(`user:${key}`)],
    ['in base64 for URLs', Buffer.from(`u:${key}`).toString('base64url')],
  ])('the secret search finds a key %s', (_encoding, text) => {
    expect(() => assertNoSecret(text, 'a text')).toThrow('a secret appears in a text');
  });
});

const SPELLINGS = [NODE_KEY, encodeURIComponent(NODE_KEY), base64(`user:${NODE_KEY}`), base64(NODE_KEY)].join(' ');
const HASH = `0x${'ab'.repeat(32)}`;

/** Ways in which a node can return the key that it received. */
const leakingNodes: Record<string, (node: NodeProxy) => void> = {
  'an error message': (node) => {
    node.intercept = () => ({ error: { code: -32000, message: `no access to ${node.url}: ${SPELLINGS}` } });
  },
  'a rate-limit error': (node) => {
    node.intercept = () => ({ error: { code: -32005, message: `${SPELLINGS} is over its limit` } });
  },
  'the data of an error': (node) => {
    node.intercept = () => ({ error: { code: 3, message: SPELLINGS, data: { url: node.url } } as any });
  },
  'a nonce error': (node) => {
    node.intercept = () => ({ error: { code: -32000, message: `nonce too low: ${SPELLINGS}` } });
  },
  'an HTML page': (node) => {
    node.rewrite = () => `<html>${node.url} ${SPELLINGS}</html>`;
  },
  'a body that is not JSON-RPC': (node) => {
    node.rewrite = () => ({ url: node.url, [NODE_KEY]: SPELLINGS });
  },
  'a response id': (node) => {
    node.rewrite = (answer) => [answer].flat().map((entry: any) => ({ ...entry, id: SPELLINGS }));
  },
  'a result of the wrong type': (node) => {
    node.intercept = () => ({ result: SPELLINGS });
  },
  'fields of a result': (node) => {
    node.intercept = () => ({ result: { hash: SPELLINGS, number: SPELLINGS, transactions: [SPELLINGS] } });
  },
};

const QUERIES = [
  '{ chainID gasPrice network { networkID accounts } syncing { currentBlock } }',
  '{ block { hash number transactions { hash } miner { balance code } } }',
  `{ transaction(hash: "${HASH}") { hash } receipt(hash: "${HASH}") { gasUsed } logs(filter: { fromBlock: 1 }) { data } }`,
];

describe('a node that returns its own key', () => {
  // An open circuit breaker would keep the requests of the next test from the node.
  afterEach(async () => {
    node.intercept = gasPrice;
    node.rewrite = undefined;
    await waitUntil(async () => !(await graph.execute('{ chainID gasPrice }')).errors, 'the graph has recovered');
  });

  test.each(Object.keys(leakingNodes))('a key in %s of the node appears in no response and no log line', async (name) => {
    leakingNodes[name]!(node);
    for (const query of QUERIES) expect((await graph.execute(query)).errors).not.toEqual([]);
    await fetch(`${graph.url}/readyz`);
    assertNoSecret(graph.output(), 'the log');
  });
});

test('credentials that a client sends appear in no response and no log line', async () => {
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
    const response = await fetch(`${graph.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([400, 400, 405, 400, 404, 400]);
  expect(graph.output()).not.toContain(CLIENT_KEY);
});

test('the graph sends the key of the node, and no key of the client, to the node', async () => {
  expect((await graph.execute('{ chainID gasPrice }')).data).toEqual({ chainID: '0x7', gasPrice: '0x1' });
  expect(node.takeCounts().calls).toBeGreaterThan(0);
  // The proxy responds only to requests with its key, and `stop` rejects if a request held another key.
  await node.stop();
});

test('an unavailable node and a rejected key reveal no key', async () => {
  const code = async () => (await graph.execute('{ chainID gasPrice }')).errors?.[0]?.extensions.code;
  expect(await code()).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  const strict = await startProxy(target.url, '/elsewhere', Number(new URL(node.url).port));
  await waitUntil(async () => (await code()) === 'UPSTREAM_AUTH', 'the node rejects the key');
  expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
  await strict.stop();
  assertNoSecret(graph.output(), 'the log');
});

test('startGraph and stop() of a test graph reject when the graph has logged a key', async () => {
  await expect(startGraph({ PORT: NODE_KEY })).rejects.toThrow('a secret appears in the output of the graph before it exited');
  graph.process.stdout!.emit('data', Buffer.from(`{"level":30,"msg":"${base64(`user:${NODE_KEY}`)}"}\n`));
  await expect(graph.stop()).rejects.toThrow('a secret appears in the output of the graph');
});
