import { createChainFeed } from '../../../src/sync/feed.ts';
import { startFollower } from '../../../src/sync/head/follower.ts';
import { stopAfterTests } from '../cleanups.ts';
import { log } from '../silent-log.ts';

/** Starts a feed whose follower reaches no node, for graphs whose upstream requests a test counts and that it does not subscribe to. */
export function startIdleFeed() {
  const timing = { minBackoffMs: 3_600_000, maxBackoffMs: 3_600_000 };
  const follower = startFollower({ url: 'ws://127.0.0.1:9/', timeoutMs: 1_000, maxBatchSize: 1, log, timing });
  const feed = createChainFeed({ follower, timeoutMs: 1_000, log, timing });
  return {
    feed,
    stop: stopAfterTests(async () => {
      await feed.stop();
      await follower.stop();
    }),
  };
}
