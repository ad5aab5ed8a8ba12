import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../src/lib/operation-budget.ts';
import { MAX_WAITING_REQUESTS } from '../../../../src/upstream/connection-queue.ts';
import { createRpcNode, type RpcNode } from '../../../../src/upstream/rpc/node.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { log } from '../../../support/silent-log.ts';
import { echoParams, type Script, type ScriptedNode, startScriptedNode } from '../../../support/upstream/scripted-node.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let upstream: ScriptedNode;
let node: RpcNode;
/** Ends the operations of a test whose requests the node holds. */
let held = new AbortController();

afterEach(() => {
  held.abort(new GraphError('TIMEOUT', 'The test has ended.'));
  held = new AbortController();
});

async function open(script: Script, { timeoutMs = 60_000, maxBatchSize = 1_000 } = {}): Promise<void> {
  upstream = await startScriptedNode(script);
  node = untilTestsEnd(createRpcNode({ urls: [upstream.url], maxBatchSize, timeoutMs, log }));
}

/** An operation that ends with the test. */
const createOperation = (budget?: OperationBudget) => {
  const controller = new AbortController();
  held.signal.addEventListener('abort', () => controller.abort(held.signal.reason));
  const session = node.createSession({ budget });
  return { controller, send: (...calls: RpcCall[]) => session.send(calls, controller.signal) };
};

const search = (fromBlock: string): RpcCall => ({ method: 'eth_getLogs', params: [{ fromBlock, toBlock: '0x1000' }] });
const blockCall: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };
const codeOf = (outcome: RpcOutcome | undefined) => outcome && 'error' in outcome && outcome.error.code;

/** Holds searches, and responds to everything else. */
const holdSearches: Script = (request, response) =>
  request.calls.some(({ method }) => method === 'eth_getLogs') ? undefined : echoParams(request, response);
const postsOf = (method: string) => upstream.posts().filter((post) => post.includes(method)).length;

