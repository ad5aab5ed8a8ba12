import { describe, expect, test } from '@jest/globals';
import type { TransactionStatusRoot } from '../../../../../src/domains/chain/subscriptions/transaction-status/stream.ts';
import { type StreamSubscriber, subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { addressOf, hashOf, transactionFixture } from '../../../../support/graph/stubbed-graph.ts';
import { type Relay, startRelay } from '../../../../support/proxies/relay.ts';
import { hex } from '../../../../support/simulator/chain.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import { type SimulatedTransaction, startTransactionStreams } from '../../../../support/subscriptions/transaction-streams.ts';

const T: SimulatedTransaction = { hash: hashOf(0xaaa), from: addressOf(0xa), nonce: 4 };
const OTHER: SimulatedTransaction = { hash: hashOf(0xbbb), from: addressOf(0xa), nonce: 4 };

const receivedStatuses = ({ events }: StreamSubscriber<TransactionStatusRoot>) =>
  events.map(({ root: { transactionStatus } }) => [transactionStatus.status, transactionStatus.confirmations]);
const last = (client: StreamSubscriber<TransactionStatusRoot>) => client.events.at(-1)!.root.transactionStatus;

describe('a watched transaction', () => {
  test('is looked for with each head until it lies in a block, and then no more', async () => {
    const { node, pool, move, status } = await startTransactionStreams(1);
    const client = status(T.hash, 4);
    await client.waitForEvents(1);
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
    expect(receivedStatuses(client)).toEqual([
      ['UNKNOWN', null],
      ['PENDING', null],
      ['MINED', '0x1'],
      ['MINED', '0x2'],
      ['CONFIRMED', '0x4'],
    ]);
    expect(node.reads.filter(({ over }) => over === 'http')).toHaveLength(before);
    // Each look is one request: whether the node has the head, and where the transaction is.
    for (const { calls } of node.reads.filter(({ over }) => over === 'http')) {
      expect(calls.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_getTransactionByHash']);
    }
  });

  test('is asked for by nobody when nobody watches any more', async () => {
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

  test('is told of from its present state to each who joins, and of each change to all', async () => {
    const { pool, move, status, live } = await startTransactionStreams(3);
    pool.add(T);
    const early = status(T.hash, 2);
    await early.waitForEvents(1);
    move(0, 1, T);
    await early.waitForEvents(2);
    const late = status(T.hash, 2);
    // Others may want more of the same.
    const deep = subscribeToStream(live.transactionStatus(T.hash, 64));
    await Promise.all([late.waitForEvents(1), deep.waitForEvents(1)]);
    move(0, 1);
    await Promise.all([early.waitForEnd(), late.waitForEnd(), deep.waitForEvents(2)]);
    expect([receivedStatuses(early), receivedStatuses(late), receivedStatuses(deep)]).toEqual([
      [
        ['PENDING', null],
        ['MINED', '0x1'],
        ['CONFIRMED', '0x2'],
      ],
      [
        ['MINED', '0x1'],
        ['CONFIRMED', '0x2'],
      ],
      [
        ['MINED', '0x1'],
        ['MINED', '0x2'],
      ],
    ]);
    // One who joins a watch that has it already as deep as he wants.
    const done = status(T.hash, 1);
    expect(await done.waitForEnd()).toBe(true);
    expect(receivedStatuses(done)).toEqual([['CONFIRMED', '0x2']]);
    deep.stop();
  });

  test('is requested once more for all subscribers that join during a look which does not find it', async () => {
    const { node, answer, status } = await startTransactionStreams(14);
    const joined: StreamSubscriber<TransactionStatusRoot>[] = [];
    node.intercept = (method, params) => {
      if (method === 'eth_getTransactionByHash' && joined.length < 3) joined.push(status(T.hash), status(T.hash), status(T.hash));
      return answer(method, params);
    };
    await status(T.hash).waitForEvents(1);
    await Promise.all(joined.map((client) => client.waitForEvents(1)));
    await status(hashOf(0xccc)).waitForEvents(1);
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(3);
  });

  test('is requested when a subscriber joins, so that it starts as PENDING without a new head although others know it as UNKNOWN', async () => {
    const { pool, status, node } = await startTransactionStreams(15);
    const early = status(T.hash);
    await early.waitForEvents(1);
    pool.add(T);
    const late = [status(T.hash), status(T.hash)];
    await Promise.all([early.waitForEvents(2), ...late.map((client) => client.waitForEvents(1))]);
    const again = status(T.hash);
    await again.waitForEvents(1);
    expect([early, ...late, again].map(receivedStatuses)).toEqual([
      [
        ['UNKNOWN', null],
        ['PENDING', null],
      ],
      [['PENDING', null]],
      [['PENDING', null]],
      [['PENDING', null]],
    ]);
    expect(node.callCounts.get('eth_getTransactionByHash')).toBe(2);
  });

  test('starts as MINED when it was mined in the head that it was UNKNOWN at before', async () => {
    const { chain, pool, status, node, answer, move, caughtUp } = await startTransactionStreams(16);
    node.intercept = (method, params) => (method === 'eth_getTransactionByHash' ? { result: null } : answer(method, params));
    pool.add(T);
    move(0, 1, T);
    await caughtUp();
    const early = status(T.hash, 3);
    await early.waitForEvents(1);
    node.intercept = answer;
    const late = status(T.hash, 3);
    await late.waitForEvents(1);
    expect([receivedStatuses(early)[0], receivedStatuses(late)]).toEqual([['UNKNOWN', null], [['MINED', '0x1']]]);
    expect(last(late).transaction!.blockHash).toBe(chain.head.hash);
  });

  test('that a reorg moves to another block is MINED there, without having been PENDING', async () => {
    const { pool, chain, move, status } = await startTransactionStreams(4);
    pool.add(T);
    const client = status(T.hash, 9);
    await client.waitForEvents(1);
    move(0, 1, T);
    await client.waitForEvents(2);
    move(1, 1, T);
    await client.waitForEvents(3);
    expect(receivedStatuses(client)).toEqual([
      ['PENDING', null],
      ['MINED', '0x1'],
      ['MINED', '0x1'],
    ]);
    expect(last(client).transaction!.blockHash).toBe(chain.head.hash);
  });

  test('is REPLACED by what has its nonce, however many blocks came at once, and by nobody where that is not to be found', async () => {
    const { pool, move, status, node } = await startTransactionStreams(5);
    pool.add(T);
    const client = status(T.hash);
    await client.waitForEvents(1);
    pool.delete(T);
    node.isMuted = true;
    move(0, 1, OTHER);
    node.isMuted = false;
    move(0, 3);
    expect(await client.waitForEnd()).toBe(true);
    expect(last(client)).toMatchObject({ status: 'REPLACED', replacedBy: OTHER.hash, transaction: null, confirmations: null });

    const another: SimulatedTransaction = { hash: hashOf(0xddd), from: addressOf(0xd), nonce: 0 };
    pool.add(another);
    const second = status(another.hash);
    await second.waitForEvents(1);
    pool.delete(another);
    node.isMuted = true;
    move(0, 1, { ...another, hash: hashOf(0xeee) });
    node.isMuted = false;
    move(0, 40);
    expect(await second.waitForEnd()).toBe(true);
    expect(last(second)).toMatchObject({ status: 'REPLACED', replacedBy: null });
  });

  test('that nobody knows any more is DROPPED after three heads and half a minute, its nonce still free', async () => {
    const { pool, move, status, node } = await startTransactionStreams(13);
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    try {
      pool.add(T);
      const client = status(T.hash);
      await client.waitForEvents(1);
      pool.delete(T);
      for (let head = 1; head <= 3; head++) {
        move(0, 1);
        await pollUntil(() => node.callCounts.get('eth_getTransactionCount') === head);
      }
      expect(client.events).toHaveLength(1);
      later = 30_000;
      move(0, 1);
      expect(await client.waitForEnd()).toBe(true);
      expect(last(client)).toMatchObject({ status: 'DROPPED', transaction: null, replacedBy: null, confirmations: null });
    } finally {
      performance.now = now;
    }
  });

  test('that only its block knows, and not the node by its hash, is MINED', async () => {
    const { pool, move, status, node, answer } = await startTransactionStreams(6);
    pool.add(T);
    const client = status(T.hash, 3);
    await client.waitForEvents(1);
    node.intercept = (method, params) => (method === 'eth_getTransactionByHash' ? { result: null } : answer(method, params));
    move(0, 1, T);
    await client.waitForEvents(2);
    expect(receivedStatuses(client)[1]).toEqual(['MINED', '0x1']);
  });
});

describe('a node that', () => {
  test('does not have the head yet is believed nothing, and asked again before the next head', async () => {
    const { pool, move, status, node, answer, chain } = await startTransactionStreams(7);
    pool.add(T);
    const client = status(T.hash);
    await client.waitForEvents(1);
    let lacking = 3;
    node.intercept = (method, params) => {
      if (method === 'eth_getBlockByNumber' && params[0] === hex(chain.head.height) && lacking > 0) {
        lacking -= 1;
        return { result: null };
      }
      if (method === 'eth_getTransactionByHash' && lacking > 0) return { result: null };
      return answer(method, params);
    };
    move(0, 1, T);
    await client.waitForEvents(2);
    expect([receivedStatuses(client), lacking]).toEqual([
      [
        ['PENDING', null],
        ['MINED', '0x1'],
      ],
      0,
    ]);
    // It is not lost by that either: nobody asks for a nonce.
    expect(node.callCounts.get('eth_getTransactionCount')).toBeUndefined();
  });

  test('never gets the head is STALE_UPSTREAM for who does not know anything yet', async () => {
    const { status, node, answer } = await startTransactionStreams(8);
    node.intercept = (method, params) => (method === 'eth_getBlockByNumber' ? { result: null } : answer(method, params));
    expect(await status(T.hash).waitForEnd()).toMatchObject({ code: 'STALE_UPSTREAM' });
  });

  test('tells about a head that the chain leaves meanwhile is believed nothing', async () => {
    let relay!: Relay;
    const { pool, move, status, chain, caughtUp } = await startTransactionStreams(15, {}, async (url) => {
      relay = await startRelay(url);
      return relay.url;
    });
    pool.add(T);
    const heads: string[] = [];
    relay.beforeCall = async ({ method }) => {
      if (method !== 'eth_getTransactionByHash' || heads.length === 2) return;
      // Each of the first two answers is about a head that is gone when it comes.
      heads.push(chain.head.hash);
      move(1, 2);
      await caughtUp();
    };
    const client = status(T.hash);
    await client.waitForEvents(1);
    expect(heads).toHaveLength(2);
    expect(client.events[0]).toMatchObject({ block: chain.head.hash, root: { transactionStatus: { status: 'PENDING' } } });
  });

  test('has it in a block of another branch is believed nothing', async () => {
    const { pool, move, status, node, answer, chain } = await startTransactionStreams(9);
    pool.add(T);
    const client = status(T.hash);
    await client.waitForEvents(1);
    const { removed } = move(1, 1, T);
    const astray = removed[0]!;
    let asked = 0;
    node.intercept = (method, params) => {
      if (method !== 'eth_getTransactionByHash' || asked++ > 1) return answer(method, params);
      return { result: transactionFixture({ hash: T.hash, blockHash: astray.hash, blockNumber: hex(astray.height) }) };
    };
    await client.waitForEvents(2);
    expect(last(client)).toMatchObject({ status: 'MINED', transaction: { blockHash: chain.head.hash } });
    expect(asked).toBeGreaterThan(2);
  });

  test('is ahead of the head has it pending, as of the head', async () => {
    const { pool, move, status, node, answer, chain } = await startTransactionStreams(10);
    pool.add(T);
    const above = { blockHash: hashOf(0xf00), blockNumber: hex(chain.head.height + 1) };
    node.intercept = (method, params) =>
      method === 'eth_getTransactionByHash' ? { result: transactionFixture({ hash: T.hash, ...above }) } : answer(method, params);
    const client = status(T.hash);
    await client.waitForEvents(1);
    expect(last(client)).toMatchObject({ status: 'PENDING', transaction: { hash: T.hash, blockHash: null, blockNumber: null } });
    node.intercept = answer;
    move(0, 1, T);
    await client.waitForEvents(2);
    expect(receivedStatuses(client)[1]).toEqual(['MINED', '0x1']);
  });

  test('fails ends who does not know anything yet, and for the others says no more than that a block was taken away', async () => {
    const { pool, move, status, node, answer } = await startTransactionStreams(11);
    pool.add(T);
    const client = status(T.hash, 9);
    await client.waitForEvents(1);
    move(0, 1, T);
    await client.waitForEvents(2);
    node.intercept = (method, params) =>
      method === 'eth_getTransactionByHash' ? { error: { code: -32000, message: 'no' } } : answer(method, params);
    expect(await status(hashOf(0xccc)).waitForEnd()).toMatchObject({ code: expect.stringMatching(/^UPSTREAM/) });
    move(1, 2, T);
    await client.waitForEvents(3);
    node.intercept = answer;
    move(0, 1);
    await client.waitForEvents(4);
    expect(receivedStatuses(client)).toEqual([
      ['PENDING', null],
      ['MINED', '0x1'],
      ['PENDING', null],
      ['MINED', '0x2'],
    ]);
  });
});

describe('a watched transaction that the node refuses to read', () => {
  const REFUSED = { error: { code: -32000, message: 'refused' } };

  /** A client that has seen the transaction as PENDING, then a new head with it, and a node that refuses to return it. */
  async function refused(seed: number, timing: { readonly sourceTimeoutMs?: number; readonly sourceRetryMs: number }) {
    const world = await startTransactionStreams(seed, { timing });
    const { node, pool, move, answer } = world;
    pool.add(T);
    const client = world.status(T.hash);
    await client.waitForEvents(1);
    const reads = () => node.callCounts.get('eth_getTransactionByHash')!;
    const before = reads();
    node.intercept = (method, params) => (method === 'eth_getTransactionByHash' ? REFUSED : answer(method, params));
    move(0, 1, T);
    return { ...world, client, reads: () => reads() - before };
  }

  test('is requested again without a new head until its subscription ends with the retryable error of the node', async () => {
    const since = performance.now();
    const { feed, client, reads, status, node, answer } = await refused(17, { sourceTimeoutMs: 300, sourceRetryMs: 20 });
    await pollUntil(() => feed.sourceHealth.failing.length > 0);
    expect(feed.sourceHealth.failing).toMatchObject([{ source: 'transactionStatus', error: { code: 'UPSTREAM_ERROR' } }]);
    expect(await client.waitForEnd()).toMatchObject({ code: 'UPSTREAM_ERROR', extensions: { retryable: true, rpcCode: -32000 } });
    expect(performance.now() - since).toBeGreaterThanOrEqual(300);
    expect(reads()).toBeGreaterThan(2);
    expect([receivedStatuses(client), feed.sourceHealth.failing]).toEqual([[['PENDING', null]], []]);
    // Whoever subscribes again afterwards is served as if nothing had been.
    node.intercept = answer;
    const again = status(T.hash);
    await again.waitForEvents(1);
    expect(receivedStatuses(again)).toEqual([['MINED', '0x1']]);
  });

  test('has its present status without a new head once the node returns it again', async () => {
    const { feed, client, reads, node, answer } = await refused(18, { sourceRetryMs: 20 });
    await pollUntil(() => reads() > 1);
    node.intercept = answer;
    await client.waitForEvents(2);
    expect([receivedStatuses(client)[1], feed.sourceHealth.failing]).toEqual([['MINED', '0x1'], []]);
  });
});

test('goes on over a gap in what is known of the chain: all is looked for anew', async () => {
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
  move(0, 2_000);
  node.upgradeRefusalStatus = undefined;
  await caughtUp();
  await Promise.all([one.waitForEnd(), two.waitForEnd()]);
  expect([receivedStatuses(one), receivedStatuses(two)]).toEqual([
    [
      ['PENDING', null],
      ['MINED', '0x1'],
      ['CONFIRMED', hex(2_002)],
    ],
    [
      ['PENDING', null],
      ['CONFIRMED', hex(2_001)],
    ],
  ]);
  expect(chain.head.height).toBe(2_042);
});

test('ends with the server, and refuses what is no number of confirmations', async () => {
  const { feed, status, live } = await startTransactionStreams(12);
  const client = status(T.hash);
  await client.waitForEvents(1);
  await feed.stop();
  expect(await client.waitForEnd()).toMatchObject({ code: 'SHUTTING_DOWN' });
  for (const wrong of [0, -1, 65]) {
    expect(() => live.transactionStatus(T.hash, wrong)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
  }
});
