import { describe, expect, test } from '@jest/globals';
import type { GraphError } from '../../../src/errors.ts';
import type { RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import {
  FULL_PENDING_SUBSCRIPTION,
  PENDING_HASHES_SUBSCRIPTION,
  pendingOf,
  SVC_FULL_PENDING_SUBSCRIPTION,
} from '../../support/simulator/transaction-pool.ts';
import { type FeedSetupOptions, pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';

const METHODS = ['svc_newFullPendingTransactions', 'alchemy_newFullPendingTransactions'];

async function startPendingFeed(kinds: readonly (readonly unknown[])[], options: FeedSetupOptions & { filters?: boolean } = {}) {
  const { filters = false, ...rest } = options;
  const chain = new SimChain({ seed: 1 });
  chain.mine(3);
  const made = await startFeed(chain, { fullTransactionSubscriptions: METHODS, ...rest });
  made.node.pool.supportedSubscriptions = kinds;
  made.node.pool.supportsFilters = filters;
  return made;
}

function listener() {
  const told: string[] = [];
  const ends: GraphError[] = [];
  return {
    told,
    ends,
    next: (transaction: RpcTransaction) => void told.push(transaction.hash),
    end: (error: GraphError) => void ends.push(error),
  };
}

const count = ({ callCounts }: SimNode, method: string): number => callCounts.get(method) ?? 0;
const hashes = (...numbers: number[]) => numbers.map((n) => pendingOf(n).hash);

describe('pending transactions are told', () => {
  test.each([
    [
      'by the first method of the list',
      [SVC_FULL_PENDING_SUBSCRIPTION, FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION],
      2,
    ],
    [
      'by another method of the list',
      [['alchemy_newFullPendingTransactions'], FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION],
      3,
    ],
    ['whole by the standard method', [FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION], 4],
    ['by their hashes, which are looked up', [PENDING_HASHES_SUBSCRIPTION], 5],
  ] as const)('%s', async (_case, kinds, subscribes) => {
    const { node, feed } = await startPendingFeed(kinds);
    const heard = listener();
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.subscribePendingTransactions(heard);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    for (const n of [1, 2, 3]) node.addPending(pendingOf(n));
    await pollUntil(() => heard.told.length === 3);
    expect(heard.told).toEqual(hashes(1, 2, 3));
    expect(count(node, 'eth_subscribe')).toBe(subscribes);
    expect(count(node, 'eth_getTransactionByHash')).toBe(kinds[0] === PENDING_HASHES_SUBSCRIPTION ? 3 : 0);
  });

  test('from one subscription however many listen, and one send looks up what came together', async () => {
    const { node, feed } = await startPendingFeed([PENDING_HASHES_SUBSCRIPTION], { fullTransactionSubscriptions: [] });
    const all = Array.from({ length: 50 }, listener);
    for (const one of all) feed.subscribePendingTransactions(one);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    for (let n = 1; n <= 40; n++) node.addPending(pendingOf(n));
    await pollUntil(() => all.every(({ told }) => told.length === 40));
    // One for the heads; whole ones that it has not; hashes.
    expect(count(node, 'eth_subscribe')).toBe(3);
    const lookups = node.reads.filter(({ calls }) => calls[0]!.method === 'eth_getTransactionByHash');
    expect(lookups.flatMap(({ calls }) => calls)).toHaveLength(40);
    expect(lookups.length).toBeLessThan(5);
  });

  test('once, however often they are announced, and not at all when they are nothing', async () => {
    const { node, feed } = await startPendingFeed([PENDING_HASHES_SUBSCRIPTION], { fullTransactionSubscriptions: [] });
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(1));
    node.addPending({ hash: '0x12' });
    node.addPending({ hash: null as never });
    await pollUntil(() => heard.told.length === 1);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => heard.told.length === 2);
    expect(heard.told).toEqual(hashes(1, 2));
    expect(count(node, 'eth_getTransactionByHash')).toBe(2);
  });

  test('over each new connection, by what that one has', async () => {
    const { node, feed } = await startPendingFeed([SVC_FULL_PENDING_SUBSCRIPTION]);
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.addPending(pendingOf(1));
    await pollUntil(() => heard.told.length === 1);
    node.pool.supportedSubscriptions = [FULL_PENDING_SUBSCRIPTION];
    node.disconnect('reset');
    await pollUntil(() => feed.upstreamSubscriptions === 0);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => heard.told.length === 2);
    expect(heard.told).toEqual(hashes(1, 2));
    // Heads and one; then heads, two refusals and one.
    expect(count(node, 'eth_subscribe')).toBe(2 + 4);
  });

  test('until the last listener has been gone for a while; what a connection has is not found out again', async () => {
    const { node, feed } = await startPendingFeed([FULL_PENDING_SUBSCRIPTION], { lingerMs: 40 });
    const [first, second, third] = [listener(), listener(), listener()];
    const stopFirst = feed.subscribePendingTransactions(first);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    stopFirst();
    const stopSecond = feed.subscribePendingTransactions(second);
    node.addPending(pendingOf(1));
    await pollUntil(() => second.told.length === 1);
    expect([first.told.length, count(node, 'eth_subscribe')]).toEqual([0, 4]);
    stopSecond();
    await pollUntil(() => count(node, 'eth_unsubscribe') === 1);
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.subscribePendingTransactions(third);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    expect(count(node, 'eth_subscribe')).toBe(5);
  });
});

