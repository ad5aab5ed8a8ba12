import type { Data } from '../../ethereum/hex.ts';
import type { ChainPath } from './ancestors.ts';
import type { Head } from './rpc-header.ts';

/** Recent blocks: the canonical blocks, ascending, and up to 256 blocks that reorgs removed, newest last. */
export interface ChainHistory {
  readonly canonical: CanonicalChain | undefined;
  readonly sideBranches: readonly Head[];
}

export const blockInHistory = ({ canonical, sideBranches }: ChainHistory, hash: Data): Head | undefined =>
  (canonical && blockByHash(canonical, hash)) ?? sideBranches.find((head) => head.hash === hash);

/** Whether a reorg has removed a block. A node that still reports it may lag or may have switched back. */
export const isOnSideBranch = ({ sideBranches }: ChainHistory, hash: Data): boolean =>
  sideBranches.some((head) => head.hash === hash);

/** Returns the blocks to remove and to add from one block to another; undefined if a block of the path is unknown. */
export function chainPath(history: ChainHistory, fromHash: Data, toHash: Data): ChainPath | undefined {
  const removed: Head[] = [];
  const added: Head[] = [];
  let [from, to] = [blockInHistory(history, fromHash), blockInHistory(history, toHash)];
  while (from && to && from.hash !== to.hash) {
    if (from.height > to.height) {
      removed.push(from);
      from = blockInHistory(history, from.parentHash);
    } else {
      added.push(to);
      to = blockInHistory(history, to.parentHash);
    }
  }
  return from && to && { removed, added: added.reverse() };
}

/** The newest blocks of the canonical chain: ascending, each block the parent of the next block, never empty. */
export type CanonicalChain = readonly [Head, ...Head[]];

/**
 * One atomic change of the canonical chain: the path from the old to the new head. Apply it in order: remove each block of `removed`, then
 * add each block of `added`.
 */
export interface ChainChange extends ChainPath {
  /**
   * True when the blocks between the old and the new head are unknown. `added` is then the new head alone and `removed` is empty.
   * Subscriptions that promise completeness end with GAP_TOO_LARGE.
   */
  readonly hasGap: boolean;
}

/**
 * Maximum number of blocks in the window. A reorg is reported block by block if its common ancestor is in the window:
 * such a reorg removes at most 255 blocks. A deeper reorg is reported as a gap.
 */
export const WINDOW_BLOCKS = 256;

export const headOf = (canonical: CanonicalChain): Head => canonical.at(-1)!;

/** Returns the block at a height in the window. Falls back to a search because some chains skip heights. */
export const blockAtHeight = (canonical: CanonicalChain, height: number): Head | undefined => {
  // An index outside of a list is slow, because V8 looks for a property with this name.
  if (!(height >= canonical[0].height && height <= headOf(canonical).height)) return undefined;
  const candidate = canonical[height - canonical[0].height];
  return candidate?.height === height ? candidate : canonical.find((head) => head.height === height);
};

export const blockByHash = (canonical: CanonicalChain, hash: Data): Head | undefined =>
  canonical.findLast((head) => head.hash === hash);

/**
 * Replaces all blocks above `ancestor`, a block of the window, with the blocks of a branch, which are ascending and
 * linked by parent hashes. An empty branch only removes blocks.
 */
export function applyBranch(canonical: CanonicalChain, ancestor: Data, branch: readonly Head[]) {
  const end = canonical.findLastIndex(({ hash }) => hash === ancestor) + 1;
  return {
    canonical: [...canonical.slice(0, end), ...branch].slice(-WINDOW_BLOCKS) as [Head, ...Head[]],
    change: { removed: canonical.slice(end).reverse(), added: branch, hasGap: false },
  };
}

/**
 * Returns the median of the last 32 block intervals in milliseconds, without negative intervals; undefined without any
 * interval, and if less than this part of the intervals is equal to it.
 */
export function medianBlockTimeMs(canonical: CanonicalChain, equalPart = 0): number | undefined {
  const timestamps = canonical.slice(-33).map(({ header }) => Number(header.timestamp));
  const intervals = timestamps.slice(1).map((timestamp, i) => timestamp - timestamps[i]!);
  const sorted = intervals.filter((interval) => interval >= 0).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const equal = sorted.filter((interval) => interval === median);
  return median === undefined || equal.length < equalPart * intervals.length ? undefined : median * 1000;
}
