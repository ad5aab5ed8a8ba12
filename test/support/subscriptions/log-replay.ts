import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import type { GraphError } from '../../../src/lib/errors.ts';
import type { BlockLogs, EventHubListener, LogChange } from '../../../src/sync/feed.ts';
import type { SimView } from '../simulator/view.ts';

/** Replays every change of the chain into a list of logs. `next` throws, and stores the error, at an inconsistent change. */
export interface LogReplay extends EventHubListener<LogChange> {
  /** Canonical blocks since the listener started. */
  readonly blocks: readonly BlockLogs[];
  /** How many changes were received. */
  readonly changes: readonly LogChange[];
  readonly removed: number;
  readonly ended: GraphError | undefined;
  /** Resolves when this block is the last received one; rejects at an inconsistent change and at the end. */
  waitForBlock(hash: string): Promise<void>;
  /** Resolves with the reason of the end. */
  end: EventHubListener<LogChange>['end'] & { readonly received: Promise<GraphError> };
}

const keyOf = ({ blockHash, logIndex }: RpcLog): string => `${blockHash} ${logIndex}`;

/** `from`: hash of the last block before the first received one, if known. */
export function createLogReplay(from?: string): LogReplay {
  const blocks: BlockLogs[] = [];
  const changes: LogChange[] = [];
  const there = new Set<string>();
  let tip = from;
  let removed = 0;
  let ended: GraphError | undefined;
  let flaw: Error | undefined;
  let waiting: { readonly hash: string; resolve(): void; reject(error: unknown): void } | undefined;
  let receivedEnd: (error: GraphError) => void;
  const received = new Promise<GraphError>((resolve) => {
    receivedEnd = resolve;
  });

  const insist = (fits: boolean, what: string) => {
    if (!fits) throw new Error(what);
  };

  const apply = (change: LogChange) => {
    insist(ended === undefined, 'something is told after the end');
    insist(change.removed.length + change.added.length > 0, 'nothing is told');
    for (const { head, logs } of change.removed) {
      insist(tip === undefined || head.hash === tip, `${head.number} is removed and is not the head`);
      const known = blocks.pop();
      // Who joins late has not heard of what is below the head that it began with.
      insist(
        !known || known.logs === logs || String(known.logs.map(keyOf)) === String(logs.map(keyOf)),
        'other logs are removed',
      );
      for (const log of logs) insist(there.delete(keyOf(log)) || !known, `${keyOf(log)} is removed and was not there`);
      tip = head.parentHash;
      removed += 1;
    }
    for (const { head, logs } of change.added) {
      insist(tip === undefined || head.parentHash === tip, `${head.number} is added and is no child of the head`);
      insist(
        logs.every((log, i) => i === 0 || Number(logs[i - 1]!.logIndex) < Number(log.logIndex)),
        'logs are out of order',
      );
      for (const log of logs) {
        insist(!there.has(keyOf(log)), `${keyOf(log)} is added twice`);
        there.add(keyOf(log));
      }
      blocks.push({ head, logs });
      tip = head.hash;
    }
  };

  const end = Object.assign(
    (error: GraphError) => {
      ended = error;
      waiting?.reject(error);
      receivedEnd(error);
    },
    { received },
  );

  return {
    blocks,
    changes,
    get removed() {
      return removed;
    },
    get ended() {
      return ended;
    },
    next(change) {
      changes.push(change);
      try {
        apply(change);
      } catch (error) {
        flaw ??= error as Error;
        waiting?.reject(error);
        throw error;
      }
      if (waiting?.hash !== tip) return;
      waiting?.resolve();
      waiting = undefined;
    },
    end,
    waitForBlock: (hash) =>
      new Promise((resolve, reject) => {
        if (flaw ?? ended) reject(flaw ?? ended);
        else if (tip === hash) resolve();
        else waiting = { hash, resolve, reject };
      }),
  };
}

/** Returns the differences between a replay and the chain, over the received blocks up to the head. */
export function logDifferences({ blocks }: Pick<LogReplay, 'blocks'>, view: SimView): string[] {
  const first = blocks[0]?.head.height ?? 0;
  const theirs = Array.from({ length: view.head.height - first + 1 }, (_none, i) => view.at(first + i)!);
  const emitted = blocks.flatMap(({ logs }) => logs.map(keyOf));
  const real = theirs.flatMap(({ logs }) => logs.map(keyOf));
  if (String(emitted) === String(real)) return [];
  return [
    ...emitted.filter((key) => !real.includes(key)),
    ...real.filter((key) => !emitted.includes(key)).map((key) => `lacks ${key}`),
  ];
}
