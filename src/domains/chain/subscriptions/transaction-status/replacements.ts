import type { Data } from '../../../../ethereum/hex.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import type { ChainChange } from '../../../../sync/head/follower.ts';

/** Tells of a block whether another of its height was of the chain before it. */
export type Replacements = Pick<ReadonlySet<Data>, 'has'>;

/** As far back as a subscriber can go on: what has been removed, and what came for it. */
const MAX_TRACKED_BLOCKS = 512;

/** Takes note of all that comes in the place of something else, for as long as the feed tells anything. */
export function trackReplacements(feed: Pick<ChainFeed, 'subscribeHeads'>): Replacements {
  /** By height, the block that was removed last. */
  const removed = new Map<number, Data>();
  const replacing = new Set<Data>();

  const next = (change: ChainChange): void => {
    for (const { height, hash } of change.removed) {
      removed.delete(height);
      removed.set(height, hash);
    }
    for (const { height, hash } of change.added) {
      const before = removed.get(height);
      if (before !== undefined && before !== hash) replacing.add(hash);
    }
    evictOldest(removed);
    evictOldest(replacing);
  };
  const listen = (): void => {
    feed.subscribeHeads({
      next,
      // After a gap it goes on, but not within the telling of its end.
      end: ({ code }) => code === 'GAP_TOO_LARGE' && queueMicrotask(listen),
    });
  };
  listen();
  return replacing;
}

/** Forgets the oldest. */
function evictOldest(kept: Map<number, Data> | Set<Data>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_TRACKED_BLOCKS) return;
    kept.delete(oldest as never);
  }
}
