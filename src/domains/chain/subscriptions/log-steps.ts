import type { Way } from '../../../sync/feed.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { LogPosition } from './log-cursor.ts';

/** What is to be done about the logs of one block, so that a client has what the stream has told. */
export interface Step {
  readonly head: Head;
  /** Whether they go, last first, because their block is of the chain no more; else they come. */
  readonly goes: boolean;
  /** Which of them, by their index. */
  readonly isMeant: (index: number) => boolean;
}

const all = (): boolean => true;

/**
 * The way of a client that has all logs up to a position. `own` is the block of the position. Of it the client has the logs up to and
 * with that one; when that one was removed, those before it.
 */
export function stepsFrom({ index, removed }: LogPosition, own: Head, way: Way): readonly Step[] {
  const has = (at: number): boolean => (removed ? at < index : at <= index);
  const isLeft = way.removed[0]?.hash === own.hash;
  return [
    ...way.removed.map((head) => ({ head, goes: true, isMeant: head.hash === own.hash ? has : all })),
    ...(isLeft ? [] : [{ head: own, goes: false, isMeant: (at: number) => !has(at) }]),
    ...way.added.map((head) => ({ head, goes: false, isMeant: all })),
  ];
}
