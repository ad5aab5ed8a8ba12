import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { probeNode } from '../../../../src/snapshot/node-capabilities.ts';
import { createRpcNode, type RpcNode } from '../../../../src/upstream/rpc/node.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { withNodeKey } from '../../../support/secrets.ts';
import {
  respondWith,
  type Script,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

/** Two endpoints of one chain. The first is preferred. A read returns the name of the endpoint that responds. */
let first: ScriptedNode;
let second: ScriptedNode;
let node: RpcNode;
let lines: { readonly level: number }[];

/** Responds with a name, and to methods that start with a key of `others` with its value. */
const respondAs = (name: string, others: Record<string, object> = {}): Script => {
  const table = Object.entries({ ...others, eth_chainId: others.eth_chainId ?? { result: '0x7' } });
  const entryOf = ({ id, method }: ScriptedCall) => ({
    ...{ jsonrpc: '2.0', id },
    ...(table.find(([start]) => method.startsWith(start))?.[1] ?? { result: name }),
  });
  return ({ body }) => (Array.isArray(body) ? body.map(entryOf) : entryOf(body as ScriptedCall));
};

beforeEach(async () => {
  [first, second] = [await startScriptedNode(respondAs('0x1')), await startScriptedNode(respondAs('0x2'))];
  lines = [];
  const log = pino({ base: null, level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const urls = [first, second].map(({ url }) => withNodeKey(url));
  node = createRpcNode({ urls, maxBatchSize: 100, timeoutMs: 2_000, log });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await node.close();
  await Promise.all([first.stop(), second.stop()]);
});

const signal = () => AbortSignal.timeout(20_000);
const read: RpcCall = { method: 'eth_getBalance', params: [`0x${'1'.repeat(40)}`, '0x5'] };
const shown = (outcome: RpcOutcome | undefined) => ('error' in outcome! ? outcome.error.code : outcome?.result);
const send = async (call = read, session = node.createSession()) => (await session.send([call], signal()))[0];
/** The outcome of one operation with one call. */
const operation = async (call = read) => shown(await send(call));
/** Number of calls of a method that an endpoint has received. */
const count = (endpoint: ScriptedNode, { method } = read) =>
  endpoint
    .posts()
    .flat()
    .filter((one) => one === method).length;
const now = performance.now.bind(performance);
let advancedMs = 0;
/** Advances the clock of the times for which an endpoint is avoided, and for which a method counts as missing. */
const advance = (ms: number): void => {
  advancedMs += ms;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + advancedMs);
};

test('an endpoint is used last for 1,000 checks after three results that contradict block headers', async () => {
  const [honest, forged] = [{ result: { hash: '0x2' } }, { result: { hash: '0x1' } }];
  first.script = respondAs('', { eth_getBlockByHash: forged });
  second.script = respondAs('', { eth_getBlockByHash: honest });
  const contradiction = (result: unknown) =>
    (result as { hash: string }).hash === '0x1'
      ? { check: 'hash', text: 'the header of block 5 does not have its hash' }
      : undefined;
  const block = {
    method: 'eth_getBlockByHash',
    params: ['0x5'],
    reader: { read: (result: unknown) => result, contradiction },
  } as RpcCall;
  for (const countOfFirst of [1, 2, 3, 3, 3]) {
    expect(await send(block)).toEqual(honest);
    expect(count(first, block)).toBe(countOfFirst);
  }
  const label = new URL(first.url).origin;
  expect(node.failures).toMatchObject([
    { code: 'UPSTREAM_BAD_RESPONSE', endpoint: label, message: expect.stringContaining('block 5') },
  ]);
  expect(node.headerChecks.failures.with('hash').count).toBe(3);
  expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ endpoint: label, method: block.method }]);
  // It is used for what the other endpoint cannot do.
  second.script = respondWith(401, '');
  expect(await operation(block)).toBe('UPSTREAM_BAD_RESPONSE');
  expect(count(first, block)).toBe(4);
  second.script = respondAs('', { eth_getBlockByHash: honest });
  advance(31_000);
  await node.createSession().send(Array(1_000).fill(block), signal());
  expect([node.failures, count(first, block)]).toEqual([[], 4]);
  expect(await send(block)).toEqual(honest);
  expect(count(first, block)).toBe(5);
});

test('an endpoint that is used last still receives what all others lack, and the poll that skips the others', async () => {
  const third = await startScriptedNode(respondAs('0x3', { eth_getBlockByHash: { result: { forged: true } } }));
  const urls = [third, first, second].map(({ url }) => url);
  const three = createRpcNode({ urls, maxBatchSize: 100, timeoutMs: 2_000, log: pino({ enabled: false }) });
  const contradiction = (result: unknown) => (typeof result === 'object' ? { check: 'hash', text: 'a hash' } : undefined);
  const reader = { read: (result: unknown) => result, contradiction };
  const block = { method: 'eth_getBlockByHash', params: ['0x5'], reader } as RpcCall;
  for (let i = 0; i < 3; i++) expect(shown(await send(block, three.createSession()))).toBe('0x1');
  expect(three.failures).toHaveLength(1);
  expect(await Promise.all([0, 1, 2].map(async (skip) => shown(await send(read, three.createSession({ skip })))))).toEqual([
    ...['0x1', '0x2', '0x3'],
  ]);
  for (const pruned of [first, second])
    pruned.script = respondAs('', { eth_getBalance: { error: { code: 4444, message: 'pruned history unavailable' } } });
  expect(shown(await send(read, three.createSession()))).toBe('0x3');
  await three.close();
  await third.stop();
});

