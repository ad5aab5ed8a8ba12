import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { ResponseDependencies } from '../../../../src/operation/response-dependencies.ts';
import { createDependencyRecorder } from '../../../../src/snapshot/index.ts';
import { HeaderChecks } from '../../../../src/upstream/rpc/header-check-policy.ts';
import { createOperationCalls } from '../../../../src/upstream/rpc/operation-calls.ts';
import {
  type BlockPointer,
  type RpcCall,
  type RpcMethod,
  type RpcOutcome,
  readResult,
} from '../../../../src/upstream/rpc/rpc-call.ts';
import type { SharedResultCache } from '../../../../src/upstream/rpc/shared-results.ts';
import { InFlightRequests } from '../../../../src/upstream/rpc/shared-results.ts';

/** The cache that all operations share, without a size limit, and its entries. */
let store: SharedResultCache & {
  readonly entries: Map<string, { readonly value: unknown; readonly block: BlockPointer | undefined }>;
};
const BALANCE_KEY = 'eth_getBalance["a","hash 1"]';
/** Requests that have been sent, each with a function that responds to it. */
let sent: { readonly calls: readonly RpcCall[]; respond(...outcomes: readonly RpcOutcome[]): Promise<void> }[];

beforeEach(() => {
  const entries: (typeof store)['entries'] = new Map();
  store = {
    entries,
    inFlight: new InFlightRequests(),
    get: (key) => entries.get(key),
    set(key, value, block) {
      entries.set(key, { value, block });
      return true;
    },
  };
  sent = [];
});

/** Waits until the queued calls have been sent. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the queued calls have been sent, and responds to the request with this index. */
async function respondTo(index: number, ...outcomes: readonly RpcOutcome[]): Promise<void> {
  await turn();
  await sent[index]!.respond(...outcomes);
}

/** A transport without a node: each request waits until a test responds. An abort fails its calls, as over a real socket. */
const rpc = {
  send: (calls: readonly RpcCall[], signal: AbortSignal) =>
    new Promise<RpcOutcome[]>((resolve) => {
      signal.addEventListener('abort', () => resolve(calls.map(() => ({ error: signal.reason as GraphError }))));
      sent.push({
        calls,
        async respond(...outcomes) {
          resolve(
            outcomes.map((outcome, i) =>
              'result' in outcome ? readResult(calls[i]!, outcome.result, new HeaderChecks('on')) : outcome,
            ),
          );
          await turn();
        },
      });
    }),
};

const timeoutReason = () => new GraphError('TIMEOUT', 'The operation took too long.');
const nodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached.');

/** Every block is canonical. */
const hashAt = () => block.hash;

/** Creates an operation that uses the shared cache. */
function operation() {
  const controller = new AbortController();
  const dependencies = new ResponseDependencies();
  const recorder = createDependencyRecorder(dependencies, {
    head: undefined,
    oldest: undefined,
    settledBelow: 0,
    hashAt,
    headerOf: () => undefined,
  });
  const calls = createOperationCalls(rpc, controller.signal, store, recorder);
  return { ...calls, end: (reason = timeoutReason()) => controller.abort(reason), dependencies };
}

const read = (result: unknown) => result;

/** Immutable when it is read at a block hash. */
const stateAt: RpcMethod<[address: string, at: string], unknown> = {
  name: 'eth_getBalance',
  params: (address, at) => [address, at],
  read,
  blockHash: (_address, at) => (at.startsWith('hash') ? at : undefined),
};

/** Valid while the block of its result is canonical. */
const transactionBy: RpcMethod<[hash: string], unknown> = {
  name: 'eth_getTransactionByHash',
  params: (hash) => [hash],
  read,
  inclusionBlock: (result) => (result as { place?: BlockPointer } | null)?.place,
};

const gasPrice: RpcMethod<[], unknown> = { name: 'eth_gasPrice', params: () => [], read };

const methods = () => sent.map(({ calls }) => calls.map(({ method }) => method));
const block = { number: '0x5', hash: '0xh' };

