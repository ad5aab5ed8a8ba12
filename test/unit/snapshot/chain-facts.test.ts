import { describe, expect, test } from '@jest/globals';
import { chainFacts } from '../../../src/snapshot/chain-facts.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import type { Follower, Head } from '../../../src/sync/head/follower.ts';
import { block, hashOf } from '../../support/graph/stubbed-graph.ts';

/** What is known of a chain of 20 blocks, whose headers the follower has from the tenth on. */
const headAt = (height: number): Head => ({
  hash: hashOf(height),
  number: `0x${height.toString(16)}`,
  height,
  parentHash: hashOf(height - 1),
  header: { number: `0x${height.toString(16)}`, hash: hashOf(height), parentHash: hashOf(height - 1), gasUsed: '0xa410' },
});
const heads = Array.from({ length: 11 }, (_, i) => headAt(10 + i));

const followerOf = (known: readonly Head[]): Follower =>
  ({
    head: known.at(-1),
    oldest: known[0],
    hashAt: (number: string) => known.find((one) => one.number === number)?.hash,
    headerOf: (hash: string) => known.find((one) => one.hash === hash),
    subscribe: () => () => {},
  }) as unknown as Follower;

const follower = followerOf(heads);
const two = { transactions: [hashOf(1), hashOf(2)] };

describe('chain facts', () => {
  test('have the height of the head, or of the block that the request names', () => {
    const memory = undefined;
    expect(chainFacts({ follower, memory }, undefined).head).toBe(20);
    expect(chainFacts({ follower, memory }, '0x7').head).toBe(7);
    expect(chainFacts({ follower, memory }, hashOf(15)).head).toBe(15);
    expect(chainFacts({ follower, memory }, hashOf(99)).head).toBeUndefined();
    expect(chainFacts({ follower: followerOf([]), memory }, undefined).head).toBeUndefined();
  });

  test('have the gas of the blocks whose headers are known', () => {
    const { gasUsedAt } = chainFacts({ follower, memory: undefined }, undefined);
    expect([9, 10, 20, 21].map(gasUsedAt)).toEqual([undefined, 42_000, 42_000, undefined]);
  });

  test.each([true, false])('have the transactions of a cached block, read whole or by hashes: %s', (full) => {
    const memory = createRpcResultCache(100_000, follower);
    memory.set(`eth_getBlockByHash["${hashOf(12)}",${full}]`, block({ hash: hashOf(12), ...two }));
    const { transactionsAt } = chainFacts({ follower, memory }, undefined);
    expect([12, 13].map(transactionsAt)).toEqual([2, undefined]);
    expect(memory.status).toMatchObject({ hits: 0, misses: 0 });
  });

  test('have those of a cached block below the window, found by its height', () => {
    const memory = createRpcResultCache(100_000, follower);
    memory.set(`eth_getBlockByHash["${hashOf(3)}",true]`, block({ hash: hashOf(3), ...two }));
    memory.recordHash('0x3', hashOf(3));
    expect(chainFacts({ follower, memory }, undefined).transactionsAt(3)).toBe(2);
  });
});
