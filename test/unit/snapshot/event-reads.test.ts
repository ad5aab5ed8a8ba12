import { describe, expect, test } from '@jest/globals';
import { createEventReads, type EventReads } from '../../../src/snapshot/event-reads.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { Head } from '../../../src/sync/feed.ts';
import { hashOf } from '../../support/graph/stubbed-graph.ts';

const [A, B, C] = [hashOf(0xa), hashOf(0xb), hashOf(0xc)] as const;
const blockRef = (hash: string) => ({ number: '0x1', hash });

/** A store over a feed that remembers every block but those that the test forgets. */
function openReads(maxBytes?: number) {
  const forgotten = new Set<string>();
  const feed = { recentBlock: (hash: string) => (forgotten.has(hash) ? undefined : ({ hash } as Head)) };
  return { reads: createEventReads(feed, maxBytes), forgotten };
}

const added = (reads: EventReads, block: string) => reads.cacheFor({ block, cursor: 'c', removed: false }, undefined);
const removed = (reads: EventReads, ...abandoned: string[]) =>
  reads.cacheFor({ cursor: 'c', removed: true, abandoned }, undefined);

describe('the reads of an event', () => {
  test('serve the event that removes its block, and no other one', () => {
    const { reads } = openReads();
    added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(A));
    added(reads, A).set('block', { size: '0x2' });
    expect(removed(reads, A).get('transaction')).toMatchObject({ value: { nonce: '0x1' } });
    expect(removed(reads, A).get('block')).toMatchObject({ value: { size: '0x2' } });
    expect(removed(reads, B).get('transaction')).toBeUndefined();
    expect(added(reads, A).get('transaction')).toBeUndefined();
  });

  test('are recorded when the shared cache serves them', () => {
    const { reads } = openReads();
    const shared = createRpcResultCache(10_000, undefined);
    shared.set('block', { size: '0x2' });
    expect(reads.cacheFor({ block: A, cursor: 'c' }, shared).get('block')).toMatchObject({ value: { size: '0x2' } });
    expect(removed(reads, A).get('block')).toMatchObject({ value: { size: '0x2' } });
  });

  test('leave out a transaction that was found in another block', () => {
    const { reads } = openReads();
    added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(B));
    expect(removed(reads, A).get('transaction')).toBeUndefined();
  });

  test('by the hash of a transaction do not serve an event about both branches of a reorg', () => {
    const { reads } = openReads();
    added(reads, A).set('transaction', { nonce: '0x1' }, blockRef(A));
    added(reads, A).set('block', { size: '0x2' });
    const reorg = reads.cacheFor({ block: B, abandoned: [A] }, undefined);
    expect([reorg.get('transaction'), reorg.get('block')]).toMatchObject([undefined, { value: { size: '0x2' } }]);
  });

  test('are recorded only for events that a later event can take back', () => {
    const { reads } = openReads();
    reads.cacheFor({ block: A }, undefined).set('block', { size: '0x2' });
    expect(reads.status).toEqual({ bytes: 0, blocks: 0 });
  });

  test('are dropped with blocks that the feed no longer remembers', () => {
    const { reads, forgotten } = openReads();
    for (const hash of [A, B]) added(reads, hash).set('block', { hash });
    forgotten.add(A);
    added(reads, C).set('block', { hash: C });
    expect([A, B, C].map((hash) => removed(reads, hash).get('block') !== undefined)).toEqual([false, true, true]);
    expect(reads.status.blocks).toBe(2);
  });

  test('are dropped oldest first above the bound in bytes', () => {
    const { reads } = openReads(5_000);
    for (let n = 1; n <= 100; n++) added(reads, hashOf(n)).set('block', { data: 'x'.repeat(1_000) });
    expect(reads.status.bytes).toBeLessThanOrEqual(5_000);
    expect(reads.status.blocks).toBe(4);
    expect(removed(reads, hashOf(100)).get('block')).toBeDefined();
    expect(removed(reads, hashOf(1)).get('block')).toBeUndefined();
  });
});
