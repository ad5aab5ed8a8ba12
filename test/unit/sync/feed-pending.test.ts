import { describe, expect, jest, test } from '@jest/globals';
import type { RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { GraphError } from '../../../src/lib/errors.ts';
import type { Follower } from '../../../src/sync/head/follower.ts';
import { FOLLOWER_TIMING } from '../../../src/sync/head/timing.ts';
import { createPendingTransactionFeed, fullTransactionSubscriptions } from '../../../src/sync/pending/pending-transactions.ts';
import { SourceHealth } from '../../../src/sync/source-health.ts';
import type { NodeConnection } from '../../../src/upstream/rpc/websocket/connection.ts';
import { withMovedClock } from '../../support/clock.ts';
import { log } from '../../support/silent-log.ts';
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
  const chain = new SimChain({ seed: 1, blocks: 3 });
  const setup = await startFeed(chain, { fullTransactionSubscriptions: METHODS, ...rest });
  setup.node.pool.supportedSubscriptions = kinds;
  setup.node.pool.supportsFilters = filters;
  return setup;
}

function createRecorder() {
  const received: string[] = [];
  const ends: GraphError[] = [];
  return {
    received,
    ends,
    next: (transaction: RpcTransaction) => void received.push(transaction.hash),
    end: (error: GraphError) => void ends.push(error),
  };
}

/** A feed with one listener, whose subscription to pending transactions is open. */
async function subscribe(kinds: readonly (readonly unknown[])[], options: Parameters<typeof startPendingFeed>[1] = {}) {
  const setup = await startPendingFeed(kinds, options);
  const recorder = createRecorder();
  const stop = setup.feed.subscribePendingTransactions(recorder);
  await pollUntil(() => setup.feed.upstreamSubscriptions === 2);
  return { ...setup, recorder, stop };
}

test.each([
  ['auto', ['svc_newFullPendingTransactions', 'alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions']],
  ['svc', ['svc_newFullPendingTransactions']],
  ['alchemy', ['alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions']],
  ['plain', []],
] as const)('NODE_METHODS %s tries these subscriptions to full pending transactions: %j', (prefix, names) => {
  expect(fullTransactionSubscriptions(prefix)).toEqual(names);
});

const count = ({ callCounts }: SimNode, method: string): number => callCounts.get(method) ?? 0;
const hashes = (...numbers: number[]) => numbers.map((n) => pendingOf(n).hash);

describe('pending transaction subscription', () => {
  test.each([
    [
      'the first configured subscription',
      [SVC_FULL_PENDING_SUBSCRIPTION, FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION],
      2,
    ],
    [
      'the second configured subscription',
      [['alchemy_newFullPendingTransactions'], FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION],
      3,
    ],
    ['newPendingTransactions with full transactions', [FULL_PENDING_SUBSCRIPTION, PENDING_HASHES_SUBSCRIPTION], 4],
    ['newPendingTransactions with hashes', [PENDING_HASHES_SUBSCRIPTION], 5],
  ] as const)('pending transactions arrive over %s', async (_case, kinds, subscribes) => {
    const { node, feed } = await startPendingFeed(kinds);
    const recorder = createRecorder();
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.subscribePendingTransactions(recorder);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    for (const n of [1, 2, 3]) node.addPending(pendingOf(n));
    await pollUntil(() => recorder.received.length === 3);
    expect(recorder.received).toEqual(hashes(1, 2, 3));
    expect(count(node, 'eth_subscribe')).toBe(subscribes);
    expect(count(node, 'eth_getTransactionByHash')).toBe(kinds[0] === PENDING_HASHES_SUBSCRIPTION ? 3 : 0);
  });

  test('pending transactions cost one upstream subscription for 50 listeners and batched reads of their hashes', async () => {
    const { node, feed } = await startPendingFeed([PENDING_HASHES_SUBSCRIPTION], { fullTransactionSubscriptions: [] });
    const all = Array.from({ length: 50 }, createRecorder);
    for (const one of all) feed.subscribePendingTransactions(one);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    for (let n = 1; n <= 40; n++) node.addPending(pendingOf(n));
    await pollUntil(() => all.every(({ received }) => received.length === 40));
    // newHeads, the unsupported full subscription, and the hash subscription.
    expect(count(node, 'eth_subscribe')).toBe(3);
    const lookups = node.reads.filter(({ calls }) => calls[0]!.method === 'eth_getTransactionByHash');
    expect(lookups.flatMap(({ calls }) => calls)).toHaveLength(40);
    expect(lookups.length).toBeLessThan(5);
  });

  test('pending transactions are emitted once, and malformed announcements are ignored', async () => {
    const { node, recorder } = await subscribe([PENDING_HASHES_SUBSCRIPTION], { fullTransactionSubscriptions: [] });
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(1));
    node.addPending({ hash: '0x12' });
    node.addPending({ hash: null as never });
    await pollUntil(() => recorder.received.length === 1);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => recorder.received.length === 2);
    expect(recorder.received).toEqual(hashes(1, 2));
    expect(count(node, 'eth_getTransactionByHash')).toBe(2);
  });

  test('pending transactions continue over a new connection with the subscription that it supports', async () => {
    const { node, feed, recorder } = await subscribe([SVC_FULL_PENDING_SUBSCRIPTION]);
    node.addPending(pendingOf(1));
    await pollUntil(() => recorder.received.length === 1);
    node.pool.supportedSubscriptions = [FULL_PENDING_SUBSCRIPTION];
    node.disconnect('reset');
    await pollUntil(() => feed.upstreamSubscriptions === 0);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => recorder.received.length === 2);
    expect(recorder.received).toEqual(hashes(1, 2));
    // First connection: newHeads and one subscription. Second: newHeads, two rejected subscriptions and one accepted.
    expect(count(node, 'eth_subscribe')).toBe(2 + 4);
  });

  test('pending transaction subscription is closed after the linger time and reopened without probing the connection again', async () => {
    const { node, feed } = await startPendingFeed([FULL_PENDING_SUBSCRIPTION], { lingerMs: 40 });
    const [first, second, third] = [createRecorder(), createRecorder(), createRecorder()];
    const stopFirst = feed.subscribePendingTransactions(first);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    stopFirst();
    const stopSecond = feed.subscribePendingTransactions(second);
    node.addPending(pendingOf(1));
    await pollUntil(() => second.received.length === 1);
    expect([first.received.length, count(node, 'eth_subscribe')]).toEqual([0, 4]);
    stopSecond();
    await pollUntil(() => count(node, 'eth_unsubscribe') === 1);
    expect(feed.upstreamSubscriptions).toBe(1);
    feed.subscribePendingTransactions(third);
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    expect(count(node, 'eth_subscribe')).toBe(5);
  });
});

