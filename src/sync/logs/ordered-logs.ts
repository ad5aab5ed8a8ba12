import { GraphError } from '../../errors.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { type ChainPath, EMPTY_PATH, joinPaths } from '../chain/chain-path.ts';
import type { Head } from '../chain/rpc-header.ts';
import { MAX_BLOCKS_PER_BATCH } from './log-fetcher.ts';
import type { LogReader } from './log-reader.ts';

/** A block with all its logs, in their order. */
export interface BlockLogs {
  readonly head: Head;
  readonly logs: readonly RpcLog[];
}

/**
 * A change of the chain with what lies in its blocks: `removed` newest first, `added` ascending. Changes that come faster than logs can be read
 * are told as one, a long one is told in several.
 */
export interface LogChange {
  readonly removed: readonly BlockLogs[];
  readonly added: readonly BlockLogs[];
}

export interface OrderedLogsOptions {
  /** The head when the pipe is opened; undefined when the first one is still to come. */
  readonly head: Head | undefined;
  readonly logsOf: LogReader['logsOf'];
  readonly emit: (change: LogChange) => void;
  /** Called once, when the pipe can tell nothing any more. */
  readonly fail: (error: GraphError) => void;
}

/** A block on the way, and its logs once they have been read. */
interface QueuedBlock {
  readonly controller: AbortController;
  logs: readonly RpcLog[] | undefined;
}

/** With more blocks to go there is no hope of ever being on time. */
const MAX_QUEUED_BLOCKS = 4_096;

/** Tells changes in order, each when all logs of it have been read. */
export class OrderedLogs {
  /** The block up to which everything has been told. */
  head: Head | undefined;
  readonly #options: OrderedLogsOptions;
  /** Ends with the pipe. */
  readonly #abortController = new AbortController();
  /** What has not been told yet: the way from `head` to where the chain is. */
  #path = EMPTY_PATH;
  #targetHead: Head | undefined;
  readonly #reads = new Map<Data, QueuedBlock>();
  #isEmitScheduled = false;

  constructor(options: OrderedLogsOptions) {
    this.#options = options;
    this.head = options.head;
  }

  /** Has the logs of these blocks read, so that they are known should the blocks be removed. */
  prefetch(heads: Iterable<Head>): void {
    for (const head of heads) this.#options.logsOf(head, this.#abortController.signal).catch(() => {});
  }

  /** Takes in where the chain goes from where it was, and its new head. */
  enqueue(change: ChainPath, goal: Head): void {
    this.#path = joinPaths(this.#path, change);
    this.#targetHead = goal;
    const { removed, added } = this.#path;
    if (removed.length + added.length > MAX_QUEUED_BLOCKS) {
      this.#fail(fellBehindError());
      return;
    }
    const onTheWay = new Set([...removed, ...added].map(({ hash }) => hash));
    for (const hash of this.#reads.keys()) if (!onTheWay.has(hash)) this.#cancelRead(hash);
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

  /** Has all that goes read, and what comes next. */
  #startReads(): void {
    if (this.#abortController.signal.aborted) return;
    const { removed, added } = this.#path;
    for (const head of [...removed, ...added.slice(0, MAX_BLOCKS_PER_BATCH)]) {
      if (this.#reads.has(head.hash)) continue;
      const reading: QueuedBlock = { controller: new AbortController(), logs: undefined };
      this.#reads.set(head.hash, reading);
      this.#options.logsOf(head, reading.controller.signal).then(
        (logs) => {
          reading.logs = logs;
          this.#scheduleEmit();
        },
        (error) => this.#onReadError(head, reading, error),
      );
    }
    this.#scheduleEmit();
  }

  #onReadError({ hash }: Head, reading: QueuedBlock, error: GraphError): void {
    if (this.#reads.get(hash) !== reading) return;
    const isGoing = this.#path.removed.some((head) => head.hash === hash);
    if (isGoing || error.code !== 'GAP_TOO_LARGE') {
      this.#fail(error);
      return;
    }
    // Given up while it was abandoned, and then the chain came back to it.
    this.#reads.delete(hash);
    this.#startReads();
  }

  /** Blocks that were read in one send are told together. */
  #scheduleEmit(): void {
    if (this.#isEmitScheduled) return;
    this.#isEmitScheduled = true;
    setImmediate(() => {
      this.#isEmitScheduled = false;
      this.#emit();
    });
  }

  #emit(): void {
    const known = (head: Head): BlockLogs | undefined => {
      const logs = this.#reads.get(head.hash)?.logs;
      return logs && { head, logs };
    };
    const { removed, added } = this.#path;
    const removedLogs = removed.flatMap((head) => known(head) ?? []);
    const firstUnknown = added.findIndex((head) => !known(head));
    const count = firstUnknown < 0 ? added.length : firstUnknown;
    if (removedLogs.length < removed.length || (added.length > 0 ? count === 0 : removed.length === 0)) return;
    const told = added.slice(0, count);
    const addedLogs = told.map((head) => known(head)!);
    for (const { hash } of [...removed, ...told]) this.#reads.delete(hash);
    this.#path = { removed: [], added: added.slice(count) };
    this.head = told.at(-1) ?? this.#targetHead;
    this.#options.emit({ removed: removedLogs, added: addedLogs });
    this.#startReads();
  }
}

const fellBehindError = () => new GraphError('GAP_TOO_LARGE', 'The logs of the chain cannot be read as fast as it grows.');
