import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { acceptsLoopbackHost, closeServer, type HostCheck, LOOPBACK_ADDRESS, listenOnAddress } from '../service-server.ts';
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

export type { NodeControlRequest } from './behaviour/control.ts';
export type { TokenMetadataDatabase } from './rpc/token-database.ts';

export interface NodeServiceOptions {
  readonly anvil: { readonly http: string; readonly ws: string };
  /** Accepted API keys, at least one. */
  readonly keys: readonly string[];
  /** Address that both servers listen on. @default loopback */
  readonly host?: string;
  /** HTTP port. @default a free port */
  readonly port?: number;
  /** WebSocket port, different from the HTTP port. @default a free port */
  readonly wsPort?: number;
  /** Monthly compute units of each key; null for no limit. @default null */
  readonly capacity?: number | null;
  /** Token metadata that takes precedence over the contracts. @default empty */
  readonly tokenDatabase?: TokenMetadataDatabase;
  /** Initial faults. @default all faults off */
  readonly faults?: NodeFaultsInput;
  /** Methods beyond the service description that are passed through to anvil. @default no methods */
  readonly extraMethods?: readonly string[];
  /** Last segment of the control path. @default random */
  readonly controlKey?: string;
  /**
   * Runs a reorg while no block is mined by `evm_mine`, since anvil cannot do both at once. Automatic mining is paused
   * in any case. @default runs the reorg at once
   */
  readonly withMiningPaused?: WithMiningPaused;
  /** Delays requests to anvil while the chain is pruned. @default runs requests at once */
  readonly withSharedLock?: ReadWriteLock['shared'];
  /** Removed heights, read for each request. @default no heights */
  readonly pruned?: PrunedHistory;
  /** Current time in milliseconds since 1970, for the month and second of limits. */
  readonly now?: () => number;
  /** Checks the Host header. @default accepts loopback names */
  readonly acceptsHost?: HostCheck;
  /**
   * The description of the network that the service serves at `/devnet.json`; undefined responds 404. @default
   * undefined
   */
  readonly description?: () => unknown;
  readonly log: Logger;
}

export interface NodeServiceEndpoints {
  /** The service without a path or key. */
  readonly origin: string;
  /** `{base_url}/v2/<API_KEY>` with the first key. */
  readonly http: string;
  /** `{base_url}/jsonrpc/<API_KEY>` with the first key: the documented form for enhanced methods. */
  readonly jsonrpc: string;
  /** `{ws_url}/ws/<API_KEY>` with the first key. Not derived from the HTTP URL: it has another port. */
  readonly ws: string;
  /** Control endpoint for reorgs, faults and capacity, for tests and the operator of the devnet. */
  readonly control: string;
}

export interface NodeService {
  readonly endpoints: NodeServiceEndpoints;
  /** Endpoints for another key. */
  endpointsFor(key: string): NodeServiceEndpoints;
  /** Resolves when subscribers were sent the events of all blocks up to the current head. */
  catchUp(): Promise<void>;
  /** Closes every socket to clients and to anvil. May be called twice. */
  stop(): Promise<void>;
}

const NOTHING_PRUNED: PrunedHistory = { first: 0, retainedHeights: new Set(), lastBlock: -1, lastState: -1 };

/**
 * Starts a node service in front of anvil, as hosted providers offer it. Rejects, with everything stopped, if anvil does not respond or a
 * port is in use. If anvil exits later, WebSockets are closed with 1011 and calls return an internal error.
 */
export async function startNodeService(options: NodeServiceOptions): Promise<NodeService> {
  const {
    anvil,
    keys,
    host = LOOPBACK_ADDRESS,
    port = 0,
    wsPort = 0,
    capacity = null,
    tokenDatabase = {},
    faults: initial = {},
    extraMethods = [],
    log,
  } = options;
  const {
    acceptsHost = acceptsLoopbackHost,
    controlKey = randomBytes(16).toString('hex'),
    withMiningPaused = (task) => task(),
    withSharedLock = (task) => task(),
    description = () => undefined,
    pruned = NOTHING_PRUNED,
    now = Date.now,
  } = options;
  const [firstKey] = keys;
  if (firstKey === undefined) throw new Error('The node service needs at least one API key.');

  const keysBySegment = new Map(keys.map((key) => [encodeURIComponent(key), key]));
  const keyOf = (segment: string) => keysBySegment.get(segment);
  const stopping = new AbortController();
  // One listener for each delayed request.
  setMaxListeners(0, stopping.signal);
  const anvilConnection = createAnvilConnection(anvil.http, withSharedLock);
  const request = withPrunedHistory(withConsistentHead(anvilConnection.request), pruned);
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
  let anvilSubscriptions: AnvilSubscriptions | undefined;

  const stop = async () => {
    stopping.abort();
    anvilSubscriptions?.close();
    sockets.close(1001, 'the service is shutting down');
    await Promise.all(servers.map(closeServer));
    await anvilConnection.close();
  };
  try {
    const chain = await followAnvilChain(request, sockets.publishChange);
    anvilSubscriptions = await subscribeToAnvil(
      anvil.ws,
      anvilTopics(chain, sockets.publishPending, stopping.signal, log),
      () => {
        log.warn('the node service lost its connection to anvil');
        sockets.close(1011, 'the node of this service is unavailable');
      },
    );
    const catchUp = async () => chain.addHead(await request<AnvilHeader>('eth_getBlockByNumber', 'latest', false));
    // Blocks between the first read of the chain and the subscription.
    await catchUp();

    const controlPath = `/control/${encodeURIComponent(controlKey)}`;
    const control = createNodeControl({ request, chain, units, faults, sockets, keys, withMiningPaused, pruned });
    const http = createServer(
      createNodeHttpHandler({
        keyOf,
        acceptsHost,
        handleRequest,
        faults,
        control,
        controlPath,
        description,
        stopping: stopping.signal,
      }),
    );
    const ws = createServer((_request, response) => response.writeHead(426, { upgrade: 'websocket' }).end());
    ws.on('upgrade', sockets.upgrade);
    servers.push(http, ws);
    const base = await listenOnAddress(http, host, port);
    const wsBase = await listenOnAddress(ws, host, wsPort);
    const endpointsFor = (key: string) => ({
      origin: `http://${base}`,
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
  publishPending: (transaction: anvilFixes.RpcJsonObject) => void,
  stopping: AbortSignal,
  log: Logger,
) => [
  {
    params: ['newHeads'],
    onEvent: (head: AnvilHeader) =>
      void chain.addHead(head).catch((err) => {
        if (!stopping.aborted) log.warn({ err }, 'the node service cannot read a head');
      }),
  },
  // Anvil's topic for full transactions; anvil rejects the documented topic.
  {
    params: ['newPendingTransactions', true],
    onEvent: (transaction: anvilFixes.RpcJsonObject) => publishPending(anvilFixes.fixTransaction(transaction, true)),
  },
];
