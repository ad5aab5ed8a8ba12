import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import { GraphError } from '../../../../../src/lib/errors.ts';
import type { RpcCall, RpcOutcome } from '../../../../../src/upstream/rpc/rpc-call.ts';
import {
  connectToNode,
  type NodeConnection,
  type NodeConnectionOptions,
} from '../../../../../src/upstream/rpc/websocket/connection.ts';
import { createWebSocketRequests } from '../../../../../src/upstream/rpc/websocket/requests.ts';
import { assertNoSecret, NODE_AUTHORIZATION, NODE_KEY, withNodeKey } from '../../../../support/secrets.ts';

interface Wire {
  readonly id: number;
  readonly method: string;
  readonly params: readonly any[];
}

type Frame = Wire | readonly Wire[];

/** Handles a frame of the client; its return value is sent as one frame. */
type Script = (frame: Frame, socket: WebSocket) => unknown;

interface SocketNode {
  readonly port: number;
  /** Every received frame, in order. */
  readonly frames: Frame[];
  readonly upgrades: IncomingMessage[];
  script: Script;
  /** Resolves when the node has received this number of frames. */
  reached(frames: number): Promise<void>;
  nextPing(): Promise<void>;
  /** The last connection at the node, as a WebSocket and as its TCP socket. */
  readonly socket: WebSocket;
  readonly wire: Socket;
}

const stops: (() => Promise<unknown>)[] = [];
const connections: NodeConnection[] = [];

afterEach(async () => {
  jest.useRealTimers();
  for (const connection of connections.splice(0)) connection.close();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Replaces the timers by fake ones, because on a busy machine a real timeout could pass before the network responds. */
function stopClock(): { pass(ms: number): void } {
  const others = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const;
  jest.useFakeTimers({ doNotFake: [...others] });
  return { pass: (ms) => void jest.advanceTimersByTime(ms) };
}

const resultOf = ({ id, params }: Wire) => ({ jsonrpc: '2.0', id, result: params });
const echo: Script = (frame) => (Array.isArray(frame) ? frame.map(resultOf) : resultOf(frame as Wire));
const silence: Script = () => undefined;

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a scripted WebSocket node, for behavior that a test cannot cause in a real node. */
async function startNode(script: Script = echo, autoPong = true): Promise<SocketNode> {
  const frames: Frame[] = [];
  const upgrades: IncomingMessage[] = [];
  const events = new EventEmitter();
  const http = createServer();
  const server = new WebSocketServer({ server: http, autoPong });
  const reached = async (count: number) => {
    while (frames.length < count) await once(events, 'frame');
  };
  const node = { script, frames, upgrades, reached, nextPing: async () => void (await once(events, 'ping')) };
  let last: WebSocket;
  server.on('connection', (socket, request) => {
    last = socket;
    upgrades.push(request);
    // Tests break the TCP connection on purpose, which is an error to the server.
    socket.on('error', () => {});
    socket.on('ping', () => events.emit('ping'));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      frames.push(frame);
      const response = node.script(frame, socket);
      if (response !== undefined) socket.send(JSON.stringify(response));
      events.emit('frame');
    });
  });
  const port = await listen(http);
  return Object.defineProperties(node as unknown as SocketNode, {
    port: { value: port },
    socket: { get: () => last },
    wire: { get: () => upgrades.at(-1)!.socket },
  });
}

/** Opens a connection to a node, under a URL with a key in each part that can contain one. */
async function open({ port }: { port: number }, options: Partial<NodeConnectionOptions> = {}): Promise<NodeConnection> {
  const connection = await connectToNode({
    url: withNodeKey(`ws://127.0.0.1:${port}`),
    timeoutMs: 5_000,
    maxBatchSize: 100,
    ...options,
  });
  connections.push(connection);
  return connection;
}

/** Starts a scripted node and opens a connection to it. */
async function openNode(script?: Script, { autoPong = true, ...options }: OpenNodeOptions = {}) {
  const node = await startNode(script, autoPong);
  return { node, rpc: await open(node, options) };
}

type OpenNodeOptions = Partial<NodeConnectionOptions> & { readonly autoPong?: boolean };