test('an endpoint is not used last for the transactions of a block, which another endpoint may have sent', async () => {
  const contradiction = () => ({ check: 'transactionHash', text: 'a log of block 5 has another transaction' });
  const logs = { method: 'eth_getLogs', params: [{ blockHash: '0x5' }], reader: { read: () => ({}), contradiction } } as RpcCall;
  for (let i = 0; i < 4; i++) expect(await operation(logs)).toBe('UPSTREAM_BAD_RESPONSE');
  expect([node.failures, node.headerChecks.failures.with('transactionHash').count]).toEqual([[], 8]);
});

test('a call without a block stays at the endpoint that has responded when another call moves', async () => {
  const internal = { error: { code: -32603, message: 'internal error' } };
  first.script = respondAs('0x1', { eth_gasPrice: internal, eth_getBlockReceipts: { error: { code: -32601, message: 'no' } } });
  const gasPrice = { method: 'eth_gasPrice', params: [] };
  const receipts = { method: 'eth_getBlockReceipts', params: [`0x${'b'.repeat(64)}`] };
  const outcomes = await node.createSession().send([read, gasPrice, receipts], signal());
  expect(outcomes.map(shown)).toEqual(['0x1', 'UPSTREAM_INTERNAL', '0x2']);
  expect([count(second, gasPrice), count(second, receipts)]).toEqual([0, 1]);
  expect(count(first, gasPrice)).toBeGreaterThan(1);
});

describe('an endpoint that rejects requests', () => {
  const withBody =
    (status: number, error: object): Script =>
    ({ calls: [call] }, response) =>
      void response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: call!.id, error }));
  const quota = { code: -32005, message: 'Your monthly capacity limit was exceeded' };
  const cases: [string, Script, string][] = [
    ['401', respondWith(401, ''), 'UPSTREAM_AUTH'],
    ['401 and a JSON-RPC error', withBody(401, { code: -32600, message: 'Must be authenticated!' }), 'UPSTREAM_AUTH'],
    ['403', respondWith(403, ''), 'UPSTREAM_AUTH'],
    ['a used-up quota', withBody(200, quota), 'UPSTREAM_QUOTA_EXCEEDED'],
    ['429 and a used-up quota', withBody(429, quota), 'UPSTREAM_QUOTA_EXCEEDED'],
    ['429 and a minute to wait', respondWith(429, '', { 'retry-after': '60' }), 'UPSTREAM_RATE_LIMITED'],
  ];

  test.each(cases)('is avoided after %s, and used again later, with a log line at both times', async (_case, rejection, code) => {
    first.script = rejection;
    for (let i = 0; i < 3; i++) expect(await operation()).toBe('0x2');
    // Some of these endpoints have rejected the check of their chain.
    const { length } = first.requests;
    expect([length <= 2, node.status.unavailableEndpoints]).toEqual([true, 1]);
    advance(61_000);
    expect(await operation()).toBe('0x2');
    expect(first.requests.length).toBeGreaterThan(length);
    expect(lines).toMatchObject([{ level: 40, endpoint: first.url, code }]);
    first.script = respondAs('0x1');
    advance(61_000);
    expect(await operation()).toBe('0x1');
    expect(node.status.unavailableEndpoints).toBe(0);
    expect(lines.slice(1)).toMatchObject([{ level: 30, endpoint: first.url }]);
    // Without another endpoint, each operation tries it.
    [first.script, second.script] = [rejection, rejection];
    for (let i = 0; i < 3; i++) expect(await operation()).toBe(code);
    second.script = respondAs('0x2');
    advance(61_000);
    expect(await operation()).toBe('0x2');
  });

  test('fails an operation that it has served before, and the next operation moves', async () => {
    const session = node.createSession();
    expect(shown(await send(read, session))).toBe('0x1');
    first.script = withBody(200, quota);
    expect(shown(await send(read, session))).toBe('UPSTREAM_QUOTA_EXCEEDED');
    expect(await operation()).toBe('0x2');
  });

  test('leaves a submission to the next endpoint', async () => {
    await operation();
    first.script = respondWith(401, '');
    const submission = { method: 'eth_sendRawTransaction', params: ['0x'] };
    expect(shown(await node.createSession().sendOnce(submission, signal()))).toBe('0x2');
  });
});

