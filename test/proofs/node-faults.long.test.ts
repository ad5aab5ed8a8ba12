import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { createInProcessGraph, type InProcessGraph } from '../support/graph/in-process-graph.ts';
import { block } from '../support/graph/stubbed-graph.ts';
import { withNodeKey } from '../support/secrets.ts';
import {
  respondWith,
  resultOf,
  type Script,
  type ScriptedCall,
  type ScriptedNode,
  type ScriptedRequest,
  startScriptedNode,
} from '../support/upstream/scripted-node.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A faulty node over a real socket: an operation returns correct data after a retry, or an error with a code. */
let node: ScriptedNode;
let graph: InProcessGraph;

beforeEach(async () => {
  node = await startScriptedNode(respondCorrectly);
  graph = createInProcessGraph([withNodeKey(node.url)], { timeoutMs: 5_000 });
});

/** The responses of a correct node. The gas of a receipt is the last digit of its transaction hash; the chain id is 7. */
const resultFor = ({ method, params: [transactionHash] }: ScriptedCall) =>
  method === 'eth_chainId' ? '0x7' : { transactionHash, logs: [], gasUsed: `0x${String(transactionHash).slice(-1)}` };
const entryOf = (call: ScriptedCall) => ({ ...resultOf(call), result: resultFor(call) });
const respondCorrectly: Script = ({ body }) => (Array.isArray(body) ? body.map(entryOf) : entryOf(body as ScriptedCall));

const address = (digit: number) => `0x${'0'.repeat(39)}${digit}`;
const hash = (digit: number) => `0x${'0'.repeat(63)}${digit}`;
const QUERY = `{ a: receipt(hash: "${hash(1)}") { gasUsed } b: receipt(hash: "${hash(2)}") { gasUsed } }`;
const CORRECT_RESPONSE = { data: { a: { gasUsed: '0x1' }, b: { gasUsed: '0x2' } } };

const json = (requested: ScriptedRequest, change: (entries: any[]) => unknown) => change(requested.calls.map(entryOf));
const text = (requested: ScriptedRequest) => JSON.stringify(json(requested, (entries) => entries));

/** How many calls of a method the node has received. */
const callsOf = (method: string) =>
  node
    .posts()
    .flat()
    .filter((requested) => requested === method).length;

const codes = async () => {
  const { errors } = await graph.execute(QUERY);
  return [...new Set(errors?.map(({ extensions }) => extensions.code))];
};

const silent: Script = () => undefined;
const reset: Script = ({ socket }) => void socket.resetAndDestroy();
const drip: Script = async (requested, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  for (const letter of text(requested)) {
    if (response.destroyed) return;
    response.write(letter);
    await sleep(20);
  }
};
/** Faults that only a timeout reveals. Other tests use a long timeout, for a busy machine. */
const isSlow = (fault: Script) => fault === silent || fault === drip;
const endless: Script = async (_requested, response) => {
  const block = Buffer.alloc(1024 * 1024, 0x20);
  response.writeHead(200, { 'content-type': 'application/json' });
  while (!response.destroyed) if (!response.write(block)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
};
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));

