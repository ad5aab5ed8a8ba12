import type { Data } from '../../ethereum/hex.ts';
import type { Head } from './rpc-header.ts';

/** What the follower wants to know from the node. */
export type ChainQuery =
  /** The node's head; and `beside`, in the same breath so that the same backend answers, the block of that hash. */
  | { readonly kind: 'latest'; readonly batchedHash: Data | undefined }
  /** The node's block of that height. */
  | { readonly kind: 'height'; readonly height: number }
  /** The blocks of these hashes. */
  | { readonly kind: 'blocks'; readonly hashes: readonly Data[] }
  /** The block of that hash, and as a guess at its ancestors the node's blocks of these heights. */
  | { readonly kind: 'ancestors'; readonly hash: Data; readonly heights: readonly number[] };

/** What it was told, in the order of the question; undefined for what the node does not have, or would not tell. */
export type ChainQueryResult = readonly (Head | undefined)[];

/** A head with its ancestors, newest first. */
export type Branch = readonly [Head, ...Head[]];

/** Most calls for one question. */
const MAX_CALLS_PER_QUERY = 64;

/**
 * Walks from a head to its ancestors until there are enough of them. The hash of the parent alone says who is an ancestor; the
 * heights asked along with it only save round trips, twice as many with each step. `likely` is how many ancestors are needed at
 * least. Ends early with `missing` where the node does not have a parent, as one that lags does not.
 */
export function* readAncestors(
  head: Head,
  isEnough: (branch: Branch) => boolean,
  likely: number,
): Generator<ChainQuery, { readonly branch: Branch; readonly isParentMissing: boolean }, ChainQueryResult> {
  const branch: [Head, ...Head[]] = [head];
  const told = new Map<Data, Head>();
  let guesses = Math.min(MAX_CALLS_PER_QUERY - 1, Math.max(0, likely - 1));
  while (!isEnough(branch)) {
    const { parentHash, height } = branch.at(-1)!;
    if (!told.has(parentHash)) {
      const heights = Array.from({ length: Math.min(guesses, Math.max(0, height - 1)) }, (_none, i) => height - 2 - i);
      const answer: ChainQueryResult = yield { kind: 'ancestors', hash: parentHash, heights };
      for (const one of answer) if (one) told.set(one.hash, one);
      guesses = Math.min(MAX_CALLS_PER_QUERY - 1, 2 * guesses + 1);
    }
    const parent = told.get(parentHash);
    if (!parent || parent.height >= height) return { branch, isParentMissing: true };
    branch.push(parent);
  }
  return { branch, isParentMissing: false };
}
