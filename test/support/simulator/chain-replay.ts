import type { ChainChange, Follower, Head } from '../../../src/sync/head/follower.ts';
import type { SimView } from './view.ts';

/** The chain as one who hears every change of a follower has it. Throws at a change that does not fit. */
export interface ChainReplay {
  readonly chain: readonly Head[];
  /** Hash of its head. */
  readonly tip: string | undefined;
  readonly removed: number;
  /** How many blocks have come back that had been removed. */
  readonly readded: number;
  /** Resolves when the head has that hash. */
  waitForHead(hash: string): Promise<void>;
  apply(change: ChainChange): void;
}

export function replayChain(follower?: Follower): ChainReplay {
  let chain: Head[] = [];
  let at = follower?.head?.hash;
  let removed = 0;
  let retaken = 0;
  const gone = new Set<string>();
  let waiting: { readonly hash: string; readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  let flaw: Error | undefined;
  const insist = (fits: boolean, what: string) => {
    if (!fits) throw new Error(what);
  };
  const own: ChainReplay = {
    get chain() {
      return chain;
    },
    get tip() {
      return at;
    },
    get removed() {
      return removed;
    },
    get readded() {
      return retaken;
    },
    waitForHead: (hash) =>
      new Promise((resolve, reject) => {
        if (flaw) reject(flaw);
        else if (at === hash) resolve();
        else waiting = { hash, resolve, reject };
      }),
    apply(change) {
      if (change.hasGap) [chain, at] = [[], undefined];
      for (const head of change.removed) {
        insist(head.hash === at, `${head.number} is removed and is not the head`);
        // Who joins late has not heard of what is below the head that it began with.
        chain.pop();
        at = head.parentHash;
        removed += 1;
        gone.add(head.hash);
      }
      for (const head of change.added) {
        insist(at === undefined || head.parentHash === at, `${head.number} is added and is no child of the head`);
        chain.push(head);
        if (gone.has(head.hash)) retaken += 1;
        at = head.hash;
      }
      insist(change.removed.length + change.added.length > 0, 'a change without anything in it');
      if (chain.length > 1_000) chain = chain.slice(-500);
    },
  };
  follower?.subscribe((change) => {
    try {
      own.apply(change);
      insist(follower.head === undefined || follower.head.hash === at, 'the follower has moved on before it told');
      if (waiting?.hash !== at) return;
      waiting?.resolve();
      waiting = undefined;
    } catch (error) {
      flaw = error as Error;
      waiting?.reject(error);
    }
  });
  return own;
}

/** The hashes in which a replayed chain and a view differ, of the last so many blocks. */
export const chainDifferences = ({ chain }: Pick<ChainReplay, 'chain'>, view: SimView, last = 40): string[] =>
  chain.slice(-last).flatMap(({ hash, height }) => (view.at(height)?.hash === hash ? [] : [`${height} ${hash}`]));