const neverAborted = new AbortController().signal;
const call = (name: string): RpcCall => ({ method: 'eth_call', params: [name] });
const [a, b, c] = [call('a'), call('b'), call('c')];

const errorOf = (outcome: RpcOutcome | undefined): GraphError => {
  if (!outcome || !('error' in outcome)) throw new Error(`no error but ${JSON.stringify(outcome)}`);
  return outcome.error;
};
const codesOf = (outcomes: readonly RpcOutcome[]) => outcomes.map((outcome) => errorOf(outcome).code);

/** Checks every part of an error that may be shown or logged, its cause included. */
function expectNoKey(error: GraphError): void {
  const { message, extensions, stack, cause } = error;
  const why = cause instanceof Error ? [cause.message, cause.stack, JSON.stringify(cause)] : [];
  assertNoSecret(JSON.stringify([message, extensions, stack, ...why]), 'an error');
}

const failureOf = (promise: Promise<unknown>): Promise<GraphError> =>
  promise.then(
    () => Promise.reject(new Error('the promise did not reject')),
    (error: GraphError) => error,
  );

const event = (subscription: string, result: unknown) => ({
  jsonrpc: '2.0',
  method: 'eth_subscription',
  params: { subscription, result },
});

/** Returns the subscription ids 0x1, 0x2 and so on. */
function numberSubscriptions(): Script {
  let last = 0;
  return (frame, socket) => {
    if (Array.isArray(frame) || (frame as Wire).method !== 'eth_subscribe') return echo(frame, socket);
    last += 1;
    return { ...resultOf(frame as Wire), result: `0x${last}` };
  };
}

const methodsOf = ({ frames }: SocketNode) => frames.map((frame) => [frame].flat().map(({ method }) => method));

describe('calls', () => {
  test('calls of one send share a frame, and a single call is sent as an object', async () => {
    const { node, rpc } = await openNode();
    expect(await rpc.send([a, b, c], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }, { result: ['c'] }]);
    expect(await rpc.send([a], neverAborted)).toEqual([{ result: ['a'] }]);
    expect(node.frames).toEqual([
      [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: ['abc'[id - 1]] })),
      { jsonrpc: '2.0', id: 4, method: 'eth_call', params: ['a'] },
    ]);
  });

  test('calls beyond the batch size are split into several frames', async () => {
    const { node, rpc } = await openNode(echo, { maxBatchSize: 2 });
    expect(await rpc.send([a, b, c], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }, { result: ['c'] }]);
    expect(methodsOf(node).map((methods) => methods.length)).toEqual([2, 1]);
  });

  const responses: [string, (frame: Wire[], socket: WebSocket) => unknown][] = [
    ['in another order', (frame) => frame.map(resultOf).reverse()],
    ['one by one', (frame, socket) => frame.map(resultOf).forEach((reply) => void socket.send(JSON.stringify(reply)))],
    [
      'in two lists',
      (frame, socket) =>
        [frame.slice(2), frame.slice(0, 2)].forEach((part) => void socket.send(JSON.stringify(part.map(resultOf)))),
    ],
    ['with ids as text', (frame) => frame.map(resultOf).map((reply) => ({ ...reply, id: String(reply.id) }))],
    ['twice, and the first counts', (frame) => [...frame.map(resultOf), ...frame.map(({ id }) => ({ id, result: 'again' }))]],
    ['in a binary frame', (frame, socket) => void socket.send(Buffer.from(JSON.stringify(frame.map(resultOf))))],
    ['among invalid messages', (frame) => [null, 7, 'x', [], {}, { id: 99, result: 1 }, { id: '1x' }, ...frame.map(resultOf)]],
    [
      'after messages that are neither responses nor events',
      (frame, socket) => {
        for (const text of ['null', '7', '"x"', '[]', '{}', '{"id":1,"method":"eth_call"}', '{"method":"eth_subscription"}'])
          socket.send(text);
        return frame.map(resultOf);
      },
    ],
  ];
  test.each(responses)('responses are matched by id when they arrive %s', async (_case, respond) => {
    const { rpc } = await openNode((frame, socket) => respond(frame as Wire[], socket));
    expect(await rpc.send([a, b, c], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }, { result: ['c'] }]);
  });

  test('the outcome of a failed call contains the error object of the node', async () => {
    const rpcError = { code: -32000, message: 'header not found', data: '0x' };
    const { rpc } = await openNode((frame) => ({ id: (frame as Wire).id, error: rpcError }));
    const [outcome] = await rpc.send([a], neverAborted);
    expect(outcome).toMatchObject({ error: { code: 'BLOCK_NOT_AVAILABLE', extensions: { method: 'eth_call' } }, rpcError });
  });

  test('a response with neither a result nor an error fails with UPSTREAM_BAD_RESPONSE', async () => {
    const { rpc } = await openNode((frame) => ({ id: (frame as Wire).id, error: 'no' }));
    expect(codesOf(await rpc.send([a], neverAborted))).toEqual(['UPSTREAM_BAD_RESPONSE']);
  });

  test('calls without a response in time fail with UPSTREAM_TIMEOUT, and others of the batch succeed', async () => {
    const { node, rpc } = await openNode((frame) => [resultOf((frame as Wire[])[1]!)]);
    const clock = stopClock();
    const sent = rpc.send([a, b, c], neverAborted);
    await node.reached(1);
    // The response to this call arrives after the response to the batch.
    node.script = echo;
    await rpc.send([a], neverAborted);
    clock.pass(5_000);
    const [first, second, third] = await sent;
    expect(second).toEqual({ result: ['b'] });
    expect(codesOf([first!, third!])).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
    expect(errorOf(first).extensions).toMatchObject({ method: 'eth_call', retryable: true });
  });
});

