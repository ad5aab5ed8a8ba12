import type { ChainChange, Follower, Head } from '../../../src/sync/head/follower.ts';
import type { SimView } from './view.ts';

/** A chain rebuilt from the changes that a follower emits. `apply` throws when a change does not fit the chain before it. */
export interface ChainReplay {
  readonly chain: readonly Head[];
  /** Hash of its head. */
  readonly tip: string | undefined;
  readonly removed: number;
  /** Number of blocks that were added again after they had been removed. */
  readonly readded: number;
  /** Resolves when the head has that hash. Rejects when a change did not fit. */
  waitForHead(hash: string): Promise<void>;
  apply(change: ChainChange): void;
}

export function replayChain(follower?: Follower): ChainReplay {
  let chain: Head[] = [];
  let headHash = follower?.head?.hash;
  let removed = 0;
  let readded = 0;
  const removedHashes = new Set<string>();
  let waiting: { readonly hash: string; readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  let failure: Error | undefined;
  const check = (isValid: boolean, message: string) => {
    if (!isValid) throw new Error(message);
  };
  const replay: ChainReplay = {
    get chain() {
      return chain;
    },
    get tip() {
      return headHash;
    },
    get removed() {
      return removed;
    },
    get readded() {
      return readded;
    },
    waitForHead: (hash) =>
      new Promise((resolve, reject) => {
        if (failure) reject(failure);
        else if (headHash === hash) resolve();
        else waiting = { hash, resolve, reject };
      }),
    apply(change) {
      if (change.hasGap) [chain, headHash] = [[], undefined];
      for (const head of change.removed) {
        check(head.hash === headHash, `${head.number} is removed and is not the head`);
        // The replay may start above the removed blocks, and then does not have them.
        chain.pop();
        headHash = head.parentHash;
        removed += 1;
        removedHashes.add(head.hash);
      }
      for (const head of change.added) {
        check(headHash === undefined || head.parentHash === headHash, `${head.number} is added and is not a child of the head`);
        chain.push(head);
        if (removedHashes.has(head.hash)) readded += 1;
        headHash = head.hash;
      }
      check(change.removed.length + change.added.length > 0, 'a change is empty');
      if (chain.length > 1_000) chain = chain.slice(-500);
    },
  };
  follower?.subscribe((change) => {
    try {
      replay.apply(change);
      check(
        follower.head === undefined || follower.head.hash === headHash,
        'the follower emits a change that does not end at its head',
      );
      if (waiting?.hash !== headHash) return;
      waiting?.resolve();
      waiting = undefined;
    } catch (error) {
      failure = error as Error;
      waiting?.reject(error);
    }
  });
  return replay;
}

/** Returns the height and hash of each of the last `count` blocks of a replayed chain that the view does not have. */
export const chainDifferences = ({ chain }: Pick<ChainReplay, 'chain'>, view: SimView, count = 40): string[] =>
  chain.slice(-count).flatMap(({ hash, height }) => (view.at(height)?.hash === hash ? [] : [`${height} ${hash}`]));
