import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { createGate } from '../../support/gate.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';

/** Connections to the built program: of all transports, slow and silent ones, and at its shutdown. */
const SLOW_COUNT = 100;
const SILENT_WEBSOCKETS = 100;
/** The server closes them within eight seconds; the margin is for a busy machine. Node alone would take a minute. */
const CLOSED_WITHIN_MS = 25_000;

let graph: GraphProcess;
/** A graph that a test shuts down, behind this proxy. */
let stoppedGraph: GraphProcess;
let proxy: NodeProxy;

beforeAll(async () => {
  const chain = new SimChain({ seed: 1, blocks: 3 });
  const node = await startSimNode({ chain });
  proxy = await startProxy(node.url);
  [graph, stoppedGraph] = await Promise.all([
    startGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl }),
    startGraph({ RPC_URL: proxy.url, OPERATION_TIMEOUT_MS: '3600000' }),
  ]);
});

/** Opens a connection, calls `behave` with it, and returns how long it stayed open. */
const stayOpen = (behave: (socket: Socket) => void): Promise<number> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(graph.url);
    const socket = connect(Number(port), hostname);
    let opened = performance.now();
    // A socket without a reader never emits `end`.
    socket.on('data', () => {}).on('error', () => {});
    socket.once('connect', () => {
      opened = performance.now();
      behave(socket);
    });
    socket.once('close', () => resolve(performance.now() - opened));
  });

/** Writes a text one character per second, until the socket is closed. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.writable && socket.write(text[at++ % text.length]!), 1_000);
  socket.once('close', () => clearInterval(timer));
}

const HEADERS = 'POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Type: application/json\r\nContent-Length: 200\r\n';

const SLOW_CLIENTS: Record<string, (socket: Socket) => void> = {
  'without a byte': () => {},
  'with slow headers': (socket) => drip(socket, HEADERS),
  'with endless slow headers': (socket) => {
    socket.write(HEADERS);
    drip(socket, 'X-Slow: yes\r\n');
  },
  'with a slow body': (socket) => {
    socket.write(`${HEADERS}\r\n`);
    drip(socket, '{"query":"{ chainID }"}');
  },
};

/** A silent WebSocket, until the server closes it. */
async function stayUninitialized(): Promise<{ code: number; stayed: number }> {
  const socket = await RawSocket.connect(graph.url, { init: false });
  const from = performance.now();
  const { code } = await socket.closed;
  return { code, stayed: performance.now() - from };
}

describe('slow and silent connections', () => {
  /** How long the connections of each kind stayed open. They stay open for seconds, so all tests of this group share them. */
  let slow: Record<string, Promise<number[]>>;
  let webSockets: ReturnType<typeof stayUninitialized>[];

  beforeAll(() => {
    slow = Object.fromEntries(
      Object.entries(SLOW_CLIENTS).map(([kind, behave]) => [
        kind,
        Promise.all(Array.from({ length: SLOW_COUNT }, () => stayOpen(behave))),
      ]),
    );
    webSockets = Array.from({ length: SILENT_WEBSOCKETS }, stayUninitialized);
  });

  test('SIGTERM closes the port, completes running operations for seconds, then ends them, and exits with status 0', async () => {
    const fees = holdResponses(proxy, 'eth_gasPrice', 'eth_maxPriorityFeePerGas');
    const socket = await RawSocket.connect(stoppedGraph.url);
    const inTime = stoppedGraph.execute('{ gasPrice }');
    await fees.eth_gasPrice!.received;
    // A separate request: the response to a batch cannot be held back for one call.
    const late = stoppedGraph.execute('{ maxPriorityFeePerGas }');
    await fees.eth_maxPriorityFeePerGas!.received;
    stoppedGraph.process.kill('SIGTERM');
    const exited = once(stoppedGraph.process, 'exit');
    await waitForClosedPort(stoppedGraph);
    fees.eth_gasPrice!.release();
    expect((await inTime).data).toEqual({ gasPrice: '0x6e' });
    expect((await socket.closed).code).toBe(1001);
    const { status, headers, errors } = await late;
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '1' });
    const requestId = headers.get('x-request-id');
    expect(errors![0]!.extensions).toMatchObject({ code: 'SHUTTING_DOWN', retryable: true, requestId });
    expect(await exited).toEqual([0, null]);
  });

  test.each(Object.keys(SLOW_CLIENTS))('connections %s are closed within seconds', async (kind) => {
    const stayed = await slow[kind]!;
    expect(stayed).toHaveLength(SLOW_COUNT);
    expect(Math.max(...stayed)).toBeLessThan(CLOSED_WITHIN_MS);
  });

  test('silent WebSockets are closed after the init timeout', async () => {
    const closed = await Promise.all(webSockets);
    expect(new Set(closed.map(({ code }) => code))).toEqual(new Set([4408]));
    expect(Math.max(...closed.map(({ stayed }) => stayed))).toBeLessThan(CLOSED_WITHIN_MS);
  });
});

interface HeldResponse {
  /** Resolves when the method has been requested. */
  readonly received: Promise<void>;
  release(): void;
}

/** Holds back the response to each of these methods, until its release. */
function holdResponses(proxy: NodeProxy, ...methods: string[]): Record<string, HeldResponse> {
  const waiting = new Map<string, () => Promise<void>>();
  proxy.intercept = ({ method }) => (methods.includes(method) ? { result: '0x6e' } : undefined);
  proxy.rewrite = async (answer, request) => {
    for (const { method } of [request].flat() as { method: string }[]) await waiting.get(method)?.();
    return answer;
  };
  const hold = (method: string): HeldResponse => {
    const { opened: released, open: release } = createGate();
    const received = new Promise<void>((resolve) => {
      waiting.set(method, () => {
        resolve();
        return released;
      });
    });
    return { received, release };
  };
  return Object.fromEntries(methods.map((method) => [method, hold(method)]));
}

/** Resolves when a server accepts no more connections. */
async function waitForClosedPort({ url }: GraphProcess): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!isOpen) return;
  }
}
