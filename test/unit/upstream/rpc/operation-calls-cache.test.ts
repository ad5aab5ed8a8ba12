import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { InFlightRequests } from '../../../../src/upstream/in-flight-requests.ts';
import { type RpcCall, type RpcOutcome, readResult } from '../../../../src/upstream/rpc/http-transport.ts';
import {
  type BlockPointer,
  createOperationCalls,
  type RpcMethod,
  type SharedResultCache,
} from '../../../../src/upstream/rpc/operation-calls.ts';

/** What all operations here share: a store without bounds, and what has been kept in it. */
let store: SharedResultCache & {
  readonly kept: Map<string, { readonly value: unknown; readonly block: BlockPointer | undefined }>;
};
/** Requests that have been sent and not been answered yet. */
let sent: { readonly calls: readonly RpcCall[]; answer(...outcomes: readonly RpcOutcome[]): Promise<void> }[];

beforeEach(() => {
  const kept: (typeof store)['kept'] = new Map();
  store = {
    kept,
    inFlight: new InFlightRequests(),
    get: (key) => kept.get(key),
    set(key, value, block) {
      kept.set(key, { value, block });
      return true;
    },
  };
  sent = [];
});

/** Until everything has run that is waiting, and what it has asked for is sent. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends nothing: each request waits until a test answers it. An operation that ends has its calls fail, as over a real socket. */
const rpc = {
  send: (calls: readonly RpcCall[], signal: AbortSignal) =>
    new Promise<RpcOutcome[]>((resolve) => {
      signal.addEventListener('abort', () => resolve(calls.map(() => ({ error: signal.reason as GraphError }))));
      sent.push({
        calls,
        async answer(...outcomes) {
          resolve(outcomes.map((outcome, i) => ('result' in outcome ? readResult(calls[i]!, outcome.result) : outcome)));
          await turn();
        },
      });
    }),
};

const ended = () => new GraphError('TIMEOUT', 'The operation took too long.');
const failed = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached.');

/** One operation over the shared memory. */
function operation() {
  const controller = new AbortController();
  const onVolatile = jest.fn();
  const calls = createOperationCalls(rpc, controller.signal, store, onVolatile);
  return { ...calls, end: (reason = ended()) => controller.abort(reason), onVolatile };
}

const read = (result: unknown) => result;

/** A fact where it is asked at a hash. */
const stateAt: RpcMethod<[address: string, at: string], unknown> = {
  name: 'eth_getBalance',
  params: (address, at) => [address, at],
  read,
  isImmutable: (_address, at) => at.startsWith('hash'),
};

/** Lies where its answer says. */
const transactionBy: RpcMethod<[hash: string], unknown> = {
  name: 'eth_getTransactionByHash',
  params: (hash) => [hash],
  read,
  inclusionBlock: (result) => (result as { place?: BlockPointer } | null)?.place,
};

const gasPrice: RpcMethod<[], unknown> = { name: 'eth_gasPrice', params: () => [], read };

const methods = () => sent.map(({ calls }) => calls.map(({ method }) => method));
const place = { number: '0x5', hash: '0xh' };

describe('an answer that is a fact', () => {
  test('is there for the next operation at once, without a request', async () => {
    const first = operation();
    const asked = first.call(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ result: '0x1' });
    expect(await asked).toBe('0x1');
    const heard = jest.fn();
    operation().callWithCallback(stateAt, ['a', 'hash 1'], heard);
    expect(heard).toHaveBeenCalledWith(expect.objectContaining({ value: '0x1' }));
    await turn();
    expect(sent).toHaveLength(1);
  });

  test('is kept by method and parameters', async () => {
    const asked = operation().call(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ result: '0x1' });
    await asked;
    expect([...store.kept]).toEqual([['eth_getBalance["a","hash 1"]', { value: '0x1', block: undefined }]]);
    operation()
      .call(stateAt, 'b', 'hash 1')
      .catch(() => {});
    await turn();
    expect(sent).toHaveLength(2);
  });

  test('that is not there is no fact: null is asked again by the next', async () => {
    const asked = operation().call(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ result: null });
    expect(await asked).toBeNull();
    expect(store.kept.size).toBe(0);
    void operation().call(stateAt, 'a', 'hash 1');
    await turn();
    expect(sent).toHaveLength(2);
  });

  test.each<[string, RpcOutcome]>([
    ['an error', { error: failed() }],
    ['what cannot be read', { result: 'x' }],
  ])('is not kept when it is %s', async (_case, outcome) => {
    const quantity: typeof stateAt = { ...stateAt, read: () => JSON.parse('{') };
    const asked = operation().call(quantity, 'a', 'hash 1');
    const failure = expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^UPSTREAM_/) });
    await turn();
    await sent[0]!.answer(outcome);
    await failure;
    expect(store.kept.size).toBe(0);
    expect(store.inFlight.size).toBe(0);
  });
});

