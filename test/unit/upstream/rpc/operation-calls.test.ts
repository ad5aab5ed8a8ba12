import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import DataLoader from 'dataloader';
import { GraphError } from '../../../../src/errors.ts';
import { data, quantity } from '../../../../src/ethereum/decoders.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import { createOperationCalls } from '../../../../src/upstream/rpc/operation-calls.ts';
import { readResult } from '../../../../src/upstream/rpc/rpc-call.ts';
import type { RpcMethod } from '../../../../src/upstream/rpc/rpc-method.ts';
import { type ScriptedCall, type ScriptedNode, startScriptedNode } from '../../../support/upstream/scripted-node.ts';

const balance: RpcMethod<[address: string], unknown> = {
  name: 'eth_getBalance',
  params: (address) => [address, 'latest'],
  read: (result) => result,
};

let node: ScriptedNode;
let rpc: HttpRpcTransport;

beforeEach(async () => {
  node = await startScriptedNode();
  rpc = createHttpRpcTransport({ url: node.url, maxBatchSize: 100 });
});

afterEach(async () => {
  await rpc.close();
  await node.stop();
});

const { signal } = new AbortController();

/** The first parameter of each call, one list a POST. */
const sent = () => node.requests.map(({ calls }) => calls.map(({ params }) => params[0]));

/** Lets the node answer each call with what this makes of its first parameter. */
function respondBy(answer: (name: unknown) => { result: unknown } | { error: unknown }): void {
  const entry = ({ id, params }: ScriptedCall) => ({ jsonrpc: '2.0', id, ...answer(params[0]) });
  node.script = ({ body, calls }) => (Array.isArray(body) ? calls.map(entry) : entry(calls[0]!));
}

test('equal calls are one, and each asker gets the result', async () => {
  const calls = createOperationCalls(rpc, signal);
  const results = await Promise.all([calls.call(balance, 'a'), calls.call(balance, 'b'), calls.call(balance, 'a')]);
  expect(results).toEqual([
    ['a', 'latest'],
    ['b', 'latest'],
    ['a', 'latest'],
  ]);
  expect(sent()).toEqual([['a', 'b']]);
});

test('a call made again later in the operation is not sent again', async () => {
  const calls = createOperationCalls(rpc, signal);
  await calls.call(balance, 'a');
  await calls.call(balance, 'a');
  expect(sent()).toEqual([['a']]);
});

test('another operation asks anew', async () => {
  await createOperationCalls(rpc, signal).call(balance, 'a');
  await createOperationCalls(rpc, signal).call(balance, 'a');
  expect(sent()).toEqual([['a'], ['a']]);
});

test('calls of one name that differ in a parameter, or of two names that do not, are two', async () => {
  const calls = createOperationCalls(rpc, signal);
  const code: RpcMethod<[string], unknown> = { ...balance, name: 'eth_getCode' };
  await Promise.all([calls.call(balance, '1'), calls.call(balance, 1 as never), calls.call(code, '1')]);
  expect(sent().map((names) => names.length)).toEqual([3]);
});

describe('all calls of a tick travel together', () => {
  test('also those made several promise turns later', async () => {
    const calls = createOperationCalls(rpc, signal);
    const late = async (turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return calls.call(balance, `after ${turns}`);
    };
    await Promise.all([late(0), late(1), late(5), late(50)]);
    expect(sent()).toEqual([['after 0', 'after 1', 'after 5', 'after 50']]);
  });

  test('also those made in process.nextTick', async () => {
    const calls = createOperationCalls(rpc, signal);
    const later = new Promise((resolve) => process.nextTick(() => resolve(calls.call(balance, 'b'))));
    await Promise.all([calls.call(balance, 'a'), later]);
    expect(sent()).toEqual([['a', 'b']]);
  });

  test('also those made by loaders on top of loaders', async () => {
    const calls = createOperationCalls(rpc, signal);
    const inner = new DataLoader<string, unknown>(async (keys) => Promise.all(keys.map((key) => calls.call(balance, key))));
    const outer = new DataLoader<string, unknown>(async (keys) =>
      Promise.all(keys.map((key) => inner.load(`${key} by two loaders`))),
    );
    await Promise.all([calls.call(balance, 'a'), inner.load('b by a loader'), outer.load('c'), outer.load('d')]);
    expect(sent()).toEqual([['a', 'b by a loader', 'c by two loaders', 'd by two loaders']]);
  });

  test('and what their results lead to travels together once more', async () => {
    const calls = createOperationCalls(rpc, signal);
    const chain = async (name: string) => {
      await calls.call(balance, name);
      return calls.call(balance, `${name} then`);
    };
    await Promise.all([chain('a'), chain('b')]);
    expect(sent()).toEqual([
      ['a', 'b'],
      ['a then', 'b then'],
    ]);
  });
});

