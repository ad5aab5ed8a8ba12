import { describe, expect, test } from '@jest/globals';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { ChainChange, Follower, Head } from '../../../src/sync/head/follower.ts';
import { UNSYNCED_FOLLOWER } from '../../support/graph/unsynced-follower.ts';

const hex = (n: number) => `0x${n.toString(16)}`;
const hashOf = (height: number, branch = 'a') => `0x${branch}${height.toString(16).padStart(63, '0')}`;

const headAt = (height: number, branch = 'a'): Head => {
  const own = { hash: hashOf(height, branch), number: hex(height), parentHash: hashOf(height - 1, branch) };
  return { ...own, height, header: own };
};

const range = (from: number, to: number, branch?: string): Head[] =>
  Array.from({ length: to - from + 1 }, (_none, i) => headAt(from + i, branch));

/** A follower whose window reaches from one height to another, and that a test drives. */
function scriptedFollower(from: number, to: number) {
  let window: Head[] = range(from, to);
  let isConfirmed = true;
  let emit: (change: ChainChange) => void = () => {};
  const canonical = () => (isConfirmed ? window : []);
  const follower = {
    get head() {
      return canonical().at(-1);
    },
    get settledBelow() {
      return canonical()[0]?.height;
    },
    hashAt: (number: string) => canonical().find((head) => head.number === number)?.hash,
    headerOf: (hash: string) => canonical().find((head) => head.hash === hash),
    subscribe(listener: (change: ChainChange) => void) {
      emit = listener;
      return () => {};
    },
  } as unknown as Follower;
  return {
    follower,
    /** Replaces the last `depth` blocks. */
    reorg(depth: number, added: Head[]) {
      const removed = window.slice(window.length - depth).reverse();
      window = [...window.slice(0, window.length - depth), ...added];
      emit({ removed, added, hasGap: false });
    },
    /** Drops the first blocks of the window. */
    evict(blocks: number) {
      window = window.slice(blocks);
    },
    /** Replaces the window after a gap: removed blocks are not reported. */
    jump(heads: Head[]) {
      window = heads;
      emit({ removed: [], added: heads.slice(-1), hasGap: true });
    },
    loseHead: () => {
      isConfirmed = false;
    },
    confirmHead: () => {
      isConfirmed = true;
    },
  };
}

/** A cache over a chain with these heights. */
const cacheOver = (from: number, to: number) => {
  const chain = scriptedFollower(from, to);
  return { chain, cache: createRpcResultCache(10_000, chain.follower) };
};

const blockRefAt = (height: number, branch?: string) => ({ number: hex(height), hash: hashOf(height, branch) });

test('a result without a block stays cached through reorgs, gaps and a lost head', () => {
  const { chain, cache } = cacheOver(1, 10);
  cache.set('fact', { a: 1 });
  chain.reorg(9, range(2, 12, 'b'));
  chain.jump(range(90, 99));
  chain.loseHead();
  expect(cache.get('fact')).toMatchObject({ value: { a: 1 } });
  const unsynced = createRpcResultCache(10_000, UNSYNCED_FOLLOWER);
  unsynced.set('fact', 'b');
  expect(unsynced.get('fact')).toMatchObject({ value: 'b' });
});