test('an answer with a place is kept with it, and one without is not', async () => {
  const { call } = operation();
  const asked = Promise.all([call(transactionBy, 'mined'), call(transactionBy, 'pending'), call(transactionBy, 'none')]);
  await turn();
  await sent[0]!.answer({ result: { place } }, { result: {} }, { result: null });
  await asked;
  expect([...store.kept]).toEqual([['eth_getTransactionByHash["mined"]', { value: { place }, block: place }]]);
});

test('what is no fact is neither kept nor waited for together', async () => {
  const [one, other] = [operation(), operation()];
  const asked = [one.call(gasPrice), other.call(gasPrice), one.call(stateAt, 'a', 'latest'), other.call(stateAt, 'a', 'latest')];
  await turn();
  expect(methods()).toEqual([
    ['eth_gasPrice', 'eth_getBalance'],
    ['eth_gasPrice', 'eth_getBalance'],
  ]);
  for (const request of [...sent]) await request.answer({ result: '0x1' }, { result: '0x2' });
  await Promise.all(asked);
  expect(store.kept.size).toBe(0);
});

test('without a memory nothing is shared', async () => {
  const controller = new AbortController();
  const calls = () => createOperationCalls(rpc, controller.signal);
  const asked = [calls().call(stateAt, 'a', 'hash 1'), calls().call(stateAt, 'a', 'hash 1')];
  await turn();
  expect(sent).toHaveLength(2);
  expect(calls().getCached(stateAt, 'a', 'hash 1')).toBeUndefined();
  calls().cachePermanently(stateAt, '0x1', 'a', 'hash 1');
  for (const request of sent) await request.answer({ result: '0x1' });
  await Promise.all(asked);
});