describe('without a WebSocket', () => {
  test('a filter is polled, and made anew when the node has forgotten it', async () => {
    const { node, feed } = await startPendingFeed([], { transports: 'http', filters: true, lingerMs: 0 });
    const heard = listener();
    const stop = feed.subscribePendingTransactions(heard);
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => heard.told.length === 2);
    node.pool.restart();
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(3));
    await pollUntil(() => heard.told.length === 3);
    expect(heard.told).toEqual(hashes(1, 2, 3));
    expect(feed.upstreamSubscriptions).toBe(0);
    stop();
    await pollUntil(() => node.pool.openFilters === 0);
  });

  test('and without filters listeners end', async () => {
    const { feed } = await startPendingFeed([], { transports: 'http' });
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    expect(heard.ends).toEqual([]);
    await pollUntil(() => heard.ends.length > 0);
    expect(heard.ends.map(({ code }) => code)).toEqual(['METHOD_NOT_SUPPORTED']);
  });

  test('for a while, a filter is polled until there is one again', async () => {
    const { node, feed } = await startPendingFeed([SVC_FULL_PENDING_SUBSCRIPTION], { transports: 'both', filters: true });
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.upgradeRefusalStatus = 503;
    node.disconnect('close');
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    await pollUntil(() => heard.told.length === 1);
    node.upgradeRefusalStatus = undefined;
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    await pollUntil(() => node.pool.openFilters === 0);
    node.addPending(pendingOf(2));
    await pollUntil(() => heard.told.length === 2);
    expect(heard.ends).toEqual([]);
  });
});

test('a WebSocket that is away for a while is waited for where there are no filters', async () => {
  const { node, feed, follower } = await startPendingFeed([SVC_FULL_PENDING_SUBSCRIPTION], { transports: 'both' });
  const heard = listener();
  feed.subscribePendingTransactions(heard);
  await pollUntil(() => feed.upstreamSubscriptions === 2);
  node.upgradeRefusalStatus = 503;
  node.disconnect('close');
  await pollUntil(() => follower.status.transport === 'polling');
  await pollUntil(() => count(node, 'eth_newPendingTransactionFilter') === 1);
  node.upgradeRefusalStatus = undefined;
  await pollUntil(() => feed.upstreamSubscriptions === 2);
  node.addPending(pendingOf(1));
  await pollUntil(() => heard.told.length === 1);
  expect(heard.ends).toEqual([]);
});

describe('over a WebSocket that announces nothing pending', () => {
  test('a filter is polled over HTTP', async () => {
    const { node, feed } = await startPendingFeed([], { transports: 'both', filters: true });
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    await pollUntil(() => heard.told.length === 1);
    expect(feed.upstreamSubscriptions).toBe(1);
  });

  test('listeners end where there are no filters either, and so does whoever comes next', async () => {
    const { node, feed } = await startPendingFeed([]);
    for (const subscribes of [5, 5]) {
      const heard = listener();
      feed.subscribePendingTransactions(heard);
      await pollUntil(() => heard.ends.length > 0);
      expect(heard.ends.map(({ code }) => code)).toEqual(['METHOD_NOT_SUPPORTED']);
      expect(count(node, 'eth_subscribe')).toBe(subscribes);
    }
  });
});

describe('a node that refuses what pending transactions are read by', () => {
  const limited = { error: { code: -32005, message: 'slow down' } };

  test.each<[string, readonly (readonly unknown[])[], FeedSetupOptions & { filters?: boolean }, string]>([
    ['filters', [], { transports: 'http', filters: true }, 'eth_newPendingTransactionFilter'],
    [
      'hashes that are looked up',
      [PENDING_HASHES_SUBSCRIPTION],
      { transports: 'ws', fullTransactionSubscriptions: [] },
      'eth_getTransactionByHash',
    ],
  ])('is shown as failing, and after long the listeners end with its error: %s', async (_case, kinds, options, method) => {
    const { node, feed } = await startPendingFeed(kinds, { ...options, timing: { sourceTimeoutMs: 500 } });
    node.intercept = (asked) => (asked === method ? limited : undefined);
    const heard = listener();
    feed.subscribePendingTransactions(heard);
    let n = 0;
    const pending = setInterval(() => node.addPending(pendingOf(++n)), 20);
    try {
      await pollUntil(() => feed.sourceHealth.failing.length > 0);
      expect(feed.sourceHealth.failing).toMatchObject([
        { source: 'pendingTransactions', error: { code: 'UPSTREAM_RATE_LIMITED' } },
      ]);
      expect(heard.ends).toEqual([]);
      await pollUntil(() => heard.ends.length > 0);
      expect(heard.ends).toMatchObject([{ code: 'UPSTREAM_RATE_LIMITED', extensions: { retryable: true } }]);
      await pollUntil(() => feed.sourceHealth.failing.length === 0);
    } finally {
      clearInterval(pending);
    }
    node.intercept = undefined;
    const again = listener();
    feed.subscribePendingTransactions(again);
    await pollUntil(() => (options.transports === 'http' ? node.pool.openFilters === 1 : feed.upstreamSubscriptions === 2));
    node.addPending(pendingOf(10_000));
    await pollUntil(() => again.told.length === 1);
    expect(again.told).toEqual(hashes(10_000));
  });
});

test('listeners of pending transactions end with the feed, and nothing is left open', async () => {
  const { node, feed } = await startPendingFeed([SVC_FULL_PENDING_SUBSCRIPTION]);
  const heard = listener();
  feed.subscribePendingTransactions(heard);
  await pollUntil(() => feed.upstreamSubscriptions === 2);
  await feed.stop();
  expect(heard.ends.map(({ code }) => code)).toEqual(['SHUTTING_DOWN']);
  expect(feed.upstreamSubscriptions).toBe(1);
  node.addPending(pendingOf(1));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(heard.told).toEqual([]);
});
