import { type Data, quantityOf } from '../../ethereum/hex.ts';
import type { BlockRef } from '../../ethereum/rpc-types.ts';
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

/**
 * Joins two paths; the second path starts at the end of the first path. Blocks that one path adds and the other path
 * removes cancel out.
 */
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

/**
 * The blocks that the fork choice needs from the node, by hash, height or `latest`. The caller sends them as one batch
 * of JSON-RPC calls, so that one backend responds to all calls.
 */
export type ChainQuery = readonly BlockRef[];

/**
 * The blocks that the node returned, in the order of the query; undefined for an unknown block and for a failed or malformed
 * result.
 */
export type ChainQueryResult = readonly (Head | undefined)[];

/** A head with its ancestors, newest first. */
export type Branch = readonly [Head, ...Head[]];

const MAX_CALLS_PER_QUERY = 64;

/**
 * Reads the ancestors of a head until `isEnough` accepts the branch. Only `parentHash` links decide which block is an
 * ancestor: the blocks requested by height save round trips, and their number doubles with each query. `expectedCount`
 * is the number of ancestors that the first query requests. Stops early, with `isParentMissing`, when the node does not
 * have a parent, which happens on a lagging node.
 */
export function* readAncestors(head: Head, isEnough: (branch: Branch) => boolean, expectedCount: number) {
  const branch: [Head, ...Head[]] = [head];
  const blocksByHash = new Map<Data, Head>();
  let heightCount = Math.min(MAX_CALLS_PER_QUERY - 1, Math.max(0, expectedCount - 1));
  while (!isEnough(branch)) {
    const { parentHash, height } = branch.at(-1)!;
    if (!blocksByHash.has(parentHash)) {
      const heights = Array.from({ length: Math.min(heightCount, Math.max(0, height - 1)) }, (_none, i) =>
        quantityOf(height - 2 - i),
      );
      const result: ChainQueryResult = yield [parentHash, ...heights];
      for (const block of result) if (block) blocksByHash.set(block.hash, block);
      heightCount = Math.min(MAX_CALLS_PER_QUERY - 1, 2 * heightCount + 1);
    }
    const parent = blocksByHash.get(parentHash);
    if (!parent || parent.height >= height) return { branch, isParentMissing: true };
    branch.push(parent);
  }
  return { branch, isParentMissing: false };
}
