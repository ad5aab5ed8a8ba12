import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import type { GraphError } from '../../../src/lib/errors.ts';
import type { BlockLogs, EventHubListener, LogChange } from '../../../src/sync/feed.ts';
import type { SimView } from '../simulator/view.ts';

/** Replays every change of the chain into a list of logs. `next` throws, and stores the error, at an inconsistent change. */
export interface LogReplay extends EventHubListener<LogChange> {
  /** Canonical blocks since the listener started. */
  readonly blocks: readonly BlockLogs[];
  /** All received changes. */
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
  const canonical = new Set<string>();
  let tip = from;
  let removed = 0;
  let ended: GraphError | undefined;
  let inconsistency: Error | undefined;
  let waiting: { readonly hash: string; resolve(): void; reject(error: unknown): void } | undefined;
  let receivedEnd: (error: GraphError) => void;
  const received = new Promise<GraphError>((resolve) => {
    receivedEnd = resolve;
  });

  const check = (isConsistent: boolean, message: string) => {
    if (!isConsistent) throw new Error(message);
  };

  const apply = (change: LogChange) => {
    check(ended === undefined, 'a change after the end');
    check(change.removed.length + change.added.length > 0, 'an empty change');
    for (const { head, logs } of change.removed) {
      check(tip === undefined || head.hash === tip, `${head.number} is removed and is not the head`);
      const known = blocks.pop();
      // A late listener has not received the blocks below its first head.
      check(!known || known.logs === logs || String(known.logs.map(keyOf)) === String(logs.map(keyOf)), 'other logs are removed');
      for (const log of logs) check(canonical.delete(keyOf(log)) || !known, `${keyOf(log)} is removed and was not added`);
      tip = head.parentHash;
      removed += 1;
    }
    for (const { head, logs } of change.added) {
      check(tip === undefined || head.parentHash === tip, `${head.number} is added and its parent is not the head`);
      check(
        logs.every((log, i) => i === 0 || Number(logs[i - 1]!.logIndex) < Number(log.logIndex)),
        'logs are out of order',
      );
      for (const log of logs) {
        check(!canonical.has(keyOf(log)), `${keyOf(log)} is added twice`);
        canonical.add(keyOf(log));
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
        inconsistency ??= error as Error;
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
        if (inconsistency ?? ended) reject(inconsistency ?? ended);
        else if (tip === hash) resolve();
        else waiting = { hash, resolve, reject };
      }),
  };
}

/** Returns the differences between a replay and the chain, over the received blocks up to the head. */
export function logDifferences({ blocks }: Pick<LogReplay, 'blocks'>, view: SimView): string[] {
  const first = blocks[0]?.head.height ?? 0;
  const blocksOfChain = Array.from({ length: view.head.height - first + 1 }, (_none, i) => view.at(first + i)!);
  const emitted = blocks.flatMap(({ logs }) => logs.map(keyOf));
  const expected = blocksOfChain.flatMap(({ logs }) => logs.map(keyOf));
  if (String(emitted) === String(expected)) return [];
  return [
    ...emitted.filter((key) => !expected.includes(key)),
    ...expected.filter((key) => !emitted.includes(key)).map((key) => `missing ${key}`),
  ];
}
