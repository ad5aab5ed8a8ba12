import { expect, test } from '@jest/globals';
import { createEventReads, type EventReads } from '../../../src/snapshot/event-reads.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { Head } from '../../../src/sync/feed.ts';
import { UNSYNCED_FOLLOWER } from '../../support/graph/unsynced-follower.ts';
import { hashOf } from '../../support/upstream/rpc-fixtures.ts';

const [A, B, C] = [hashOf(0xa), hashOf(0xb), hashOf(0xc)] as const;
const blockRef = (hash: string) => ({ number: '0x1', hash });

/** A store over a feed that has every block except the blocks in `evicted`. */
function createReads(maxBytes?: number) {
  const evicted = new Set<string>();
  const feed = { recentBlock: (hash: string) => (evicted.has(hash) ? undefined : ({ hash } as Head)) };
  return { reads: createEventReads(feed, maxBytes), evicted };
}

const added = (reads: EventReads, block: string) => reads.cacheFor({ block, cursor: 'c', removed: false }, undefined);
const removed = (reads: EventReads, ...abandoned: string[]) =>
  reads.cacheFor({ cursor: 'c', removed: true, abandoned }, undefined);

test('event reads serve the event that removes their block, and no other event', () => {
  const { reads } = createReads();
  added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(A));
  added(reads, A).set('block', { size: '0x2' });
  expect(removed(reads, A).get('transaction')).toMatchObject({ value: { nonce: '0x1' } });
  expect(removed(reads, A).get('block')).toMatchObject({ value: { size: '0x2' } });
  expect(removed(reads, B).get('transaction')).toBeUndefined();
  expect(added(reads, A).get('transaction')).toBeUndefined();
});

test('event reads are recorded when the shared cache serves them', () => {
  const { reads } = createReads();
  const shared = createRpcResultCache(10_000, UNSYNCED_FOLLOWER);
  shared.set('block', { size: '0x2' });
  expect(reads.cacheFor({ block: A, cursor: 'c' }, shared).get('block')).toMatchObject({ value: { size: '0x2' } });
  expect(removed(reads, A).get('block')).toMatchObject({ value: { size: '0x2' } });
});

test('event reads leave out a transaction that was found in another block', () => {
  const { reads } = createReads();
  added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(B));
  expect(removed(reads, A).get('transaction')).toBeUndefined();
});

test('event reads by transaction hash do not serve an event about both branches of a reorg', () => {
  const { reads } = createReads();
  added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(A));
  added(reads, A).set('block', { size: '0x2' });
  const reorg = reads.cacheFor({ block: B, abandoned: [A] }, undefined);
  expect([reorg.get('transaction'), reorg.get('block')]).toMatchObject([undefined, { value: { size: '0x2' } }]);
});

test('event reads are recorded only for events that a later event can revert', () => {
  const { reads } = createReads();
  reads.cacheFor({ block: A }, undefined).set('block', { size: '0x2' });
  expect(reads.status).toEqual({ bytes: 0, blocks: 0 });
});

test('event reads are evicted with blocks that the feed has evicted', () => {
  const { reads, evicted } = createReads();
  for (const hash of [A, B]) added(reads, hash).set('block', { hash });
  evicted.add(A);
  added(reads, C).set('block', { hash: C });
  expect([A, B, C].map((hash) => removed(reads, hash).get('block') !== undefined)).toEqual([false, true, true]);
  expect(reads.status.blocks).toBe(2);
});

test('event reads are evicted oldest block first above the limit in bytes', () => {
  const { reads } = createReads(5_000);
  for (let n = 1; n <= 100; n++) added(reads, hashOf(n)).set('block', { data: 'x'.repeat(1_000) });
  expect(reads.status.bytes).toBeLessThanOrEqual(5_000);
  expect(reads.status.blocks).toBe(4);
  expect(removed(reads, hashOf(100)).get('block')).toBeDefined();
  expect(removed(reads, hashOf(1)).get('block')).toBeUndefined();
});
