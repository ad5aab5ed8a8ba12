import type { Head } from './rpc-header.ts';

/**
 * The blocks between two blocks: `removed`, newest first, leads down to their common ancestor; `added`, ascending, leads up from
 * it.
 */
export interface ChainPath {
  readonly removed: readonly Head[];
  readonly added: readonly Head[];
}

export const EMPTY_PATH: ChainPath = { removed: [], added: [] };

/** Joins two paths, the second of which starts at the end of the first. Blocks that one adds and the other removes cancel out. */
export function joinPaths(first: ChainPath, second: ChainPath): ChainPath {
  const removed = [...first.removed];
  const added = [...first.added];
  for (const head of second.removed) {
    if (added.length > 0) added.pop();
    else removed.push(head);
  }
  for (const head of second.added) {
    if (added.length === 0 && removed.at(-1)?.hash === head.hash) removed.pop();
    else added.push(head);
  }
  return { removed, added };
}
