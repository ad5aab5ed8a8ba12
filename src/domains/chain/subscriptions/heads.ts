import { LRUCache } from 'lru-cache';
import { type Data, quantityOf } from '../../../ethereum/hex.ts';
import { matchesAnyOf } from '../../../ethereum/log-filters.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { PendingTransactionFilter, SubscriptionNewHeadsArgs } from '../../../generated/chain.ts';
import { type SourceEventBatch, type SourceStream, streamOfHub } from '../../../graphql/stream.ts';
import type { Operation } from '../../../operation/operation.ts';
import { chainChangedError, throwBlockMissing } from '../../../snapshot/block-availability.ts';
import { readHead } from '../../../sync/chain/rpc-header.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { ChainChange, Head, RpcHeader } from '../../../sync/head/follower.ts';
import { heightsOf } from '../block/range-reads.ts';
import { cursorExpiredError } from '../log/cursor.ts';
import type { BlockLocation } from '../model.ts';
import { createBacklogs, type EventPosition, type PastSources, startOf, UNKNOWN_HEIGHT } from './past.ts';

/** Root value of one `pendingTransactions` event. */
type PendingTransactionsRoot = { readonly pendingTransactions: RpcTransaction };

/**
 * Whether a transaction matches both lists of a filter. An absent or empty list matches every transaction. A contract
 * creation has no recipient, so it matches no `to`.
 */
export const matchesPendingFilter = (transaction: RpcTransaction, { from, to }: PendingTransactionFilter): boolean =>
  matchesAnyOf(from, transaction.from) && matchesAnyOf(to, transaction.to);

/** Streams the matching transactions that the node announces as pending. Source: the feed's pending transactions. */
export const pendingTransactions = (feed: ChainFeed, filter: PendingTransactionFilter): SourceStream<PendingTransactionsRoot> =>
  streamOfHub(feed.subscribePendingTransactions, (transaction) =>
    matchesPendingFilter(transaction, filter) ? [{ root: { pendingTransactions: transaction } }] : [],
  );

/** Blocks that replaced another canonical block at their height. */
export type Replacements = Pick<ReadonlySet<Data>, 'has'>;

/** Maximum number of removed and of replacing blocks tracked; covers the blocks from which a subscriber can resume. */
const MAX_TRACKED_BLOCKS = 512;

/** Tracks the replacing blocks until the feed stops. */
export function trackReplacements(feed: Pick<ChainFeed, 'subscribeHeads'>): Replacements {
  /** The last removed block of each height. */
  const removed = new LRUCache<number, Data>({ max: MAX_TRACKED_BLOCKS });
  const replacing = new LRUCache<Data, true>({ max: MAX_TRACKED_BLOCKS });

  const next = (change: ChainChange): void => {
    for (const { height, hash } of change.removed) removed.set(height, hash);
    for (const { height, hash } of change.added) {
      const before = removed.get(height);
      if (before !== undefined && before !== hash) replacing.set(hash, true);
    }
  };
  const subscribe = (): void => {
    feed.subscribeHeads({
      next,
      // Subscribe again after a gap, in a microtask: the feed is still notifying its listeners of the end.
      end: ({ code }) => code === 'GAP_TOO_LARGE' && queueMicrotask(subscribe),
    });
  };
  subscribe();
  return replacing;
}

/** A header as the node announced it. */
export type AnnouncedHeader = RpcHeader & {
  /** Whether the block replaced another canonical block of its height. */
  readonly replaces: boolean;
};

/** Root value of one `newHeads` event. */
export type NewHeadsRoot = { readonly newHeads: AnnouncedHeader };

/** Adds `replaces` to the header of a block. */
export const toAnnouncedHeader = ({ hash, header }: Head, replacements: Replacements): AnnouncedHeader => ({
  ...header,
  replaces: replacements.has(hash),
});

/** Number of past blocks that are requested together. */
const PAST_PAGE_BLOCKS = 100;

/** Streams the blocks added to the chain; from a start, first the blocks added since then. Source: the feed's heads; before its history, the node's blocks. */
export function newHeads(
  sources: PastSources,
  operation: Operation,
  replacements: Replacements,
  args: SubscriptionNewHeadsArgs,
): SourceStream<NewHeadsRoot> {
  const { feed } = sources;
  const toEvents = (heads: readonly Head[]): SourceEventBatch<NewHeadsRoot> =>
    heads.map((head) => ({ root: { newHeads: toAnnouncedHeader(head, replacements) }, block: head.hash, cursor: head.hash }));
  const ofCursor = (hash: string): EventPosition => ({ height: UNKNOWN_HEIGHT, hash: hash.toLowerCase() });

  async function* replay(added: readonly Head[]) {
    if (added.length > 0) yield toEvents(added);
  }

  const backlogAfter = createBacklogs<EventPosition, NewHeadsRoot>(sources, operation, {
    // Reads the head when called, not at the first read of the iterator: the live events start at this head.
    recentEvents({ height, hash: known }) {
      const hash = known ?? feed.canonicalBlock(height)?.hash;
      const path = hash === undefined ? undefined : feed.pathBetween(hash, feed.head!);
      return path && replay(path.added);
    },

    async readPage({ blocks }, { height, hash }, seam) {
      if (hash && height === UNKNOWN_HEIGHT) throw cursorExpiredError('The block of `after`');
      const heights = heightsOf({ first: height + 1, last: Math.min(seam.height, height + PAST_PAGE_BLOCKS) });
      const found = await Promise.all(heights.map((number) => blocks.loader.load(number, false)));
      let parent = hash;
      const heads = found.map((block, i) => {
        const head = (block && readHead(block)) ?? throwBlockMissing();
        if (parent && head.parentHash !== parent)
          throw i === 0 ? cursorExpiredError('The block of `after`') : chainChangedError();
        parent = head.hash;
        return head;
      });
      return { events: toEvents(heads), position: heads.at(-1)! };
    },

    removals: () => replay([]),
    endOf: (block) => block,
  });

  const start = startOf(args, ofCursor, (height) => ({ height, hash: undefined }));
  return {
    subscribe: ({ next, end }) =>
      feed.subscribeHeads({
        next: ({ removed, added }) => {
          const removedHashes = removed.map(({ hash }) => hash);
          next(toEvents(added), removedHashes);
        },
        end,
      }),
    backlog: start && backlogAfter(start),
    backlogAfter: (cursor) => backlogAfter(ofCursor(cursor)),
  };
}

/** Root value of one `reorgs` event. */
type ReorgsRoot = { readonly reorgs: ReorgEvent };

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
export const reorgs = (feed: Pick<ChainFeed, 'subscribeHeads'>, replacements: Replacements): SourceStream<ReorgsRoot> =>
  streamOfHub(feed.subscribeHeads, (change) => {
    if (change.removed.length === 0) return [];
    const reorg = reorgOf(change, replacements);
    const block = change.added.at(-1)?.hash ?? reorg.commonAncestor.blockHash;
    return [{ root: { reorgs: reorg }, block, abandoned: change.removed.map(({ hash }) => hash) }];
  });
