import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createRpcNode, type RpcNode } from '../../../../src/upstream/rpc/node.ts';
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
  node = createRpcNode({ urls: [upstream.url], maxBatchSize: 100, timeoutMs: 2_000, log: pino({ level: 'silent' }) });
});

afterEach(async () => {
  await node.close();
  await upstream.stop();
});

const calls = ['eth_a', 'eth_b'].map((method) => ({ method, params: [method] }));
const send = () => node.createSession().send(calls, AbortSignal.timeout(10_000));
const expected = calls.map(({ params }) => ({ result: params }));

test('the status of a healthy node has only zeros', async () => {
  expect(await send()).toEqual(expected);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 0, unavailableEndpoints: 0 });
});

test('the status of a node counts response entries that match no call', async () => {
  upstream.script = ({ calls: received }) => [
    ...received.map(resultOf),
    { jsonrpc: '2.0', id: 1_000_000, result: '0xbad' },
    { jsonrpc: '2.0', id: null, result: '0xbad' },
  ];
  expect(await send()).toEqual(expected);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 2, unavailableEndpoints: 0 });
});

test('the status of a node counts retries and unavailable endpoints', async () => {
  upstream.script = respondWith(500, 'oops');
  const failed = await send();
  expect(failed.map((outcome) => 'error' in outcome && outcome.error.code)).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'UPSTREAM_UNAVAILABLE',
  ]);
  expect(node.status).toEqual({ retries: 2, unmatchedResponses: 0, unavailableEndpoints: 0 });
  // Three of the five failures in a row that open the circuit breaker have happened.
  await send();
  expect(node.status).toMatchObject({ unavailableEndpoints: 1 });
});
