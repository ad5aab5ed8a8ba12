import type { ChainPath } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { LogPosition } from './log-cursor.ts';

/** What is to be done about the logs of one block, so that a client has what the stream has told. */
export interface LogReplayStep {
  readonly head: Head;
  /** Whether they go, last first, because their block is of the chain no more; else they come. */
  readonly isRemoval: boolean;
  /** Which of them, by their index. */
  readonly includesLog: (index: number) => boolean;
}

const all = (): boolean => true;

/**
 * The way of a client that has all logs up to a position. `own` is the block of the position. Of it the client has the logs up to and
 * with that one; when that one was removed, those before it.
 */
export function logReplaySteps({ index, removed }: LogPosition, own: Head, way: ChainPath): readonly LogReplayStep[] {
  const has = (at: number): boolean => (removed ? at < index : at <= index);
  const isLeft = way.removed[0]?.hash === own.hash;
  return [
    ...way.removed.map((head) => ({ head, isRemoval: true, includesLog: head.hash === own.hash ? has : all })),
    ...(isLeft ? [] : [{ head: own, isRemoval: false, includesLog: (at: number) => !has(at) }]),
    ...way.added.map((head) => ({ head, isRemoval: false, includesLog: all })),
  ];
}
