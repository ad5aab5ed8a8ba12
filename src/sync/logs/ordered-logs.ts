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
 * A change of the chain with the logs of its blocks: `removed` newest first, `added` ascending. Changes that arrive faster than
 * their logs are merged into one; a long change is split into several.
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

/** Emits chain changes with their logs in order, each once all of its logs have been read. */
export class OrderedLogs {
  /** The block up to which all logs have been emitted. */
  head: Head | undefined;
  readonly #options: OrderedLogsOptions;
  readonly #abortController = new AbortController();
  /** The path from `head` to `#targetHead`, which has not been emitted yet. */
  #path = EMPTY_PATH;
  #targetHead: Head | undefined;
  readonly #reads = new Map<Data, QueuedBlock>();
  #isEmitScheduled = false;

  constructor(options: OrderedLogsOptions) {
    this.#options = options;
    this.head = options.head;
  }

  /** Reads the logs of these blocks into the cache, so that they are available if a reorg removes the blocks. */
  prefetch(heads: Iterable<Head>): void {
    for (const head of heads) this.#options.logsOf(head, this.#abortController.signal).catch(() => {});
  }

  /** Appends a change that starts at the previous target head and ends at `targetHead`. */
  enqueue(change: ChainPath, targetHead: Head): void {
    this.#path = joinPaths(this.#path, change);
    this.#targetHead = targetHead;
    const { removed, added } = this.#path;
    if (removed.length + added.length > MAX_QUEUED_BLOCKS) {
      this.#fail(fellBehindError());
      return;
    }
    const pathHashes = new Set([...removed, ...added].map(({ hash }) => hash));
    for (const hash of this.#reads.keys()) if (!pathHashes.has(hash)) this.#cancelRead(hash);
    this.#startReads();
  }

  stop(): void {
    this.#abortController.abort();
    for (const hash of this.#reads.keys()) this.#cancelRead(hash);
  }

  #cancelRead(hash: Data): void {
    this.#reads.get(hash)?.controller.abort();
    this.#reads.delete(hash);
  }

  #fail(error: GraphError): void {
    this.stop();
    this.#options.fail(error);
  }

  /** Starts reads for all removed blocks and the next added ones. */
  #startReads(): void {
    if (this.#abortController.signal.aborted) return;
    const { removed, added } = this.#path;
    for (const head of [...removed, ...added.slice(0, MAX_BLOCKS_PER_BATCH)]) {
      if (this.#reads.has(head.hash)) continue;
      const block: QueuedBlock = { controller: new AbortController(), logs: undefined };
      this.#reads.set(head.hash, block);
      this.#options.logsOf(head, block.controller.signal).then(
        (logs) => {
          block.logs = logs;
          this.#scheduleEmit();
        },
        (error) => this.#onReadError(head, block, error),
      );
    }
    this.#scheduleEmit();
  }

  #onReadError({ hash }: Head, block: QueuedBlock, error: GraphError): void {
    if (this.#reads.get(hash) !== block) return;
    const isRemoved = this.#path.removed.some((head) => head.hash === hash);
    if (isRemoved || error.code !== 'GAP_TOO_LARGE') {
      this.#fail(error);
      return;
    }
    // The reader gave up while the block was on a side branch; a later reorg has made it canonical again.
    this.#reads.delete(hash);
    this.#startReads();
  }

  /** Defers the emit to the end of the tick, so that blocks of one batch are emitted together. */
  #scheduleEmit(): void {
    if (this.#isEmitScheduled) return;
    this.#isEmitScheduled = true;
    setImmediate(() => {
      this.#isEmitScheduled = false;
      this.#emit();
    });
  }

  #emit(): void {
    const withLogs = (head: Head): BlockLogs | undefined => {
      const logs = this.#reads.get(head.hash)?.logs;
      return logs && { head, logs };
    };
    const { removed, added } = this.#path;
    const removedLogs = removed.flatMap((head) => withLogs(head) ?? []);
    const firstPending = added.findIndex((head) => !withLogs(head));
    const count = firstPending < 0 ? added.length : firstPending;
    if (removedLogs.length < removed.length || (added.length > 0 ? count === 0 : removed.length === 0)) return;
    const emitted = added.slice(0, count);
    const addedLogs = emitted.map((head) => withLogs(head)!);
    for (const { hash } of [...removed, ...emitted]) this.#reads.delete(hash);
    this.#path = { removed: [], added: added.slice(count) };
    this.head = emitted.at(-1) ?? this.#targetHead;
    this.#options.emit({ removed: removedLogs, added: addedLogs });
    this.#startReads();
  }
}

const fellBehindError = () =>
  new GraphError('GAP_TOO_LARGE', 'The logs of the chain cannot be read as fast as new blocks arrive.');
