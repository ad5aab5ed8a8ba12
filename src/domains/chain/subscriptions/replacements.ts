import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { ChainChange } from '../../../sync/head/follower.ts';

/** The blocks that replaced another canonical block of their height. */
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
