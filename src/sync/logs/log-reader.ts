import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { GraphError } from '../../errors.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import type { Head } from '../chain/rpc-header.ts';
import { errorLogFields, isUnavailable, type RpcSource } from '../head/rpc-queries.ts';
import { type FollowerTiming, recheckDelayMs, requestedRetryDelayMs } from '../head/timing.ts';
import { type SourceHealth, sourceFailedError } from '../source-health.ts';
import { LogCache } from './log-cache.ts';
import { type BlockLogFetcher, createBlockLogFetcher } from './log-fetcher.ts';

/** Reads the logs of blocks: each once, whoever asks, for as long as they are kept. */
export interface LogReader {
  /**
   * Asks for as long as the block is not abandoned, and a few times more if it is: then rejects with GAP_TOO_LARGE, as nobody has its logs any
   * more. Rejects with METHOD_NOT_SUPPORTED where the node has no `eth_getLogs`, with the node's error when a block could not be read for `sourceEnd`
   * milliseconds, with the signal's reason, and with what it was stopped for.
   */
  logsOf(head: Head, signal: AbortSignal): Promise<readonly RpcLog[]>;
  /** There is a new block or a new connection: who waits to ask again asks now. */
  retryNow(): void;
  stop(reason: GraphError): void;
}

export interface LogReaderOptions {
  /** The way that has shown the head last. */
  readonly currentSource: () => RpcSource | undefined;
  /** Opens another way, for what that one does not tell. */
  readonly createSource: (() => RpcSource) | undefined;
  readonly isAbandoned: (hash: Data) => boolean;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  /** Most memory for logs that are kept, in bytes, about. */
  readonly maxCacheBytes: number;
  readonly timing: FollowerTiming;
  /** Is told of blocks that cannot be read, under `logs`. */
  readonly sourceHealth: SourceHealth;
  readonly log: Logger;
}

/** A block that is being read, and how many wait for it: without any it is given up. */
interface BlockLogRead {
  readonly result: Promise<readonly RpcLog[]>;
  readonly controller: AbortController;
  waiters: number;
}

/** So often in a row nobody has to have an abandoned block. */
const MAX_ABANDONED_ATTEMPTS = 3;
/** What blocks that cannot be read are reported under. */
const SOURCE_NAME = 'logs';
/** After so many tries the log is told. */
const ATTEMPTS_BEFORE_WARNING = 5;

export function createLogReader({
  currentSource,
  createSource,
  isAbandoned,
  timeoutMs,
  maxCacheBytes,
  timing,
  sourceHealth,
  log,
}: LogReaderOptions): LogReader {
  const memory = new LogCache(maxCacheBytes);
  const searches = new Map<Data, BlockLogRead>();
  const asleep = new Set<() => void>();
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const ways: readonly BlockLogFetcher[] = [currentSource, ...(createSource ? [createSource] : [])].map((way) =>
    createBlockLogFetcher(way, timeoutMs, over.signal),
  );

  /** Waits, but not longer than until there is something new, unless the node wants to be left alone. */
  const pause = (misses: number, failure: GraphError | undefined, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const alone = requestedRetryDelayMs(failure, timing);
      const wake = () => {
        clearTimeout(timer);
        asleep.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(recheckDelayMs(misses, timing), alone));
      if (alone === 0) asleep.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });

  const search = async (head: Head, signal: AbortSignal): Promise<readonly RpcLog[]> => {
    let lacking = 0;
    for (let misses = 0; ; misses += 1) {
      const failures: GraphError[] = [];
      for (const ask of ways) {
        const told = await ask(head, signal);
        signal.throwIfAborted();
        if (told instanceof GraphError) failures.push(told);
        else if (told) {
          memory.set(head.hash, told);
          return told;
        }
      }
      const isAnswered = failures.length > 0 && !failures.some(isUnavailable);
      if (isAnswered && failures.every(({ code }) => code === 'METHOD_NOT_SUPPORTED')) throw failures[0];
      lacking = isAnswered && isAbandoned(head.hash) ? lacking + 1 : 0;
      if (lacking === MAX_ABANDONED_ATTEMPTS) throw abandonedBlockError();
      const failure = failures.at(-1);
      const error = failure ?? noConnectionError();
      if (sourceHealth.report(SOURCE_NAME, error, head.hash) >= timing.sourceTimeoutMs)
        throw sourceFailedError(SOURCE_NAME, error);
      if (misses === ATTEMPTS_BEFORE_WARNING) {
        log.warn(
          { block: head.number, ...(failure && errorLogFields(failure)) },
          'the logs of a block cannot be read; it is tried again',
        );
      }
      await pause(misses, failure, signal);
      signal.throwIfAborted();
    }
  };

  const begin = (head: Head): BlockLogRead => {
    const controller = new AbortController();
    const begun: BlockLogRead = { result: search(head, controller.signal), controller, waiters: 0 };
    searches.set(head.hash, begun);
    const forget = () => {
      if (searches.get(head.hash) !== begun) return;
      searches.delete(head.hash);
      sourceHealth.clear(SOURCE_NAME, head.hash);
    };
    begun.result.then(forget, forget);
    return begun;
  };

  return {
    logsOf(head, signal) {
      const kept = memory.get(head.hash);
      if (kept) return Promise.resolve(kept);
      const early = [over.signal, signal].find(({ aborted }) => aborted);
      if (early) return Promise.reject(early.reason);
      const one = searches.get(head.hash) ?? begin(head);
      one.waiters += 1;
      // One signal for hundreds of blocks is no leak.
      setMaxListeners(0, signal);
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          reject(signal.reason);
          one.waiters -= 1;
          if (one.waiters > 0) return;
          if (searches.get(head.hash) === one) searches.delete(head.hash);
          sourceHealth.clear(SOURCE_NAME, head.hash);
          one.controller.abort();
        };
        const stay = () => signal.removeEventListener('abort', giveUp);
        signal.addEventListener('abort', giveUp, { once: true });
        one.result.then(resolve, reject).finally(stay);
      });
    },
    retryNow() {
      for (const wake of [...asleep]) wake();
    },
    stop(reason) {
      over.abort(reason);
      for (const { controller } of searches.values()) controller.abort(reason);
    },
  };
}

const noConnectionError = () =>
  new GraphError('UPSTREAM_UNAVAILABLE', 'There is no connection to the node.', { method: 'eth_getLogs' });

const abandonedBlockError = () =>
  new GraphError('GAP_TOO_LARGE', 'The logs of a block that the chain has abandoned are not to be had any more.');