describe('abort', () => {
  const timeout = () => new GraphError('TIMEOUT', 'The operation took too long.');

  test('an abort settles each call of its send with its reason, and does not affect other calls', async () => {
    const { node, rpc } = await openNode(silence);
    const abort = new AbortController();
    const cut = rpc.send([a, b], abort.signal);
    const other = rpc.send([c], neverAborted);
    await node.reached(2);
    const reason = timeout();
    abort.abort(reason);
    expect((await cut).map(errorOf)).toEqual([reason, reason]);
    for (const frame of node.frames) node.socket.send(JSON.stringify(echo(frame, node.socket)));
    expect(await other).toEqual([{ result: ['c'] }]);
  });

  test('an aborted signal prevents the calls', async () => {
    const { node, rpc } = await openNode();
    const reason = timeout();
    expect((await rpc.send([a, b], AbortSignal.abort(reason))).map(errorOf)).toEqual([reason, reason]);
    await rpc.send([c], neverAborted);
    expect(node.frames).toHaveLength(1);
  });

  test('an abort with a foreign reason fails with UPSTREAM_UNAVAILABLE without its text', async () => {
    const rpc = await open(await startNode());
    const [outcome] = await rpc.send([a], AbortSignal.abort(new Error('a text with a key in it')));
    expect(outcome).toMatchObject({ error: { code: 'UPSTREAM_UNAVAILABLE', message: expect.not.stringContaining('key') } });
  });
});

