import type { Data } from '../../ethereum/hex.ts';
import { GraphError } from '../../lib/errors.ts';
import type { ChainPath } from './ancestors.ts';
import type { Head } from './rpc-header.ts';

type HeadsByHash = ReadonlyMap<Data, Head>;

/** Recent blocks by hash, oldest first: the canonical ones and up to 256 that reorgs removed. */
interface ChainHistory {
  readonly canonical: HeadsByHash;
  readonly sideBranches: HeadsByHash;
}

export const EMPTY_CHAIN_HISTORY: ChainHistory = { canonical: new Map(), sideBranches: new Map() };

const indexByHash = (heads: readonly Head[]): HeadsByHash => new Map(heads.map((head) => [head.hash, head]));

/**
 * Returns the history after a change: `removed` are the blocks that it removed, newest first, and `window` is the new canonical
 * chain.
 */
export function updateChainHistory(
  { sideBranches }: ChainHistory,
  removed: readonly Head[],
  window: readonly Head[],
): ChainHistory {
  const canonical = indexByHash(window);
  const onSideBranch = [...sideBranches.values(), ...[...removed].reverse()].filter(({ hash }) => !canonical.has(hash));
  return { canonical, sideBranches: indexByHash(onSideBranch.slice(-WINDOW_BLOCKS)) };
}

export const blockInHistory = ({ canonical, sideBranches }: ChainHistory, hash: Data): Head | undefined =>
  canonical.get(hash) ?? sideBranches.get(hash);

/** Returns the path between two blocks over their common ancestor; undefined when the history lacks a block of the path. */
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

/** The newest blocks of the canonical chain: ascending, each the parent of the next, never empty. */
export type CanonicalChain = readonly [Head, ...Head[]];

/**
 * One atomic change of the canonical chain. Apply it in order: remove each block of `removed`, then add each block of `added`.
 */
export interface ChainChange {
  /** Blocks that left the canonical chain, newest first: from the old head to the child of the common ancestor. */
  readonly removed: readonly Head[];
  /** Blocks that joined the canonical chain, ascending: from the child of the common ancestor to the new head. */
  readonly added: readonly Head[];
  /**
   * True when the blocks between the old and the new head are unknown. `added` is then the new head alone and `removed` is empty.
   * Subscriptions that promise completeness end with GAP_TOO_LARGE.
   */
  readonly hasGap: boolean;
}

/** Number of blocks in the window. A reorg up to this depth is reported block by block. */
export const WINDOW_BLOCKS = 256;

export const headOf = (canonical: CanonicalChain): Head => canonical.at(-1)!;

/** Returns the block of that height in the window. Falls back to a search because some chains skip heights. */
export const blockAtHeight = (canonical: CanonicalChain, height: number): Head | undefined => {
  const candidate = canonical[height - canonical[0].height];
  return candidate?.height === height ? candidate : canonical.find((head) => head.height === height);
};

export const blockByHash = (canonical: CanonicalChain, hash: Data): Head | undefined =>
  canonical.findLast((head) => head.hash === hash);

/**
 * Replaces all blocks above `ancestor` with a branch, ascending. An empty branch only removes blocks. Throws
 * INTERNAL_SERVER_ERROR when the ancestor is not in the window or the branch is not linked by its parent hashes: callers check
 * both before.
 */
export function applyBranch(
  canonical: CanonicalChain,
  ancestor: Data,
  branch: readonly Head[],
): { readonly canonical: CanonicalChain; readonly change: ChainChange } {
  const ancestorIndex = canonical.findLastIndex(({ hash }) => hash === ancestor);
  const base = canonical.slice(0, ancestorIndex + 1);
  const joined = [...base, ...branch];
  for (let i = Math.max(1, base.length); i < joined.length; i++) {
    if (joined[i]!.parentHash !== joined[i - 1]!.hash)
      throw new GraphError('INTERNAL_SERVER_ERROR', 'The blocks of a branch are not linked by their parent hashes.');
  }
  if (ancestorIndex < 0) throw new GraphError('INTERNAL_SERVER_ERROR', 'The ancestor of a branch is not in the window.');
  return {
    canonical: joined.slice(-WINDOW_BLOCKS) as [Head, ...Head[]],
    change: { removed: canonical.slice(ancestorIndex + 1).reverse(), added: branch, hasGap: false },
  };
}

/**
 * Returns the median block time of the last 32 intervals in milliseconds, from the timestamps. Undefined for a window of one
 * block.
 */
export function medianBlockTimeMs(canonical: CanonicalChain): number | undefined {
  const timestamps = canonical.slice(-33).map(({ header }) => Number(header.timestamp));
  const intervals = timestamps.slice(1).map((timestamp, i) => timestamp - timestamps[i]!);
  const sorted = intervals.filter((interval) => interval >= 0).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return median === undefined ? undefined : median * 1000;
}
