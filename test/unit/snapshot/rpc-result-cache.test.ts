import { describe, expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { ChainChange, Follower, Head } from '../../../src/sync/head/follower.ts';

const hex = (n: number) => `0x${n.toString(16)}`;
const hashOf = (height: number, branch = 'a') => `0x${branch}${height.toString(16).padStart(63, '0')}`;

const headAt = (height: number, branch = 'a'): Head => {
  const own = { hash: hashOf(height, branch), number: hex(height), parentHash: hashOf(height - 1, branch) };
  return { ...own, height, header: own };
};

const range = (from: number, to: number, branch?: string): Head[] =>
  Array.from({ length: to - from + 1 }, (_none, i) => headAt(from + i, branch));

/** A chain that is known from one height to another, and told as a follower tells it. */
function following(from: number, to: number) {
  let window: Head[] = range(from, to);
  let isGood = true;
  let tell: (change: ChainChange) => void = () => {};
  const known = () => (isGood ? window : []);
  const follower = {
    get head() {
      return known().at(-1);
    },
    get oldest() {
      return known()[0];
    },
    hashAt: (number: string) => known().find((head) => head.number === number)?.hash,
    headerOf: (hash: string) => known().find((head) => head.hash === hash),
    subscribe(listener: (change: ChainChange) => void) {
      tell = listener;
      return () => {};
    },
  } as unknown as Follower;
  return {
    follower,
    /** Puts others in the place of the last blocks. */
    reorg(depth: number, added: Head[]) {
      const removed = window.slice(window.length - depth).reverse();
      window = [...window.slice(0, window.length - depth), ...added];
      tell({ removed, added, hasGap: false });
    },
    /** The window moves on: its first blocks are known no more. */
    forget(blocks: number) {
      window = window.slice(blocks);
    },
    /** Another stretch of the chain, of which it is not known how it hangs together with the last one. */
    jump(heads: Head[]) {
      window = heads;
      tell({ removed: [], added: heads.slice(-1), hasGap: true });
    },
    lose: () => {
      isGood = false;
    },
    find: () => {
      isGood = true;
    },
  };
}

const blockRefAt = (height: number, branch?: string) => ({ number: hex(height), hash: hashOf(height, branch) });

test('a fact stays, whatever becomes of the chain and whoever knows it', () => {
  const chain = following(1, 10);
  const memory = createRpcResultCache(10_000, chain.follower);
  memory.set('fact', { a: 1 });
  chain.reorg(9, range(2, 12, 'b'));
  chain.jump(range(90, 99));
  chain.lose();
  expect(memory.get('fact')).toMatchObject({ value: { a: 1 } });
  const alone = createRpcResultCache(10_000, undefined);
  alone.set('fact', 'b');
  expect(alone.get('fact')).toMatchObject({ value: 'b' });
});

test('what is not kept is not there', () => {
  expect(createRpcResultCache(10_000, undefined).get('fact')).toBeUndefined();
});

describe('what lies at a place', () => {
  test('is there while its block is of the chain', () => {
    const chain = following(1, 10);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('low', 'l', blockRefAt(5));
    memory.set('high', 'h', blockRefAt(9));
    chain.reorg(3, range(8, 11, 'b'));
    expect(memory.get('low')).toMatchObject({ value: 'l' });
    expect(memory.get('high')).toBeUndefined();
  });

  test('is there again when its block comes back', () => {
    const chain = following(1, 10);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('high', 'h', blockRefAt(9));
    chain.reorg(3, range(8, 11, 'b'));
    chain.reorg(4, range(8, 12));
    expect(memory.get('high')).toMatchObject({ value: 'h' });
  });

  test('is there whatever the case of its digits', () => {
    const memory = createRpcResultCache(10_000, following(1, 10).follower);
    memory.set('one', 1, { number: '0x5', hash: hashOf(5).toUpperCase().replace('X', 'x') });
    expect(memory.get('one')).toMatchObject({ value: 1 });
  });

  test.each<[string, { number: string; hash: string }]>([
    ['on another branch', blockRefAt(9, 'b')],
    ['above the head', blockRefAt(11)],
  ])('is not kept when it is %s', (_case, place) => {
    const chain = following(1, 10);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('one', 1, place);
    expect(memory.get('one')).toBeUndefined();
    expect(memory.status.entries).toBe(0);
  });

  test('is neither kept nor told without a follower', () => {
    const memory = createRpcResultCache(10_000, undefined);
    memory.set('one', 1, blockRefAt(5));
    expect(memory.get('one')).toBeUndefined();
    expect(memory.status.entries).toBe(0);
  });

  test('is not told while the follower has no head, and told again when it has', () => {
    const chain = following(1, 10);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('before', 1, blockRefAt(5));
    chain.lose();
    memory.set('meanwhile', 2, blockRefAt(5));
    expect(memory.get('before')).toBeUndefined();
    chain.find();
    expect(memory.get('before')).toMatchObject({ value: 1 });
    expect(memory.get('meanwhile')).toBeUndefined();
  });

  test('is not told any more after a gap, since blocks may have gone that nobody has told of', () => {
    const chain = following(1, 10);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('low', 1, blockRefAt(5));
    memory.recordHash('0x4', hashOf(4));
    chain.jump([...range(3, 5), ...range(6, 12, 'b')]);
    expect(memory.get('low')).toBeUndefined();
    expect(memory.hashAt('0x4')).toBeUndefined();
    memory.set('low', 2, blockRefAt(5));
    expect(memory.get('low')).toMatchObject({ value: 2 });
  });
});

describe('below the window', () => {
  test('the chain is taken to be settled', () => {
    const chain = following(100, 130);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('deep', 1, blockRefAt(7));
    expect(memory.get('deep')).toMatchObject({ value: 1 });
  });

  test('a block that a reorg has removed is not of the chain, until it comes back', () => {
    const chain = following(100, 130);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('one', 1, blockRefAt(130));
    chain.reorg(1, range(130, 150, 'b'));
    chain.forget(40);
    expect(memory.get('one')).toBeUndefined();
    memory.set('one', 2, blockRefAt(130));
    expect(memory.get('one')).toBeUndefined();
    memory.set('other', 3, blockRefAt(130, 'b'));
    expect(memory.get('other')).toMatchObject({ value: 3 });
  });

  test('a block that has come back is of the chain', () => {
    const chain = following(100, 130);
    const memory = createRpcResultCache(10_000, chain.follower);
    memory.set('one', 1, blockRefAt(130));
    chain.reorg(1, range(130, 140, 'b'));
    chain.reorg(11, range(130, 150));
    chain.forget(40);
    expect(memory.get('one')).toMatchObject({ value: 1 });
  });

  test('the removed blocks that are remembered are bounded, and the oldest go first', () => {
    const chain = following(0, 20_000);
    const memory = createRpcResultCache(1_000_000, chain.follower);
    chain.reorg(1, [headAt(20_000, 'b')]);
    chain.reorg(10_001, range(10_000, 20_001, 'c'));
    chain.forget(20_001);
    // 10,002 have gone; the first of all was of branch a, and the next to go was the head of branch b.
    memory.set('first', 1, blockRefAt(20_000));
    memory.set('last', 1, blockRefAt(10_000));
    expect([memory.get('first')?.value, memory.get('last')]).toEqual([1, undefined]);
  });
});

test('the block of a height is known while it is of the chain', () => {
  const chain = following(100, 130);
  const memory = createRpcResultCache(10_000, chain.follower);
  memory.recordHash('0x5', hashOf(5).toUpperCase().replace('X', 'x'));
  memory.recordHash(hex(130), hashOf(130));
  expect([memory.hashAt('0x5'), memory.hashAt(hex(130)), memory.hashAt('0x6')]).toEqual([hashOf(5), hashOf(130), undefined]);
  chain.reorg(1, range(130, 131, 'b'));
  expect([memory.hashAt('0x5'), memory.hashAt(hex(130))]).toEqual([hashOf(5), undefined]);
});

describe('the size', () => {
  const sized = (bytes: number, keys: readonly string[]) => {
    const memory = createRpcResultCache(bytes, undefined);
    for (const key of keys) memory.set(key, { text: 'x'.repeat(1_000) });
    return memory;
  };
  const keys = Array.from({ length: 100 }, (_none, i) => `key ${i}`);

  test.each([1_500, 10_000, 50_000])('never passes %s bytes', (bytes) => {
    const { status } = sized(bytes, keys);
    expect(status.bytes).toBeLessThanOrEqual(bytes);
    expect(status.entries).toBeGreaterThanOrEqual(bytes / 1_500);
    expect(status.entries).toBeLessThan(bytes / 1_000);
  });

  test('is that of all that is kept: texts, lists, objects within objects, whole answers', () => {
    const memory = createRpcResultCache(1_000_000, undefined);
    const before = memory.status.bytes;
    memory.set('k', { list: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(100), number: 1, nothing: null })) });
    const { bytes } = memory.status;
    expect(bytes - before).toBeGreaterThan(1_000);
    expect(bytes - before).toBeLessThan(4_000);
    memory.responses.set('a', { text: 'x'.repeat(5_000) });
    expect(memory.status.bytes - bytes).toBeGreaterThan(5_000);
    memory.set('k', 'x');
    expect(memory.status.bytes).toBeLessThan(bytes + 5_000);
  });

  test('what has not been asked for the longest goes first', () => {
    const memory = sized(3_500, ['a', 'b', 'c']);
    expect(memory.get('a')).toBeDefined();
    memory.set('d', { text: 'x'.repeat(1_000) });
    expect(['a', 'b', 'c', 'd'].filter((key) => memory.get(key))).toEqual(['a', 'c', 'd']);
  });

  test('what is larger than all of it is not kept, and nothing goes for it', () => {
    const memory = sized(3_500, ['a', 'b']);
    memory.set('large', 'x'.repeat(4_000));
    expect(['a', 'b', 'large'].filter((key) => memory.get(key))).toEqual(['a', 'b']);
  });

  test('of nothing keeps nothing', () => {
    const memory = createRpcResultCache(0, following(1, 10).follower);
    memory.set('', null);
    memory.set('a', 1);
    memory.set('b', 1, blockRefAt(5));
    memory.recordHash('0x5', hashOf(5));
    memory.responses.set('c', '');
    expect(memory.status).toMatchObject({ bytes: 0, entries: 0 });
    expect([memory.get('a'), memory.get('b'), memory.hashAt('0x5'), memory.responses.get('c')]).toEqual(Array(4).fill(undefined));
  });
});

test('whole answers are kept beside the others, under their own keys', () => {
  const memory = createRpcResultCache(10_000, undefined);
  memory.responses.set('one', { text: '{}' });
  expect([memory.responses.get('one'), memory.responses.get('two')]).toEqual([{ text: '{}' }, undefined]);
});

test('what was there and what was not is counted', () => {
  const chain = following(1, 10);
  const memory = createRpcResultCache(10_000, chain.follower);
  memory.set('fact', 1);
  memory.set('high', 1, blockRefAt(10));
  memory.get('fact');
  memory.get('high');
  memory.get('none');
  chain.reorg(1, [headAt(10, 'b')]);
  memory.get('high');
  expect(memory.status).toMatchObject({ entries: 2, hits: 2, misses: 2 });
});