describe('pending transactions without a WebSocket', () => {
  /** A node over HTTP that loses the filter, after which the feed creates another filter. */
  const pollLostFilter = async () => {
    const { node, feed } = await startPendingFeed([], { transports: 'http', filters: true, lingerMs: 0 });
    const recorder = createRecorder();
    const stop = feed.subscribePendingTransactions(recorder);
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    node.addPending(pendingOf(2));
    await pollUntil(() => recorder.received.length === 2);
    node.pool.restart();
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(3));
    await pollUntil(() => recorder.received.length === 3);
    expect(recorder.received).toEqual(hashes(1, 2, 3));
    expect(feed.upstreamSubscriptions).toBe(0);
    stop();
    await pollUntil(() => node.pool.openFilters === 0);
  };
  /** A node whose WebSocket is disconnected for a while. */
  const pollWhileDisconnected = async () => {
    const { node, feed, recorder } = await subscribe([SVC_FULL_PENDING_SUBSCRIPTION], { transports: 'both', filters: true });
    node.upgradeRefusalStatus = 503;
    node.disconnect('close');
    await pollUntil(() => node.pool.openFilters === 1);
    node.addPending(pendingOf(1));
    await pollUntil(() => recorder.received.length === 1);
    node.upgradeRefusalStatus = undefined;
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    await pollUntil(() => node.pool.openFilters === 0);
    node.addPending(pendingOf(2));
    await pollUntil(() => recorder.received.length === 2);
    expect(recorder.ends).toEqual([]);
  };
  /** A node without filters whose WebSocket is disconnected for a while. */
  const waitForConnection = async () => {
    const { node, feed, follower, recorder } = await subscribe([SVC_FULL_PENDING_SUBSCRIPTION], { transports: 'both' });
    node.upgradeRefusalStatus = 503;
    node.disconnect('close');
    await pollUntil(() => follower.status.transport === 'polling');
    await pollUntil(() => count(node, 'eth_newPendingTransactionFilter') >= 1);
    node.upgradeRefusalStatus = undefined;
    await pollUntil(() => feed.upstreamSubscriptions === 2);
    node.addPending(pendingOf(1));
    await pollUntil(() => recorder.received.length === 1);
    expect(recorder.ends).toEqual([]);
  };

  // Concurrently, because each case waits for a second before the next attempt.
  test('pending transactions are polled from a filter that is recreated when it is lost, or wait for the WebSocket without filters', async () => {
    await Promise.all([pollLostFilter(), pollWhileDisconnected(), waitForConnection()]);
  });
});

describe('WebSocket without pending transaction subscriptions', () => {
  test('pending transaction subscriptions end with METHOD_NOT_SUPPORTED when the node has neither subscriptions nor filters', async () => {
    const { node, feed } = await startPendingFeed([]);
    for (const subscribes of [5, 5]) {
      const recorder = createRecorder();
      feed.subscribePendingTransactions(recorder);
      await pollUntil(() => recorder.ends.length > 0);
      expect(recorder.ends.map(({ code }) => code)).toEqual(['METHOD_NOT_SUPPORTED']);
      expect(count(node, 'eth_subscribe')).toBe(subscribes);
    }
  });
});

