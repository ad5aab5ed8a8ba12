import type { Data } from '../../../ethereum/hex.ts';
import type { Batch, Stream } from '../../../graphql/stream.ts';
import type { Feed } from '../../../sync/feed.ts';
import type { Head, RpcHeader } from '../../../sync/head/follower.ts';
import { expired, unknownHead } from './cursor-errors.ts';
import type { Replacements } from './transaction-status/replacements.ts';

/** A header as the node told it. */
export type AnnouncedHeader = RpcHeader & {
  /** Whether another block of its height was of the chain before. */
  readonly replaces: boolean;
};

export interface NewHeads {
  readonly newHeads: AnnouncedHeader;
}

export const announced = ({ hash, header }: Head, replacements: Replacements): AnnouncedHeader => ({
  ...header,
  replaces: replacements.has(hash),
});

/** The blocks that the chain gains; behind `after`, all that it has gained since it had that block. Source: the feed's heads. */
export function newHeads(feed: Feed, replacements: Replacements, after: Data | null | undefined): Stream<NewHeads> {
  const told = (heads: readonly Head[]): Batch<NewHeads> =>
    heads.map((head) => ({ root: { newHeads: announced(head, replacements) }, block: head.hash, cursor: head.hash }));

  /** Where the stream stands is taken now, and not when somebody first reads. */
  const missed = (from: Data): AsyncIterable<Batch<NewHeads>> => {
    const { head } = feed;
    return replay(head, head && feed.way(from, head)?.added);
  };

  async function* replay(head: Head | undefined, added: readonly Head[] | undefined) {
    if (!head) throw unknownHead();
    if (!added) throw expired('That block');
    if (added.length > 0) yield told(added);
  }

  return {
    open: ({ next, end }) =>
      feed.heads({
        next: ({ added }) => {
          if (added.length > 0) next(told(added));
        },
        end,
      }),
    backlog: after ? () => missed(after) : undefined,
  };
}