describe('heavy requests', () => {
  test('a call is sent while twenty searches of other operations are held by the node', async () => {
    await open(holdSearches);
    for (let i = 0; i < 20; i++) void createOperation().send(search(`0x${i}`));
    await waitUntil(() => postsOf('eth_getLogs') === 4, 'four searches are sent');
    expect(await createOperation().send(blockCall)).toEqual([{ result: blockCall.params }]);
    expect([postsOf('eth_getLogs'), node.status.queuedRequests]).toEqual([4, 16]);
  });

  test.each<[string, boolean, RpcCall[]]>([
    ['a search over several blocks', true, [search('0x1')]],
    ['a search without a range', true, [{ method: 'eth_getLogs', params: [{ fromBlock: 'earliest', toBlock: 'latest' }] }]],
    ['the logs of a block by height', false, [{ method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x1' }] }]],
    ['the logs of a block by hash', false, [{ method: 'eth_getLogs', params: [{ blockHash: '0x12' }] }]],
    ['400 calls', false, Array.from({ length: 400 }, () => blockCall)],
    ['401 calls', true, Array.from({ length: 401 }, () => blockCall)],
    ['ten whole blocks with receipts', false, Array.from({ length: 20 }, () => ({ ...blockCall, cost: 20 }))],
    ['eleven whole blocks with receipts', true, Array.from({ length: 22 }, () => ({ ...blockCall, cost: 20 }))],
  ])('whether a request is heavy: %s (%s)', async (_case, isHeavy, calls) => {
    await open(() => undefined);
    for (let i = 0; i < 4; i++) void createOperation().send(search(`0x${i}`));
    void createOperation().send(...calls);
    await waitUntil(() => upstream.requests.length + node.status.queuedRequests === 5, 'every request is sent or queued');
    expect(node.status.queuedRequests).toBe(isHeavy ? 1 : 0);
  });

  test('searches that the node does not answer in time do not open the circuit breaker', async () => {
    await open(holdSearches, { timeoutMs: 100 });
    const sent = await Promise.all(Array.from({ length: 10 }, (_none, i) => createOperation().send(search(`0x${i}`))));
    expect(sent.map(([outcome]) => codeOf(outcome))).toEqual(sent.map(() => 'UPSTREAM_TIMEOUT'));
    expect(node.status.unavailableEndpoints).toBe(0);
  });

  test('small calls that the node does not answer in time open the circuit breaker, also between searches', async () => {
    await open(() => undefined, { timeoutMs: 100 });
    for (let i = 0; i < 2; i++) await Promise.all([createOperation().send(blockCall), createOperation().send(search('0x1'))]);
    expect(node.status.unavailableEndpoints).toBe(1);
  });
});

describe('the time in the queue', () => {
  test('the time in the queue is not part of the timeout', async () => {
    const delayed: Script = async (request, response) => {
      await sleep(100);
      return echoParams(request, response);
    };
    await open(delayed, { timeoutMs: 1_500, maxBatchSize: 1 });
    const calls = Array.from({ length: 320 }, () => blockCall);
    expect(await createOperation().send(...calls)).toEqual(calls.map(({ params }) => ({ result: params })));
    expect(node.status).toMatchObject({ retries: 0, queueWaits: 304 });
  });
});

describe('a full queue', () => {
  test('a full queue fails calls with OVERLOADED, without a retry and without opening the circuit breaker', async () => {
    await open(() => undefined, { maxBatchSize: 1 });
    const first = createOperation();
    void first.send(...Array.from({ length: 16 + MAX_WAITING_REQUESTS }, () => blockCall));
    await waitUntil(() => node.status.queuedRequests === MAX_WAITING_REQUESTS, 'the queue is full');
    for (let i = 0; i < 6; i++) {
      expect(await createOperation().send(blockCall)).toMatchObject([
        { error: { extensions: { code: 'OVERLOADED', source: 'graph', retryAfterMs: 1_000 } }, unsent: true },
      ]);
    }
    expect(node.status).toMatchObject({ overloads: 6, retries: 0, unavailableEndpoints: 0 });
  });
});

describe('the budget of an operation', () => {
  const budgetOf = (maxBytes: number, controller?: AbortController) =>
    new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_UPSTREAM_BYTES: maxBytes }, (error) => controller?.abort(error));

  test('the budget of an operation counts the bytes of each POST and of each response', async () => {
    const response = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(1_000)}"}`;
    await open((_request, reply) => void reply.end(response));
    const budget = budgetOf(1_000_000);
    await createOperation(budget).send(blockCall);
    const sent = JSON.stringify(upstream.requests[0]!.body).length;
    expect(budget).toMatchObject({ requests: 1, calls: 1, upstreamBytes: sent + response.length });
  });

  test('the budget of an operation counts retries and responses that fail', async () => {
    let isFirst = true;
    await open((request, reply) => {
      if (!isFirst) return echoParams(request, reply);
      isFirst = false;
      reply.writeHead(200, { 'content-length': '5000' });
      return void reply.write('x'.repeat(2_000), () => reply.destroy());
    });
    const budget = budgetOf(1_000_000);
    expect(await createOperation(budget).send(blockCall)).toEqual([{ result: blockCall.params }]);
    const [first, second] = upstream.requests.map(({ body }) => JSON.stringify(body).length);
    expect(budget.requests).toBe(2);
    expect(budget.upstreamBytes).toBeGreaterThan(first! + second! + 2_000);
  });

  test('an operation sends no POST after its budget is exhausted', async () => {
    await open(echoParams);
    const calls = Array.from(
      { length: 20 },
      (_none, i): RpcCall => ({ method: 'eth_a', params: [String(i).padEnd(300_000, 'x')] }),
    );
    const budget = budgetOf(1_000_000);
    const outcomes = await createOperation(budget).send(...calls);
    expect(outcomes.map(codeOf).filter((code) => code === 'RESULT_TOO_LARGE').length).toBeGreaterThanOrEqual(16);
    expect(budget.requests).toBeLessThanOrEqual(4);
    expect(upstream.requests.length).toBeLessThanOrEqual(3);
    expect(budget.error).toMatchObject({ extensions: { setting: 'MAX_UPSTREAM_BYTES' } });
  });

  test('an exhausted budget ends a response that is still arriving', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    await open(({ socket }, reply) => {
      closed = new Promise((resolve) => socket.once('close', resolve));
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.write('x'.repeat(200_000));
    });
    const budget = budgetOf(100_000, controller);
    const [outcome] = await node.createSession({ budget }).send([blockCall], controller.signal);
    expect(codeOf(outcome)).toBe('RESULT_TOO_LARGE');
    await closed;
  });
});
