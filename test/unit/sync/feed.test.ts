import { describe, expect, test } from '@jest/globals';
import type { GraphError } from '../../../src/errors.ts';
import type { ChainChange } from '../../../src/sync/head/follower.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { replayChain } from '../../support/simulator/chain-replay.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay } from '../../support/subscriptions/log-replay.ts';

const chainOf = (seed: number, blocks = 40): SimChain => {
  const chain = new SimChain({ seed, bloom: 'real' });
  chain.mine(blocks);
  return chain;
};

/** Hears changes of the chain. */
function headsReplay() {
  const heard = replayChain();
  const changes: ChainChange[] = [];
  const ends: GraphError[] = [];
  return {
    changes,
    ends,
    heard,
    next(change: ChainChange) {
      changes.push(change);
      heard.apply(change);
    },
    end: (error: GraphError) => void ends.push(error),
  };
}

describe('heads are told', () => {
  test('to all who listen: every change, in order, up to the head', async () => {
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
      await pollUntil(() => one.heard.tip === chain.head.hash);
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
    await pollUntil(() => one.heard.tip === chain.head.hash);
    expect([one.changes.length, other.changes.length]).toEqual([4, 3]);
    expect(node.callCounts.get('eth_subscribe')).toBe(1);
    expect(feed.upstreamSubscriptions).toBe(1);
  });

  test('and who begins to listen to logs when told of one hears of the next ones alone', async () => {
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

describe('listeners end', () => {
  test('with GAP_TOO_LARGE where the chain cannot be told block by block, and go on when they come back', async () => {
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

  test('with what is fatal for the follower, and so does whoever comes later', async () => {
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

  test('with SHUTTING_DOWN when the feed is stopped, and who comes and goes at once is not told', async () => {
    const chain = chainOf(13);
    const { feed } = await startFeed(chain);
    const heads = headsReplay();
    feed.subscribeHeads(heads);
    await feed.stop();
    await feed.stop();
    expect(heads.ends.map(({ code }) => code)).toEqual(['SHUTTING_DOWN']);
    const fleeting = headsReplay();
    feed.subscribeHeads(fleeting)();
    await Promise.resolve();
    expect(fleeting.ends).toEqual([]);
    chain.mine();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heads.changes).toEqual([]);
  });
});

describe('a way', () => {
  test('leads from where one was to where listeners of logs are, however the chain has moved since', async () => {
    const chain = chainOf(21);
    const { feed } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    const from = chain.head;
    chain.reorg(2, 4);
    await heard.waitForBlock(chain.head.hash);
    chain.reorg(1, 3);
    await heard.waitForBlock(chain.head.hash);
    const way = feed.pathBetween(from.hash.toUpperCase().replace('0X', '0x'), feed.logsHead!)!;
    expect(way.removed.map(({ hash }) => hash)).toEqual([from.hash, from.parent!.hash]);
    expect(way.added.map(({ height }) => height)).toEqual([39, 40, 41, 42, 43, 44]);
    expect(way.added.at(-1)).toBe(feed.logsHead);
    expect([feed.recentBlock(from.hash), feed.recentBlock(way.added[0]!.hash)]).toEqual([way.removed[0], way.added[0]]);
    expect(feed.recentBlock(`0x${'1'.repeat(64)}`)).toBeUndefined();
    expect(feed.pathBetween(`0x${'1'.repeat(64)}`, feed.head!)).toBeUndefined();
  });
});
