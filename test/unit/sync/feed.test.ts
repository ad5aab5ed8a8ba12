import { describe, expect, test } from '@jest/globals';
import type { GraphError } from '../../../src/lib/errors.ts';
import type { ChainChange } from '../../../src/sync/head/follower.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { replayChain } from '../../support/simulator/chain-replay.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay } from '../../support/subscriptions/log-replay.ts';

const chainOf = (seed: number, blocks = 40): SimChain => {
  const chain = new SimChain({ seed, bloom: 'real', blocks: blocks });
  return chain;
};

/** A listener of heads that records and replays the changes. */
function headsReplay() {
  const replay = replayChain();
  const changes: ChainChange[] = [];
  const ends: GraphError[] = [];
  return {
    changes,
    ends,
    replay,
    next(change: ChainChange) {
      changes.push(change);
      replay.apply(change);
    },
    end: (error: GraphError) => void ends.push(error),
  };
}

test('feed returns blocks of its history by hash, by height and by their depth below the head', async () => {
  const chain = chainOf(7);
  const { feed, follower } = await startFeed(chain, { ready: false });
  expect([feed.head, feed.canonicalBlock(40), feed.blockBelowHead(0)]).toEqual([undefined, undefined, undefined]);
  await follower.ready(AbortSignal.timeout(60_000));
  const { hash } = chain.main.at(39)!;
  expect(feed.recentBlock(hash.toUpperCase().replace('X', 'x'))).toMatchObject({ hash, height: 39 });
  expect([feed.canonicalBlock(39)?.hash, feed.canonicalBlock(41)]).toEqual([hash, undefined]);
  const oldest = follower.window![0]!.height;
  expect([0, 2, 1_000].map((depth) => feed.blockBelowHead(depth)?.height)).toEqual([40, 38, oldest]);
});

describe('head subscription', () => {
  test('head subscription emits every change in order to all listeners', async () => {
    const chain = chainOf(1);
    const { feed, node } = await startFeed(chain);
    const [one, other] = [headsReplay(), headsReplay()];
    feed.subscribeHeads(one);
    const stop = feed.subscribeHeads(other);
    expect(feed.head?.hash).toBe(chain.head.hash);
    for (const [depth, length] of [
      [0, 1],
      [3, 4],
      [2, 2],
    ] as const) {
      chain.reorg(depth, length);
      await pollUntil(() => one.replay.tip === chain.head.hash);
      expect(feed.head?.hash).toBe(chain.head.hash);
    }
    expect(other.changes).toEqual(one.changes);
    expect(one.changes.map(({ removed, added }) => [removed.length, added.length])).toEqual([
      [0, 1],
      [3, 4],
      [2, 2],
    ]);
    stop();
    chain.mine();
    await pollUntil(() => one.replay.tip === chain.head.hash);
    expect([one.changes.length, other.changes.length]).toEqual([4, 3]);
    expect(node.callCounts.get('eth_subscribe')).toBe(1);
    expect(feed.upstreamSubscriptions).toBe(1);
  });

  test('log subscription that starts inside a head event emits only later blocks', async () => {
    const chain = chainOf(2);
    const { feed } = await startFeed(chain);
    let logs: ReturnType<typeof createLogReplay> | undefined;
    feed.subscribeHeads({
      next({ added }) {
        if (logs) return;
        logs = createLogReplay(added.at(-1)!.hash);
        expect(feed.logsHead).toBe(added.at(-1));
        feed.subscribeLogs(logs);
      },
      end: () => {},
    });
    chain.mine();
    await pollUntil(() => logs !== undefined);
    chain.mine();
    await logs!.waitForBlock(chain.head.hash);
    expect(logs!.changes).toHaveLength(1);
  });
});

describe('end of a feed subscription', () => {
  test('head and log subscriptions end with GAP_TOO_LARGE at a gap and work again after resubscribing', async () => {
    const chain = chainOf(11);
    const { feed, follower } = await startFeed(chain);
    const heads = headsReplay();
    const logs = createLogReplay(chain.head.hash);
    feed.subscribeHeads(heads);
    feed.subscribeLogs(logs);
    chain.reorg(39, 45);
    await pollUntil(() => follower.status.gaps === 1);
    expect(heads.ends.map(({ code }) => code)).toEqual(['GAP_TOO_LARGE']);
    expect(heads.changes).toEqual([]);
    expect(logs.ended?.code).toBe('GAP_TOO_LARGE');
    expect(feed.head?.hash).toBe(chain.head.hash);
    const again = createLogReplay(feed.logsHead!.hash);
    feed.subscribeLogs(again);
    chain.reorg(2, 3);
    await again.waitForBlock(chain.head.hash);
    expect(again.removed).toBe(2);
  });

  test('current and later feed subscriptions end with the fatal error of the follower', async () => {
    const chain = chainOf(12);
    const { feed, follower, node } = await startFeed(chain);
    const [heads, logs] = [headsReplay(), createLogReplay(chain.head.hash)];
    feed.subscribeHeads(heads);
    feed.subscribeLogs(logs);
    node.chainId = '0x8';
    node.disconnect('reset');
    await follower.ended;
    await pollUntil(() => heads.ends.length > 0);
    expect(heads.ends.map(({ code }) => code)).toEqual(['UPSTREAM_CHAIN_CHANGED']);
    expect(logs.ended?.code).toBe('UPSTREAM_CHAIN_CHANGED');
    const late = headsReplay();
    feed.subscribeHeads(late);
    expect(late.ends).toEqual([]);
    await Promise.resolve();
    expect(late.ends.map(({ code }) => code)).toEqual(['UPSTREAM_CHAIN_CHANGED']);
  });
});
