import { setImmediate as otherWork } from 'node:timers/promises';

/** Entries that are worked on without a pause: about two milliseconds. */
const ENTRIES_PER_SLICE = 500;

/** Calls `step` for each entry of a list; lets other work run after every 500 of them. */
export async function forEachInSlices<T>(list: readonly T[], step: (entry: T) => void): Promise<void> {
  for (let from = 0; from < list.length; from += ENTRIES_PER_SLICE) {
    if (from > 0) await otherWork();
    const to = Math.min(from + ENTRIES_PER_SLICE, list.length);
    for (let i = from; i < to; i++) step(list[i]!);
  }
}
