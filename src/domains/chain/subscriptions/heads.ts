import type { Data } from '../../../ethereum/hex.ts';
import type { SourceEventBatch, SourceStream } from '../../../graphql/stream.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { Head, RpcHeader } from '../../../sync/head/follower.ts';
import { cursorExpiredError, unknownHeadError } from './cursor-errors.ts';
import type { Replacements } from './transaction-status/replacements.ts';

/** A header as the node told it. */
export type AnnouncedHeader = RpcHeader & {
  /** Whether another block of its height was of the chain before. */
  readonly replaces: boolean;
};

export interface NewHeadsRoot {
  readonly newHeads: AnnouncedHeader;
}

export const toAnnouncedHeader = ({ hash, header }: Head, replacements: Replacements): AnnouncedHeader => ({
  ...header,
  replaces: replacements.has(hash),
});

/** The blocks that the chain gains; behind `after`, all that it has gained since it had that block. Source: the feed's heads. */
export function newHeads(
  feed: ChainFeed,
  replacements: Replacements,
  after: Data | null | undefined,
): SourceStream<NewHeadsRoot> {
  const told = (heads: readonly Head[]): SourceEventBatch<NewHeadsRoot> =>
    heads.map((head) => ({ root: { newHeads: toAnnouncedHeader(head, replacements) }, block: head.hash, cursor: head.hash }));

  /** Where the stream stands is taken now, and not when somebody first reads. */
  const missed = (from: Data): AsyncIterable<SourceEventBatch<NewHeadsRoot>> => {
    const { head } = feed;
    return replay(head, head && feed.pathBetween(from, head)?.added);
  };

  async function* replay(head: Head | undefined, added: readonly Head[] | undefined) {
    if (!head) throw unknownHeadError();
    if (!added) throw cursorExpiredError('That block');
    if (added.length > 0) yield told(added);
  }

  return {
    subscribe: ({ next, end }) =>
      feed.subscribeHeads({
        next: ({ added }) => {
          if (added.length > 0) next(told(added));
        },
        end,
      }),
    backlog: after ? () => missed(after) : undefined,
  };
}
