import { setImmediate as nextTurn } from 'node:timers/promises';

/** Entries processed in one turn of the event loop: about two milliseconds of work. */
const ENTRIES_PER_SLICE = 500;

/** Calls `step` for each entry of a list and yields to the event loop after every 500 entries. */
export async function forEachInSlices<T>(list: readonly T[], step: (entry: T) => void): Promise<void> {
  for (let from = 0; from < list.length; from += ENTRIES_PER_SLICE) {
    if (from > 0) await nextTurn();
    const to = Math.min(from + ENTRIES_PER_SLICE, list.length);
    for (let i = from; i < to; i++) step(list[i]!);
  }
}
