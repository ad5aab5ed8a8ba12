import type { ChainPath } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { LogPosition } from '../log-cursor.ts';

/** The logs of one block that a resuming client missed. */
export interface LogReplayStep {
  readonly head: Head;
  /** True: emit the logs as removed, last first, because a reorg removed their block. False: emit them as added. */
  readonly isRemoval: boolean;
  /** Whether the log with this index belongs to the step. */
  readonly includesLog: (index: number) => boolean;
}

const allLogs = (): boolean => true;

/**
 * Returns the steps from a client's cursor to the current end of the stream, in order. `cursorBlock` is the block of the cursor, `path` leads
 * from it to the head. The client has the logs of that block up to and including the cursor's; where the cursor is a removal, those before it.
 */
export function logReplaySteps({ index, removed }: LogPosition, cursorBlock: Head, path: ChainPath): readonly LogReplayStep[] {
  const isDelivered = (logIndex: number): boolean => (removed ? logIndex < index : logIndex <= index);
  const isCursorBlockRemoved = path.removed[0]?.hash === cursorBlock.hash;
  return [
    ...path.removed.map((head) => ({
      head,
      isRemoval: true,
      includesLog: head.hash === cursorBlock.hash ? isDelivered : allLogs,
    })),
    ...(isCursorBlockRemoved
      ? []
      : [{ head: cursorBlock, isRemoval: false, includesLog: (logIndex: number) => !isDelivered(logIndex) }]),
    ...path.added.map((head) => ({ head, isRemoval: false, includesLog: allLogs })),
  ];
}