describe('a result that depends on a block', () => {
  test('a result that depends on a block is served while the block is canonical', () => {
    const { chain, cache } = cacheOver(1, 10);
    cache.set('low', 'l', blockRefAt(5));
    cache.set('high', 'h', blockRefAt(9));
    chain.reorg(3, range(8, 11, 'b'));
    expect(cache.get('low')).toMatchObject({ value: 'l' });
    expect(cache.get('high')).toBeUndefined();
  });

  test('a result that depends on a block is served again when a reorg restores the block', () => {
    const { chain, cache } = cacheOver(1, 10);
    cache.set('high', 'h', blockRefAt(9));
    chain.reorg(3, range(8, 11, 'b'));
    chain.reorg(4, range(8, 12));
    expect(cache.get('high')).toMatchObject({ value: 'h' });
  });

  test.each<[string, { number: string; hash: string }]>([
    ['on another branch', blockRefAt(9, 'b')],
    ['above the head', blockRefAt(11)],
  ])('a result that depends on a block is not cached when the block is %s', (_case, block) => {
    const { cache } = cacheOver(1, 10);
    cache.set('one', 1, block);
    expect(cache.get('one')).toBeUndefined();
    expect(cache.status.entries).toBe(0);
  });

  test('a result that depends on a block is not cached before the follower has a head', () => {
    const cache = createRpcResultCache(10_000, UNSYNCED_FOLLOWER);
    cache.set('one', 1, blockRefAt(5));
    expect(cache.get('one')).toBeUndefined();
    expect(cache.status.entries).toBe(0);
  });

  test('a result that depends on a block is a miss while the follower has lost its head', () => {
    const { chain, cache } = cacheOver(1, 10);
    cache.set('before', 1, blockRefAt(5));
    chain.loseHead();
    cache.set('meanwhile', 2, blockRefAt(5));
    expect(cache.get('before')).toBeUndefined();
    chain.confirmHead();
    expect(cache.get('before')).toMatchObject({ value: 1 });
    expect(cache.get('meanwhile')).toBeUndefined();
  });

  test('a result that depends on a block is not served after a gap, where removed blocks are not reported', () => {
    const { chain, cache } = cacheOver(1, 10);
    cache.set('low', 1, blockRefAt(5));
    cache.recordHash('0x4', hashOf(4));
    chain.jump([...range(3, 5), ...range(6, 12, 'b')]);
    expect(cache.get('low')).toBeUndefined();
    expect(cache.hashAt('0x4')).toBeUndefined();
    cache.set('low', 2, blockRefAt(5));
    expect(cache.get('low')).toMatchObject({ value: 2 });
  });
});

describe('below the follower window', () => {
  test('a block below the follower window counts as canonical', () => {
    const { cache } = cacheOver(100, 130);
    cache.set('deep', 1, blockRefAt(7));
    expect(cache.get('deep')).toMatchObject({ value: 1 });
  });

  test('a removed block below the follower window does not count as canonical', () => {
    const { chain, cache } = cacheOver(100, 130);
    cache.set('one', 1, blockRefAt(130));
    chain.reorg(1, range(130, 150, 'b'));
    chain.evict(40);
    expect(cache.get('one')).toBeUndefined();
    cache.set('one', 2, blockRefAt(130));
    expect(cache.get('one')).toBeUndefined();
    cache.set('other', 3, blockRefAt(130, 'b'));
    expect(cache.get('other')).toMatchObject({ value: 3 });
  });

  test('the list of removed blocks is limited to 10,000 and evicts the oldest', () => {
    const chain = scriptedFollower(0, 20_000);
    const cache = createRpcResultCache(1_000_000, chain.follower);
    chain.reorg(1, [headAt(20_000, 'b')]);
    chain.reorg(10_001, range(10_000, 20_001, 'c'));
    chain.evict(20_001);
    // 10,002 blocks were removed: first the head of branch a, then the head of branch b.
    cache.set('first', 1, blockRefAt(20_000));
    cache.set('last', 1, blockRefAt(10_000));
    expect([cache.get('first')?.value, cache.get('last')]).toEqual([1, undefined]);
  });
});

test('the hash of a height is served while its block is canonical', () => {
  const { chain, cache } = cacheOver(100, 130);
  cache.recordHash('0x5', hashOf(5).toUpperCase().replace('X', 'x'));
  cache.recordHash(hex(130), hashOf(130));
  expect([cache.hashAt('0x5'), cache.hashAt(hex(130)), cache.hashAt('0x6')]).toEqual([hashOf(5), hashOf(130), undefined]);
  chain.reorg(1, range(130, 131, 'b'));
  expect([cache.hashAt('0x5'), cache.hashAt(hex(130))]).toEqual([hashOf(5), undefined]);
});

