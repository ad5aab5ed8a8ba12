import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { inspect } from 'node:util';
import { createClient, type SubscribePayload } from 'graphql-ws';
import { WebSocket } from 'ws';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../examples/follow.mjs';
import { encodeLogCursor, MAX_LOG_INDEX } from '../../src/domains/chain/log/cursor.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import { random } from '../support/random-tests.ts';
import { assertNoSecret, withNodeKey } from '../support/secrets.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { type DisconnectKind, type SimNode, startSimNode } from '../support/simulator/node.ts';
import { HeadReplayChecker, LogReplayChecker, type ReplayChecker } from '../support/subscriptions/replay-checker.ts';
import type { VirtualNetwork } from './network.ts';
import {
  connectionsAreBounded,
  everyErrorHasACode,
  everyRequestEnds,
  heightQuery,
  heightsAreOfTheBlock,
  nothingLostNothingTwice,
  nothingStays,
  ONE_BLOCK_QUERY,
  oneOperationOneBlock,
  recovers,
} from './promises.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What one run has done. */
export interface Outcome {
  readonly virtualMs: number;
  readonly queries: number;
  readonly events: number;
  readonly faults: number;
  readonly resumptions: number;
  /** Hash of all bytes that arrived anywhere, with their times. */
  readonly trace: string;
}

/** Virtual time with faults, and without faults afterwards. */
const FAULTY_MS = 45_000;
const HEALTHY_MS = 40_000;
/** OPERATION_TIMEOUT_MS, and stalls of the network. */
const REQUEST_LIMIT_MS = 60_000;
const MAX_CONNECTIONS = 300;
/** The server terminates a socket whose client does not answer after 30 s. */
const CLOSING_MS = 35_000;