test("the operation's signal ends its calls, with its reason", async () => {
  const abort = new AbortController();
  const reason = new GraphError('TIMEOUT', 'The operation took too long.');
  node.script = () => void abort.abort(reason);
  const calls = createOperationCalls(rpc, abort.signal);
  expect(await Promise.allSettled([calls.call(balance, 'a'), calls.call(balance, 'b')])).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

test('the failure of one call is the failure of no other', async () => {
  respondBy((name) => (name === 'bad' ? { error: { code: -32000, message: 'header not found' } } : { result: name }));
  const calls = createOperationCalls(rpc, signal);
  const [good, bad] = await Promise.allSettled([calls.call(balance, 'good'), calls.call(balance, 'bad')]);
  expect(good).toEqual({ status: 'fulfilled', value: 'good' });
  expect(bad).toMatchObject({
    status: 'rejected',
    reason: { code: 'BLOCK_NOT_AVAILABLE', extensions: { method: 'eth_getBalance' } },
  });
});

test('a result of null or false is a result', async () => {
  respondBy((name) => ({ result: name === 'null' ? null : false }));
  const calls = createOperationCalls(rpc, signal);
  expect(await Promise.all([calls.call(balance, 'null'), calls.call(balance, 'false')])).toEqual([null, false]);
});

test('a method whose name depends on its parameters is sent by that name', async () => {
  const block: RpcMethod<[ref: string], unknown> = { ...balance, name: (ref) => (ref.length > 60 ? 'byHash' : 'byNumber') };
  const calls = createOperationCalls(rpc, signal);
  await Promise.all([calls.call(block, '0x1'), calls.call(block, 'f'.repeat(64))]);
  expect(node.posts()).toEqual([['byNumber', 'byHash']]);
});

describe('a result of the wrong shape', () => {
  const cases: [string, RpcMethod<[string], unknown>, unknown][] = [
    ['text for a quantity', { ...balance, read: quantity }, 'a text with a key in it'],
    ['null for bytes', { ...balance, read: data }, null],
    ['what makes the reader fall over', { ...balance, read: (result) => (result as { a: { b: string } }).a.b }, {}],
  ];
  test.each(cases)('is UPSTREAM_BAD_RESPONSE that names the method: %s', async (_case, method, result) => {
    respondBy(() => ({ result }));
    const failure = createOperationCalls(rpc, signal).call(method, 'a');
    await expect(failure).rejects.toMatchObject({
      code: 'UPSTREAM_BAD_RESPONSE',
      message: "The node's result of eth_getBalance is malformed or does not fit the request.",
      extensions: { method: 'eth_getBalance', retryable: true, source: 'node' },
      cause: expect.anything(),
    });
  });

  test('is an error of the reader itself where that names its method', () => {
    const read = () => {
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'no such block', { method: 'eth_inner' });
    };
    expect(readResult({ method: 'eth_outer', params: [], reader: { read } }, 'x')).toEqual({
      error: expect.objectContaining({
        code: 'BLOCK_NOT_AVAILABLE',
        extensions: expect.objectContaining({ method: 'eth_inner' }),
      }),
    });
  });
});
