import { quantityOf } from '../../../ethereum/hex.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { ChainChange } from '../../../sync/head/follower.ts';
import type { BlockLocation } from '../model.ts';
import { type Replacements, toAnnouncedHeader } from './heads.ts';

/** Root value of one `reorgs` event. */
export type ReorgsRoot = { readonly reorgs: ReorgEvent };

/** Describes a chain change that removed blocks: `dropped` newest first, `added` oldest first. */
function reorgOf({ removed, added }: ChainChange, replacements: Replacements) {
  const { parentHash, height } = removed.at(-1)!;
  return {
    depth: removed.length,
    commonAncestor: { blockHash: parentHash, blockNumber: quantityOf(height - 1) } satisfies BlockLocation,
    dropped: removed.map((head) => toAnnouncedHeader(head, replacements)),
    added: added.map((head) => toAnnouncedHeader(head, replacements)),
  };
}

export type ReorgEvent = ReturnType<typeof reorgOf>;

/** Streams the chain changes that remove blocks. Missed reorgs are not replayed. Source: the feed's heads. */
export const reorgs = (feed: Pick<ChainFeed, 'subscribeHeads'>, replacements: Replacements): SourceStream<ReorgsRoot> => ({
  subscribe: ({ next, end }) =>
    feed.subscribeHeads({
      next: (change) => {
        if (change.removed.length === 0) return;
        const reorg = reorgOf(change, replacements);
        next([
          {
            root: { reorgs: reorg },
            block: change.added.at(-1)?.hash ?? reorg.commonAncestor.blockHash,
            abandoned: change.removed.map(({ hash }) => hash),
          },
        ]);
      },
      end,
    }),
});
