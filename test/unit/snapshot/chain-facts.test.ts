import { expect, test } from '@jest/globals';
import { chainFacts } from '../../../src/snapshot/chain-facts.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { Follower, Head } from '../../../src/sync/head/follower.ts';
import { block, hashOf } from '../../support/upstream/rpc-fixtures.ts';

/** A chain of 20 blocks; the follower has the headers from height 10. */
const headAt = (height: number): Head => ({
  hash: hashOf(height),
  number: `0x${height.toString(16)}`,
  height,
  parentHash: hashOf(height - 1),
  header: { number: `0x${height.toString(16)}`, hash: hashOf(height), parentHash: hashOf(height - 1), gasUsed: '0xa410' },
});
const heads = Array.from({ length: 11 }, (_, i) => headAt(10 + i));

const followerOf = (window: readonly Head[]): Follower =>
  ({
    head: window.at(-1),
    oldest: window[0],
    hashAt: (number: string) => window.find((head) => head.number === number)?.hash,
    headerOf: (hash: string) => window.find((head) => head.hash === hash),
    subscribe: () => () => {},
  }) as unknown as Follower;

const follower = followerOf(heads);
const two = { transactions: [hashOf(1), hashOf(2)] };

test('chain facts have the height of the head, or of the block that the request names', () => {
  const cache = undefined;
  expect(chainFacts({ follower, cache }, undefined).head).toBe(20);
  expect(chainFacts({ follower, cache }, '0x7').head).toBe(7);
  expect(chainFacts({ follower, cache }, hashOf(15)).head).toBe(15);
  expect(chainFacts({ follower, cache }, hashOf(99)).head).toBeUndefined();
  expect(chainFacts({ follower: followerOf([]), cache }, undefined).head).toBeUndefined();
});

test('chain facts have the gas of blocks whose headers the follower has', () => {
  const { gasUsedAt } = chainFacts({ follower, cache: undefined }, undefined);
  expect([9, 10, 20, 21].map(gasUsedAt)).toEqual([undefined, 42_000, 42_000, undefined]);
});

test.each([true, false])('chain facts have the transaction count of a cached block, with full transactions: %s', (full) => {
  const cache = createRpcResultCache(100_000, follower);
  cache.set(`eth_getBlockByHash["${hashOf(12)}",${full}]`, block({ hash: hashOf(12), ...two }));
  const { transactionsAt } = chainFacts({ follower, cache }, undefined);
  expect([12, 13].map(transactionsAt)).toEqual([2, undefined]);
  expect(cache.status).toMatchObject({ hits: 0, misses: 0 });
});

test('chain facts have the transaction count of a cached block below the follower window', () => {
  const cache = createRpcResultCache(100_000, follower);
  cache.set(`eth_getBlockByHash["${hashOf(3)}",true]`, block({ hash: hashOf(3), ...two }));
  cache.recordHash('0x3', hashOf(3));
  expect(chainFacts({ follower, cache }, undefined).transactionsAt(3)).toBe(2);
});
