import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { ConnectionQueue, MAX_WAITING_BYTES, MAX_WAITING_REQUESTS } from '../../../src/upstream/connection-queue.ts';

const LIMITS = { connections: 6, heavyConnections: 4 };

/** One operation of a test; its requests are named in the order in which they start. */
const createOperation = (queue: ConnectionQueue, started: string[], controller = new AbortController()) => ({
  controller,
  /** Requests a connection; resolves with the error of a rejection. */
  request(name: string, { isHeavy = false, bytes = 100 } = {}): Promise<unknown> {
    if (queue.tryAcquire(isHeavy)) {
      started.push(name);
      return Promise.resolve(undefined);
    }
    return queue.wait(isHeavy, bytes, controller.signal).then(
      () => void started.push(name),
      (error: unknown) => error,
    );
  },
});

/** A queue with operations to request connections. */
function setUp(limits = LIMITS) {
  const queue = new ConnectionQueue(limits);
  const started: string[] = [];
  const [a, b, c] = [0, 1, 2].map(() => createOperation(queue, started));
  /** Ends requests in flight, and returns the names of the requests that start instead. */
  const release = async (...classes: ('light' | 'heavy')[]): Promise<string[]> => {
    const before = started.length;
    for (const name of classes) queue.release(name === 'heavy');
    await new Promise((resolve) => setImmediate(resolve));
    return started.slice(before);
  };
  return { queue, started, a: a!, b: b!, c: c!, release };
}

const heavy = { isHeavy: true };

describe('classes of requests', () => {
  test('light requests use all connections', () => {
    const { queue, started, a } = setUp();
    for (let i = 0; i < 8; i++) void a.request(`light ${i}`);
    expect(started).toHaveLength(6);
    expect(queue.status.waiting).toBe(2);
  });

  test('heavy requests leave connections to light requests', () => {
    const { queue, started, a, b } = setUp();
    for (let i = 0; i < 10; i++) void a.request(`heavy ${i}`, heavy);
    expect(started).toHaveLength(4);
    void b.request('light 1');
    void b.request('light 2');
    expect(started.slice(4)).toEqual(['light 1', 'light 2']);
    expect(queue.status.waiting).toBe(6);
  });

  test('a waiting heavy request does not start on a connection that a light request has used', async () => {
    const { a, b, release } = setUp();
    for (let i = 0; i < 5; i++) void a.request(`heavy ${i}`, heavy);
    void b.request('light');
    expect(await release('light')).toEqual([]);
    expect(await release('heavy')).toEqual(['heavy 4']);
  });

  test('the classes alternate while requests of both wait', async () => {
    const { a, b, release } = setUp({ connections: 1, heavyConnections: 1 });
    void a.request('first');
    for (let i = 0; i < 3; i++) {
      void a.request(`heavy ${i}`, heavy);
      void b.request(`light ${i}`);
    }
    const order: string[] = [];
    let last: 'light' | 'heavy' = 'light';
    for (let i = 0; i < 6; i++) {
      const [name] = await release(last);
      order.push(name!);
      last = name!.startsWith('heavy') ? 'heavy' : 'light';
    }
    expect(order).toEqual(['light 0', 'heavy 0', 'light 1', 'heavy 1', 'light 2', 'heavy 2']);
  });
});

describe('turns of operations', () => {
  test('an operation with fifty requests delays the single request of another operation by one turn', async () => {
    const { a, b, release } = setUp({ connections: 1, heavyConnections: 1 });
    for (let i = 0; i < 50; i++) void a.request(`a${i}`);
    void b.request('b0');
    expect(await release('light')).toEqual(['a1']);
    expect(await release('light')).toEqual(['b0']);
    expect(await release('light')).toEqual(['a2']);
  });
});

describe('an abort', () => {
  test('an abort removes all waiting requests of its operation, with its reason, and no other requests', async () => {
    const { queue, started, a, b, release } = setUp({ connections: 1, heavyConnections: 1 });
    void b.request('running');
    const aborted = [a.request('a light'), a.request('a heavy', heavy)];
    void b.request('b');
    const reason = new GraphError('TIMEOUT', 'The operation took too long.');
    a.controller.abort(reason);
    expect(await Promise.all(aborted)).toEqual([reason, reason]);
    expect(queue.status.waiting).toBe(1);
    expect(await release('light')).toEqual(['b']);
    expect(started).toEqual(['running', 'b']);
  });

  test('a request of an aborted operation does not enter the queue', async () => {
    const { queue, a, b } = setUp({ connections: 1, heavyConnections: 1 });
    void b.request('running');
    a.controller.abort(new Error('aborted'));
    expect(await a.request('late')).toEqual(new Error('aborted'));
    expect(queue.status.waiting).toBe(0);
  });
});

describe('bounds of the queue', () => {
  const overloaded = { code: 'OVERLOADED', retryable: true, source: 'graph', retryAfterMs: 1_000 };

  test('a full queue rejects further requests with OVERLOADED, and accepts them again when one has started', async () => {
    const { queue, a, b, release } = setUp({ connections: 1, heavyConnections: 1 });
    for (let i = 0; i < MAX_WAITING_REQUESTS + 1; i++) void a.request(`a${i}`);
    expect(await b.request('b0')).toMatchObject({ name: 'GraphError', extensions: overloaded });
    expect(queue.status).toMatchObject({ waiting: MAX_WAITING_REQUESTS, rejected: 1 });
    await release('light');
    void b.request('b1');
    expect(queue.status).toMatchObject({ waiting: MAX_WAITING_REQUESTS, rejected: 1 });
  });

  test('the size of the waiting requests is bounded', async () => {
    const { queue, a, b } = setUp({ connections: 1, heavyConnections: 1 });
    void a.request('running');
    void a.request('large', { bytes: MAX_WAITING_BYTES });
    expect(await b.request('small', { bytes: 1 })).toMatchObject({ extensions: overloaded });
    a.controller.abort(new Error('aborted'));
    void b.request('next', { bytes: MAX_WAITING_BYTES });
    expect(queue.status.waiting).toBe(1);
  });

  test('waiting heavy requests do not fill the queue of light requests', async () => {
    const { queue, a, b } = setUp({ connections: 1, heavyConnections: 1 });
    void a.request('running');
    void a.request('heavy', { isHeavy: true, bytes: MAX_WAITING_BYTES });
    void b.request('light', { bytes: MAX_WAITING_BYTES });
    expect(await b.request('heavy', { isHeavy: true, bytes: 1 })).toMatchObject({ extensions: overloaded });
    expect(queue.status).toMatchObject({ waiting: 2, rejected: 1 });
  });
});

test('the status of a queue counts requests that have waited, aborted requests included', async () => {
  const { queue, a, b, release } = setUp({ connections: 1, heavyConnections: 1 });
  expect(queue.status).toEqual({ waiting: 0, waits: 0, waitMs: 0, rejected: 0 });
  void a.request('running');
  void a.request('a');
  void b.request('b');
  await release('light');
  b.controller.abort(new Error('aborted'));
  expect(queue.status).toMatchObject({ waiting: 0, waits: 2 });
  expect(queue.status.waitMs).toBeGreaterThan(0);
});
