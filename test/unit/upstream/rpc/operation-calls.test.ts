import { beforeEach, describe, expect, test } from '@jest/globals';
import DataLoader from 'dataloader';
import { data, quantity } from '../../../../src/ethereum/decoders.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { HeaderChecks } from '../../../../src/upstream/rpc/header-check-policy.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import { createOperationCalls } from '../../../../src/upstream/rpc/operation-calls.ts';
import { paramsKeyOf, type RpcMethod, readResult } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
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
  rpc = untilTestsEnd(createHttpRpcTransport({ url: node.url, maxBatchSize: 100 }));
});

const { signal } = new AbortController();

/** The first parameter of each call, one list for each POST. */
const sent = () => node.requests.map(({ calls }) => calls.map(({ params }) => params[0]));

/** Makes the node respond to each call depending on its first parameter. */
function respondBy(responseOf: (name: unknown) => { result: unknown } | { error: unknown }): void {
  const entry = ({ id, params }: ScriptedCall) => ({ jsonrpc: '2.0', id, ...responseOf(params[0]) });
  node.script = ({ body, calls }) => (Array.isArray(body) ? calls.map(entry) : entry(calls[0]!));
}

test('equal calls of an operation are sent once, and each caller receives the result', async () => {
  const calls = createOperationCalls(rpc, signal);
  const results = await Promise.all([calls.call(balance, 'a'), calls.call(balance, 'b'), calls.call(balance, 'a')]);
  expect(results).toEqual([
    ['a', 'latest'],
    ['b', 'latest'],
    ['a', 'latest'],
  ]);
  expect(sent()).toEqual([['a', 'b']]);
});

test('a repeated call of an operation is not sent again', async () => {
  const calls = createOperationCalls(rpc, signal);
  await calls.call(balance, 'a');
  await calls.call(balance, 'a');
  expect(sent()).toEqual([['a']]);
});

test('another operation without a cache sends its own call', async () => {
  await createOperationCalls(rpc, signal).call(balance, 'a');
  await createOperationCalls(rpc, signal).call(balance, 'a');
  expect(sent()).toEqual([['a'], ['a']]);
});

test('calls with different parameters, or with different methods, are separate', async () => {
  const calls = createOperationCalls(rpc, signal);
  const code: RpcMethod<[string], unknown> = { ...balance, name: 'eth_getCode' };
  await Promise.all([calls.call(balance, '1'), calls.call(balance, 1 as never), calls.call(code, '1')]);
  expect(sent().map((names) => names.length)).toEqual([3]);
});

describe('batches of a tick', () => {
  test('calls made up to 50 microtasks apart share one POST', async () => {
    const calls = createOperationCalls(rpc, signal);
    const late = async (turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return calls.call(balance, `after ${turns}`);
    };
    await Promise.all([late(0), late(1), late(5), late(50)]);
    expect(sent()).toEqual([['after 0', 'after 1', 'after 5', 'after 50']]);
  });

  test('calls made in process.nextTick share the POST', async () => {
    const calls = createOperationCalls(rpc, signal);
    const later = new Promise((resolve) => process.nextTick(() => resolve(calls.call(balance, 'b'))));
    await Promise.all([calls.call(balance, 'a'), later]);
    expect(sent()).toEqual([['a', 'b']]);
  });

  test('calls made by nested DataLoaders share the POST', async () => {
    const calls = createOperationCalls(rpc, signal);
    const inner = new DataLoader<string, unknown>(async (keys) => Promise.all(keys.map((key) => calls.call(balance, key))));
    const outer = new DataLoader<string, unknown>(async (keys) =>
      Promise.all(keys.map((key) => inner.load(`${key} by two loaders`))),
    );
    await Promise.all([calls.call(balance, 'a'), inner.load('b by a loader'), outer.load('c'), outer.load('d')]);
    expect(sent()).toEqual([['a', 'b by a loader', 'c by two loaders', 'd by two loaders']]);
  });

  test('calls that depend on the results of a batch share the next POST', async () => {
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

test('calls reject with the reason of the signal when the signal of the operation aborts', async () => {
  const abort = new AbortController();
  const reason = new GraphError('TIMEOUT', 'The operation took too long.');
  node.script = () => void abort.abort(reason);
  const calls = createOperationCalls(rpc, abort.signal);
  expect(await Promise.allSettled([calls.call(balance, 'a'), calls.call(balance, 'b')])).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

test('a failed call does not affect the others of its batch', async () => {
  respondBy((name) => (name === 'bad' ? { error: { code: -32000, message: 'header not found' } } : { result: name }));
  const calls = createOperationCalls(rpc, signal);
  const [good, bad] = await Promise.allSettled([calls.call(balance, 'good'), calls.call(balance, 'bad')]);
  expect(good).toEqual({ status: 'fulfilled', value: 'good' });
  expect(bad).toMatchObject({
    status: 'rejected',
    reason: { code: 'BLOCK_NOT_AVAILABLE', extensions: { method: 'eth_getBalance' } },
  });
});

test('null and false are results', async () => {
  respondBy((name) => ({ result: name === 'null' ? null : false }));
  const calls = createOperationCalls(rpc, signal);
  expect(await Promise.all([calls.call(balance, 'null'), calls.call(balance, 'false')])).toEqual([null, false]);
});

test('a method can select its name by its arguments', async () => {
  const block: RpcMethod<[ref: string], unknown> = { ...balance, name: (ref) => (ref.length > 60 ? 'byHash' : 'byNumber') };
  const calls = createOperationCalls(rpc, signal);
  await Promise.all([calls.call(block, '0x1'), calls.call(block, 'f'.repeat(64))]);
  expect(node.posts()).toEqual([['byNumber', 'byHash']]);
});

describe('invalid results', () => {
  const cases: [string, RpcMethod<[string], unknown>, unknown][] = [
    ['text for a quantity', { ...balance, read: quantity }, 'a text with a key in it'],
    ['null for bytes', { ...balance, read: data }, null],
    [
      'a result on which the reader throws a TypeError',
      { ...balance, read: (result) => (result as { a: { b: string } }).a.b },
      {},
    ],
  ];
  test.each(cases)('UPSTREAM_BAD_RESPONSE names the method of an invalid result: %s', async (_case, method, result) => {
    respondBy(() => ({ result }));
    const failure = createOperationCalls(rpc, signal).call(method, 'a');
    await expect(failure).rejects.toMatchObject({
      code: 'UPSTREAM_BAD_RESPONSE',
      message: "The node's result of eth_getBalance is malformed or does not fit the request.",
      extensions: { method: 'eth_getBalance', retryable: true, source: 'node' },
      cause: expect.anything(),
    });
  });

  test('a GraphError of the reader that already names a method is passed on unchanged', () => {
    const read = () => {
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'no such block', { method: 'eth_inner' });
    };
    expect(readResult({ method: 'eth_outer', params: [], reader: { read } }, 'x', new HeaderChecks('on'))).toEqual({
      error: expect.objectContaining({
        code: 'BLOCK_NOT_AVAILABLE',
        extensions: expect.objectContaining({ method: 'eth_inner' }),
      }),
    });
  });
});

test('keys of long parameters differ at their start if only their block differs', () => {
  const keyFor = (height: number) => paramsKeyOf(JSON.stringify([{ data: 'x'.repeat(20_000) }, `0x${height}`]));
  expect(keyFor(1)).toBe(keyFor(1));
  expect(keyFor(1).slice(0, 1_000)).not.toBe(keyFor(2).slice(0, 1_000));
  expect(paramsKeyOf('["0x1"]')).toBe('["0x1"]');
});
