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

/** What an operator sees of a node that misbehaves. */
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
const right = calls.map(({ params }) => ({ result: params }));

test('a node that answers has nothing to be told of', async () => {
  expect(await send()).toEqual(right);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 0, unavailableEndpoints: 0 });
});

test('entries of an answer that belong to no call are counted', async () => {
  upstream.script = ({ calls: asked }) => [
    ...asked.map(resultOf),
    { jsonrpc: '2.0', id: 1_000_000, result: '0xbad' },
    { jsonrpc: '2.0', id: null, result: '0xbad' },
  ];
  expect(await send()).toEqual(right);
  expect(node.status).toEqual({ retries: 0, unmatchedResponses: 2, unavailableEndpoints: 0 });
});

test('what is asked again is counted, and so is an endpoint that is left alone', async () => {
  upstream.script = respondWith(500, 'oops');
  const failed = await send();
  expect(failed.map((outcome) => 'error' in outcome && outcome.error.code)).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'UPSTREAM_UNAVAILABLE',
  ]);
  expect(node.status).toEqual({ retries: 2, unmatchedResponses: 0, unavailableEndpoints: 0 });
  // Five failures in a row, of which three are there.
  await send();
  expect(node.status).toMatchObject({ unavailableEndpoints: 1 });
});
