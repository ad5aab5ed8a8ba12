import { type Chain, type ChainArgs, createNode } from '../app/chain.ts';
import type { Quantity } from '../ethereum/hex.ts';
import { rejectOnAbort } from '../lib/abort.ts';
import { createChainFeed } from '../sync/feed.ts';
import { createHeadSchedule } from '../sync/head/head-schedule.ts';
import { createMirroredFollower, type MirroredChange } from '../sync/head/mirrored-follower.ts';
import { markProven } from '../sync/logs/log-fetcher.ts';
import { createLogCache, type LogReader } from '../sync/logs/log-reader.ts';
import { type ChainChannel, decodeError } from './channel.ts';
import type { ChainPrimaryHandlers, ChainWorkerHandlers, SharedStatus } from './protocol.ts';
import { createSharedResults } from './shared-results.ts';

/** Maximum size of the logs of recent blocks that a worker retains. */
const LOG_CACHE_BYTES = 16 * 1024 * 1024;

/** Reads the logs of blocks through the primary, which reads them from the node once for all workers. */
function createSharedLogReader(primary: ChainChannel<ChainPrimaryHandlers>): LogReader {
  const cache = createLogCache(LOG_CACHE_BYTES);
  return {
    async logsOf(head, signal, isRemoved) {
      const cached = cache.get(head.hash);
      if (cached) return cached;
      const { logs, areProven } = await rejectOnAbort(primary.request('logsOf', head, isRemoved), signal);
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
 * Starts the chain of a worker: reads go to the node, once for all workers, while heads, logs and pending transactions come from the primary.
 * Adds the handlers of their messages to `handlers`.
 */
export function startMirroredChain(
  primary: ChainChannel<ChainPrimaryHandlers>,
  handlers: Partial<ChainWorkerHandlers>,
  chainId: Quantity | undefined,
  sources: ChainArgs,
): Chain {
  const [settings, , log] = sources;
  const node = createNode(sources, chainId);
  const mirror = createMirroredFollower({ send: (calls, signal) => node.createSession().send(calls, signal) }, log);
  const { follower } = mirror;
  const results = createSharedResults(primary);
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
    ...results.handlers,
  } satisfies Partial<ChainWorkerHandlers>);
  return {
    node,
    follower,
    feed,
    results,
    lifetimes: { finalizedHeight, headSchedule: createHeadSchedule(follower) },
    firstHead: primary.request('join').then((error) => error && decodeError(error)),
  };
}

/** The item of a failing source that the primary reports. */
const PRIMARY = 'primary';
