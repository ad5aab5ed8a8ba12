import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { UNKNOWN_BLOCK_HASH } from '../../../src/upstream/rpc/log-filter-dialect.ts';
import { stopAfterTests } from '../cleanups.ts';
import { random } from '../random-tests.ts';
import { startTestServer } from '../test-server.ts';
import type { SimChain } from './chain.ts';
import {
  announcementOf,
  announcementsOf,
  type Dialect,
  GETH,
  type LogFilterNames,
  logsOf,
  matchesWireFilter,
  respondTo,
  SimRpcError,
} from './rpc-simulator.ts';
import { type SimPendingTransaction, SimPool } from './transaction-pool.ts';
import { type BackendOptions, createLaggingViews, type SimChange, type SimView } from './view.ts';

export interface SimNodeOptions {
  readonly chain: SimChain;
  readonly dialect?: Dialect;
  /** Null for a node without a chain id, which returns an error. */
  readonly chainId?: string | null;
  /** The port to listen on; any free port when left out. */
  readonly port?: number;
  /** Whether `eth_getBlockReceipts` is supported. @default false */
  readonly hasBlockReceipts?: boolean;
  /** Lagging backends behind one address; each request reaches a random one. */
  readonly backends?: BackendOptions;
}

/** How connections end: TCP reset, end of stream inside a frame, WebSocket close, or silence on a socket that stays open. */
export type DisconnectKind = 'reset' | 'half a frame' | 'close' | 'silence';

/** A node on loopback sockets, HTTP and WebSocket on one port, that serves a simulated chain. Fields change its behaviour. */
export interface SimNode {
  readonly url: string;
  readonly wsUrl: string;
  dialect: Dialect;
  chainId: string | null;
  /** Rejects WebSocket upgrades with this HTTP status while set. */
  upgradeRefusalStatus: number | undefined;
  /** Whether `eth_subscribe` is supported. */
  supportsSubscriptions: boolean;
  /** Announces the head before the response to `eth_subscribe`, which is sent one event loop turn later. */
  announcesBeforeReply: boolean;
  /** Sends no announcements while true. */
  isMuted: boolean;
  /** Does not respond to reads over a WebSocket while true. */
  ignoresSocketReads: boolean;
  /** Returns the delay of the next response with logs in milliseconds. Other responses are not delayed. */
  logDelayMs: (() => number) | undefined;
  /** Returns no logs for an unknown block instead of an error. */
  hidesUnknownBlocks: boolean;
  /** Replaces the response to a call unless it returns undefined. */
  intercept: ((method: string, params: readonly any[]) => { result: unknown } | { error: object } | undefined) | undefined;
  /** How the node treats each spelling of the block hash in a log filter. */
  logFilterNames: LogFilterNames;
  /** Whether `eth_getBlockReceipts` is supported. */
  hasBlockReceipts: boolean;
  /** Number of requests that probed the spelling of the block hash. They are not part of `callCounts` and `reads`. */
  readonly logFilterProbes: number;
  /** Number of calls of each method. */
  readonly callCounts: ReadonlyMap<string, number>;
  /** The reads, one entry per frame or POST, with their transport. */
  readonly reads: readonly { readonly over: 'ws' | 'http'; readonly calls: readonly SimNodeCall[] }[];
  totalCalls(): number;
  /** Open WebSockets. */
  readonly sockets: ReadonlySet<WebSocket>;
  /** Disconnects all WebSockets now, or after that many further messages. */
  disconnect(kind: DisconnectKind, afterMessages?: number): void;
  /** Forgets the subscriptions of all WebSockets, which stay open, as a node does that restarts behind a balancer. */
  forgetSubscriptions(): void;
  /** Number of disconnected WebSockets by kind. */
  readonly disconnects: Readonly<Record<DisconnectKind, number>>;
  /** Announces any header to the subscribers of `newHeads`. */
  announce(header: unknown): void;
  readonly pool: SimPool;
  /** Adds a transaction to the pool and announces it. */
  addPending(transaction: SimPendingTransaction): void;
  /** One view per backend. */
  readonly views: readonly SimView[];
  stop(): Promise<void>;
}

interface SimNodeCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly any[];
}