describe('immutable results', () => {
  test('an immutable result is available to the next operation without a request', async () => {
    const first = operation();
    const result = first.call(stateAt, 'a', 'hash 1');
    await respondTo(0, { result: '0x1' });
    expect(await result).toBe('0x1');
    const settle = jest.fn();
    operation().callWithCallback(stateAt, ['a', 'hash 1'], settle);
    expect(settle).toHaveBeenCalledWith(expect.objectContaining({ value: '0x1' }));
    await turn();
    expect(sent).toHaveLength(1);
  });

  test('an immutable result is cached by method and parameters', async () => {
    const result = operation().call(stateAt, 'a', 'hash 1');
    await respondTo(0, { result: '0x1' });
    await result;
    expect([...store.entries]).toEqual([['eth_getBalance["a","hash 1"]', { value: '0x1', block: undefined }]]);
    operation()
      .call(stateAt, 'b', 'hash 1')
      .catch(() => {});
    await turn();
    expect(sent).toHaveLength(2);
  });

  test('null is not cached, so the next operation sends the call again', async () => {
    const result = operation().call(stateAt, 'a', 'hash 1');
    await respondTo(0, { result: null });
    expect(await result).toBeNull();
    expect(store.entries.size).toBe(0);
    void operation().call(stateAt, 'a', 'hash 1');
    await turn();
    expect(sent).toHaveLength(2);
  });

  test.each<[string, RpcOutcome]>([
    ['an error', { error: nodeError() }],
    ['an unreadable result', { result: 'x' }],
  ])('%s is not cached', async (_case, outcome) => {
    const quantity: typeof stateAt = { ...stateAt, read: () => JSON.parse('{') };
    const result = operation().call(quantity, 'a', 'hash 1');
    const failure = expect(result).rejects.toMatchObject({ code: expect.stringMatching(/^UPSTREAM_/) });
    await respondTo(0, outcome);
    await failure;
    expect(store.entries.size).toBe(0);
    expect(store.inFlight.has(BALANCE_KEY)).toBe(false);
  });
});

test('a result with an inclusion block is cached with the block, and one without is not cached', async () => {
  const { call } = operation();
  const results = Promise.all([call(transactionBy, 'mined'), call(transactionBy, 'pending'), call(transactionBy, 'none')]);
  await respondTo(0, { result: { place: block } }, { result: {} }, { result: null });
  await results;
  expect([...store.entries]).toEqual([['eth_getTransactionByHash["mined"]', { value: { place: block }, block }]]);
});

test('volatile calls are neither cached nor shared between operations', async () => {
  const [one, other] = [operation(), operation()];
  const results = [
    one.call(gasPrice),
    other.call(gasPrice),
    one.call(stateAt, 'a', 'latest'),
    other.call(stateAt, 'a', 'latest'),
  ];
  await turn();
  expect(methods()).toEqual([
    ['eth_gasPrice', 'eth_getBalance'],
    ['eth_gasPrice', 'eth_getBalance'],
  ]);
  for (const request of [...sent]) await request.respond({ result: '0x1' }, { result: '0x2' });
  await Promise.all(results);
  expect(store.entries.size).toBe(0);
});

test('operations without a cache share nothing', async () => {
  const controller = new AbortController();
  const calls = () => createOperationCalls(rpc, controller.signal);
  const results = [calls().call(stateAt, 'a', 'hash 1'), calls().call(stateAt, 'a', 'hash 1')];
  await turn();
  expect(sent).toHaveLength(2);
  expect(calls().getCached(stateAt, 'a', 'hash 1')).toBeUndefined();
  calls().cachePermanently(stateAt, '0x1', 'a', 'hash 1');
  for (const request of sent) await request.respond({ result: '0x1' });
  await Promise.all(results);
});

