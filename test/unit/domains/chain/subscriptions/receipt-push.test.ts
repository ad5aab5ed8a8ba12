import { expect, test } from '@jest/globals';
import type { TransactionStatusRoot } from '../../../../../src/domains/chain/subscriptions/transaction-status/stream.ts';
import type { StreamSubscriber } from '../../../../support/clients/stream-subscriber.ts';
import { hex } from '../../../../support/simulator/chain.ts';
import { announcementOf, GETH } from '../../../../support/simulator/rpc-simulator.ts';
import type { SimBlock } from '../../../../support/simulator/view.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import { type SimulatedTransaction, startTransactionStreams } from '../../../../support/subscriptions/transaction-streams.ts';
import { addressOf, hashOf, receiptFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const T: SimulatedTransaction = { hash: hashOf(0xaaa), from: addressOf(0xa), nonce: 4 };

const statusesOf = ({ events }: StreamSubscriber<TransactionStatusRoot>) =>
  events.map(({ root: { transactionStatus } }) => [transactionStatus.status, transactionStatus.confirmations]);
const last = (client: StreamSubscriber<TransactionStatusRoot>) => client.events.at(-1)!.root.transactionStatus;

const receiptIn = (block: SimBlock, changes: Record<string, unknown> = {}) =>
  receiptFixture({
    transactionHash: T.hash,
    from: T.from,
    blockHash: block.hash,
    blockNumber: hex(block.height),
    effectiveGasPrice: '0x77',
    ...changes,
  });

/** A watched transaction that is pending, on a node that pushes receipts. */
async function startPendingWatch(seed: number, supportsReceipts = true) {
  const streams = await startTransactionStreams(seed);
  const { node, pool, status } = streams;
  node.supportsReceipts = supportsReceipts;
  pool.add(T);
  const client = status(T.hash, 5);
  await client.waitForEvents(1);
  if (supportsReceipts) await pollUntil(() => node.receiptSubscriptions().includes(T.hash));
  const lookups = () => node.callCounts.get('eth_getTransactionByHash') ?? 0;
  const httpReads = () => node.reads.filter(({ over }) => over === 'http').length;
  return { ...streams, client, lookups, httpReads };
}

test('transactionStatus reports a transaction as mined by a pushed receipt, without any request', async () => {
  const { chain, node, client, move, httpReads } = await startPendingWatch(1);
  const before = httpReads();
  move(0, 1, T);
  node.pushReceipts([receiptIn(chain.head)]);
  await client.waitForEvents(2);
  move(0, 1);
  await client.waitForEvents(3);
  expect(statusesOf(client)).toEqual([
    ['PENDING', null],
    ['MINED', '0x1'],
    ['MINED', '0x2'],
  ]);
  const { hash: blockHash, height } = chain.head.parent!;
  expect(last(client).transaction).toMatchObject({ hash: T.hash, blockHash, blockNumber: hex(height), gasPrice: '0x77' });
  expect(httpReads()).toBe(before);
});

test('transactionStatus applies a receipt that arrives before the head of its block', async () => {
  const { chain, node, client, move, httpReads } = await startPendingWatch(2);
  const before = httpReads();
  node.isMuted = true;
  move(0, 1, T);
  node.isMuted = false;
  node.pushReceipts([receiptIn(chain.head)]);
  node.announce(announcementOf(chain.head, GETH));
  await client.waitForEvents(2);
  expect(statusesOf(client).at(-1)).toEqual(['MINED', '0x1']);
  expect(httpReads()).toBe(before);
});

test('transactionStatus looks the transaction up when no receipt arrives', async () => {
  const { client, move, lookups } = await startPendingWatch(3);
  move(0, 1);
  await pollUntil(() => lookups() === 2);
  move(0, 1, T);
  await client.waitForEvents(2);
  expect(statusesOf(client)).toEqual([
    ['PENDING', null],
    ['MINED', '0x1'],
  ]);
  expect(lookups()).toBe(3);
});

test.each<[string, (head: SimBlock) => unknown]>([
  ['of another transaction', (head) => [receiptIn(head, { transactionHash: hashOf(0xbbb) })]],
  ['of another sender', (head) => [receiptIn(head, { from: addressOf(0xb) })]],
  ['of an unknown block', (head) => [receiptIn(head, { blockHash: hashOf(0xdead) })]],
  ['with another height than its block', (head) => [receiptIn(head, { blockNumber: hex(head.height + 1) })]],
  ['without a price', (head) => [receiptIn(head, { effectiveGasPrice: null })]],
  ['with a log of another transaction', (head) => [receiptIn(head, { logs: [{ transactionHash: hashOf(1) }] })]],
  ['with another bloom than that of its logs', (head) => [receiptIn(head, { logsBloom: `0x${'0'.repeat(511)}1` })]],
  ['that is no object', () => ['secret', 7, null]],
])('transactionStatus ignores a pushed receipt %s and looks the transaction up', async (_case, receipts) => {
  const { chain, node, client, move, lookups, caughtUp } = await startPendingWatch(4);
  move(0, 1);
  node.pushReceipts(receipts(chain.head));
  await caughtUp();
  await pollUntil(() => lookups() === 2);
  move(0, 1, T);
  await client.waitForEvents(2);
  expect(statusesOf(client)).toEqual([
    ['PENDING', null],
    ['MINED', '0x1'],
  ]);
  expect(lookups()).toBe(3);
});

test('transactionStatus ignores the receipt of a removed block and applies that of the new block', async () => {
  const { chain, node, client, move, lookups } = await startPendingWatch(5);
  move(0, 1, T);
  const removed = chain.head;
  node.pushReceipts([receiptIn(removed)]);
  await client.waitForEvents(2);
  move(1, 2);
  node.pushReceipts([receiptIn(removed)]);
  await client.waitForEvents(3);
  const before = lookups();
  move(0, 1, T);
  node.pushReceipts([receiptIn(chain.head)]);
  await client.waitForEvents(4);
  expect(statusesOf(client)).toEqual([
    ['PENDING', null],
    ['MINED', '0x1'],
    ['PENDING', null],
    ['MINED', '0x1'],
  ]);
  expect(last(client).transaction?.blockHash).toBe(chain.head.hash);
  expect(lookups()).toBe(before);
});

test('transactionStatus of a node without receipt subscriptions tries one per connection', async () => {
  const { node, pool, status, move, client, lookups } = await startPendingWatch(6, false);
  const others = [0xb, 0xc, 0xd].map((n) => ({ hash: hashOf(n), from: addressOf(n), nonce: 1 }));
  for (const other of others) pool.add(other);
  await Promise.all(others.map(({ hash }) => status(hash).waitForEvents(1)));
  const before = lookups();
  move(0, 1, T);
  await client.waitForEvents(2);
  expect(lookups()).toBe(before + 1 + others.length);
  // One for new heads.
  expect(node.callCounts.get('eth_subscribe')).toBe(2);
});

test('transactionStatus looks the transaction up while disconnected and subscribes again over the next connection', async () => {
  const { chain, node, client, move, lookups, httpReads } = await startPendingWatch(7);
  node.disconnect('reset');
  move(0, 1);
  await pollUntil(() => lookups() >= 2 && node.receiptSubscriptions().includes(T.hash));
  const before = httpReads();
  move(0, 1, T);
  node.pushReceipts([receiptIn(chain.head)]);
  await client.waitForEvents(2);
  expect(statusesOf(client).at(-1)).toEqual(['MINED', '0x1']);
  expect(httpReads()).toBe(before);
});

test('transactionStatus ends the receipt subscription with its last subscriber', async () => {
  const { node, client, status, caughtUp, move } = await startPendingWatch(8);
  const other = status(T.hash);
  await other.waitForEvents(1);
  client.stop();
  expect(node.receiptSubscriptions()).toEqual([T.hash]);
  other.stop();
  await pollUntil(() => node.receiptSubscriptions().length === 0);
  const before = node.callCounts.get('eth_getTransactionByHash');
  move(0, 1);
  await caughtUp();
  expect(node.callCounts.get('eth_getTransactionByHash')).toBe(before);
  expect(node.callCounts.get('eth_unsubscribe')).toBe(1);
});

test('a mined transaction needs no receipt subscription', async () => {
  const { node, status, move, caughtUp } = await startTransactionStreams(9);
  node.supportsReceipts = true;
  move(0, 1, T);
  await caughtUp();
  const client = status(T.hash, 5);
  await client.waitForEvents(1);
  expect(statusesOf(client)).toEqual([['MINED', '0x1']]);
  expect(node.receiptSubscriptions()).toEqual([]);
});