describe('batches', () => {
  const errorResponse = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });
  const cases: [string, (frame: Wire[]) => unknown][] = [
    ['an error without an id', () => errorResponse(null, -32600, 'Batch requests are not supported')],
    ['an error without an id, in a list', () => [errorResponse(null, -32600, 'invalid request')]],
    ['an error that leaves the id out', () => ({ error: { code: -32700, message: 'parse error' } })],
    ["geth's list of one error under the first id", ([first]) => [errorResponse(first!.id, -32600, 'batch too large')]],
    ['one error under the first id', ([first]) => errorResponse(first!.id, -32600, 'batch too large')],
  ];
  test.each(cases)('a batch rejected by %s is sent again in single frames, as are later calls', async (_case, reject) => {
    const { node, rpc } = await openNode((frame, socket) =>
      Array.isArray(frame) ? reject(frame as Wire[]) : echo(frame, socket),
    );
    expect(await rpc.send([a, b], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }]);
    expect(await rpc.send([b, c], neverAborted)).toEqual([{ result: ['b'] }, { result: ['c'] }]);
    expect(node.frames.map((frame) => (Array.isArray(frame) ? frame.length : 1))).toEqual([2, 1, 1, 1, 1]);
  });

  test('an error without an id rejects all batches without a response', async () => {
    const held: Frame[] = [];
    const node = await startNode((frame, socket) => {
      if (!Array.isArray(frame)) return echo(frame, socket);
      return held.push(frame) === 2 ? errorResponse(null, -32600, 'no batches') : undefined;
    });
    const rpc = await open(node);
    const [first, second] = await Promise.all([rpc.send([a, b], neverAborted), rpc.send([b, c], neverAborted)]);
    expect([...first, ...second]).toEqual([{ result: ['a'] }, { result: ['b'] }, { result: ['b'] }, { result: ['c'] }]);
  });

  test('an error without an id does not reject a batch that has a response', async () => {
    const node = await startNode((frame, socket) => {
      const [first, second] = frame as Wire[];
      for (const reply of [resultOf(first!), errorResponse(null, -32600, 'whatever')]) socket.send(JSON.stringify(reply));
      return resultOf(second!);
    });
    const rpc = await open(node);
    for (let i = 0; i < 2; i++) expect(await rpc.send([a, b], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }]);
    expect(node.frames.map((frame) => (frame as Wire[]).length)).toEqual([2, 2]);
  });

  test.each([
    [-32005, 'too many requests'],
    [-32016, 'over rate limit'],
  ])('a batch under a rate limit fails, and the next calls are sent as a batch again: %i', async (code, text) => {
    const { node, rpc } = await openNode(() => errorResponse(null, code, text));
    expect(codesOf(await rpc.send([a, b], neverAborted))).toEqual(['UPSTREAM_RATE_LIMITED', 'UPSTREAM_RATE_LIMITED']);
    node.script = echo;
    expect(await rpc.send([a, b], neverAborted)).toEqual([{ result: ['a'] }, { result: ['b'] }]);
    expect(node.frames).toHaveLength(2);
  });
});

