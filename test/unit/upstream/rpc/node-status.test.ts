import { beforeEach, expect, test } from '@jest/globals';
import { createRpcNode, type RpcNode } from '../../../../src/upstream/rpc/node.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { log } from '../../../support/silent-log.ts';
import {
  echoParams,
  respondWith,
  resultOf,
  type ScriptedNode,
  startScriptedNode,
} from '../../../support/upstream/scripted-node.ts';

let upstream: ScriptedNode;
let node: RpcNode;

beforeEach(async () => {
  upstream = await startScriptedNode(echoParams);
  node = untilTestsEnd(createRpcNode({ urls: [upstream.url], maxBatchSize: 100, timeoutMs: 2_000, log }));
});

const calls = ['eth_a', 'eth_b'].map((method) => ({ method, params: [method] }));
const send = () => node.createSession().send(calls, AbortSignal.timeout(10_000));
const expected = calls.map(({ params }) => ({ result: params }));
const noQueue = { queuedRequests: 0, queueWaits: 0, queueWaitMs: 0, overloads: 0 };

test('the status of a healthy node has only zeros', async () => {
  expect(await send()).toEqual(expected);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 0, unavailableEndpoints: 0, ...noQueue });
});

test('the status of a node counts response entries that match no call', async () => {
  upstream.script = ({ calls: received }) => [
    ...received.map(resultOf),
    { jsonrpc: '2.0', id: 1_000_000, result: '0xbad' },
    { jsonrpc: '2.0', id: null, result: '0xbad' },
  ];
  expect(await send()).toEqual(expected);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 2, unavailableEndpoints: 0, ...noQueue });
});

test('the status of a node counts retries and unavailable endpoints', async () => {
  upstream.script = respondWith(500, 'oops');
  const failed = await send();
  expect(failed.map((outcome) => 'error' in outcome && outcome.error.code)).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'UPSTREAM_UNAVAILABLE',
  ]);
  expect(node.status).toEqual({ retries: 2, unmatchedResponses: 0, unavailableEndpoints: 0, ...noQueue });
  // Three of the five failures in a row that open the circuit breaker have happened.
  await send();
  expect(node.status).toMatchObject({ unavailableEndpoints: 1 });
});

test('the status of a node counts POSTs that wait for a connection, and their waiting time', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  upstream.script = async (request, response) => {
    await held;
    return echoParams(request, response);
  };
  const sent = Promise.all(Array.from({ length: 18 }, send));
  expect(node.status).toMatchObject({ queuedRequests: 2, queueWaits: 0 });
  release();
  expect(await sent).toEqual(Array.from({ length: 18 }, () => expected));
  expect(node.status).toMatchObject({ queuedRequests: 0, queueWaits: 2, overloads: 0 });
  expect(node.status.queueWaitMs).toBeGreaterThan(0);
});
