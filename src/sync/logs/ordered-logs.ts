import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { GraphError } from '../../lib/errors.ts';
import { type ChainPath, EMPTY_PATH, joinPaths } from '../chain/ancestors.ts';
import type { Head } from '../chain/rpc-header.ts';
import { MAX_BLOCKS_PER_BATCH } from './log-fetcher.ts';
import type { LogReader } from './log-reader.ts';

/** A block with all its logs, in log order. */
export interface BlockLogs {
  readonly head: Head;
  readonly logs: readonly RpcLog[];
}

/**
 * A change of the chain with the logs of its blocks: `removed` newest first, `added` ascending. Changes that arrive
 * faster than their logs are merged into one; a change is split if the logs of its first added blocks arrive earlier.
 */
export interface LogChange {
  readonly removed: readonly BlockLogs[];
  readonly added: readonly BlockLogs[];
}

export interface OrderedLogsOptions {
  /** The head at the start; undefined before the first head. */
  readonly head: Head | undefined;
  readonly logsOf: LogReader['logsOf'];
  readonly emit: (change: LogChange) => void;
  /** Called once, when no further change can be emitted. */
  readonly fail: (error: GraphError) => void;
}

/** A block whose logs are being read or wait to be emitted. */
interface QueuedBlock {
  readonly controller: AbortController;
  logs: readonly RpcLog[] | undefined;
}

/** Maximum number of blocks between the last emitted block and the head. */
const MAX_QUEUED_BLOCKS = 4_096;

/**
 * Emits chain changes with their logs in order: all removed blocks, and each added block as soon as its logs and the
 * logs of all earlier blocks have been read.
 */
export type OrderedLogs = ReturnType<typeof createOrderedLogs>;

export function createOrderedLogs({ head: startHead, logsOf, emit, fail }: OrderedLogsOptions) {
  let head = startHead;
  /** The path from `head` to `target`, which has not been emitted yet. */
  let path = EMPTY_PATH;
  let target: Head | undefined;
  const controller = new AbortController();
  const reads = new Map<Data, QueuedBlock>();
  let isEmitScheduled = false;

  const cancelRead = (hash: Data): void => {
    reads.get(hash)?.controller.abort();
    reads.delete(hash);
  };

  const stop = (): void => {
    controller.abort();
    for (const hash of reads.keys()) cancelRead(hash);
  };

  const failWith = (error: GraphError): void => {
    stop();
    fail(error);
  };

  /** Starts reads for all removed blocks and the next added blocks. */
  const startReads = (): void => {
    if (controller.signal.aborted) return;
    for (const next of [...path.removed, ...path.added.slice(0, MAX_BLOCKS_PER_BATCH)]) {
      if (reads.has(next.hash)) continue;
      const block: QueuedBlock = { controller: new AbortController(), logs: undefined };
      reads.set(next.hash, block);
      logsOf(next, block.controller.signal).then(
        (logs) => {
          block.logs = logs;
          scheduleEmit();
        },
        (error: GraphError) => {
          if (reads.get(next.hash) !== block) return;
          if (error.code !== 'GAP_TOO_LARGE' || path.removed.some(({ hash }) => hash === next.hash)) failWith(error);
          // The reader gave up while the block was on a side branch; a later reorg has made it canonical again.
          else if (reads.delete(next.hash)) startReads();
        },
      );
    }
    scheduleEmit();
  };

  /** Defers the emit to the end of the tick, so that blocks of one batch are emitted together. */
  const scheduleEmit = (): void => {
    if (isEmitScheduled) return;
    isEmitScheduled = true;
    setImmediate(() => {
      isEmitScheduled = false;
      emitReady();
    });
  };

  const emitReady = (): void => {
    const withLogs = (block: Head): BlockLogs | undefined => {
      const logs = reads.get(block.hash)?.logs;
      return logs && { head: block, logs };
    };
    const { removed, added } = path;
    const removedLogs = removed.flatMap((block) => withLogs(block) ?? []);
    const firstPending = added.findIndex((block) => !withLogs(block));
    const count = firstPending < 0 ? added.length : firstPending;
    if (removedLogs.length < removed.length || (added.length > 0 ? count === 0 : removed.length === 0)) return;
    const emitted = added.slice(0, count);
    const addedLogs = emitted.map((block) => withLogs(block)!);
    for (const { hash } of [...removed, ...emitted]) reads.delete(hash);
    path = { removed: [], added: added.slice(count) };
    head = emitted.at(-1) ?? target;
    emit({ removed: removedLogs, added: addedLogs });
    startReads();
  };

  return {
    /** The block up to which all logs have been emitted. */
    get head(): Head | undefined {
      return head;
    },
    /** Reads the logs of these blocks into the cache, so that they are available if a reorg removes the blocks. */
    prefetch(heads: Iterable<Head>): void {
      for (const recent of heads) logsOf(recent, controller.signal).catch(() => {});
    },
    /** Appends a change that starts at the previous target head and ends at `targetHead`. */
    enqueue(change: ChainPath, targetHead: Head): void {
      path = joinPaths(path, change);
      target = targetHead;
      const queued = [...path.removed, ...path.added];
      if (queued.length > MAX_QUEUED_BLOCKS) {
        failWith(new GraphError('GAP_TOO_LARGE', 'The logs of the chain cannot be read as fast as new blocks arrive.'));
        return;
      }
      const hashes = new Set(queued.map(({ hash }) => hash));
      for (const hash of reads.keys()) if (!hashes.has(hash)) cancelRead(hash);
      startReads();
    },
    stop,
  };
}
