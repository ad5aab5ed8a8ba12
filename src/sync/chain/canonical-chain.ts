import { GraphError } from '../../errors.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { Head } from './rpc-header.ts';

/** The newest blocks of the chain as it is taken to be: ascending, each the parent of the next, never empty. */
export type CanonicalChain = readonly [Head, ...Head[]];

/** How the chain has changed, in one step: first each of `removed` goes, then each of `added` comes. */
export interface ChainChange {
  /** Blocks that are not of the chain any more: newest first, from the old head to the one above the common ancestor. */
  readonly removed: readonly Head[];
  /** Blocks that are of it now: ascending; the first is the child of the common ancestor, the last is the new head. */
  readonly added: readonly Head[];
  /**
   * True when the way from the old head to the new one is not known. `added` is then the new head alone, and what was removed or
   * added besides is not told. Who needs everything ends here with GAP_TOO_LARGE.
   */
  readonly hasGap: boolean;
}

/** How many blocks are kept: the depth to which a reorg can be told block by block. */
export const WINDOW_BLOCKS = 256;

export const headOf = (canonical: CanonicalChain): Head => canonical.at(-1)!;

/** The block of that height, inside the window. Some chains have heights without a block, so it is looked for. */
export const blockAtHeight = (canonical: CanonicalChain, height: number): Head | undefined => {
  const guess = canonical[height - canonical[0].height];
  return guess?.height === height ? guess : canonical.find((head) => head.height === height);
};

export const blockByHash = (canonical: CanonicalChain, hash: Data): Head | undefined =>
  canonical.findLast((head) => head.hash === hash);

/**
 * Puts a branch in the place of everything above the block that it grows on. An empty branch only takes away. The ancestor must
 * be in the window, and the branch must be linked: whoever calls has proven both.
 */
export function applyBranch(
  canonical: CanonicalChain,
  ancestor: Data,
  branch: readonly Head[],
): { readonly canonical: CanonicalChain; readonly change: ChainChange } {
  const at = canonical.findLastIndex(({ hash }) => hash === ancestor);
  const kept = canonical.slice(0, at + 1);
  const joined = [...kept, ...branch];
  for (let i = Math.max(1, kept.length); i < joined.length; i++) {
    if (joined[i]!.parentHash !== joined[i - 1]!.hash) throw new GraphError('INTERNAL_SERVER_ERROR', 'A branch has a hole.');
  }
  if (at < 0) throw new GraphError('INTERNAL_SERVER_ERROR', 'A branch does not grow on the chain.');
  return {
    canonical: joined.slice(-WINDOW_BLOCKS) as [Head, ...Head[]],
    change: { removed: canonical.slice(at + 1).reverse(), added: branch, hasGap: false },
  };
}

/** Milliseconds between blocks: the median of the last ones, by their timestamps. Undefined while fewer than two are known. */
export function medianBlockTimeMs(canonical: CanonicalChain): number | undefined {
  const stamps = canonical.slice(-33).map(({ header }) => Number(header.timestamp));
  const steps = stamps.slice(1).map((stamp, i) => stamp - stamps[i]!);
  const sane = steps.filter((step) => step >= 0).sort((a, b) => a - b);
  const middle = sane[Math.floor(sane.length / 2)];
  return middle === undefined ? undefined : middle * 1000;
}
