import type { Server, Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Chain, type ChainArgs, createNode } from '../app/chain.ts';
import { serve } from '../app/serve.ts';
import { type CoreSettings, workerCount } from '../config/core-settings.ts';
import type { Domain } from '../domains/domain.ts';
import type { Quantity } from '../ethereum/hex.ts';
import { rejectOnAbort } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import type { AttachedServer, SharedServer } from '../server/context.ts';
import { createChainFeed } from '../sync/feed.ts';
import { createMirroredFollower, type MirroredChange } from '../sync/head/follower.ts';
import { createHeadSchedule } from '../sync/head/head-schedule.ts';
import { markProven } from '../sync/logs/log-fetcher.ts';
import { createLogCache, type LogReader } from '../sync/logs/log-reader.ts';
import type { AcceptedConnection, SentConnection } from './connection-distributor.ts';
import { Channel, decodeError, encodeError, type PrimaryHandlers, type SharedStatus, type WorkerHandlers } from './protocol.ts';
import { createSharedResults } from './shared-results.ts';

/** Serves the graph in this worker until the primary or a signal stops it. */
export async function runWorker(settings: CoreSettings, installed: readonly Domain[], log: Logger): Promise<void> {
  const handlers: Partial<WorkerHandlers> = {};
  const primary = new Channel<PrimaryHandlers>(process as never, handlers as WorkerHandlers);
  const stopped = new Promise<boolean>((resolve) => {
    handlers.stop = resolve;
    process.once('SIGTERM', () => resolve(true));
    process.once('SIGINT', () => resolve(false));
  });
  const results = createSharedResults(primary);
  Object.assign(handlers, results.handlers);
  try {
    const chainId = await primary.request('chainId');
    const graph = await serve(settings, installed, log, {
      shared: {
        processes: workerCount(settings),
        startChain: (...sources) => startMirroredChain(primary, handlers, chainId, sources),
        results,
        server: createSharedServer(settings, primary, handlers),
      },
    });
    primary.send('ready', { url: graph.url, readyMessage: graph.readyMessage });
    await graph.stop({ hasGracePeriod: await stopped });
  } catch (error) {
    if (!(error instanceof GraphError)) log.fatal({ err: error }, 'a worker cannot start');
    await primary.request('failed', encodeError(error));
  }
}

/** The limits and the metrics of all workers. */
function createSharedServer(
  settings: CoreSettings,
  primary: Channel<PrimaryHandlers>,
  handlers: Partial<WorkerHandlers>,
): SharedServer {
  const others = new Map<string, number>();
  /** The servers in the order of their starts, which is the same in all workers. */
  const listening = new Map<string, Server>();
  let server: AttachedServer | undefined;
  Object.assign(handlers, {
    setOthers: (name, count) => void (count > 0 ? others.set(name, count) : others.delete(name)),
    closeIdle: () => server?.connections.closeIdle() ?? false,
    metrics: async () => (await server?.registry.getMetricsAsJSON()) ?? [],
  } satisfies Partial<WorkerHandlers>);
  process.on('message', (message: SentConnection, socket: Socket | undefined) => {
    if (message.connection === undefined) return;
    process.send!({ accepted: message.connection } satisfies AcceptedConnection);
    // Undefined if the client has closed the connection meanwhile.
    if (socket) listening.get(message.listener)!.emit('connection', Object.assign(socket, { allowHalfOpen: true }));
  });
  const hasRateLimits = (settings.RATE_LIMIT_REQUESTS ?? settings.RATE_LIMIT_COST) !== undefined;
  return {
    async listen(httpServer, ...place) {
      const key = String(listening.size);
      listening.set(key, httpServer);
      const url = await primary.request('listen', key, ...place);
      return { url, close: () => primary.send('unlisten', key) };
    },
    counts: {
      set: (name, count) => primary.send('setCount', name, count),
      others: (name) => others.get(name) ?? 0,
    },
    requestLimits: hasRateLimits
      ? {
          check: (caller, address) => primary.request('checkRate', caller?.app, address),
          spend: (key, cost) => primary.send('spend', key, cost),
        }
      : undefined,
    closeIdleElsewhere: () => primary.request('closeIdle'),
    renderMetrics: () => primary.request('metrics'),
    attach(attached) {
      server = attached;
    },
  };
}

/** Maximum size of the logs of recent blocks that a worker retains. */
const LOG_CACHE_BYTES = 16 * 1024 * 1024;

/** Reads the logs of blocks through the primary, which reads them from the node once for all workers. */
function createSharedLogReader(primary: Channel<PrimaryHandlers>): LogReader {
  const cache = createLogCache(LOG_CACHE_BYTES);
  return {
    async logsOf(head, signal) {
      const cached = cache.get(head.hash);
      if (cached) return cached;
      const { logs, areProven } = await rejectOnAbort(primary.request('logsOf', head), signal);
      if (areProven) markProven(logs);
      cache.set(head.hash, logs);
      return logs;
    },
    // The primary retries its reads when its chain changes.
    retryNow() {},
    stop() {},
  };
}

/**
 * Starts the chain of a worker: reads go to the node, while heads, logs and pending transactions come from the primary.
 * Adds the handlers of their messages to `handlers`.
 */
function startMirroredChain(
  primary: Channel<PrimaryHandlers>,
  handlers: Partial<WorkerHandlers>,
  chainId: Quantity | undefined,
  sources: ChainArgs,
): Chain {
  const [settings, , log] = sources;
  const node = createNode(sources, chainId);
  const mirror = createMirroredFollower({ send: (calls, signal) => node.createSession().send(calls, signal) }, log);
  const { follower } = mirror;
  const finalizedHeight = { value: -1, stop() {} };
  let announced: MirroredChange | undefined;
  let pendingEvents: Parameters<NonNullable<Parameters<typeof createChainFeed>[0]['createPendingFeed']>>[0];
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const feed = createChainFeed({
    follower,
    timeoutMs: settings.RPC_TIMEOUT_MS,
    log,
    logReader: createSharedLogReader(primary),
    createPendingFeed(events) {
      pendingEvents = events;
      const stop = () => primary.send('stopPending');
      return { isSubscribed: false, start: () => primary.send('startPending'), stop, close: async () => stop() };
    },
  });
  const setStatus = (status: SharedStatus, moved?: MirroredChange): void => {
    finalizedHeight.value = status.finalizedHeight;
    const isFailing = (name: string) => status.failing.some(({ source }) => source === name);
    for (const { source } of feed.sourceHealth.failing) if (!isFailing(source)) feed.sourceHealth.clear(source, PRIMARY);
    for (const { source, error } of status.failing) feed.sourceHealth.report(source, decodeError(error), PRIMARY);
    const { error } = status.follower;
    mirror.update({ ...status.follower, error: error && decodeError(error) }, moved);
  };
  Object.assign(handlers, {
    announce(change) {
      announced = change;
    },
    hold: mirror.hold,
    commit: (status) => setStatus(status, announced),
    setStatus: (status) => setStatus(status),
    addPending: (transaction) => pendingEvents.emit(transaction),
    endPending: (error) => pendingEvents.fail(decodeError(error)),
  } satisfies Partial<WorkerHandlers>);
  return {
    node,
    follower,
    feed,
    lifetimes: { finalizedHeight, headSchedule: createHeadSchedule(follower) },
    firstHead: primary.request('join').then((error) => error && decodeError(error)),
  };
}

/** The item of a failing source that the primary reports. */
const PRIMARY = 'primary';
