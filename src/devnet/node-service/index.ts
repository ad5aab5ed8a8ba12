import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createHostCheck, type HostCheck } from '../../hosts.ts';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { type AnvilSubscriptions, createAnvilConnection, subscribeToAnvil } from './anvil-connection.ts';
import * as anvilFixes from './behaviour/anvil-fixes.ts';
import { withConsistentHead } from './behaviour/consistent-reads.ts';
import { createNodeControl, type WithMiningPaused } from './behaviour/control.ts';
import { createNodeFaultInjector, type NodeFaultsInput } from './behaviour/faults.ts';
import { type PrunedHistory, withPrunedHistory } from './behaviour/pruned-history.ts';
import { type AnvilChain, type AnvilHeader, followAnvilChain } from './chain.ts';
import { createComputeUnitMeter } from './compute-units.ts';
import { createNodeHttpHandler } from './http.ts';
import { createRpcHandler } from './rpc/handler.ts';
import { createTokenMetadataMerger, type TokenMetadataDatabase } from './rpc/token-database.ts';
import { createNodeWebSocketServer } from './websocket.ts';

export type { NodeControlRequest, WithMiningPaused } from './behaviour/control.ts';
export type { NodeFaults, NodeFaultsInput } from './behaviour/faults.ts';
export type { NodeTokenMetadata, TokenMetadataDatabase } from './rpc/token-database.ts';