describe('the size of the cache', () => {
  const sized = (bytes: number, keys: readonly string[]) => {
    const cache = createRpcResultCache(bytes, UNSYNCED_FOLLOWER);
    for (const key of keys) cache.set(key, { text: 'x'.repeat(1_000) });
    return cache;
  };
  const keys = Array.from({ length: 100 }, (_none, i) => `key ${i}`);

  test.each([1_500, 10_000, 50_000])('the size of the cache never exceeds %s bytes', (bytes) => {
    const { status } = sized(bytes, keys);
    expect(status.bytes).toBeLessThanOrEqual(bytes);
    expect(status.entries).toBeGreaterThanOrEqual(bytes / 1_500);
    expect(status.entries).toBeLessThan(bytes / 1_000);
  });

  test('the size of the cache counts strings, lists, nested objects and whole responses', () => {
    const cache = createRpcResultCache(1_000_000, UNSYNCED_FOLLOWER);
    const before = cache.status.bytes;
    cache.set('k', { list: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(100), number: 1, nothing: null })) });
    const { bytes } = cache.status;
    expect(bytes - before).toBeGreaterThan(1_000);
    expect(bytes - before).toBeLessThan(4_000);
    cache.responses.set('a', { text: 'x'.repeat(5_000) });
    expect(cache.status.bytes - bytes).toBeGreaterThan(5_000);
    cache.set('k', 'x');
    expect(cache.status.bytes).toBeLessThan(bytes + 5_000);
  });

  test('a value larger than the cache is not cached and evicts nothing', () => {
    const cache = sized(3_500, ['a', 'b']);
    cache.set('large', 'x'.repeat(4_000));
    expect(['a', 'b', 'large'].filter((key) => cache.get(key))).toEqual(['a', 'b']);
  });

  test('a cache of 0 bytes caches nothing', () => {
    const cache = createRpcResultCache(0, scriptedFollower(1, 10).follower);
    cache.set('', null);
    cache.set('a', 1);
    cache.set('b', 1, blockRefAt(5));
    cache.recordHash('0x5', hashOf(5));
    cache.responses.set('c', '');
    expect(cache.status).toMatchObject({ bytes: 0, entries: 0 });
    expect([cache.get('a'), cache.get('b'), cache.hashAt('0x5'), cache.responses.get('c')]).toEqual(Array(4).fill(undefined));
  });
});

test('whole responses are cached under their own keys', () => {
  const cache = createRpcResultCache(10_000, UNSYNCED_FOLLOWER);
  cache.responses.set('one', { text: '{}' });
  expect([cache.responses.get('one'), cache.responses.get('two')]).toEqual([{ text: '{}' }, undefined]);
});

test('the size of a cached response includes the blocks that it depends on', () => {
  const sizeWith = (blocks: number): number => {
    const dependencies = new ResponseDependencies();
    for (const { hash, height } of range(1, blocks)) dependencies.addBlock(hash, height);
    const cache = createRpcResultCache(1_000_000, UNSYNCED_FOLLOWER);
    cache.responses.set('one', { chunks: ['{}'], dependencies });
    return cache.status.bytes;
  };
  expect(sizeWith(1_000) - sizeWith(1)).toBeGreaterThan(999 * 66);
});

test('a result that is nested too deeply to be measured is not cached', () => {
  const cache = createRpcResultCache(10_000_000, UNSYNCED_FOLLOWER);
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect(cache.set('deep', nested(200_000))).toBe(false);
  expect(cache.set('call tree', nested(2_050))).toBe(true);
  expect([cache.get('deep'), cache.status.entries]).toEqual([undefined, 1]);
});

test('the cache counts hits and misses', () => {
  const { chain, cache } = cacheOver(1, 10);
  cache.set('fact', 1);
  cache.set('high', 1, blockRefAt(10));
  cache.get('fact');
  cache.get('high');
  cache.get('none');
  chain.reorg(1, [headAt(10, 'b')]);
  cache.get('high');
  expect(cache.status).toMatchObject({ entries: 2, hits: 2, misses: 2 });
});
