import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import type { BlockLogs, ChainFeed, Head, LogChange } from '../../../src/sync/feed.ts';
import type { SimView } from '../simulator/view.ts';

export interface ResumingLogListenerOptions {
  /** Filter of the listener; every log by default. */
  readonly matches?: (log: RpcLog) => boolean;
  /** Whether to disconnect after this log; never by default. */
  readonly shouldDisconnect?: () => boolean;
}

/** A listener that resumes after its cursor. */
export interface ResumingLogListener {
  readonly isListening: boolean;
  /** Hash of the last block with a received log. */
  readonly tip: string;
  /** The first inconsistency. */
  readonly error: Error | undefined;
  readonly counts: { readonly added: number; readonly removed: number; readonly drops: number };
  /** Resumes: missed logs first, then new ones. */
  resume(): void;
  /** Differences from the chain up to the last received block. */
  differences(view: SimView): string[];
}

const keyOf = ({ blockHash, logIndex }: RpcLog): string => `${blockHash} ${Number(logIndex)}`;

/** All of a block. */
const ALL_LOGS = Number.POSITIVE_INFINITY;

/**
 * Takes log by log, drops out in the middle of a change, and later resumes behind the last log that it took. What it has is a stack: a log that
 * is added must lie above its top, and one that is removed must be its top, so that nothing comes twice or out of order unnoticed.
 */
export function createResumingLogListener(
  feed: ChainFeed,
  { matches = () => true, shouldDisconnect = () => false }: ResumingLogListenerOptions = {},
): ResumingLogListener {
  const stack: { readonly height: number; readonly log: RpcLog }[] = [];
  const counts = { added: 0, removed: 0, drops: 0 };
  /** The number of received logs of this block; lower blocks are complete. */
  let cursor = { hash: feed.logsHead!.hash, count: ALL_LOGS };
  /** The highest block without a received log. */
  let base = feed.logsHead!.height;
  let stop: (() => void) | undefined;
  let flaw: Error | undefined;

  const fail = (reason: unknown) => {
    flaw ??= reason as Error;
  };

  const dropOut = () => {
    counts.drops += 1;
    stop?.();
    stop = undefined;
  };

  const push = (height: number, log: RpcLog) => {
    if (!matches(log)) return;
    const top = stack.at(-1);
    const follows =
      !top || height > top.height || (top.log.blockHash === log.blockHash && Number(log.logIndex) > Number(top.log.logIndex));
    if (!follows) fail(new Error(`${keyOf(log)} of ${height} comes after ${keyOf(top.log)} of ${top.height}`));
    stack.push({ height, log });
    counts.added += 1;
  };

  const pop = (height: number, log: RpcLog) => {
    if (!matches(log)) return;
    const top = stack.pop();
    if (top ? keyOf(top.log) !== keyOf(log) : height > base)
      fail(new Error(`${keyOf(log)} of ${height} goes and is not the top`));
    counts.removed += 1;
  };

  /** Applies a change; returns false when the listener disconnected in the middle. */
  const apply = ({ removed, added }: LogChange): boolean => {
    for (const { head, logs } of removed) {
      if (cursor.hash !== head.hash) fail(new Error(`${head.number} goes and is not the last block`));
      const had = Math.min(cursor.count, logs.length);
      for (let left = had - 1; left >= 0; left--) {
        pop(head.height, logs[left]!);
        cursor = { hash: head.hash, count: left };
        if (shouldDisconnect()) return false;
      }
      base = Math.min(base, head.height - 1);
      cursor = { hash: head.parentHash, count: ALL_LOGS };
    }
    for (const { head, logs } of added) {
      const isRest = cursor.hash === head.hash && cursor.count < ALL_LOGS;
      if (!isRest && cursor.hash !== head.parentHash) fail(new Error(`${head.number} comes and is not the next block`));
      const from = isRest ? cursor.count : 0;
      for (let i = from; i < logs.length; i++) {
        push(head.height, logs[i]!);
        cursor = { hash: head.hash, count: i + 1 };
        if (shouldDisconnect()) return false;
      }
      cursor = { hash: head.hash, count: ALL_LOGS };
    }
    return true;
  };

  const readAll = (heads: readonly Head[]): Promise<BlockLogs[]> =>
    Promise.all(heads.map(async (head) => ({ head, logs: await feed.logsOf(head, AbortSignal.timeout(30_000)) })));

  return {
    counts,
    get isListening() {
      return stop !== undefined;
    },
    get tip() {
      return cursor.hash;
    },
    get error() {
      return flaw;
    },
    resume() {
      const { hash, count } = cursor;
      const way = feed.pathBetween(hash, feed.logsHead!);
      if (!way) {
        fail(new Error('the way from the cursor is not remembered'));
        return;
      }
      let missed: LogChange[] | undefined = [];
      let here = true;
      const take = (change: LogChange) => {
        if (here && !apply(change)) dropOut();
      };
      const leave = feed.subscribeLogs({ next: (change) => (missed ? missed.push(change) : take(change)), end: fail });
      stop = () => {
        here = false;
        leave();
      };
      // The rest of the block that it is in the middle of, unless that has to go.
      const own = count < ALL_LOGS && way.removed[0]?.hash !== hash ? [feed.recentBlock(hash)!] : [];
      Promise.all([readAll(way.removed), readAll([...own, ...way.added])]).then(([removed, added]) => {
        take({ removed, added });
        for (const change of missed!) take(change);
        missed = undefined;
      }, fail);
    },
    differences(view) {
      const heights = Array.from({ length: view.head.height - base }, (_none, i) => base + 1 + i);
      const real = heights.flatMap((height) => view.at(height)!.logs.filter(matches).map(keyOf));
      const own = stack.map(({ log }) => keyOf(log));
      const [has, is] = [new Set(own), new Set(real)];
      const apart = [...own.filter((key) => !is.has(key)), ...real.filter((key) => !has.has(key)).map((key) => `lacks ${key}`)];
      return apart.length > 0 || own.join() === real.join() ? apart : ['in another order'];
    },
  };
}
