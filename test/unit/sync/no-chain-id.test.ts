import { expect, test } from '@jest/globals';
import { probeNode } from '../../../src/snapshot/node-capabilities.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { FULL_PENDING_SUBSCRIPTION, pendingOf } from '../../support/simulator/transaction-pool.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';

test.each(['ws', 'http'] as const)(
  'a node without eth_chainId is ready, and its heads, logs and pending transactions arrive (%s)',
  async (transports) => {
    const chain = new SimChain({ seed: 1, bloom: 'real', blocks: 8 });
    const { node, feed, upstream } = await startFeed(chain, { transports, chainId: null });
    node.pool.supportedSubscriptions = [FULL_PENDING_SUBSCRIPTION];
    node.pool.supportsFilters = true;
    const replay = createLogReplay(chain.head.hash);
    feed.subscribeLogs(replay);
    const heads: string[] = [];
    feed.subscribeHeads({ next: ({ added }) => heads.push(...added.map(({ hash }) => hash)), end: () => {} });
    const pending: string[] = [];
    feed.subscribePendingTransactions({ next: ({ hash }) => pending.push(hash), end: () => {} });
    await pollUntil(() => feed.upstreamSubscriptions === 2 || node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    chain.mine(2);
    await replay.waitForBlock(chain.head.hash);
    await pollUntil(() => heads.includes(chain.head.hash) && pending.length === 1);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect(pending).toEqual([pendingOf(1).hash]);
    const signal = AbortSignal.timeout(60_000);
    expect(await probeNode(upstream, signal)).toBe('0xa');
    expect(await upstream.chainId(signal)).toBeNull();
  },
);
