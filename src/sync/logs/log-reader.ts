import { LRUCache } from 'lru-cache';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { onAbort, rejectOnAbort, Sleeper } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { isUnavailable } from '../../upstream/rpc/rpc-errors.ts';
import { WINDOW_BLOCKS } from '../chain/canonical-chain.ts';
import type { Head } from '../chain/rpc-header.ts';
import { errorLogFields } from '../head/rpc-queries.ts';
import { backoffMs, requestedRetryDelayMs } from '../head/timing.ts';
import { type FeedContext, sourceFailedError } from '../source-health.ts';
import { createBlockLogFetcher } from './log-fetcher.ts';

/** The number of blocks in `ChainHistory`: canonical and on side branches. */
const MAX_CACHED_BLOCKS = 2 * WINDOW_BLOCKS;

/** Approximate size of an entry without logs. */
const ENTRY_BYTES = 100;
/** Approximate size of a log without its data: an object with nine strings of up to 66 characters. */
const LOG_OVERHEAD_BYTES = 800;

const bytesOf = (logs: readonly RpcLog[]): number =>
  logs.reduce((sum, { data }) => sum + LOG_OVERHEAD_BYTES + (data?.length ?? 0), ENTRY_BYTES);

/** Creates the cache of logs by block hash, canonical or not, since the logs of a block never change. */
export const createLogCache = (maxBytes: number) =>
  new LRUCache<Data, readonly RpcLog[]>({ max: MAX_CACHED_BLOCKS, maxSize: Math.max(1, maxBytes), sizeCalculation: bytesOf });

interface LogReaderOptions extends FeedContext {
  /** Returns the source that last reported the head. */
  readonly currentSource: () => RpcSender | undefined;
  readonly isOnSideBranch: (hash: Data) => boolean;
  /** Timeout of one request. */
  readonly timeoutMs: number;
  /** Approximate size limit of the log cache. */
  readonly maxCacheBytes: number;
}

/** A read in flight. It is aborted when no caller waits for it. */
interface BlockLogRead {
  readonly result: Promise<readonly RpcLog[]>;
  readonly controller: AbortController;
  waiters: number;
}

