import { describe, expect, test } from '@jest/globals';
import type { GraphError } from '../../../src/errors.ts';
import type { RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import { HASHES, pendingOf, SVC, WHOLE } from '../../support/simulator/pool.ts';
import { type FeedWorldOptions, feedOver, until } from '../../support/subscriptions/feed.ts';

const METHODS = ['svc_newFullPendingTransactions', 'alchemy_newFullPendingTransactions'];

async function world(kinds: readonly (readonly unknown[])[], options: FeedWorldOptions & { filters?: boolean } = {}) {
  const { filters = false, ...rest } = options;
  const chain = new SimChain({ seed: 1 });
  chain.mine(3);
  const made = await feedOver(chain, { methods: METHODS, ...rest });
  made.node.pool.kinds = kinds;
  made.node.pool.filters = filters;
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

const count = ({ asked }: SimNode, method: string): number => asked.get(method) ?? 0;
const hashes = (...numbers: number[]) => numbers.map((n) => pendingOf(n).hash);

describe('pending transactions are told', () => {
  test.each([
    ['by the first method of the list', [SVC, WHOLE, HASHES], 2],
    ['by another method of the list', [['alchemy_newFullPendingTransactions'], WHOLE, HASHES], 3],
    ['whole by the standard method', [WHOLE, HASHES], 4],
    ['by their hashes, which are looked up', [HASHES], 5],
  ] as const)('%s', async (_case, kinds, subscribes) => {
    const { node, feed } = await world(kinds);
    const heard = listener();
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.pending(heard);
    await until(() => feed.upstreamSubscriptions === 2);
    for (const n of [1, 2, 3]) node.pend(pendingOf(n));
    await until(() => heard.told.length === 3);
    expect(heard.told).toEqual(hashes(1, 2, 3));
    expect(count(node, 'eth_subscribe')).toBe(subscribes);
    expect(count(node, 'eth_getTransactionByHash')).toBe(kinds[0] === HASHES ? 3 : 0);
  });

  test('from one subscription however many listen, and one send looks up what came together', async () => {
    const { node, feed } = await world([HASHES], { methods: [] });
    const all = Array.from({ length: 50 }, listener);
    for (const one of all) feed.pending(one);
    await until(() => feed.upstreamSubscriptions === 2);
    for (let n = 1; n <= 40; n++) node.pend(pendingOf(n));
    await until(() => all.every(({ told }) => told.length === 40));
    // One for the heads; whole ones that it has not; hashes.
    expect(count(node, 'eth_subscribe')).toBe(3);
    const lookups = node.reads.filter(({ calls }) => calls[0]!.method === 'eth_getTransactionByHash');
    expect(lookups.flatMap(({ calls }) => calls)).toHaveLength(40);
    expect(lookups.length).toBeLessThan(5);
  });

  test('once, however often they are announced, and not at all when they are nothing', async () => {
    const { node, feed } = await world([HASHES], { methods: [] });
    const heard = listener();
    feed.pending(heard);
    await until(() => feed.upstreamSubscriptions === 2);
    node.pend(pendingOf(1));
    node.pend(pendingOf(1));
    node.pend({ hash: '0x12' });
    node.pend({ hash: null as never });
    await until(() => heard.told.length === 1);
    node.pend(pendingOf(1));
    node.pend(pendingOf(2));
    await until(() => heard.told.length === 2);
    expect(heard.told).toEqual(hashes(1, 2));
    expect(count(node, 'eth_getTransactionByHash')).toBe(2);
  });

  test('over each new connection, by what that one has', async () => {
    const { node, feed } = await world([SVC]);
    const heard = listener();
    feed.pending(heard);
    await until(() => feed.upstreamSubscriptions === 2);
    node.pend(pendingOf(1));
    await until(() => heard.told.length === 1);
    node.pool.kinds = [WHOLE];
    node.cut('reset');
    await until(() => feed.upstreamSubscriptions === 0);
    await until(() => feed.upstreamSubscriptions === 2);
    node.pend(pendingOf(1));
    node.pend(pendingOf(2));
    await until(() => heard.told.length === 2);
    expect(heard.told).toEqual(hashes(1, 2));
    // Heads and one; then heads, two refusals and one.
    expect(count(node, 'eth_subscribe')).toBe(2 + 4);
  });

  test('until the last listener has been gone for a while; what a connection has is not found out again', async () => {
    const { node, feed } = await world([WHOLE], { lingerMs: 40 });
    const [first, second, third] = [listener(), listener(), listener()];
    const stopFirst = feed.pending(first);
    await until(() => feed.upstreamSubscriptions === 2);
    stopFirst();
    const stopSecond = feed.pending(second);
    node.pend(pendingOf(1));
    await until(() => second.told.length === 1);
    expect([first.told.length, count(node, 'eth_subscribe')]).toEqual([0, 4]);
    stopSecond();
    await until(() => count(node, 'eth_unsubscribe') === 1);
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.pending(third);
    await until(() => feed.upstreamSubscriptions === 2);
    expect(count(node, 'eth_subscribe')).toBe(5);
  });
});

describe('without a WebSocket', () => {
  test('a filter is polled, and made anew when the node has forgotten it', async () => {
    const { node, feed } = await world([], { ways: 'http', filters: true, lingerMs: 0 });
    const heard = listener();
    const stop = feed.pending(heard);
    await until(() => node.pool.open === 1);
    node.pend(pendingOf(1));
    node.pend(pendingOf(2));
    await until(() => heard.told.length === 2);
    node.pool.restart();
    await until(() => node.pool.open === 1);
    node.pend(pendingOf(3));
    await until(() => heard.told.length === 3);
    expect(heard.told).toEqual(hashes(1, 2, 3));
    expect(feed.upstreamSubscriptions).toBe(0);
    stop();
    await until(() => node.pool.open === 0);
  });

  test('and without filters listeners end', async () => {
    const { feed } = await world([], { ways: 'http' });
    const heard = listener();
    feed.pending(heard);
    expect(heard.ends).toEqual([]);
    await until(() => heard.ends.length > 0);
    expect(heard.ends.map(({ code }) => code)).toEqual(['METHOD_NOT_SUPPORTED']);
  });

  test('for a while, a filter is polled until there is one again', async () => {
    const { node, feed } = await world([SVC], { ways: 'both', filters: true });
    const heard = listener();
    feed.pending(heard);
    await until(() => feed.upstreamSubscriptions === 2);
    node.refuse = 503;
    node.cut('close');
    await until(() => node.pool.open === 1);
    node.pend(pendingOf(1));
    await until(() => heard.told.length === 1);
    node.refuse = undefined;
    await until(() => feed.upstreamSubscriptions === 2);
    await until(() => node.pool.open === 0);
    node.pend(pendingOf(2));
    await until(() => heard.told.length === 2);
    expect(heard.ends).toEqual([]);
  });
});

test('a WebSocket that is away for a while is waited for where there are no filters', async () => {
  const { node, feed, follower } = await world([SVC], { ways: 'both' });
  const heard = listener();
  feed.pending(heard);
  await until(() => feed.upstreamSubscriptions === 2);
  node.refuse = 503;
  node.cut('close');
  await until(() => follower.status.transport === 'polling');
  await until(() => count(node, 'eth_newPendingTransactionFilter') === 1);
  node.refuse = undefined;
  await until(() => feed.upstreamSubscriptions === 2);
  node.pend(pendingOf(1));
  await until(() => heard.told.length === 1);
  expect(heard.ends).toEqual([]);
});

describe('over a WebSocket that announces nothing pending', () => {
  test('a filter is polled over HTTP', async () => {
    const { node, feed } = await world([], { ways: 'both', filters: true });
    const heard = listener();
    feed.pending(heard);
    await until(() => node.pool.open === 1);
    node.pend(pendingOf(1));
    await until(() => heard.told.length === 1);
    expect(feed.upstreamSubscriptions).toBe(1);
  });

  test('listeners end where there are no filters either, and so does whoever comes next', async () => {
    const { node, feed } = await world([]);
    for (const subscribes of [5, 5]) {
      const heard = listener();
      feed.pending(heard);
      await until(() => heard.ends.length > 0);
      expect(heard.ends.map(({ code }) => code)).toEqual(['METHOD_NOT_SUPPORTED']);
      expect(count(node, 'eth_subscribe')).toBe(subscribes);
    }
  });
});

describe('a node that refuses what pending transactions are read by', () => {
  const limited = { error: { code: -32005, message: 'slow down' } };

  test.each<[string, readonly (readonly unknown[])[], FeedWorldOptions & { filters?: boolean }, string]>([
    ['filters', [], { ways: 'http', filters: true }, 'eth_newPendingTransactionFilter'],
    ['hashes that are looked up', [HASHES], { ways: 'ws', methods: [] }, 'eth_getTransactionByHash'],
  ])('is shown as failing, and after long the listeners end with its error: %s', async (_case, kinds, options, method) => {
    const { node, feed } = await world(kinds, { ...options, timing: { sourceEnd: 500 } });
    node.answer = (asked) => (asked === method ? limited : undefined);
    const heard = listener();
    feed.pending(heard);
    let n = 0;
    const pending = setInterval(() => node.pend(pendingOf(++n)), 20);
    try {
      await until(() => feed.sources.failing.length > 0);
      expect(feed.sources.failing).toMatchObject([{ source: 'pendingTransactions', error: { code: 'UPSTREAM_RATE_LIMITED' } }]);
      expect(heard.ends).toEqual([]);
      await until(() => heard.ends.length > 0);
      expect(heard.ends).toMatchObject([{ code: 'UPSTREAM_RATE_LIMITED', extensions: { retryable: true } }]);
      await until(() => feed.sources.failing.length === 0);
    } finally {
      clearInterval(pending);
    }
    node.answer = undefined;
    const again = listener();
    feed.pending(again);
    await until(() => (options.ways === 'http' ? node.pool.open === 1 : feed.upstreamSubscriptions === 2));
    node.pend(pendingOf(10_000));
    await until(() => again.told.length === 1);
    expect(again.told).toEqual(hashes(10_000));
  });
});

test('listeners of pending transactions end with the feed, and nothing is left open', async () => {
  const { node, feed } = await world([SVC]);
  const heard = listener();
  feed.pending(heard);
  await until(() => feed.upstreamSubscriptions === 2);
  await feed.stop();
  expect(heard.ends.map(({ code }) => code)).toEqual(['SHUTTING_DOWN']);
  expect(feed.upstreamSubscriptions).toBe(1);
  node.pend(pendingOf(1));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(heard.told).toEqual([]);
});