interface SimNodeClient {
  readonly socket: WebSocket;
  readonly wire: Socket;
  readonly view: SimView;
  readonly subscriptions: Map<string, { readonly kind: string; readonly filter: any }>;
}

export async function startSimNode({
  chain,
  dialect = GETH,
  chainId = '0x7',
  port: requestedPort = 0,
  hasBlockReceipts = false,
  backends,
}: SimNodeOptions): Promise<SimNode> {
  const callCounts = new Map<string, number>();
  const reads: { over: 'ws' | 'http'; calls: SimNodeCall[] }[] = [];
  const clients = new Map<WebSocket, SimNodeClient>();
  const pool = new SimPool();
  const disconnects: Record<DisconnectKind, number> = { reset: 0, 'half a frame': 0, close: 0, silence: 0 };
  const views = backends ? createLaggingViews(chain.main, backends) : [chain.main];
  const draw = random((backends?.seed ?? 0) + 1);
  const anyView = () => views[Math.floor(draw() * views.length)]!;
  let lastSubscription = 0;
  let logFilterProbes = 0;
  let scheduledDisconnect: { readonly kind: DisconnectKind; messagesLeft: number } | undefined;

  const disconnectNow = (kind: DisconnectKind) => {
    scheduledDisconnect = undefined;
    for (const { socket, wire, subscriptions } of clients.values()) {
      clients.delete(socket);
      disconnects[kind] += 1;
      if (kind === 'close') socket.close(1001);
      else if (kind === 'reset') wire.resetAndDestroy();
      else if (kind === 'half a frame')
        wire.end(Buffer.concat([Buffer.from([0x81, 0x7e, 0x10, 0x00]), Buffer.from('{"jsonrpc')]));
      else wire.pause();
      subscriptions.clear();
    }
  };

  const send = (client: SimNodeClient, message: unknown) => {
    if (!clients.has(client.socket)) return;
    client.socket.send(JSON.stringify(message));
    if (scheduledDisconnect && --scheduledDisconnect.messagesLeft < 0) disconnectNow(scheduledDisconnect.kind);
  };

  const sendEvent = (client: SimNodeClient, subscription: string, result: unknown) =>
    send(client, { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } });

  const announceChange = (view: SimView, change: SimChange) => {
    if (node.isMuted) return;
    for (const client of [...clients.values()].filter((candidate) => candidate.view === view)) {
      for (const [id, { kind, filter }] of client.subscriptions) {
        if (/Pending/.test(kind)) continue;
        const events = kind === 'newHeads' ? announcementsOf(change, node.dialect) : logsOf(change, node.dialect);
        for (const event of events)
          if (kind === 'newHeads' || matchesWireFilter(event as never, filter)) sendEvent(client, id, event);
      }
    }
  };
  const unsubscribeViews = views.map((view) => view.onChange((change) => announceChange(view, change)));

  const respondToCall = (view: SimView, method: string, params: readonly any[]) => {
    try {
      return (
        node.intercept?.(method, params) ??
        pool.respond(method, params) ?? {
          result: respondTo(view, (hash) => chain.block(hash), node.chainId, method, params, node),
        }
      );
    } catch (error) {
      if (!(error instanceof SimRpcError)) throw error;
      if (node.hidesUnknownBlocks && error.message === 'unknown block') return { result: [] };
      return { error: { code: error.code, message: error.message } };
    }
  };

  const repliesTo = (view: SimView, body: SimNodeCall | SimNodeCall[], over: 'ws' | 'http') => {
    const calls = [body].flat();
    if (calls.some(({ params: [filter] }) => filter?.blockHash === UNKNOWN_BLOCK_HASH)) logFilterProbes += 1;
    else {
      reads.push({ over, calls });
      for (const { method } of calls) callCounts.set(method, (callCounts.get(method) ?? 0) + 1);
    }
    return calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...respondToCall(view, method, params) }));
  };

  const subscribe = (client: SimNodeClient, id: number, params: any[]) => {
    const [kind, filter = {}] = params;
    callCounts.set('eth_subscribe', (callCounts.get('eth_subscribe') ?? 0) + 1);
    const isSupported = kind === 'newHeads' || kind === 'logs' || pool.has(params);
    if (!node.supportsSubscriptions || !isSupported) {
      return send(client, { jsonrpc: '2.0', id, error: { code: -32601, message: 'notifications not supported' } });
    }
    const name = `0x${(++lastSubscription).toString(16)}`;
    const reply = () => send(client, { jsonrpc: '2.0', id, result: name });
    client.subscriptions.set(name, { kind, filter });
    if (!node.announcesBeforeReply) return reply();
    if (kind === 'newHeads') sendEvent(client, name, announcementOf(client.view.head, node.dialect));
    setImmediate(reply);
  };

  const onMessage = (client: SimNodeClient, data: unknown) => {
    if (!clients.has(client.socket)) return;
    const body = JSON.parse(String(data));
    const single = Array.isArray(body) ? undefined : body;
    if (single?.method === 'eth_subscribe') return subscribe(client, single.id, single.params);
    if (single?.method === 'eth_unsubscribe') {
      callCounts.set('eth_unsubscribe', (callCounts.get('eth_unsubscribe') ?? 0) + 1);
      return send(client, { jsonrpc: '2.0', id: single.id, result: client.subscriptions.delete(single.params[0]) });
    }
    if (node.ignoresSocketReads) return;
    const view = backends ? anyView() : client.view;
    const replies = repliesTo(view, body, 'ws');
    const reply = () => send(client, single ? replies[0] : replies);
    const ms = /eth_get(?:Logs|BlockReceipts)/.test(JSON.stringify(body)) ? (node.logDelayMs?.() ?? 0) : 0;
    if (ms > 0) setTimeout(reply, ms);
    else reply();
  };

  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    // A cut connection has ended the request before its body was complete.
    if (!request.complete) return;
    const body = JSON.parse(text);
    const view = anyView();
    const replies = repliesTo(view, body, 'http');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? replies : replies[0]));
  });
  const upgrades = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, wire: Socket, head) => {
    wire.on('error', () => {});
    if (node.upgradeRefusalStatus !== undefined)
      return void wire.end(`HTTP/1.1 ${node.upgradeRefusalStatus} No\r\ncontent-length: 0\r\n\r\n`);
    upgrades.handleUpgrade(request, wire, head, (socket) => {
      const client: SimNodeClient = { socket, wire, view: anyView(), subscriptions: new Map() };
      clients.set(socket, client);
      socket.on('error', () => {});
      socket.on('close', () => clients.delete(socket));
      socket.on('message', (data) => onMessage(client, data));
    });
  });
  const { port, url, stop } = await startTestServer(server, requestedPort);

  const node: SimNode = {
    url,
    wsUrl: `ws://127.0.0.1:${port}`,
    dialect,
    chainId,
    upgradeRefusalStatus: undefined,
    supportsSubscriptions: true,
    announcesBeforeReply: false,
    isMuted: false,
    ignoresSocketReads: false,
    hidesUnknownBlocks: false,
    logDelayMs: undefined,
    intercept: undefined,
    logFilterNames: { blockHash: 'read', blockhash: 'read' },
    hasBlockReceipts,
    get logFilterProbes() {
      return logFilterProbes;
    },
    callCounts,
    reads,
    totalCalls: () => [...callCounts.values()].reduce((sum, count) => sum + count, 0),
    get sockets() {
      return new Set(clients.keys());
    },
    disconnect(kind, afterMessages = 0) {
      if (afterMessages === 0) disconnectNow(kind);
      else scheduledDisconnect = { kind, messagesLeft: afterMessages - 1 };
    },
    forgetSubscriptions() {
      for (const { subscriptions } of clients.values()) subscriptions.clear();
    },
    disconnects,
    announce(header) {
      for (const client of clients.values()) {
        for (const [id, { kind }] of client.subscriptions) if (kind === 'newHeads') sendEvent(client, id, header);
      }
    },
    pool,
    addPending(transaction) {
      pool.add(transaction);
      for (const client of clients.values()) {
        for (const [id, { kind, filter }] of client.subscriptions) {
          if (/Pending/.test(kind))
            sendEvent(client, id, kind === 'newPendingTransactions' && filter !== true ? transaction.hash : transaction);
        }
      }
    },
    views,
    stop: stopAfterTests(() => {
      for (const unsubscribe of unsubscribeViews) unsubscribe();
      for (const socket of upgrades.clients) socket.terminate();
      return stop();
    }),
  };
  return node;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