describe('subscriptions', () => {
  test('a subscription delivers the events with its id until it is unsubscribed, which the node is notified of', async () => {
    const { node, rpc } = await openNode(numberSubscriptions());
    const heads: unknown[] = [];
    const logs: unknown[] = [];
    const unsubscribe = await rpc.subscribe(['newHeads'], (head) => heads.push(head));
    await rpc.subscribe(['logs', {}], (log) => logs.push(log));
    node.script = (frame, socket) => {
      for (const message of [event('0x1', 1), event('0x2', 2), event('0x1', 3), event('0x9', 4)])
        socket.send(JSON.stringify(message));
      return echo(frame, socket);
    };
    await rpc.send([a], neverAborted);
    expect([heads, logs]).toEqual([[1, 3], [2]]);
    unsubscribe();
    unsubscribe();
    await node.reached(4);
    await rpc.send([b], neverAborted);
    expect([heads, logs]).toEqual([
      [1, 3],
      [2, 2, 2],
    ]);
    expect(node.frames.slice(0, 2).map((frame) => (frame as Wire).params)).toEqual([['newHeads'], ['logs', {}]]);
    expect(node.frames.filter((frame) => (frame as Wire).method === 'eth_unsubscribe')).toMatchObject([{ params: ['0x1'] }]);
  });

  test('a subscription delivers no events from before its id, also if all arrive in one frame', async () => {
    const node = await startNode((frame) => {
      const reply = { ...resultOf(frame as Wire), result: '0x1' };
      return [event('0x1', 1), event('0x7', 'another'), reply, event('0x1', 2)];
    });
    const received: unknown[] = [];
    const rpc = await open(node);
    await rpc.subscribe(['newHeads'], (result) => received.push(result));
    node.script = echo;
    await rpc.send([a], neverAborted);
    expect(received).toEqual([2]);
  });

  test('a subscription whose listener throws continues', async () => {
    const { node, rpc } = await openNode(numberSubscriptions());
    const received: unknown[] = [];
    await rpc.subscribe(['newHeads'], (head) => {
      received.push(head);
      throw new Error('oops');
    });
    node.script = (frame) => [event('0x1', 1), event('0x1', 2), resultOf(frame as Wire)];
    expect(await rpc.send([a], neverAborted)).toEqual([{ result: ['a'] }]);
    expect(received).toEqual([1, 2]);
  });

  test('a subscription delivers nothing after its listener has closed the connection', async () => {
    const node = await startNode((frame) => [{ id: (frame as Wire).id, result: '0x1' }, event('0x1', 1), event('0x1', 2)]);
    const rpc = await open(node);
    const received: unknown[] = [];
    await rpc.subscribe(['newHeads'], (head) => {
      received.push(head);
      rpc.close();
    });
    await rpc.ended;
    expect(received).toEqual([1]);
  });

  test('a subscription that the node rejects rejects with its error', async () => {
    const node = await startNode((frame) => ({ id: (frame as Wire).id, error: { code: -32601, message: 'no such method' } }));
    const failure = await failureOf((await open(node)).subscribe(['newHeads'], () => {}));
    expect(failure).toMatchObject({ code: 'METHOD_NOT_SUPPORTED', extensions: { method: 'eth_subscribe' } });
  });

  test('an invalid or duplicate subscription id fails with UPSTREAM_BAD_RESPONSE', async () => {
    const { node, rpc } = await openNode(numberSubscriptions());
    const received: unknown[] = [];
    await rpc.subscribe(['newHeads'], (head) => received.push(head));
    for (const result of [null, 7, {}, '0x1']) {
      node.script = (frame) => ({ id: (frame as Wire).id, result });
      expect((await failureOf(rpc.subscribe(['logs', {}], () => received.push('wrong')))).code).toBe('UPSTREAM_BAD_RESPONSE');
    }
    node.script = (frame) => [event('0x1', 1), resultOf(frame as Wire)];
    await rpc.send([a], neverAborted);
    expect(received).toEqual([1]);
  });

  test('a subscription whose id arrives after the timeout is unsubscribed and delivers nothing', async () => {
    const { node, rpc } = await openNode(silence);
    const clock = stopClock();
    const received: unknown[] = [];
    const rejected = failureOf(rpc.subscribe(['newHeads'], (head) => received.push(head)));
    await node.reached(1);
    clock.pass(5_000);
    const failure = await rejected;
    expect(failure).toMatchObject({ code: 'UPSTREAM_TIMEOUT', extensions: { method: 'eth_subscribe' } });
    node.script = echo;
    for (const message of [event('0x1', 1), { id: 1, result: '0x1' }, event('0x1', 2)]) node.socket.send(JSON.stringify(message));
    await node.reached(2);
    expect(node.frames[1]).toMatchObject({ method: 'eth_unsubscribe', params: ['0x1'] });
    await rpc.send([a], neverAborted);
    expect(received).toEqual([]);
  });

  test('a subscription that the node ends closes the connection', async () => {
    const { node, rpc } = await openNode(numberSubscriptions());
    await rpc.subscribe(['newHeads'], () => {});
    const { method } = event('', 0);
    node.socket.send(JSON.stringify({ method, params: { subscription: '0x9', error: 'another subscription' } }));
    node.socket.send(JSON.stringify({ method, params: { subscription: '0x1', error: 'too slow' } }));
    expect(await rpc.ended).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', message: 'The node ended a subscription.' });
  });
});