const limited = { error: { code: -32005, message: 'slow down' } };

test.each<[string, readonly (readonly unknown[])[], FeedSetupOptions & { filters?: boolean }, string]>([
  ['the filter', [], { transports: 'http', filters: true }, 'eth_newPendingTransactionFilter'],
  [
    'reads of announced hashes',
    [PENDING_HASHES_SUBSCRIPTION],
    { transports: 'ws', fullTransactionSubscriptions: [] },
    'eth_getTransactionByHash',
  ],
])(
  'pending transaction subscription ends with the upstream error after sourceTimeoutMs of failures of %s',
  async (_case, kinds, options, method) => {
    const { node, feed } = await startPendingFeed(kinds, { ...options, timing: { sourceTimeoutMs: 500 } });
    node.intercept = (calledMethod) => (calledMethod === method ? limited : undefined);
    const warn = jest.spyOn(log, 'warn');
    const recorder = createRecorder();
    feed.subscribePendingTransactions(recorder);
    let n = 0;
    const pending = setInterval(() => node.addPending(pendingOf(++n)), 20);
    try {
      await pollUntil(() => feed.sourceHealth.failing.length > 0);
      expect(feed.sourceHealth.failing).toMatchObject([
        { source: 'pendingTransactions', error: { code: 'UPSTREAM_RATE_LIMITED' } },
      ]);
      expect(recorder.ends).toEqual([]);
      await pollUntil(() => recorder.ends.length > 0);
      expect(recorder.ends).toMatchObject([{ code: 'UPSTREAM_RATE_LIMITED', extensions: { retryable: true } }]);
      await pollUntil(() => feed.sourceHealth.failing.length === 0);
      const warnings = warn.mock.calls.filter(([, text]) => String(text).startsWith('reading the pending transactions'));
      expect(warnings).toHaveLength(options.transports === 'http' ? 1 : 0);
    } finally {
      warn.mockRestore();
      clearInterval(pending);
    }
    node.intercept = undefined;
    const again = createRecorder();
    feed.subscribePendingTransactions(again);
    await pollUntil(() => (options.transports === 'http' ? node.pool.openFilters === 1 : feed.upstreamSubscriptions === 2));
    node.addPending(pendingOf(10_000));
    await pollUntil(() => again.received.length === 1);
    expect(again.received).toEqual(hashes(10_000));
  },
);

test('pending transactions survive an internal error of a node when their filter is created', async () => {
  const { node, feed } = await startPendingFeed([], { transports: 'http', filters: true });
  let isFailing = true;
  const internalError = { error: { code: -32_603, message: 'internal error' } };
  node.intercept = (method) => (isFailing && method === 'eth_newPendingTransactionFilter' ? internalError : undefined);
  const recorder = createRecorder();
  feed.subscribePendingTransactions(recorder);
  await pollUntil(() => feed.sourceHealth.failing.length > 0 || recorder.ends.length > 0);
  expect(recorder.ends).toEqual([]);
  isFailing = false;
  await pollUntil(() => node.pool.openFilters === 1);
  node.addPending(pendingOf(1));
  await pollUntil(() => recorder.received.length === 1);
});

test('pending transactions survive an internal error of a node when they are subscribed to', async () => {
  let announce: ((event: unknown) => void) | undefined;
  let subscribes = 0;
  const connection = {
    ended: new Promise(() => {}),
    async subscribe([kind]: readonly unknown[], onEvent: (event: unknown) => void) {
      subscribes += 1;
      if (subscribes <= 2) throw new GraphError('UPSTREAM_INTERNAL', `no ${kind}`);
      announce = onEvent;
      return () => {};
    },
  } as unknown as NodeConnection;
  const recorder = createRecorder();
  const pending = createPendingTransactionFeed({
    follower: { connection, onConnection: () => () => {}, status: {} as Follower['status'], window: undefined },
    ...{ createSource: undefined, timing: FOLLOWER_TIMING, sourceHealth: new SourceHealth(), log },
    ...{ fullTransactionSubscriptions: [], emit: recorder.next, fail: recorder.end },
  });
  pending.start();
  await pollUntil(() => announce !== undefined || recorder.ends.length > 0);
  expect([recorder.ends, subscribes]).toEqual([[], 3]);
  pending.stop();
  await pending.close();
});

test('a failed read of a pending transaction counts for ten seconds, because it is not repeated', async () => {
  const { node, feed } = await subscribe([PENDING_HASHES_SUBSCRIPTION], { fullTransactionSubscriptions: [] });
  node.intercept = (method) =>
    method === 'eth_getTransactionByHash' ? { error: { code: -32_000, message: 'busy' } } : undefined;
  node.addPending(pendingOf(1));
  await pollUntil(() => feed.sourceHealth.failing.length > 0);
  await withMovedClock(async (moveTo) => {
    moveTo(10_000);
    expect(feed.sourceHealth.failing).toEqual([]);
  });
});
