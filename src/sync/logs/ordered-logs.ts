import { GraphError } from '../../errors.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { joined, NO_WAY_TO_GO, type Way } from '../chain/chain-path.ts';
import type { Head } from '../chain/rpc-header.ts';
import { AT_ONCE } from './log-fetcher.ts';
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

export interface LogPipeOptions {
  /** The head when the pipe is opened; undefined when the first one is still to come. */
  readonly head: Head | undefined;
  readonly logsOf: LogReader['logsOf'];
  readonly tell: (change: LogChange) => void;
  /** Called once, when the pipe can tell nothing any more. */
  readonly fail: (error: GraphError) => void;
}

/** A block on the way, and its logs once they have been read. */
interface Reading {
  readonly controller: AbortController;
  logs: readonly RpcLog[] | undefined;
}

/** With more blocks to go there is no hope of ever being on time. */
const MOST_TO_GO = 4_096;

/** Tells changes in order, each when all logs of it have been read. */
export class LogPipe {
  /** The block up to which everything has been told. */
  head: Head | undefined;
  readonly #options: LogPipeOptions;
  /** Ends with the pipe. */
  readonly #over = new AbortController();
  /** What has not been told yet: the way from `head` to where the chain is. */
  #way = NO_WAY_TO_GO;
  #goal: Head | undefined;
  readonly #readings = new Map<Data, Reading>();
  #isDue = false;

  constructor(options: LogPipeOptions) {
    this.#options = options;
    this.head = options.head;
  }

  /** Has the logs of these blocks read, so that they are known should the blocks be removed. */
  prepare(heads: Iterable<Head>): void {
    for (const head of heads) this.#options.logsOf(head, this.#over.signal).catch(() => {});
  }

  /** Takes in where the chain goes from where it was, and its new head. */
  take(change: Way, goal: Head): void {
    this.#way = joined(this.#way, change);
    this.#goal = goal;
    const { removed, added } = this.#way;
    if (removed.length + added.length > MOST_TO_GO) {
      this.#fail(late());
      return;
    }
    const onTheWay = new Set([...removed, ...added].map(({ hash }) => hash));
    for (const hash of this.#readings.keys()) if (!onTheWay.has(hash)) this.#drop(hash);
    this.#read();
  }

  stop(): void {
    this.#over.abort();
    for (const hash of this.#readings.keys()) this.#drop(hash);
  }

  #drop(hash: Data): void {
    this.#readings.get(hash)?.controller.abort();
    this.#readings.delete(hash);
  }

  #fail(error: GraphError): void {
    this.stop();
    this.#options.fail(error);
  }

  /** Has all that goes read, and what comes next. */
  #read(): void {
    if (this.#over.signal.aborted) return;
    const { removed, added } = this.#way;
    for (const head of [...removed, ...added.slice(0, AT_ONCE)]) {
      if (this.#readings.has(head.hash)) continue;
      const reading: Reading = { controller: new AbortController(), logs: undefined };
      this.#readings.set(head.hash, reading);
      this.#options.logsOf(head, reading.controller.signal).then(
        (logs) => {
          reading.logs = logs;
          this.#tellSoon();
        },
        (error) => this.#missed(head, reading, error),
      );
    }
    this.#tellSoon();
  }

  #missed({ hash }: Head, reading: Reading, error: GraphError): void {
    if (this.#readings.get(hash) !== reading) return;
    const isGoing = this.#way.removed.some((head) => head.hash === hash);
    if (isGoing || error.code !== 'GAP_TOO_LARGE') {
      this.#fail(error);
      return;
    }
    // Given up while it was abandoned, and then the chain came back to it.
    this.#readings.delete(hash);
    this.#read();
  }

  /** Blocks that were read in one send are told together. */
  #tellSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#tell();
    });
  }

  #tell(): void {
    const known = (head: Head): BlockLogs | undefined => {
      const logs = this.#readings.get(head.hash)?.logs;
      return logs && { head, logs };
    };
    const { removed, added } = this.#way;
    const removedLogs = removed.flatMap((head) => known(head) ?? []);
    const firstUnknown = added.findIndex((head) => !known(head));
    const count = firstUnknown < 0 ? added.length : firstUnknown;
    if (removedLogs.length < removed.length || (added.length > 0 ? count === 0 : removed.length === 0)) return;
    const told = added.slice(0, count);
    const addedLogs = told.map((head) => known(head)!);
    for (const { hash } of [...removed, ...told]) this.#readings.delete(hash);
    this.#way = { removed: [], added: added.slice(count) };
    this.head = told.at(-1) ?? this.#goal;
    this.#options.tell({ removed: removedLogs, added: addedLogs });
    this.#read();
  }
}

const late = () => new GraphError('GAP_TOO_LARGE', 'The logs of the chain cannot be read as fast as it grows.');