/** Runs the whole server between a node and its clients, with the faults of a seed. Throws an error that names a broken promise. */
export async function simulate(seed: number, time: VirtualTime, network: VirtualNetwork): Promise<Outcome> {
  const draw = random(seed);
  const upTo = (n: number) => Math.floor(draw() * (n + 1));
  const oneOf = <T>(...values: T[]): T => values[upTo(values.length - 1)]!;
  const trace = createHash('sha256');
  network.onArrival = (port, bytes) => trace.update(`${time.now} ${port} `).update(bytes);
  network.delayMs = () => (draw() < 0.02 ? upTo(300) : 1 + upTo(8));

  let failure: Error | undefined;
  const fail = (error: unknown) => {
    failure ??= error instanceof Error ? error : new Error(inspect(error));
  };
  const openSince = new Map<number, number>();
  const check = () => {
    try {
      everyRequestEnds(openSince, time.now, REQUEST_LIMIT_MS);
      connectionsAreBounded(network.openConnections, MAX_CONNECTIONS);
    } catch (error) {
      fail(error);
    }
    if (failure) throw failure;
  };
  /** Runs the world until a promise settles. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    work.then(mark, mark);
    for (let i = 0; i < 10_000 && !isSettled; i++) await time.run(10);
    return work;
  };

  const chain = new SimChain({ seed, blocks: 40, blockSeconds: 2, bloom: oneOf('real', 'zero'), maxOrphans: 10_000 });
  const backends = draw() < 0.25 ? { count: 1 + upTo(2), lag: upTo(3), seed } : undefined;
  const node = await settled(startSimNode({ chain, hasBlockReceipts: draw() < 0.5, ...(backends && { backends }) }));
  node.supportsSubscriptions = draw() < 0.85;
  const nodePort = Number(new URL(node.url).port);

  const served = await settled(
    serveGraph({
      LOG_LEVEL: 'warn',
      RPC_URL: withNodeKey(node.url),
      NODE_METHODS: 'plain',
      ...(draw() < 0.8 && { RPC_WS_URL: withNodeKey(node.wsUrl) }),
      ...(draw() < 0.3 && { CACHE_BYTES: '0' }),
    }),
  );
  const serverPort = Number(new URL(served.url).port);

  const counts = { queries: 0, events: 0, faults: 0, resumptions: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const post = (path: string, body?: string): Promise<{ status: number; text: string; body: any }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(`${served.url}${path}`, { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          assertNoSecret(text, 'a response');
          resolve({ status: response.statusCode!, text, body: text.startsWith('{') ? JSON.parse(text) : undefined });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });

  /** Whether blocks are mined and queries are sent. */
  let isActive = true;
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  const every = async (maxMs: number, act: () => unknown) => {
    while (isActive) {
      await pause(1 + upTo(maxMs));
      if (isActive) await act();
    }
  };

  /** Reads one block, or the blocks at a height, in several parts; returns whether the response has data. */
  const query = async () => {
    const id = ++counts.queries;
    openSince.set(id, time.now);
    // Without a confirmed head, blocks at heights are those of any backend: their branches may differ.
    const height = backends || draw() < 0.5 ? undefined : chain.head.height - upTo(6);
    const text = height === undefined ? ONE_BLOCK_QUERY : heightQuery(height);
    try {
      const { body } = await post('/graphql', JSON.stringify({ query: text }));
      everyErrorHasACode(body);
      if (body.errors) return false;
      if (height === undefined) oneOperationOneBlock(chain, body);
      else heightsAreOfTheBlock(chain, body);
      return true;
    } catch (error) {
      // A lost connection has a code of its own.
      if (!(error as NodeJS.ErrnoException).syscall && (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      return false;
    } finally {
      openSince.delete(id);
    }
  };

  /** Follows a subscription through lost connections, and applies each event. */
  const subscribers = new Set<{ readonly name: string; readonly checker: ReplayChecker; leave(): void }>();
  const subscribe = (name: string, query: string, checker: ReplayChecker, after: string, cursorOf: (data: any) => string) => {
    let hasLeft = false;
    const client = createClient({
      url: `${served.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      onNonLazyError: () => {},
    });
    subscribers.add({
      name,
      checker,
      leave() {
        hasLeft = true;
        // Rejects while it connects.
        void Promise.resolve(client.dispose()).catch(() => {});
      },
    });
    const source = {
      iterate(request: SubscribePayload) {
        // A code after which `follow` does not subscribe again.
        if (hasLeft) throw Object.assign(new Error('the subscriber has left'), { code: 4403 });
        return client.iterate(request);
      },
    };
    const onBreak = (error: unknown, mayMissEvents: boolean) => {
      counts.resumptions += 1;
      if (mayMissEvents && !hasLeft) fail(new Error(`nothing lost: ${name} cannot resume: ${JSON.stringify(error)}`));
    };
    const read = async () => {
      for await (const data of follow(source, { query, cursorOf, after, onBreak, pauseMs: 100 })) {
        if (hasLeft) return;
        counts.events += 1;
        checker.apply(Object.values(data)[0] as object);
      }
    };
    read().catch((error) => hasLeft || fail(error));
  };
  const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';
  const subscribeToHeads = (name: string) => {
    const fields = oneOf('number hash parentHash', 'hash parentHash number timestamp');
    const document = `subscription ($after: Bytes32) { newHeads(after: $after) { ${fields} } }`;
    subscribe(name, document, new HeadReplayChecker(chain), chain.head.hash, ({ newHeads }) => newHeads.hash);
  };
  const subscribeToLogs = (name: string) => {
    const { height, hash } = chain.head;
    const cursor = encodeLogCursor({ height, hash, index: MAX_LOG_INDEX, removed: false });
    const address = `0x${'0'.repeat(39)}${1 + upTo(4)}`;
    const filter = oneOf({}, { addresses: [address] });
    const text = 'addresses' in filter ? `filter: { addresses: ["${address}"] }, ` : '';
    const document = `subscription ($after: String) { logs(${text}after: $after) { ${LOG} } }`;
    subscribe(name, document, new LogReplayChecker(chain, filter), cursor, ({ logs }) => logs.cursor);
  };
  for (let i = upTo(1); i >= 0; i--) subscribeToHeads(`heads ${i}`);
  for (let i = upTo(2); i >= 0; i--) subscribeToLogs(`logs ${i}`);
  let joined = 0;
  /** A subscriber joins, or one that has joined leaves. */
  const joinOrLeave = () => {
    const leaving = [...subscribers].find(({ name }) => name.startsWith('guest'));
    if (leaving && draw() < 0.5) {
      subscribers.delete(leaving);
      return leaving.leave();
    }
    return subscribers.size < 8 && oneOf(subscribeToHeads, subscribeToLogs)(`guest ${++joined}`);
  };

  const mine = () =>
    draw() < 0.25 ? reorg(1 + upTo(5)) : chain.mine(1 + (draw() < 0.1 ? upTo(4) : 0) + (draw() < 0.004 ? 300 : 0));
  const reorg = (depth: number) => chain.reorg(depth, depth + upTo(2));
  let isHealthy = false;
  const faults = createFaults({ node, network, nodePort, serverPort, upTo, oneOf, pause });
  const loops = [
    every(oneOf(1_500, 4_000), mine),
    every(oneOf(400, 2_000), query),
    // A backend that lags may never import the block of a cursor.
    ...(backends ? [] : [every(4_000, joinOrLeave)]),
    every(3_000, () => {
      if (isHealthy) return;
      counts.faults += 1;
      faults.cause();
    }),
  ];
  for (const loop of loops) loop.catch(fail);

  await time.run(FAULTY_MS, check);
  isHealthy = true;
  faults.end();
  const lacking = () => [...subscribers].filter(({ checker }) => !checker.isComplete).map(({ name }) => name);
  await time.run(HEALTHY_MS, check);
  const ready = await settled(post('/readyz'));
  recovers(ready.status === 200, 'the server is ready', ready);
  // A reorg may remove the block of a query.
  const responses = [await settled(query()), await settled(query()), await settled(query())];
  recovers(responses.includes(true), 'a query has data', responses);
  isActive = false;
  for (let i = 0; i < 30 && lacking().length > 0; i++) {
    // A backend that lags imports blocks when another one is mined.
    if (backends) chain.mine();
    await time.run(2_000, check);
  }
  recovers(lacking().length === 0, 'the subscribers have the chain', lacking());
  for (const { name, checker } of subscribers) nothingLostNothingTwice(name, checker.differences());

  for (const { leave } of subscribers) leave();
  // The metrics contain the memory and the times of the process.
  const hash = trace.digest('hex');
  network.onArrival = () => {};
  await time.run(CLOSING_MS);
  nothingStays((await settled(post('/metrics'))).text);
  agent.destroy();
  await settled(served.stop());
  await settled(node.stop());
  // What still waits for its turn would wait for ever in the next seed.
  await time.run(1_000);
  return { virtualMs: time.now, ...counts, trace: hash };
}

interface FaultTargets {
  readonly node: SimNode;
  readonly network: VirtualNetwork;
  readonly nodePort: number;
  readonly serverPort: number;
  readonly upTo: (n: number) => number;
  readonly oneOf: <T>(...values: T[]) => T;
  readonly pause: (ms: number) => Promise<void>;
}

/** The faults of the node and of the network. */
function createFaults({ node, network, nodePort, serverPort, upTo, oneOf, pause }: FaultTargets) {
  const ends = new Set<() => void>();
  const forAWhile = (maxMs: number, end: () => void) => {
    ends.add(end);
    void pause(upTo(maxMs)).then(() => ends.delete(end) && end());
  };
  const faults: (() => void)[] = [
    () => network.cut(nodePort),
    () => network.cut(serverPort),
    () => network.stall(nodePort, upTo(12_000)),
    () => network.stall(serverPort, upTo(5_000)),
    () => forAWhile(10_000, network.refuse(nodePort)),
    () => node.forgetSubscriptions(),
    () => node.disconnect(oneOf<DisconnectKind>('reset', 'half a frame', 'close', 'silence')),
    () => {
      node.isMuted = true;
      forAWhile(15_000, () => (node.isMuted = false));
    },
    () => {
      node.ignoresSocketReads = true;
      forAWhile(8_000, () => (node.ignoresSocketReads = false));
    },
    () => {
      const share = upTo(10) / 10;
      const error = oneOf(
        { code: -32005, message: 'limit exceeded' },
        { code: -32603, message: 'internal error' },
        { code: -32000, message: 'header not found' },
      );
      let count = 0;
      node.intercept = () => (++count % 10 < share * 10 ? { error } : undefined);
      forAWhile(8_000, () => (node.intercept = undefined));
    },
    () => {
      node.logDelayMs = () => upTo(3_000);
      forAWhile(10_000, () => (node.logDelayMs = undefined));
    },
    // A backend that lacks a block returns an empty list, as for a block without logs.
    ...(node.views.length > 1
      ? []
      : [
          () => {
            node.hidesUnknownBlocks = true;
            forAWhile(10_000, () => (node.hidesUnknownBlocks = false));
          },
        ]),
  ];
  return {
    cause: () => oneOf(...faults)(),
    end(): void {
      for (const end of ends) end();
      ends.clear();
    },
  };
}
