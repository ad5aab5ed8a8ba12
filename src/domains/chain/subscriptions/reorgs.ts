import { quantityOf } from '../../../ethereum/hex.ts';
import type { Stream } from '../../../graphql/stream.ts';
import type { Feed } from '../../../sync/feed.ts';
import type { ChainChange } from '../../../sync/head/follower.ts';
import type { InBlock } from '../model.ts';
import { type AnnouncedHeader, announced } from './heads.ts';
import type { Replacements } from './transaction-status/replacements.ts';

/** A change that took blocks away. */
export interface ReorgTold {
  readonly depth: number;
  readonly commonAncestor: Required<InBlock>;
  /** Newest first. */
  readonly dropped: readonly AnnouncedHeader[];
  /** Oldest first. */
  readonly added: readonly AnnouncedHeader[];
}

export interface Reorgs {
  readonly reorgs: ReorgTold;
}

function reorgOf({ removed, added }: ChainChange, replacements: Replacements): ReorgTold {
  const { parentHash, height } = removed.at(-1)!;
  return {
    depth: removed.length,
    commonAncestor: { blockHash: parentHash, blockNumber: quantityOf(height - 1) },
    dropped: removed.map((head) => announced(head, replacements)),
    added: added.map((head) => announced(head, replacements)),
  };
}

/** Each change that takes blocks away. What was missed is not told later. Source: the feed's heads. */
export const reorgs = (feed: Pick<Feed, 'heads'>, replacements: Replacements): Stream<Reorgs> => ({
  open: ({ next, end }) =>
    feed.heads({
      next: (change) => {
        if (change.removed.length === 0) return;
        const told = reorgOf(change, replacements);
        next([
          {
            root: { reorgs: told },
            block: change.added.at(-1)?.hash ?? told.commonAncestor.blockHash!,
            abandoned: change.removed.map(({ hash }) => hash),
          },
        ]);
      },
      end,
    }),
});