describe('the same call of several operations', () => {
  test('is one while the node has not answered, and each gets the answer', async () => {
    const asked = [1, 2, 3].map(() => operation().call(stateAt, 'a', 'hash 1'));
    await turn();
    expect(methods()).toEqual([['eth_getBalance']]);
    await sent[0]!.answer({ result: '0x1' });
    expect(await Promise.all(asked)).toEqual(['0x1', '0x1', '0x1']);
    expect(store.inFlight.size).toBe(0);
  });

  test('is one beside what each asks for itself', async () => {
    const [one, other] = [operation(), operation()];
    const asked = [one.call(stateAt, 'a', 'hash 1'), other.call(stateAt, 'a', 'hash 1'), other.call(gasPrice)];
    await turn();
    expect(methods()).toEqual([['eth_getBalance'], ['eth_gasPrice']]);
    await sent[1]!.answer({ result: '0x2' });
    await sent[0]!.answer({ result: '0x1' });
    expect(await Promise.all(asked)).toEqual(['0x1', '0x1', '0x2']);
  });

  test('counts once in an operation that waits for it twice', async () => {
    const [one, other] = [operation(), operation()];
    const join = jest.spyOn(store.inFlight, 'join');
    const asked = [one, other, other].map(({ call }) => call(transactionBy, 'h'));
    await turn();
    expect(join).toHaveBeenCalledTimes(1);
    await sent[0]!.answer({ result: { place } });
    expect(await Promise.all(asked)).toEqual(Array(3).fill({ place }));
  });

  test('that fails is asked by the others themselves', async () => {
    const [one, two, three] = [1, 2, 3].map(() => operation().call(stateAt, 'a', 'hash 1'));
    const [failure, another] = [one, three].map((asked) => expect(asked).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' }));
    await turn();
    await sent[0]!.answer({ error: failed() });
    await failure;
    expect(methods()).toEqual([['eth_getBalance'], ['eth_getBalance'], ['eth_getBalance']]);
    await sent[1]!.answer({ result: '0x1' });
    await sent[2]!.answer({ error: failed() });
    expect(await two).toBe('0x1');
    await another;
    expect(store.inFlight.size).toBe(0);
  });

  test('is asked by the others when the operation that has asked ends', async () => {
    const [one, other] = [operation(), operation()];
    const gone = expect(one.call(stateAt, 'a', 'hash 1')).rejects.toMatchObject({ code: 'TIMEOUT' });
    const asked = other.call(stateAt, 'a', 'hash 1');
    await turn();
    one.end();
    await gone;
    await turn();
    await sent[1]!.answer({ result: '0x1' });
    expect(await asked).toBe('0x1');
  });

  test('is not waited for any more by an operation that ends, with its own reason; the others still are answered', async () => {
    const [one, two, three] = [operation(), operation(), operation()];
    const asked = [one, three].map(({ call }) => call(stateAt, 'a', 'hash 1'));
    const gone = ['hash 1', 'hash 1'].map((at) =>
      expect(two.call(stateAt, 'a', at)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' }),
    );
    await turn();
    two.end(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
    await Promise.all(gone);
    await sent[0]!.answer({ result: '0x1' });
    expect(await Promise.all(asked)).toEqual(['0x1', '0x1']);
    expect(sent).toHaveLength(1);
  });

  test('is not asked by an operation that has ended when the one it waited for fails', async () => {
    const [one, two] = [operation(), operation()];
    const asked = [one, two].map(({ call }) => expect(call(stateAt, 'a', 'hash 1')).rejects.toMatchObject({ code: 'TIMEOUT' }));
    await turn();
    two.end();
    one.end();
    await Promise.all(asked);
    await turn();
    expect(sent).toHaveLength(1);
  });

  test('can be joined again after it has failed, by whoever comes meanwhile', async () => {
    const one = expect(operation().call(stateAt, 'a', 'hash 1')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    const two = operation().call(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ error: failed() });
    await one;
    const three = operation().call(stateAt, 'a', 'hash 1');
    await turn();
    expect(sent).toHaveLength(2);
    await sent[1]!.answer({ result: '0x1' });
    expect(await Promise.all([two, three])).toEqual(['0x1', '0x1']);
  });

  test('leaves nothing on a signal that many calls were waited for under', async () => {
    const [one, other] = [operation(), operation()];
    const hashes = Array.from({ length: 100 }, (_none, i) => `hash ${i}`);
    const asked = [one, other].flatMap(({ call }) => hashes.map((at) => call(stateAt, 'a', at)));
    await turn();
    await sent[0]!.answer(...hashes.map((result) => ({ result })));
    expect(await Promise.all(asked)).toEqual([...hashes, ...hashes]);
    other.end();
    await turn();
    expect(sent).toHaveLength(1);
  });
});

describe('asked again', () => {
  test('a call is sent though its answer is remembered', async () => {
    store.set('eth_getBalance["a","hash 1"]', '0x1');
    const asked = operation().refetch(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ result: '0x2' });
    expect(await asked).toBe('0x2');
    expect(store.kept.get('eth_getBalance["a","hash 1"]')).toMatchObject({ value: '0x2' });
  });

  test('a call is sent though the operation has its answer, which is then the new one', async () => {
    const { call, refetch } = operation();
    const first = call(stateAt, 'a', 'hash 1');
    await turn();
    await sent[0]!.answer({ result: null });
    expect(await first).toBeNull();
    const second = refetch(stateAt, 'a', 'hash 1');
    await turn();
    await sent[1]!.answer({ result: '0x2' });
    expect(await second).toBe('0x2');
    expect(await call(stateAt, 'a', 'hash 1')).toBe('0x2');
  });

  test('a call does not wait for what was asked before', async () => {
    const first = operation().call(transactionBy, 'h');
    await turn();
    const again = operation().refetch(transactionBy, 'h');
    await turn();
    expect(sent).toHaveLength(2);
    await sent[0]!.answer({ result: null });
    await sent[1]!.answer({ result: { place } });
    expect(await Promise.all([first, again])).toEqual([null, { place }]);
  });
});

describe('known is', () => {
  test('what is remembered of a call, without asking', async () => {
    const { getCached } = operation();
    expect(getCached(stateAt, 'a', 'hash 1')).toBeUndefined();
    store.set('eth_getBalance["a","hash 1"]', '0x1');
    store.set('eth_gasPrice[]', '0x1');
    expect(getCached(stateAt, 'a', 'hash 1')).toMatchObject({ value: '0x1' });
    expect(getCached(gasPrice)).toBeUndefined();
    await turn();
    expect(sent).toEqual([]);
  });

  test('what has been learnt under another name, if it is a fact', () => {
    const { getCached, cachePermanently } = operation();
    cachePermanently(stateAt, '0x1', 'a', 'hash 1');
    cachePermanently(stateAt, '0x2', 'a', '0x5');
    cachePermanently(transactionBy, { place }, 'h');
    expect(getCached(stateAt, 'a', 'hash 1')).toMatchObject({ value: '0x1' });
    expect(store.kept.size).toBe(1);
  });
});

describe('an operation is told that it is volatile', () => {
  const cases: [string, boolean, (calls: ReturnType<typeof operation>) => Promise<unknown>, RpcOutcome][] = [
    ['a price', true, ({ call }) => call(gasPrice), { result: '0x1' }],
    ['state of a height', true, ({ call }) => call(stateAt, 'a', '0x5'), { result: '0x1' }],
    ['state at a hash', false, ({ call }) => call(stateAt, 'a', 'hash 1'), { result: '0x1' }],
    ['a mined transaction', false, ({ call }) => call(transactionBy, 'h'), { result: { place } }],
    ['a pending transaction', true, ({ call }) => call(transactionBy, 'h'), { result: {} }],
    ['what there is not', true, ({ call }) => call(transactionBy, 'h'), { result: null }],
    ['a failure', true, ({ call }) => call(stateAt, 'a', 'hash 1').catch(() => {}), { error: failed() }],
  ];
  test.each(cases)('by %s: %s', async (_case, isVolatile, ask, outcome) => {
    const one = operation();
    const other = operation();
    const asked = [ask(one), ask(other)];
    await turn();
    // Whoever waited for a failure asks itself.
    for (let i = 0; i < sent.length; i++) await sent[i]!.answer(outcome);
    await Promise.all(asked);
    expect([one.onVolatile.mock.calls.length > 0, other.onVolatile.mock.calls.length > 0]).toEqual([isVolatile, isVolatile]);
  });
});
