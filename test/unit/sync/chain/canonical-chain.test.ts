import { describe, expect, test } from '@jest/globals';
import {
  applyBranch,
  blockAtHeight,
  type CanonicalChain,
  headOf,
  medianBlockTimeMs,
  WINDOW_BLOCKS,
} from '../../../../src/sync/chain/canonical-chain.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf as read } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 1, blocks: 300 });
const trunk = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_none, i) => read(chain.main.at(from + i)!)) as [Head, ...Head[]];

describe('window lookups', () => {
  test('window holds the newest 256 blocks', () => {
    const { canonical: grown } = applyBranch(trunk(0, 0), chain.main.at(0)!.hash, trunk(1, 300));
    expect(grown).toHaveLength(WINDOW_BLOCKS);
    expect(headOf(grown).height).toBe(300);
    expect(grown[0].height).toBe(45);
  });

  test('blockAtHeight finds the block of each height, also on a chain that skips heights', () => {
    const heightsIn = (window: CanonicalChain, heights: number[]) =>
      heights.map((height) => blockAtHeight(window, height)?.height);
    const window = trunk(10, 20);
    expect(heightsIn(window, [9, 10, 15, 20, 21])).toEqual([undefined, 10, 15, 20, undefined]);
    const skipping: CanonicalChain = [window[0], ...window.slice(3)];
    expect(heightsIn(skipping, [10, 11, 13, 19, 20])).toEqual([10, undefined, 13, 19, 20]);
  });
});

const withTimestamps = (...timestamps: unknown[]) =>
  timestamps.map((timestamp, i) => ({ ...read(chain.main.at(i)!), header: { timestamp } })) as unknown as CanonicalChain;

test.each([
  ['is the interval of the timestamps', withTimestamps('0x0', '0xc', '0x18'), 12_000],
  ['ignores one long pause', withTimestamps('0x0', '0x2', '0x4', '0xffff', '0x10001'), 2_000],
  ['ignores malformed timestamps', withTimestamps('0x0', 'x', '0x4', '0x6'), 2_000],
  ['ignores decreasing timestamps', withTimestamps('0x9', '0x0', '0x1', '0x2'), 1_000],
  ['is 0 when blocks share a second', withTimestamps('0x1', '0x1', '0x1'), 0],
  ['is undefined for one block', withTimestamps('0x1'), undefined],
])('median block time %s', (_case, canonical, ms) => {
  expect(medianBlockTimeMs(canonical)).toBe(ms);
});

test('median block time counts the last 32 intervals, and is undefined if fewer of them than the stated part are equal to it', () => {
  const times = Array.from({ length: 66 }, (_none, i) => (i < 34 ? i * 100 : 3300 + (i - 33) * 2));
  expect(medianBlockTimeMs(withTimestamps(...times))).toBe(2_000);
  const canonical = withTimestamps(0, 2, 4, 6, 99);
  expect([0.7, 0.75, 0.8].map((part) => medianBlockTimeMs(canonical, part))).toEqual([2_000, 2_000, undefined]);
});
