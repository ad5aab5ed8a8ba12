import type { Data } from '../../ethereum/hex.ts';
import type { Head } from './rpc-header.ts';

/** What the follower wants to know from the node. */
export type Question =
  /** The node's head; and `beside`, in the same breath so that the same backend answers, the block of that hash. */
  | { readonly ask: 'latest'; readonly beside: Data | undefined }
  /** The node's block of that height. */
  | { readonly ask: 'height'; readonly height: number }
  /** The blocks of these hashes. */
  | { readonly ask: 'blocks'; readonly hashes: readonly Data[] }
  /** The block of that hash, and as a guess at its ancestors the node's blocks of these heights. */
  | { readonly ask: 'ancestors'; readonly hash: Data; readonly heights: readonly number[] };

/** What it was told, in the order of the question; undefined for what the node does not have, or would not tell. */
export type Answer = readonly (Head | undefined)[];

/** A head with its ancestors, newest first. */
export type Branch = readonly [Head, ...Head[]];

/** Most calls for one question. */
const AT_ONCE = 64;

/**
 * Walks from a head to its ancestors until there are enough of them. The hash of the parent alone says who is an ancestor; the
 * heights asked along with it only save round trips, twice as many with each step. `likely` is how many ancestors are needed at
 * least. Ends early with `missing` where the node does not have a parent, as one that lags does not.
 */
export function* walk(
  head: Head,
  isEnough: (branch: Branch) => boolean,
  likely: number,
): Generator<Question, { readonly branch: Branch; readonly missing: boolean }, Answer> {
  const branch: [Head, ...Head[]] = [head];
  const told = new Map<Data, Head>();
  let guesses = Math.min(AT_ONCE - 1, Math.max(0, likely - 1));
  while (!isEnough(branch)) {
    const { parentHash, height } = branch.at(-1)!;
    if (!told.has(parentHash)) {
      const heights = Array.from({ length: Math.min(guesses, Math.max(0, height - 1)) }, (_none, i) => height - 2 - i);
      const answer: Answer = yield { ask: 'ancestors', hash: parentHash, heights };
      for (const one of answer) if (one) told.set(one.hash, one);
      guesses = Math.min(AT_ONCE - 1, 2 * guesses + 1);
    }
    const parent = told.get(parentHash);
    if (!parent || parent.height >= height) return { branch, missing: true };
    branch.push(parent);
  }
  return { branch, missing: false };
}