describe('equal calls of several operations', () => {
  test('equal calls in flight share one request, and each operation receives the result', async () => {
    const results = [1, 2, 3].map(() => operation().call(stateAt, 'a', 'hash 1'));
    await turn();
    expect(methods()).toEqual([['eth_getBalance']]);
    expect(store.inFlight.has(BALANCE_KEY)).toBe(true);
    await sent[0]!.respond({ result: '0x1' });
    expect(await Promise.all(results)).toEqual(['0x1', '0x1', '0x1']);
    expect(store.inFlight.has(BALANCE_KEY)).toBe(false);
  });

  test('operations that joined a failed call send it themselves', async () => {
    const [one, two, three] = [1, 2, 3].map(() => operation().call(stateAt, 'a', 'hash 1'));
    const [failure, another] = [one, three].map((result) =>
      expect(result).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' }),
    );
    await respondTo(0, { error: nodeError() });
    await failure;
    expect(methods()).toEqual([['eth_getBalance'], ['eth_getBalance'], ['eth_getBalance']]);
    await sent[1]!.respond({ result: '0x1' });
    await sent[2]!.respond({ error: nodeError() });
    expect(await two).toBe('0x1');
    await another;
    expect(store.inFlight.has(BALANCE_KEY)).toBe(false);
  });

  test('operations that joined the call of an aborted operation send it themselves', async () => {
    const [one, other] = [operation(), operation()];
    const rejected = expect(one.call(stateAt, 'a', 'hash 1')).rejects.toMatchObject({ code: 'TIMEOUT' });
    const result = other.call(stateAt, 'a', 'hash 1');
    await turn();
    one.end();
    await rejected;
    await respondTo(1, { result: '0x1' });
    expect(await result).toBe('0x1');
  });

  test('an aborted operation leaves a joined call with its own reason, and the others receive the result', async () => {
    const [one, two, three] = [operation(), operation(), operation()];
    const results = [one, three].map(({ call }) => call(stateAt, 'a', 'hash 1'));
    const rejected = ['hash 1', 'hash 1'].map((at) =>
      expect(two.call(stateAt, 'a', at)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' }),
    );
    await turn();
    two.end(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
    await Promise.all(rejected);
    await sent[0]!.respond({ result: '0x1' });
    expect(await Promise.all(results)).toEqual(['0x1', '0x1']);
    expect(sent).toHaveLength(1);
  });

  test('joined calls that are settled do not react to a later abort', async () => {
    const [one, other] = [operation(), operation()];
    const hashes = Array.from({ length: 100 }, (_none, i) => `hash ${i}`);
    const results = [one, other].flatMap(({ call }) => hashes.map((at) => call(stateAt, 'a', at)));
    await respondTo(0, ...hashes.map((result) => ({ result })));
    expect(await Promise.all(results)).toEqual([...hashes, ...hashes]);
    other.end();
    await turn();
    expect(sent).toHaveLength(1);
  });
});

describe('refetch', () => {
  test('refetch sends a call whose result is cached', async () => {
    store.set('eth_getBalance["a","hash 1"]', '0x1');
    const result = operation().refetch(stateAt, 'a', 'hash 1');
    await respondTo(0, { result: '0x2' });
    expect(await result).toBe('0x2');
    expect(store.entries.get('eth_getBalance["a","hash 1"]')).toMatchObject({ value: '0x2' });
  });

  test('refetch replaces the result that the operation already has', async () => {
    const { call, refetch } = operation();
    const first = call(stateAt, 'a', 'hash 1');
    await respondTo(0, { result: null });
    expect(await first).toBeNull();
    const second = refetch(stateAt, 'a', 'hash 1');
    await respondTo(1, { result: '0x2' });
    expect(await second).toBe('0x2');
    expect(await call(stateAt, 'a', 'hash 1')).toBe('0x2');
  });

  test('refetch does not join a call in flight', async () => {
    const first = operation().call(transactionBy, 'h');
    await turn();
    const again = operation().refetch(transactionBy, 'h');
    await turn();
    expect(sent).toHaveLength(2);
    await sent[0]!.respond({ result: null });
    await sent[1]!.respond({ result: { place: block } });
    expect(await Promise.all([first, again])).toEqual([null, { place: block }]);
  });
});

describe('getCached', () => {
  test('getCached returns a cached result without a request', async () => {
    const { getCached } = operation();
    expect(getCached(stateAt, 'a', 'hash 1')).toBeUndefined();
    store.set('eth_getBalance["a","hash 1"]', '0x1');
    store.set('eth_gasPrice[]', '0x1');
    expect(getCached(stateAt, 'a', 'hash 1')).toMatchObject({ value: '0x1' });
    expect(getCached(gasPrice)).toBeUndefined();
    await turn();
    expect(sent).toEqual([]);
  });

  test('cachePermanently caches the result of an immutable call only', () => {
    const { getCached, cachePermanently } = operation();
    cachePermanently(stateAt, '0x1', 'a', 'hash 1');
    cachePermanently(stateAt, '0x2', 'a', '0x5');
    cachePermanently(transactionBy, { place: block }, 'h');
    expect(getCached(stateAt, 'a', 'hash 1')).toMatchObject({ value: '0x1' });
    expect(store.entries.size).toBe(1);
  });
});

const cases: [string, boolean, (calls: ReturnType<typeof operation>) => Promise<unknown>, RpcOutcome][] = [
  ['a gas price', true, ({ call }) => call(gasPrice), { result: '0x1' }],
  ['state at a height', true, ({ call }) => call(stateAt, 'a', '0x5'), { result: '0x1' }],
  ['state at a hash', false, ({ call }) => call(stateAt, 'a', 'hash 1'), { result: '0x1' }],
  ['a mined transaction', false, ({ call }) => call(transactionBy, 'h'), { result: { place: block } }],
  ['a pending transaction', true, ({ call }) => call(transactionBy, 'h'), { result: {} }],
  ['a null result', true, ({ call }) => call(transactionBy, 'h'), { result: null }],
  ['a failure', true, ({ call }) => call(stateAt, 'a', 'hash 1').catch(() => {}), { error: nodeError() }],
];
test.each(cases)('an operation that reads %s is volatile: %s', async (_case, isVolatile, call, outcome) => {
  const one = operation();
  const other = operation();
  const results = [call(one), call(other)];
  await turn();
  // After a failure, the operation that joined the call sends its own.
  for (let i = 0; i < sent.length; i++) await sent[i]!.respond(outcome);
  await Promise.all(results);
  expect([one.dependencies.isVolatile, other.dependencies.isVolatile]).toEqual([isVolatile, isVolatile]);
});