/** Errors that do not show whether the node has the block. */
const INCONCLUSIVE_CODES: ReadonlySet<string> = new Set(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_INTERNAL']);
/** Number of consecutive attempts in which no source has a block of a side branch before the read rejects. */
const MAX_SIDE_BRANCH_ATTEMPTS = 3;
const SOURCE_NAME = 'logs';
const ATTEMPTS_BEFORE_WARNING = 5;

export function createLogReader(options: LogReaderOptions) {
  const { currentSource, createSource, isOnSideBranch, timeoutMs, maxCacheBytes, timing, sourceHealth, log } = options;
  const cache = createLogCache(maxCacheBytes);
  const readsInFlight = new Map<Data, BlockLogRead>();
  const retries = new Sleeper();
  const stopController = new AbortController();
  const fetchers = [currentSource, ...(createSource ? [createSource] : [])].map((source) =>
    createBlockLogFetcher(source, timeoutMs, stopController.signal),
  );

  /** Number of calls of `retryNow`. */
  let retryRequests = 0;

  /**
   * Waits for the recheck delay after an attempt, during which `retryNow` was called `newRequests` times. A call of
   * `retryNow` ends the wait, even if the call precedes the wait, unless the node has requested a delay.
   */
  const pause = async (misses: number, failure: GraphError | undefined, newRequests: number, signal: AbortSignal) => {
    const requestedMs = requestedRetryDelayMs(failure, timing);
    if (requestedMs === 0 && newRequests > 0) return;
    const sleeper = requestedMs === 0 ? retries : new Sleeper();
    await sleeper.sleep(Math.max(backoffMs(misses, timing.minRecheckMs, timing.maxRecheckMs), requestedMs), signal);
  };

  const readWithRetries = async (head: Head, signal: AbortSignal, isRemoved: boolean): Promise<readonly RpcLog[]> => {
    let sideBranchAttempts = 0;
    for (let misses = 0; ; misses += 1) {
      const requestsBefore = retryRequests;
      const failures: GraphError[] = [];
      for (const fetchLogs of fetchers) {
        const result = await fetchLogs(head, signal);
        signal.throwIfAborted();
        if (result instanceof GraphError) failures.push(result);
        else if (result) {
          cache.set(head.hash, result);
          return result;
        }
      }
      if (failures.length > 0 && failures.every(({ code }) => code === 'METHOD_NOT_SUPPORTED')) throw failures[0];
      const isMissing = failures.length > 0 && !failures.some((one) => isUnavailable(one) || INCONCLUSIVE_CODES.has(one.code));
      sideBranchAttempts = isMissing && (isRemoved || isOnSideBranch(head.hash)) ? sideBranchAttempts + 1 : 0;
      if (sideBranchAttempts === MAX_SIDE_BRANCH_ATTEMPTS)
        throw new GraphError('GAP_TOO_LARGE', 'The logs of a block that a reorg removed are not available any more.');
      const failure = failures.at(-1);
      const error =
        failure ?? new GraphError('UPSTREAM_UNAVAILABLE', 'There is no connection to the node.', { method: 'eth_getLogs' });
      if (sourceHealth.report(SOURCE_NAME, error, head.hash) >= timing.sourceTimeoutMs)
        throw sourceFailedError(SOURCE_NAME, error);
      if (misses === ATTEMPTS_BEFORE_WARNING) {
        log.warn({ block: head.number, ...(failure && errorLogFields(failure)) }, 'reading the logs of a block failed; retrying');
      }
      await pause(misses, failure, retryRequests - requestsBefore, signal);
      signal.throwIfAborted();
    }
  };

  const removeRead = ({ hash }: Head, read: BlockLogRead): void => {
    if (readsInFlight.get(hash) !== read) return;
    readsInFlight.delete(hash);
    sourceHealth.clear(SOURCE_NAME, hash);
  };

  const startRead = (head: Head, isRemoved: boolean): BlockLogRead => {
    const controller = new AbortController();
    const read: BlockLogRead = { result: readWithRetries(head, controller.signal, isRemoved), controller, waiters: 0 };
    readsInFlight.set(head.hash, read);
    const onSettled = () => removeRead(head, read);
    read.result.then(onSettled, onSettled);
    return read;
  };

  return {
    /**
     * Reads the logs of a block, with retries. Rejects with GAP_TOO_LARGE after three consecutive attempts in which no source has the block, if the
     * block is on a side branch, or `isRemoved`: the caller knows that it was removed before this process started. Also rejects with
     * METHOD_NOT_SUPPORTED when the node has no `eth_getLogs`, with the node's error when a block could not be read for `sourceTimeoutMs`, with
     * the reason of the signal, and with the reason passed to `stop`.
     */
    logsOf(head: Head, signal: AbortSignal, isRemoved = false): Promise<readonly RpcLog[]> {
      const cached = cache.get(head.hash);
      if (cached) return Promise.resolve(cached);
      const aborted = [stopController.signal, signal].find((candidate) => candidate.aborted);
      if (aborted) return Promise.reject(aborted.reason);
      const read = readsInFlight.get(head.hash) ?? startRead(head, isRemoved);
      read.waiters += 1;
      const unregister = onAbort(signal, () => {
        read.waiters -= 1;
        if (read.waiters > 0) return;
        removeRead(head, read);
        read.controller.abort();
      });
      return rejectOnAbort(read.result, signal).finally(unregister);
    },
    /** Retries pending reads immediately, because a new block or a new connection may provide their logs. */
    retryNow(): void {
      retryRequests += 1;
      retries.wake();
    },
    stop(reason: GraphError): void {
      stopController.abort(reason);
      for (const { controller } of readsInFlight.values()) controller.abort(reason);
    },
  };
}

/** Reads logs by block, with retries. Concurrent reads of a block share one request; results are cached. */
export type LogReader = ReturnType<typeof createLogReader>;