export interface NodeServiceOptions {
  readonly anvil: { readonly http: string; readonly ws: string };
  /** API keys that are let in, one at least. */
  readonly keys: readonly string[];
  /** Port for HTTP; any free one when left out. */
  readonly port?: number;
  /** Port for WebSocket, another than that for HTTP; any free one when left out. */
  readonly wsPort?: number;
  /** Compute units a month for each key; null, and when left out, any number. */
  readonly capacity?: number | null;
  /** What is known of tokens beside what their contracts tell; nothing when left out. */
  readonly tokenDatabase?: TokenMetadataDatabase;
  /** All off when left out. */
  readonly faults?: NodeFaultsInput;
  /** Methods of the node beyond the seed's that are passed on as they are, as real providers have them; none when left out. */
  readonly extraMethods?: readonly string[];
  /** The last part of the control path; one that cannot be guessed when left out. */
  readonly controlKey?: string;
  /**
   * Runs a reorganisation while whoever mines blocks by hand does not: anvil cannot do both at once. Left out, nobody is thought to. Blocks
   * that anvil mines by itself for a transaction are taken care of.
   */
  readonly withMiningPaused?: WithMiningPaused;
  /** Runs what asks anvil, and holds it back while the chain is trimmed; at once when left out. */
  readonly withSharedLock?: ReadWriteLock['shared'];
  /** Heights that a trim of the chain has removed, as they are at the time of a request; none when left out. */
  readonly pruned?: PrunedHistory;
  /** The present, in milliseconds since 1970; picks the month and the second. */
  readonly now?: () => number;
  /** The Host headers that are served; those of loopback names when left out. */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

export interface NodeServiceEndpoints {
  /** `{base_url}/v2/<API_KEY>` with the first key. */
  readonly http: string;
  /** `{base_url}/jsonrpc/<API_KEY>` with the first key: the same in the form for enhanced methods. */
  readonly jsonrpc: string;
  /** `{ws_url}/ws/<API_KEY>` with the first key. Another port than HTTP's, so nobody can derive the one from the other. */
  readonly ws: string;
  /** Reorganisations, faults, capacity: for tests and for the devnet's owner. */
  readonly control: string;
}

export interface NodeService {
  readonly endpoints: NodeServiceEndpoints;
  /** The same for another key. */
  endpointsFor(key: string): NodeServiceEndpoints;
  /** Resolves when subscribers have been sent the events of all blocks up to the present head. */
  catchUp(): Promise<void>;
  /** Resolves when every socket is closed, to clients and to anvil. May be called twice. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const NOTHING_PRUNED: PrunedHistory = { first: 0, retainedHeights: new Set(), lastBlock: -1, lastState: -1 };

/**
 * Starts the seed's hosted node over anvil. Rejects, leaving nothing behind, when anvil does not answer or a port is taken. When anvil
 * goes later, WebSockets are closed with 1011 and calls are answered with an internal error.
 */
export async function startNodeService(options: NodeServiceOptions): Promise<NodeService> {
  const {
    anvil,
    keys,
    port = 0,
    wsPort = 0,
    capacity = null,
    tokenDatabase = {},
    faults: initial = {},
    extraMethods = [],
    log,
  } = options;
  const {
    acceptsHost = createHostCheck([]),
    controlKey = randomBytes(16).toString('hex'),
    withMiningPaused = (task) => task(),
    withSharedLock = (task) => task(),
    pruned = NOTHING_PRUNED,
    now = Date.now,
  } = options;
  const [firstKey] = keys;
  if (firstKey === undefined) throw new Error('The node service needs an API key to let somebody in.');

  const byPath = new Map(keys.map((key) => [encodeURIComponent(key), key]));
  const keyOf = (segment: string) => byPath.get(segment);
  const stopping = new AbortController();
  // One a request that waits.
  setMaxListeners(0, stopping.signal);
  const upstream = createAnvilConnection(anvil.http, withSharedLock);
  const request = withPrunedHistory(withConsistentHead(upstream.request), pruned);
  const units = createComputeUnitMeter(capacity, now);
  const faults = createNodeFaultInjector(initial, now);
  const handleRequest = createRpcHandler({
    request,
    mergeTokenMetadata: createTokenMetadataMerger(tokenDatabase),
    units,
    faults,
    extraMethods,
    log,
  });
  const sockets = createNodeWebSocketServer({ keyOf, acceptsHost, handleRequest, units, faults, stopping: stopping.signal });
  const servers: Server[] = [];
  let announcements: AnvilSubscriptions | undefined;

  const stop = async () => {
    stopping.abort();
    announcements?.close();
    sockets.close(1001, 'the service stops');
    await Promise.all(servers.map(closeServer));
    await upstream.close();
  };
  try {
    const chain = await followAnvilChain(request, sockets.publishChange);
    announcements = await subscribeToAnvil(anvil.ws, anvilTopics(chain, sockets.publishPending, stopping.signal, log), () => {
      log.warn('the node behind the node service has gone');
      sockets.close(1011, 'the node behind this service has gone');
    });
    const catchUp = async () => chain.addHead(await request<AnvilHeader>('eth_getBlockByNumber', 'latest', false));
    // What came between the first look at the chain and the subscription.
    await catchUp();

    const controlPath = `/control/${encodeURIComponent(controlKey)}`;
    const control = createNodeControl({ request, chain, units, faults, sockets, keys, withMiningPaused, pruned });
    const http = createServer(
      createNodeHttpHandler({ keyOf, acceptsHost, handleRequest, faults, control, controlPath, stopping: stopping.signal }),
    );
    const ws = createServer((_request, response) => response.writeHead(426, { upgrade: 'websocket' }).end());
    ws.on('upgrade', sockets.upgrade);
    servers.push(http, ws);
    const base = await listenOn(http, port);
    const wsBase = await listenOn(ws, wsPort);
    const endpointsFor = (key: string) => ({
      http: `http://${base}/v2/${encodeURIComponent(key)}`,
      jsonrpc: `http://${base}/jsonrpc/${encodeURIComponent(key)}`,
      ws: `ws://${wsBase}/ws/${encodeURIComponent(key)}`,
      control: `http://${base}${controlPath}`,
    });
    return { endpoints: endpointsFor(firstKey), endpointsFor, catchUp, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const anvilTopics = (
  chain: AnvilChain,
  tellPending: (transaction: anvilFixes.RpcJsonObject) => void,
  stopping: AbortSignal,
  log: Logger,
) => [
  {
    params: ['newHeads'],
    onEvent: (head: AnvilHeader) =>
      void chain.addHead(head).catch((err) => {
        if (!stopping.aborted) log.warn({ err }, 'a head could not be taken');
      }),
  },
  // Anvil's name for whole objects. It refuses the seed's.
  {
    params: ['newPendingTransactions', true],
    onEvent: (transaction: anvilFixes.RpcJsonObject) => tellPending(anvilFixes.fixTransaction(transaction, true)),
  },
];

async function listenOn(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return `${HOST}:${(server.address() as AddressInfo).port}`;
}

const closeServer = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