describe('a method that the first endpoint lacks', () => {
  const missing = { debug_: { error: { code: -32601, message: 'the method does not exist' } } };
  const trace: RpcCall = { method: 'debug_traceCall', params: [{}, { blockHash: `0x${'ab'.repeat(32)}` }] };

  beforeEach(() => {
    first.script = respondAs('0x1', missing);
  });

  test('is called on the next endpoint for the block that the call names, and the operation stays', async () => {
    const session = node.createSession();
    expect((await session.send([read, trace], signal())).map(shown)).toEqual(['0x1', '0x2']);
    expect(shown(await send(read, session))).toBe('0x1');
    expect(count(second)).toBe(0);
  });

  test('costs no further calls for a minute when no endpoint has it', async () => {
    second.script = respondAs('0x2', missing);
    for (let i = 0; i < 3; i++) expect(await operation(trace)).toBe('METHOD_NOT_SUPPORTED');
    expect([count(first, trace), count(second, trace)]).toEqual([3, 1]);
    second.script = respondAs('0x2');
    advance(61_000);
    expect(await operation(trace)).toBe('0x2');
  });

  test.each([
    ['at a tag', [{}, 'latest']],
    ['without a block', read.params.slice(0, 1)],
  ])('is not called on another endpoint %s', async (_case, params) => {
    expect(await operation({ ...trace, params })).toBe('METHOD_NOT_SUPPORTED');
    expect(count(second, trace)).toBe(0);
  });

  test('is reported as missing while the next endpoint fails', async () => {
    second.script = respondWith(500, '');
    expect(await operation(trace)).toBe('METHOD_NOT_SUPPORTED');
    second.script = respondAs('0x2');
    expect(await operation(trace)).toBe('0x2');
  });
});

test.each([0, 1])('the check of the node ends with the first endpoint that responds; endpoint %d hangs', async (hanging) => {
  [first, second][hanging]!.script = () => undefined;
  // The second check knows the chain.
  for (let i = 0; i < 2; i++) expect(await probeNode(node, AbortSignal.timeout(1_900))).toBe(hanging === 0 ? '0x2' : '0x1');
});

test('the check of the node reads the height of the next endpoint when the first has a quota for its chain id alone', async () => {
  first.script = respondAs('0x1', { eth_blockNumber: { error: { code: -32005, message: 'quota exceeded' } } });
  expect(await probeNode(node, signal())).toBe('0x2');
});

test('an endpoint of another chain is not used, and logged once until it is corrected', async () => {
  second.script = respondAs('0x2', { eth_chainId: { result: '0x8' } });
  for (let i = 0; i < 3; i++) expect(await probeNode(node, signal())).toBe('0x1');
  first.script = respondWith(500, '');
  expect(await operation()).toBe('UPSTREAM_UNAVAILABLE');
  expect(count(second)).toBe(0);
  const reason = 'The node has an endpoint of chain 8 instead of chain 7.';
  expect(lines).toMatchObject([{ level: 40, endpoint: second.url, reason }]);
  second.script = respondAs('0x2');
  expect(await operation()).toBe('0x2');
  expect(lines.slice(1)).toMatchObject([{ level: 30, endpoint: second.url }]);
});

test('an endpoint whose chain is unknown because of an internal error is not used', async () => {
  second.script = respondAs('0x2', { eth_chainId: { error: { code: -32603, message: 'internal error' } } });
  expect(await probeNode(node, signal())).toBe('0x1');
  first.script = respondWith(500, '');
  expect(await operation()).toMatch(/^UPSTREAM_/);
  expect(count(second)).toBe(0);
});

test('an endpoint that serves only its chain id is probed by one task, however often the node is verified', async () => {
  first.script = ({ calls: [call] }, response) =>
    call!.method === 'eth_chainId' ? { id: call!.id, result: '0x7' } : void response.writeHead(500).end();
  const endpoint = node.endpoints[0]!;
  for (let i = 0; i < 10; i++) {
    await endpoint.verifyChain(signal());
    await Promise.all(Array.from({ length: 5 }, () => endpoint.send([read], signal(), undefined)));
    expect(endpoint.isOpen).toBe(true);
  }
  await sleep(700);
  expect(count(first, { ...read, method: 'eth_chainId' })).toBe(10 + 1);
});

test.each<[string, Script]>([
  ['without a result', ({ calls: [call] }) => ({ jsonrpc: '2.0', id: call!.id })],
  ['above the size limit', (_requested, response) => void response.end(Buffer.alloc(33 * 1024 * 1024, ' '))],
])('responses %s to one method do not suspend the endpoint', async (_case, script) => {
  const reads = respondAs('0x1');
  first.script = (requested, response) =>
    requested.calls[0]!.method === 'eth_a' ? script(requested, response) : reads(requested, response);
  const endpoint = node.endpoints[0]!;
  for (let i = 0; i < 5; i++) {
    const [outcome] = await endpoint.send([{ method: 'eth_a', params: [] }], signal(), undefined);
    expect(shown(outcome)).toBe('UPSTREAM_BAD_RESPONSE');
  }
  expect(shown((await endpoint.send([read], signal(), undefined))[0])).toBe('0x1');
});
