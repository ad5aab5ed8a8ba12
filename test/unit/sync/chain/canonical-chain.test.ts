import { describe, expect, test } from '@jest/globals';
import {
  applyBranch,
  blockAtHeight,
  blockByHash,
  type CanonicalChain,
  headOf,
  medianBlockTimeMs,
  WINDOW_BLOCKS,
} from '../../../../src/sync/chain/canonical-chain.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf as read } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 1 });
chain.mine(300);
const trunk = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_none, i) => read(chain.main.at(from + i)!)) as [Head, ...Head[]];
const hashesOf = (heads: readonly Head[]) => heads.map(({ hash }) => hash);

describe('window lookups', () => {
  const canonical: CanonicalChain = trunk(10, 20);

  test('window finds its blocks by height and by hash', () => {
    expect(headOf(canonical).height).toBe(20);
    expect(blockAtHeight(canonical, 10)?.number).toBe('0xa');
    expect(blockAtHeight(canonical, 9)).toBeUndefined();
    expect(blockAtHeight(canonical, 21)).toBeUndefined();
    expect(blockByHash(canonical, chain.main.at(15)!.hash)?.height).toBe(15);
    expect(blockByHash(canonical, chain.main.at(21)!.hash)).toBeUndefined();
  });

  test('window finds a block above a skipped height', () => {
    const skipping = [...canonical.slice(0, 5), ...canonical.slice(6)] as unknown as CanonicalChain;
    expect(blockAtHeight(skipping, 17)?.height).toBe(17);
    expect(blockAtHeight(skipping, 15)).toBeUndefined();
  });

  test('window holds the newest 256 blocks', () => {
    const { canonical: grown } = applyBranch(trunk(0, 0), chain.main.at(0)!.hash, trunk(1, 300));
    expect(grown).toHaveLength(WINDOW_BLOCKS);
    expect(headOf(grown).height).toBe(300);
    expect(grown[0].height).toBe(45);
  });
});

describe('applyBranch', () => {
  const canonical: CanonicalChain = trunk(10, 20);

  test('applyBranch removes nothing when the branch extends the head', () => {
    const { canonical: grown, change } = applyBranch(canonical, canonical[10]!.hash, trunk(21, 23));
    expect(change).toEqual({ removed: [], added: trunk(21, 23), hasGap: false });
    expect(hashesOf(grown)).toEqual(hashesOf(trunk(10, 23)));
  });

  test('applyBranch removes the blocks above the ancestor, newest first', () => {
    const other = new SimChain({ seed: 1 });
    other.mine(15);
    other.reorg(0, 2);
    const branch = [read(other.main.at(16)!), read(other.main.at(17)!)];
    const { canonical: grown, change } = applyBranch(canonical, branch[0]!.parentHash, branch);
    expect(change.removed.map(({ height }) => height)).toEqual([20, 19, 18, 17, 16]);
    expect(change.added).toEqual(branch);
    expect(hashesOf(grown)).toEqual(hashesOf([...trunk(10, 15), ...branch]));
  });

  test('applyBranch with an empty branch only removes blocks', () => {
    const { canonical: grown, change } = applyBranch(canonical, canonical[8]!.hash, []);
    expect(change.removed.map(({ height }) => height)).toEqual([20, 19]);
    expect(hashesOf(grown)).toEqual(hashesOf(trunk(10, 18)));
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