describe('end of a connection', () => {
  /** The header of a frame with this length; its payload never follows. */
  const headOf = (length: number) => {
    const head = Buffer.alloc(10);
    head.writeUInt16BE(0x817f);
    head.writeBigUInt64BE(BigInt(length), 2);
    return head;
  };
  const cases: [string, (node: SocketNode) => unknown, string][] = [
    ['when the node closes', ({ socket }) => socket.close(1000), 'UPSTREAM_UNAVAILABLE'],
    ['when the node closes with code 1001', ({ socket }) => socket.close(1001), 'UPSTREAM_UNAVAILABLE'],
    ['when the node closes without a code', ({ socket }) => socket.close(), 'UPSTREAM_UNAVAILABLE'],
    ['when the node closes with code 1011', ({ socket }) => socket.close(1011, NODE_KEY), 'UPSTREAM_UNAVAILABLE'],
    [
      'on a rate limit with code 1008',
      ({ socket }) => socket.close(1008, 'too many requests for this API key'),
      'UPSTREAM_UNAVAILABLE',
    ],
    ['on an invalid key with code 1008', ({ socket }) => socket.close(1008, 'Invalid API key'), 'UPSTREAM_AUTH'],
    ['on missing authorization with code 1008', ({ socket }) => socket.close(1008, 'Unauthorized'), 'UPSTREAM_AUTH'],
    ['on code 4401', ({ socket }) => socket.close(4401), 'UPSTREAM_AUTH'],
    ['on code 4403', ({ socket }) => socket.close(4403, 'no'), 'UPSTREAM_AUTH'],
    ['when the node terminates the connection', ({ socket }) => socket.terminate(), 'UPSTREAM_UNAVAILABLE'],
    ['when the node half-closes', ({ wire }) => wire.end(), 'UPSTREAM_UNAVAILABLE'],
    ['on a reset', ({ wire }) => wire.resetAndDestroy(), 'UPSTREAM_UNAVAILABLE'],
    [
      'in the middle of a message',
      ({ wire }) => wire.end(Buffer.concat([headOf(1_000), Buffer.from('{"id":')])),
      'UPSTREAM_UNAVAILABLE',
    ],
    [
      'on a reset in the middle of a message',
      ({ wire }) => wire.write(headOf(1_000), () => wire.resetAndDestroy()),
      'UPSTREAM_UNAVAILABLE',
    ],
    ['on a message that is not JSON', ({ socket }) => socket.send('<html>'), 'UPSTREAM_BAD_RESPONSE'],
    ['on truncated JSON', ({ socket }) => socket.send('{"id":1,"result":'), 'UPSTREAM_BAD_RESPONSE'],
    ['on an empty message', ({ socket }) => socket.send(''), 'UPSTREAM_BAD_RESPONSE'],
    ['on bytes that are not JSON', ({ socket }) => socket.send(Buffer.from([0xff, 0x00])), 'UPSTREAM_BAD_RESPONSE'],
    ['on text that is not UTF-8', ({ wire }) => wire.write(Buffer.from([0x81, 2, 0xc3, 0x28])), 'UPSTREAM_BAD_RESPONSE'],
    ['on the header of a message above 32 MiB', ({ wire }) => wire.write(headOf(32 * 2 ** 20 + 1)), 'UPSTREAM_BAD_RESPONSE'],
    ['on bytes that are not a frame', ({ wire }) => wire.write('HTTP/1.1 400 Bad Request'), 'UPSTREAM_BAD_RESPONSE'],
  ];
  test.each(cases)('a connection ends and fails everything in flight %s', async (_case, trigger, code) => {
    const { node, rpc } = await openNode(numberSubscriptions());
    await rpc.subscribe(['newHeads'], () => {});
    node.script = silence;
    const sent = [rpc.send([a, b], neverAborted), rpc.send([c], neverAborted)];
    const named = failureOf(rpc.subscribe(['logs'], () => {}));
    await node.reached(4);
    trigger(node);
    const reason = await rpc.ended;
    expect(reason).toBeInstanceOf(GraphError);
    expect(reason.code).toBe(code);
    expectNoKey(reason);
    expect((await Promise.all(sent)).flat().map(errorOf)).toEqual([reason, reason, reason]);
    expect(await named).toBe(reason);
    expect((await rpc.send([a], neverAborted)).map(errorOf)).toEqual([reason]);
    expect(await failureOf(rpc.subscribe(['newHeads'], () => {}))).toBe(reason);
  });

  test('a connection ends on a close frame even if the node does not close the TCP connection', async () => {
    const { node, rpc } = await openNode();
    // A close frame with code 4401, written directly because the library would also close the TCP connection.
    node.wire.write(Buffer.from([0x88, 2, 0x11, 0x31]));
    node.wire.pause();
    expect((await rpc.ended).code).toBe('UPSTREAM_AUTH');
  });

  test('a connection ends when the node does not respond to a ping', async () => {
    const { rpc } = await openNode(silence, { pingIntervalMs: 40, autoPong: false });
    const sent = rpc.send([a], neverAborted);
    expect(await rpc.ended).toMatchObject({ code: 'UPSTREAM_TIMEOUT', extensions: { retryable: true } });
    expect(codesOf(await sent)).toEqual(['UPSTREAM_TIMEOUT']);
  });

  test('a connection stays open while a slow response delays the pongs', async () => {
    const { node, rpc } = await openNode(silence, { pingIntervalMs: 40, autoPong: false });
    const sent = rpc.send([a], neverAborted);
    await node.reached(1);
    const response = Buffer.from(JSON.stringify({ id: 1, result: 'slow' }));
    node.wire.write(Buffer.from([0x81, response.length]));
    for (let at = 0; at < response.length; at += 10) {
      await node.nextPing();
      node.wire.write(response.subarray(at, at + 10));
    }
    expect(await sent).toEqual([{ result: 'slow' }]);
  });

  test('a connection stays open when this process was blocked for longer than the ping timeout', async () => {
    const { node, rpc } = await openNode(echo, { pingIntervalMs: 40 });
    await node.nextPing();
    const until = Date.now() + 200;
    while (Date.now() < until);
    await node.nextPing();
    await node.nextPing();
    expect(await rpc.send([a], neverAborted)).toEqual([{ result: ['a'] }]);
  });

  test('close sends a close frame and can be called repeatedly', async () => {
    const { node, rpc } = await openNode(silence);
    const sent = rpc.send([a], neverAborted);
    await node.reached(1);
    const closed = once(node.socket, 'close');
    rpc.close();
    rpc.close();
    expect(await rpc.ended).toMatchObject({ message: 'This server has closed its connection to the node.' });
    expect(codesOf(await sent)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect((await closed)[0]).toBe(1000);
  });
});

describe('connectToNode', () => {
  const connectTo = (port: number, options: Partial<NodeConnectionOptions> = {}) => failureOf(open({ port }, options));

  test('connectToNode sends the path, key and user of the URL, and the label contains no key', async () => {
    const { node, rpc } = await openNode();
    const url = new URL(withNodeKey('ws://node'));
    expect(node.upgrades[0]!.url).toBe(url.pathname + url.search);
    expect(node.upgrades[0]!.headers.authorization).toBe(NODE_AUTHORIZATION);
    expect(node.upgrades[0]!.headers['sec-websocket-extensions']).toBeUndefined();
    expect(rpc.label).toBe(`ws://127.0.0.1:${node.port}`);
  });

  test.each<[number, string, object]>([
    [401, 'UPSTREAM_AUTH', {}],
    [403, 'UPSTREAM_AUTH', {}],
    [402, 'UPSTREAM_QUOTA_EXCEEDED', {}],
    [429, 'UPSTREAM_RATE_LIMITED', { retryAfterMs: 3_000 }],
    [404, 'UPSTREAM_UNAVAILABLE', {}],
    [503, 'UPSTREAM_UNAVAILABLE', { retryAfterMs: 3_000 }],
    [200, 'UPSTREAM_UNAVAILABLE', {}],
    [302, 'UPSTREAM_UNAVAILABLE', {}],
  ])('connectToNode rejects without a key in the error on HTTP status %d', async (status, code, detail) => {
    const server = createServer().on('upgrade', (_request, socket: Socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\nretry-after: 3\r\nlocation: ${withNodeKey('ws://node')}\r\ncontent-length: 0\r\n\r\n`);
    });
    const failure = await connectTo(await listen(server));
    expect(failure).toBeInstanceOf(GraphError);
    expect(failure.extensions).toMatchObject({ code, source: 'node', ...detail });
    expect(failure.extensions.method).toBeUndefined();
    expectNoKey(failure);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ['closes the connection', (socket) => socket.destroy()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['uses another protocol', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['upgrades to another protocol', (socket) => socket.write('HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')],
    [
      'sends an invalid handshake',
      (socket) => socket.write('HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n'),
    ],
  ])('connectToNode rejects with UPSTREAM_UNAVAILABLE when the server %s', async (_case, respond) => {
    const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => respond(socket)));
    const failure = await connectTo(await listen(server));
    expect(failure.code).toBe('UPSTREAM_UNAVAILABLE');
    expectNoKey(failure);
  });

  test('connectToNode rejects with UPSTREAM_UNAVAILABLE and only an error code as cause for an unreachable or unknown host', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await stops.pop()!();
    for (const [url, errorCode] of [
      [withNodeKey(`ws://127.0.0.1:${port}`), /^ECONNREFUSED$/],
      [withNodeKey('ws://node.invalid'), /^(?:ENOTFOUND|EAI_AGAIN)$/],
    ] as const) {
      const failure = await failureOf(connectToNode({ url, timeoutMs: 20_000, maxBatchSize: 1 }));
      expect(failure).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', cause: { message: expect.stringMatching(errorCode) } });
      expectNoKey(failure);
    }
  });

  test('connectToNode rejects with UPSTREAM_TIMEOUT and closes the connection when the server never responds', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    const [[socket], failure] = await Promise.all([once(server, 'connection'), connectTo(port, { timeoutMs: 150 })]);
    expect(failure.code).toBe('UPSTREAM_TIMEOUT');
    if (!(socket as Socket).destroyed) await once((socket as Socket).resume(), 'close');
  });

  test('an abort of connectToNode rejects with its reason and closes the connection', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    const abort = new AbortController();
    const failure = connectTo(port, { signal: abort.signal });
    const [socket] = (await once(server, 'connection')) as [Socket];
    const reason = new GraphError('SHUTTING_DOWN', 'The server is about to end.');
    abort.abort(reason);
    expect(await failure).toBe(reason);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    if (!socket.destroyed) await once(socket.resume(), 'close');
    expect(await connectTo(port, { signal: abort.signal })).toBe(reason);
  });

  test.each(['http://node.example/hunter2', 'wss://', 'hunter2', ''])(
    'connectToNode rejects with BAD_USER_INPUT for %j',
    async (url) => {
      const failure = await failureOf(connectToNode({ url, timeoutMs: 1_000, maxBatchSize: 1 }));
      expect(failure.code).toBe('BAD_USER_INPUT');
      expect(failure.message).not.toContain('hunter2');
    },
  );

  test('connectToNode returns an ending connection when the server closes right after the handshake', async () => {
    const http = createServer();
    const server = new WebSocketServer({ server: http });
    server.on('connection', (socket) => {
      socket.send('<html>');
      socket.close(4401);
    });
    const rpc = await open({ port: await listen(http) });
    expect((await rpc.ended).code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});

test('calls that succeeded, timed out, were aborted, rejected or lost are no longer in flight', async () => {
  const written: Frame[] = [];
  const requests = createWebSocketRequests({
    write: (payload) => written.push(payload as Frame),
    maxBatchSize: 2,
    timeoutMs: 20,
  });
  const abort = new AbortController();
  const sent = [requests.send([a, b], neverAborted), requests.send([a, b], abort.signal)];
  for (const response of echo(written[0]!, undefined as never) as object[]) requests.receive(response, false);
  abort.abort();
  expect(requests.inFlightCount).toBe(0);
  sent.push(requests.send([a, b], neverAborted));
  requests.receive({ id: null, error: { code: 429 } }, true);
  expect(requests.inFlightCount).toBe(0);
  sent.push(requests.send([c], neverAborted));
  await Promise.all(sent);
  expect(requests.inFlightCount).toBe(0);
  const disconnected = requests.send([a, b, c], neverAborted);
  expect(requests.inFlightCount).toBe(3);
  requests.close(new GraphError('UPSTREAM_UNAVAILABLE', 'closed'));
  expect(codesOf(await disconnected)).toEqual(Array(3).fill('UPSTREAM_UNAVAILABLE'));
  expect(requests.inFlightCount).toBe(0);
});