describe('permanent faults of a read', () => {
  test.each<[string, Script, string, number]>([
    ['429', respondWith(429, ''), 'UPSTREAM_RATE_LIMITED', 3],
    ['429 with a minute to wait', respondWith(429, '', { 'retry-after': '60' }), 'UPSTREAM_RATE_LIMITED', 1],
    ['500', respondWith(500, ''), 'UPSTREAM_UNAVAILABLE', 3],
    ['a reset', reset, 'UPSTREAM_UNAVAILABLE', 3],
    ['no response', silent, 'UPSTREAM_TIMEOUT', 3],
    ['one byte at a time', drip, 'UPSTREAM_TIMEOUT', 3],
    ['HTML', respondWith(200, '<html></html>'), 'UPSTREAM_BAD_RESPONSE', 2],
    ['null', respondWith(200, 'null'), 'UPSTREAM_BAD_RESPONSE', 2],
    ['an endless response', endless, 'UPSTREAM_BAD_RESPONSE', 2],
    [
      'a gzip bomb',
      (_requested, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      'UPSTREAM_BAD_RESPONSE',
      2,
    ],
    ['401', respondWith(401, ''), 'UPSTREAM_AUTH', 1],
    ['404', respondWith(404, ''), 'UPSTREAM_UNAVAILABLE', 3],
    [
      'an exhausted quota',
      ({ calls }) =>
        calls.map(({ id }) => ({ id, error: { code: -32005, message: 'Your monthly capacity limit was exceeded' } })),
      'UPSTREAM_QUOTA_EXCEEDED',
      1,
    ],
  ])('%s', async (_case, fault, code, posts) => {
    if (isSlow(fault)) graph = await reopened(100);
    node.script = fault;
    expect(await codes()).toEqual([code]);
    expect(node.requests).toHaveLength(posts);
  });
});

async function reopened(timeoutMs: number): Promise<InProcessGraph> {
  await graph.close();
  return createInProcessGraph([withNodeKey(node.url)], { timeoutMs });
}

test('the delay before a retry ends with the operation', async () => {
  node.script = respondWith(429, '', { 'retry-after': '4' });
  const { errors } = await graph.execute(QUERY, { deadlineMs: 1_000 });
  expect(errors![0].extensions).toMatchObject({ code: 'UPSTREAM_RATE_LIMITED', retryAfterMs: 4000 });
  expect(node.requests).toHaveLength(1);
});

test('retries are at most a tenth of the requests when the initial retry budget is used up', async () => {
  node.script = ({ calls }) => calls.map(({ id }) => ({ id, error: { code: -32603, message: 'oops' } }));
  const one = `{ account(address: "${address(1)}") { balance } }`;
  node.script = ({ body }) => ({ id: (body as ScriptedCall).id, error: { code: -32603, message: 'oops' } });
  for (let i = 0; i < 40; i++) await graph.execute(one);
  expect(node.requests.length).toBeLessThanOrEqual(40 + 10 + 4);
  expect(node.requests.length).toBeGreaterThan(40);
});

const DATA = await new Wallet(`0x${'1'.repeat(64)}`).signTransaction({
  chainId: 7,
  nonce: 0,
  gasLimit: 21_000,
  gasPrice: 1,
  to: address(1),
});

const SUBMIT = 'mutation ($data: Bytes!) { sendRawTransaction(data: $data) }';

/** Sends a transaction to a node whose fault affects that call only. */
function submitTo(fault: Script) {
  node.script = (requested, response) =>
    requested.calls[0]!.method === 'eth_chainId' ? respondCorrectly(requested, response) : fault(requested, response);
  return graph.execute(SUBMIT, { variables: { data: DATA } });
}

test.each<[string, Script]>([
  ['500', respondWith(500, '')],
  ['a reset', reset],
  ['no response', silent],
  ['HTML', respondWith(200, '<html></html>')],
  ['-32603', ({ body }) => ({ id: (body as ScriptedCall).id, error: { code: -32603, message: 'oops' } })],
])('a transaction whose response is %s is not sent again: TX_STATUS_UNKNOWN with its hash', async (_case, fault) => {
  // The first call reads the chain id, which must not time out.
  if (isSlow(fault)) graph = await reopened(1_000);
  const { errors } = await submitTo(fault);
  expect(errors![0].extensions).toMatchObject({
    code: 'TX_STATUS_UNKNOWN',
    retryable: false,
    hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(callsOf('eth_sendRawTransaction')).toBe(1);
});

describe('circuit breaker', () => {
  test('the circuit breaker opens after five failures and closes when the node responds', async () => {
    node.script = reset;
    while (!(await codes()).includes('UPSTREAM_CIRCUIT_OPEN'));
    const { errors } = await graph.execute(QUERY);
    expect(errors![0].extensions).toMatchObject({
      code: 'UPSTREAM_CIRCUIT_OPEN',
      retryable: true,
      retryAfterMs: expect.any(Number),
    });
    const before = callsOf('eth_getTransactionReceipt');
    await graph.execute(QUERY);
    expect(callsOf('eth_getTransactionReceipt')).toBe(before);
    node.script = respondCorrectly;
    while ((await graph.execute(QUERY)).errors) await sleep(10);
    expect(await graph.execute(QUERY)).toEqual(CORRECT_RESPONSE);
  });

  test('the circuit breaker stays closed for JSON-RPC errors', async () => {
    node.script = ({ calls }) => calls.map(({ id }) => ({ id, error: { code: -32601, message: 'no such method' } }));
    for (let i = 0; i < 12; i++) expect(await codes()).toEqual(['METHOD_NOT_SUPPORTED']);
  });
});

describe('multiple endpoints', () => {
  let other: ScriptedNode;

  beforeEach(async () => {
    other = await startScriptedNode(respondCorrectly);
    await graph.close();
    graph = createInProcessGraph([withNodeKey(node.url), withNodeKey(other.url)], { timeoutMs: 5_000, headerChecks: 'report' });
  });

  test('the second endpoint responds without delay when the first is unavailable', async () => {
    node.script = reset;
    for (let i = 0; i < 8; i++) expect(await graph.execute(QUERY)).toEqual(CORRECT_RESPONSE);
    expect(other.posts().flat()).toContain('eth_getTransactionReceipt');
  });

  test('an operation stays on its first endpoint and fails with it', async () => {
    const parts = `{ blocks(from: 1) { number hash } }`;
    other.script = (requested, response) => respondCorrectly(requested, response);
    node.script = (requested, response) => {
      const { method, params } = requested.calls[0]!;
      if (method === 'eth_chainId') return respondCorrectly(requested, response);
      return params[0] === 'latest' ? headOf3(requested, response) : reset(requested, response);
    };
    const { errors } = await graph.execute(parts);
    expect(errors![0].extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(other.posts().flat()).not.toContain('eth_getBlockByNumber');
  });

  test('a transaction is sent to the second endpoint when the first does not return its chain id', async () => {
    node.script = reset;
    other.script = (requested, response) =>
      requested.calls[0]!.method === 'eth_chainId' ? respondCorrectly(requested, response) : reset(requested, response);
    const { errors } = await graph.execute(SUBMIT, { variables: { data: DATA } });
    expect(errors![0].extensions.code).toBe('TX_STATUS_UNKNOWN');
    expect(callsOf('eth_sendRawTransaction')).toBe(0);
    expect(
      other
        .posts()
        .flat()
        .filter((method) => method === 'eth_sendRawTransaction'),
    ).toHaveLength(1);
  });

  test('an endpoint that changes its chain makes every operation fail', async () => {
    await graph.node.verifyChain(new AbortController().signal);
    node.script = ({ body }) => ({ id: (body as ScriptedCall).id, result: '0x8' });
    // A check ends with the first response, which may be the response of the other endpoint.
    const verify = () => graph.node.verifyChain(new AbortController().signal).catch(({ code }) => code);
    await waitUntil(async () => (await verify()) === 'UPSTREAM_CHAIN_CHANGED', 'the change is detected');
    node.script = respondCorrectly;
    expect(await codes()).toEqual(['UPSTREAM_CHAIN_CHANGED']);
    await expect(graph.node.verifyChain(new AbortController().signal)).rejects.toMatchObject({ code: 'UPSTREAM_CHAIN_CHANGED' });
  });
});

/** Responses with block 3 as head. */
const headOf3: Script = ({ calls: [call] }) => ({ ...entryOf(call!), result: block({ number: '0x3' }) });
