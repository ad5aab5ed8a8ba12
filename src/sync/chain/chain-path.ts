import type { Head } from './rpc-header.ts';

/** How one gets from a block to another: what has to go, newest first, and what has to come, ascending. */
export interface ChainPath {
  readonly removed: readonly Head[];
  readonly added: readonly Head[];
}

export const EMPTY_PATH: ChainPath = { removed: [], added: [] };

/** One way, then another that begins where it ends, without what the second takes back of the first. */
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
