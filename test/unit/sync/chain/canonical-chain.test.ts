import { describe, expect, test } from '@jest/globals';
import {
  applyBranch,
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
