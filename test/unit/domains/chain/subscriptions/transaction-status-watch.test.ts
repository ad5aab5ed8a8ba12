import { describe, expect, test } from '@jest/globals';
import type { TransactionStatusRoot } from '../../../../../src/domains/chain/subscriptions/transaction-status/stream.ts';
import { type StreamSubscriber, subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { withMovedClock } from '../../../../support/clock.ts';
import { type Relay, startRelay } from '../../../../support/proxies/relay.ts';
import { hex } from '../../../../support/simulator/chain.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import { type SimulatedTransaction, startTransactionStreams } from '../../../../support/subscriptions/transaction-streams.ts';
import { addressOf, hashOf, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const T: SimulatedTransaction = { hash: hashOf(0xaaa), from: addressOf(0xa), nonce: 4 };
const OTHER: SimulatedTransaction = { hash: hashOf(0xbbb), from: addressOf(0xa), nonce: 4 };

/** Each status with its confirmations, if it has any. */
const receivedStatuses = ({ events }: StreamSubscriber<TransactionStatusRoot>) =>
  events.map(({ root }) => [root.transactionStatus.status, root.transactionStatus.confirmations ?? []].flat().join(' '));
/** The subscriber, once it has a status. */
const started = async (client: StreamSubscriber<TransactionStatusRoot>) => {
  await client.waitForEvents(1);
  return client;
};
/** The streams of transactions whose lookups pass through a relay. */
async function startRelayedStreams(seed: number) {
  let relay!: Relay;
  const streams = await startTransactionStreams(seed, {}, async (url) => {
    relay = await startRelay(url);
    return relay.url;
  });
  return { ...streams, relay };
}
const last = (client: StreamSubscriber<TransactionStatusRoot>) => client.events.at(-1)!.root.transactionStatus;

describe('transactionStatus', () => {
  test('transactionStatus looks the transaction up at each head until it is mined, one request per lookup', async () => {
    const { node, pool, move, status } = await startTransactionStreams(1);
    const client = await started(status(T.hash, 4));
    pool.add(T);
    move(0, 1);
    await client.waitForEvents(2);
    move(0, 1, T);
    await client.waitForEvents(3);
    const before = node.reads.filter(({ over }) => over === 'http').length;
    move(0, 1);
    await client.waitForEvents(4);
    move(0, 2);
    expect(await client.waitForEnd()).toBe(true);
    expect(receivedStatuses(client)).toEqual(['UNKNOWN', 'PENDING', 'MINED 0x1', 'MINED 0x2', 'CONFIRMED 0x4']);
    expect(node.reads.filter(({ over }) => over === 'http')).toHaveLength(before);
    // Each lookup is one request: the block of the head, and the transaction.
    for (const { calls } of node.reads.filter(({ over }) => over === 'http')) {
      expect(calls.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_getTransactionByHash']);
    }
  });

  test('transactionStatus sends no lookup after the last subscriber left', async () => {
    const { node, move, status, caughtUp } = await startTransactionStreams(2);
    const clients = [status(T.hash), status(T.hash), status(hashOf(0xccc))];
    await Promise.all(clients.map((client) => client.waitForEvents(1)));
    for (const client of clients) client.stop();
    const before = node.callCounts.get('eth_getTransactionByHash');
    expect(before).toBe(2);
    move(0, 1);
    await caughtUp();
    move(0, 1);
    await caughtUp();
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(before);
  });

  test('transactionStatus continues for the others when one subscriber leaves', async () => {
    const { pool, move, status } = await startTransactionStreams(19);
    pool.add(T);
    const clients = [await started(status(T.hash)), await started(status(T.hash))] as const;
    clients[0].stop();
    move(0, 1, T);
    await clients[1].waitForEvents(2);
    expect(clients.map(receivedStatuses)).toEqual([['PENDING'], ['PENDING', 'MINED 0x1']]);
  });

  test('transactionStatus delivers the current status to each new subscriber and each change to all', async () => {
    const { pool, move, status, live } = await startTransactionStreams(3);
    pool.add(T);
    const early = await started(status(T.hash, 2));
    move(0, 1, T);
    await early.waitForEvents(2);
    const late = status(T.hash, 2);
    // A subscriber with another number of confirmations.
    const deep = subscribeToStream(live.transactionStatus(T.hash, 64));
    await Promise.all([late.waitForEvents(1), deep.waitForEvents(1)]);
    move(0, 1);
    await Promise.all([early.waitForEnd(), late.waitForEnd(), deep.waitForEvents(2)]);
    expect([receivedStatuses(early), receivedStatuses(late), receivedStatuses(deep)]).toEqual([
      ['PENDING', 'MINED 0x1', 'CONFIRMED 0x2'],
      ['MINED 0x1', 'CONFIRMED 0x2'],
      ['MINED 0x1', 'MINED 0x2'],
    ]);
    // A subscriber that joins when the confirmations are already reached.
    const done = status(T.hash, 1);
    expect(await done.waitForEnd()).toBe(true);
    expect(receivedStatuses(done)).toEqual(['CONFIRMED 0x2']);
    deep.stop();
  });

  test.each([
    ['the lookup at the new head succeeds', false],
    ['the lookup at the new head fails', true],
  ])('transactionStatus starts with PENDING for a transaction whose block a reorg has removed: %s', async (_case, fails) => {
    const { feed, node, respond, pool, move, status, caughtUp } = await startTransactionStreams(16);
    move(0, 1, T);
    await caughtUp();
    const early = await started(status(T.hash, 8));
    const joined = new Promise<StreamSubscriber<TransactionStatusRoot>>((resolve) => {
      feed.subscribeHeads({ next: ({ removed }) => removed.length > 0 && resolve(status(T.hash, 8)), end: () => {} });
    });
    node.intercept = (method, params) =>
      fails && method === 'eth_getTransactionByHash' ? { error: { code: -32000, message: 'refused' } } : respond(method, params);
    pool.add(T);
    move(1, 2);
    const late = await joined;
    await Promise.all([early.waitForEvents(2), late.waitForEvents(1)]);
    expect([early, late].map(receivedStatuses)).toEqual([['MINED 0x1', 'PENDING'], ['PENDING']]);
  });

  test.each([
    ['repeats a lookup that did not find the transaction, once', false, ['UNKNOWN', 'PENDING']],
    ['does not repeat a lookup that found the transaction', true, ['PENDING']],
  ])('transactionStatus %s for all subscribers that joined during it', async (_case, isFound, statuses) => {
    const { node, respond, status, pool } = await startTransactionStreams(14);
    if (isFound) pool.add(T);
    const joined: StreamSubscriber<TransactionStatusRoot>[] = [];
    node.intercept = (method, params) => {
      const response = respond(method, params);
      if (method === 'eth_getTransactionByHash' && joined.length < 3) {
        joined.push(status(T.hash), status(T.hash), status(T.hash));
        pool.add(T);
      }
      return response;
    };
    const first = status(T.hash);
    await first.waitForEvents(statuses.length);
    await Promise.all(joined.map((client) => client.waitForEvents(1)));
    await started(status(hashOf(0xccc)));
    expect([first, ...joined].map(receivedStatuses)).toEqual([statuses, ['PENDING'], ['PENDING'], ['PENDING']]);
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(statuses.length + 1);
  });

  test('transactionStatus looks an UNKNOWN transaction up again when a subscriber joins, without a new head', async () => {
    const { pool, status, node } = await startTransactionStreams(15);
    const early = await started(status(T.hash));
    pool.add(T);
    const late = [status(T.hash), status(T.hash)];
    await Promise.all([early.waitForEvents(2), ...late.map((client) => client.waitForEvents(1))]);
    const again = await started(status(T.hash));
    expect([early, ...late, again].map(receivedStatuses)).toEqual([
      ['UNKNOWN', 'PENDING'],
      ['PENDING'],
      ['PENDING'],
      ['PENDING'],
    ]);
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(2);
  });

  test('transactionStatus is MINED again, without PENDING in between, when a reorg moves the transaction to another block', async () => {
    const { pool, chain, move, status } = await startTransactionStreams(4);
    pool.add(T);
    const client = await started(status(T.hash, 9));
    move(0, 1, T);
    await client.waitForEvents(2);
    move(1, 1, T);
    await client.waitForEvents(3);
    expect(receivedStatuses(client)).toEqual(['PENDING', 'MINED 0x1', 'MINED 0x1']);
    expect(last(client).transaction!.blockHash).toBe(chain.head.hash);
  });

  test('transactionStatus is REPLACED with the hash of the replacement, or with null when it is not in the last 32 blocks', async () => {
    const { pool, move, status, node } = await startTransactionStreams(5);
    pool.add(T);
    const client = await started(status(T.hash));
    pool.delete(T);
    node.isMuted = true;
    move(
      0,
      1,
      { ...OTHER, hash: hashOf(0xcc1), nonce: OTHER.nonce - 1 },
      { ...OTHER, hash: hashOf(0xcc2), from: addressOf(0xc) },
    );
    move(0, 1, OTHER);
    node.isMuted = false;
    move(0, 30);
    expect(await client.waitForEnd()).toBe(true);
    expect(last(client)).toMatchObject({ status: 'REPLACED', replacedBy: OTHER.hash, transaction: null, confirmations: null });

    const another: SimulatedTransaction = { hash: hashOf(0xddd), from: addressOf(0xd), nonce: 0 };
    pool.add(another);
    const second = await started(status(another.hash));
    pool.delete(another);
    node.isMuted = true;
    move(0, 1, { ...another, hash: hashOf(0xeee) });
    node.isMuted = false;
    move(0, 32);
    expect(await second.waitForEnd()).toBe(true);
    expect(last(second)).toMatchObject({ status: 'REPLACED', replacedBy: null });
  });

  test('transactionStatus is DROPPED when the transaction is missing for three heads and 30 seconds and its nonce is unused', async () => {
    const { pool, move, status, node } = await startTransactionStreams(13);
    await withMovedClock(async (moveTo) => {
      pool.add(T);
      const client = await started(status(T.hash));
      pool.delete(T);
      for (let head = 1; head <= 3; head++) {
        move(0, 1, { ...T, hash: hashOf(0xccc), nonce: T.nonce - 1 });
        await pollUntil(() => node.callCounts.get('eth_getTransactionCount') === head);
      }
      expect(client.events).toHaveLength(1);
      moveTo(30_000);
      move(0, 1);
      expect(await client.waitForEnd()).toBe(true);
      expect(last(client)).toMatchObject({ status: 'DROPPED', transaction: null, replacedBy: null, confirmations: null });
    });
  });

  test('transactionStatus is MINED when a block contains the transaction although the node does not find its hash', async () => {
    const { pool, move, status, node, respond } = await startTransactionStreams(6);
    pool.add(T);
    const client = await started(status(T.hash, 3));
    node.intercept = (method, params) => (method === 'eth_getTransactionByHash' ? { result: null } : respond(method, params));
    move(0, 1, T);
    await client.waitForEvents(2);
    expect(receivedStatuses(client)[1]).toEqual('MINED 0x1');
  });
});

describe('transactionStatus with a lagging or failing node', () => {
  test('transactionStatus ignores a node without the head and repeats the lookup before the next head', async () => {
    const { pool, move, status, node, respond, chain } = await startTransactionStreams(7);
    pool.add(T);
    const client = await started(status(T.hash));
    let lacking = 3;
    node.intercept = (method, params) => {
      if (method === 'eth_getBlockByNumber' && params[0] === hex(chain.head.height) && lacking > 0) {
        lacking -= 1;
        return { result: null };
      }
      if (method === 'eth_getTransactionByHash' && lacking > 0) return { result: null };
      return respond(method, params);
    };
    move(0, 1, T);
    await client.waitForEvents(2);
    expect([receivedStatuses(client), lacking]).toEqual([['PENDING', 'MINED 0x1'], 0]);
    // The transaction did not count as missing: no nonce was requested.
    expect(node.callCounts.get('eth_getTransactionCount')).toBeUndefined();
  });

  test.each([
    ['returns null for', { result: null }, 'STALE_UPSTREAM', 8],
    ['does not find', { error: { code: -32_000, message: 'header not found' } }, 'STALE_UPSTREAM', 8],
    ['rejects the read of', { error: { code: -32_000, message: 'refused' } }, 'UPSTREAM_ERROR', 1],
  ])(
    'transactionStatus ends a subscription without a status when the node %s the block of the head',
    async (_case, response, code, lookups) => {
      const { status, node, respond } = await startTransactionStreams(8);
      node.intercept = (method, params) => (method === 'eth_getBlockByNumber' ? response : respond(method, params));
      expect(await status(T.hash).waitForEnd()).toMatchObject({ code });
      expect(node.callCounts.get('eth_getTransactionByHash')).toBe(lookups);
    },
  );

  test('transactionStatus ends a subscription when the server has no head', async () => {
    const { status, node } = await startTransactionStreams(8, { ready: false });
    expect(await status(T.hash).waitForEnd()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(node.callCounts.has('eth_getTransactionByHash')).toBe(false);
  });

  test.each([
    ['a transaction of the old head is counted to the new one', true, ['MINED 0x2'], 1],
    ['a transaction of the new head is looked up again', false, ['PENDING', 'MINED 0x1'], 2],
  ])('transactionStatus when the head changes during a lookup: %s', async (_case, isMined, statuses, lookups) => {
    const { relay, pool, move, status, node, caughtUp } = await startRelayedStreams(20);
    pool.add(T);
    if (isMined) move(0, 1, T);
    await caughtUp();
    relay.beforeCall = async ({ method }) => {
      if (method !== 'eth_getTransactionByHash') return;
      relay.beforeCall = undefined;
      move(0, 1, ...pool);
      await caughtUp();
    };
    const client = status(T.hash);
    await client.waitForEvents(statuses.length);
    await started(status(hashOf(0xccc)));
    expect(receivedStatuses(client)).toEqual(statuses);
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(lookups + 1);
  });

  test('transactionStatus discards lookup results for a head that a reorg removed meanwhile', async () => {
    const { relay, pool, move, status, chain, caughtUp } = await startRelayedStreams(15);
    pool.add(T);
    const heads: string[] = [];
    relay.beforeCall = async ({ method }) => {
      if (method !== 'eth_getTransactionByHash' || heads.length === 2) return;
      // A reorg removes the head before each of the first two responses.
      heads.push(chain.head.hash);
      move(1, 2);
      await caughtUp();
    };
    const client = await started(status(T.hash));
    expect(heads).toHaveLength(2);
    expect(client.events[0]).toMatchObject({ block: chain.head.hash, root: { transactionStatus: { status: 'PENDING' } } });
  });

  test('transactionStatus ignores a transaction in a block of another branch', async () => {
    const { pool, move, status, node, respond, chain } = await startTransactionStreams(9);
    pool.add(T);
    const client = await started(status(T.hash));
    const { removed } = move(1, 1, T);
    const removedBlock = removed[0]!;
    let lookups = 0;
    node.intercept = (method, params) => {
      if (method !== 'eth_getTransactionByHash' || lookups++ > 1) return respond(method, params);
      return {
        result: transactionFixture({ hash: T.hash, blockHash: removedBlock.hash, blockNumber: hex(removedBlock.height) }),
      };
    };
    await client.waitForEvents(2);
    expect(last(client)).toMatchObject({ status: 'MINED', transaction: { blockHash: chain.head.hash } });
    expect(lookups).toBeGreaterThan(2);
  });

  test('transactionStatus reports PENDING for a transaction in a block above the head', async () => {
    const { pool, move, status, node, respond, chain } = await startTransactionStreams(10);
    pool.add(T);
    const above = { blockHash: hashOf(0xf00), blockNumber: hex(chain.head.height + 1) };
    node.intercept = (method, params) =>
      method === 'eth_getTransactionByHash'
        ? { result: transactionFixture({ hash: T.hash, ...above }) }
        : respond(method, params);
    const client = await started(status(T.hash));
    expect(last(client)).toMatchObject({ status: 'PENDING', transaction: { hash: T.hash, blockHash: null, blockNumber: null } });
    node.intercept = respond;
    move(0, 1, T);
    await client.waitForEvents(2);
    expect(receivedStatuses(client)[1]).toEqual('MINED 0x1');
  });

  test('transactionStatus ends a subscription without a status when a lookup fails, and still reports the removal of a block to others', async () => {
    const { pool, move, status, node, respond } = await startTransactionStreams(11);
    pool.add(T);
    const client = await started(status(T.hash, 9));
    move(0, 1, T);
    await client.waitForEvents(2);
    node.intercept = (method, params) =>
      method === 'eth_getTransactionByHash' ? { error: { code: -32000, message: 'no' } } : respond(method, params);
    expect(await status(hashOf(0xccc)).waitForEnd()).toMatchObject({ code: expect.stringMatching(/^UPSTREAM/) });
    move(1, 2, T);
    await client.waitForEvents(3);
    node.intercept = respond;
    move(0, 1);
    await client.waitForEvents(4);
    expect(receivedStatuses(client)).toEqual(['PENDING', 'MINED 0x1', 'PENDING', 'MINED 0x2']);
  });
});

describe('transactionStatus while the node rejects lookups', () => {
  const REJECTED = { error: { code: -32000, message: 'rejected' } };

  /** A client that received PENDING, then a new head with the transaction, and a node that rejects lookups. */
  async function startRejecting(seed: number, timing: { readonly sourceTimeoutMs?: number } = {}) {
    const setup = await startTransactionStreams(seed, { timing });
    const { node, pool, move, respond } = setup;
    pool.add(T);
    const client = setup.status(T.hash);
    await client.waitForEvents(1);
    const reads = () => node.callCounts.get('eth_getTransactionByHash')!;
    const before = reads();
    node.intercept = (method, params) => (method === 'eth_getTransactionByHash' ? REJECTED : respond(method, params));
    move(0, 1, T);
    return { ...setup, client, reads: () => reads() - before };
  }

  test('transactionStatus retries without a new head and ends with the retryable error of the node', async () => {
    const since = performance.now();
    const { feed, client, reads, status, node, respond } = await startRejecting(17, { sourceTimeoutMs: 300 });
    await pollUntil(() => feed.sourceHealth.failing.length > 0);
    expect(feed.sourceHealth.failing).toMatchObject([{ source: 'transactionStatus', error: { code: 'UPSTREAM_ERROR' } }]);
    expect(await client.waitForEnd()).toMatchObject({ code: 'UPSTREAM_ERROR', extensions: { retryable: true, rpcCode: -32000 } });
    expect(performance.now() - since).toBeGreaterThanOrEqual(300);
    expect(reads()).toBeGreaterThan(2);
    expect([receivedStatuses(client), feed.sourceHealth.failing]).toEqual([['PENDING'], []]);
    // A later subscription is not affected.
    node.intercept = respond;
    const again = await started(status(T.hash));
    expect(receivedStatuses(again)).toEqual(['MINED 0x1']);
  });

  test('transactionStatus can be watched again while its subscription ends', async () => {
    const { live, client, move, status, node, respond } = await startRejecting(19, { sourceTimeoutMs: 100 });
    const ended = new Promise<StreamSubscriber<TransactionStatusRoot>>((resolve) => {
      const end = () => {
        node.intercept = respond;
        resolve(status(T.hash, 9));
        stop();
      };
      const stop = live.transactionStatus(T.hash, 9).subscribe({ next() {}, end });
    });
    client.stop();
    const again = await started(await ended);
    move(0, 1);
    await again.waitForEvents(2);
    expect(receivedStatuses(again)).toEqual(['MINED 0x1', 'MINED 0x2']);
  });

  test('transactionStatus does not report the failed lookup of a subscriber that has left', async () => {
    const { feed, status, node, respond } = await startTransactionStreams(21);
    const [leaving, staying] = [status(T.hash), status(hashOf(0xccc))];
    node.intercept = (method, params) => {
      if (method !== 'eth_getTransactionByHash' || params[0] !== T.hash) return respond(method, params);
      leaving.stop();
      return REJECTED;
    };
    await staying.waitForEvents(1);
    expect(feed.sourceHealth.failing).toEqual([]);
  });

  test('transactionStatus delivers the current status without a new head once the node responds again', async () => {
    const { feed, client, reads, node, respond } = await startRejecting(18);
    await pollUntil(() => reads() > 1);
    node.intercept = respond;
    await client.waitForEvents(2);
    expect([receivedStatuses(client)[1], feed.sourceHealth.failing]).toEqual(['MINED 0x1', []]);
  });
});

test('transactionStatus continues after a gap and looks all transactions up again', async () => {
  const { pool, move, status, node, chain, caughtUp } = await startTransactionStreams(16);
  const other: SimulatedTransaction = { hash: hashOf(0xccc), from: addressOf(0xc), nonce: 0 };
  pool.add(T).add(other);
  const [one, two] = [status(T.hash, 64), status(other.hash, 64)];
  await Promise.all([one.waitForEvents(1), two.waitForEvents(1)]);
  move(0, 1, T);
  await one.waitForEvents(2);
  node.disconnect('reset');
  node.upgradeRefusalStatus = 503;
  move(0, 1, other);
  move(0, 1_100);
  node.upgradeRefusalStatus = undefined;
  await caughtUp();
  await Promise.all([one.waitForEnd(), two.waitForEnd()]);
  expect([receivedStatuses(one), receivedStatuses(two)]).toEqual([
    ['PENDING', 'MINED 0x1', `CONFIRMED ${hex(1_102)}`],
    ['PENDING', `CONFIRMED ${hex(1_101)}`],
  ]);
  expect(chain.head.height).toBe(1_142);
});

test('transactionStatus watches at most 10,000 transactions', async () => {
  const { live, node } = await startTransactionStreams(13);
  const watch = (i: number) => live.transactionStatus(hashOf(i), 1).subscribe({ next() {}, end() {} });
  const stops = Array.from({ length: 10_000 }, (_none, i) => watch(i));
  const limit = { code: 'TOO_MANY_SUBSCRIPTIONS', extensions: expect.objectContaining({ limit: 10_000, retryable: true }) };
  expect(() => watch(10_000)).toThrow(expect.objectContaining(limit));
  expect(await live.waitUntilMined(hashOf(10_000), 60_000, new AbortController().signal)).toBeNull();
  stops.push(watch(9_999));
  stops.shift()!();
  stops.push(watch(10_000));
  for (const stop of stops) stop();
  await new Promise(setImmediate);
  expect(node.callCounts.has('eth_getTransactionByHash')).toBe(false);
});

test('transactionStatus ends with SHUTTING_DOWN, and rejects an invalid number of confirmations', async () => {
  const { feed, status, live } = await startTransactionStreams(12);
  const client = await started(status(T.hash));
  await feed.stop();
  expect(await client.waitForEnd()).toMatchObject({ code: 'SHUTTING_DOWN' });
  for (const wrong of [0, -1, 65]) {
    const error = { code: 'BAD_USER_INPUT', extensions: expect.objectContaining({ limit: 64, actual: wrong }) };
    expect(() => live.transactionStatus(T.hash, wrong)).toThrow(expect.objectContaining(error));
  }
});

test('transactionStatus sends a terminal status once to a subscriber that joined during the first lookup', async () => {
  const { node, respond, status, move, caughtUp } = await startTransactionStreams(31);
  let joined: StreamSubscriber<TransactionStatusRoot> | undefined;
  let lookups = 0;
  node.intercept = (method, params) => {
    if (method !== 'eth_getTransactionByHash') return respond(method, params);
    lookups += 1;
    if (lookups > 1) return respond(method, params);
    joined = status(T.hash, 1);
    return { result: null };
  };
  move(0, 1, T);
  await caughtUp();
  const first = status(T.hash, 1);
  await first.waitForEnd();
  await joined!.waitForEnd();
  expect([first, joined!].map(receivedStatuses)).toEqual([['UNKNOWN', 'CONFIRMED 0x1'], ['CONFIRMED 0x1']]);
});

test('transactionStatus sends a status to a subscriber that joins after a reorg removed the block, before the lookup', async () => {
  const { pool, move, status, feed, caughtUp } = await startRelayedStreams(32);
  move(0, 1, T);
  await caughtUp();
  const deep = status(T.hash, 8);
  await deep.waitForEvents(1);
  const joined = new Promise<StreamSubscriber<TransactionStatusRoot>>((resolve) => {
    feed.subscribeHeads({ next: ({ removed }) => removed.length > 0 && resolve(status(T.hash, 1)), end: () => {} });
  });
  pool.add(T);
  move(1, 2);
  const late = await joined;
  await Promise.all([deep.waitForEvents(2), late.waitForEvents(1)]);
  expect([receivedStatuses(deep), receivedStatuses(late), late.ended]).toEqual([
    ['MINED 0x1', 'PENDING'],
    ['PENDING'],
    undefined,
  ]);
});

test('transactionStatus does not report PENDING when a lookup fails after a gap without a reorg', async () => {
  let relay!: Relay;
  const timing = { sourceRetryMs: 50 };
  const { pool, move, status, node, caughtUp } = await startTransactionStreams(16, { timing }, async (url) => {
    relay = await startRelay(url);
    return relay.url;
  });
  pool.add(T);
  const client = status(T.hash, 64);
  await client.waitForEvents(1);
  move(0, 1, T);
  await client.waitForEvents(2);
  node.disconnect('reset');
  node.upgradeRefusalStatus = 503;
  move(0, 1_100);
  node.upgradeRefusalStatus = undefined;
  let failures = 0;
  relay.beforeCall = ({ method }) => {
    if (method === 'eth_getTransactionByHash' && failures++ < 4) throw new Error('the node is away');
  };
  await caughtUp();
  await client.waitForEnd();
  expect(failures).toBeGreaterThan(0);
  expect(client.events.map(({ root }) => root.transactionStatus.status)).toEqual(['PENDING', 'MINED', 'CONFIRMED']);
});
