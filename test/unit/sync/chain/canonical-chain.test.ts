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

describe('the window', () => {
  const canonical: CanonicalChain = trunk(10, 20);

  test('knows its blocks by height and by hash, and no others', () => {
    expect(headOf(canonical).height).toBe(20);
    expect(blockAtHeight(canonical, 10)?.number).toBe('0xa');
    expect(blockAtHeight(canonical, 9)).toBeUndefined();
    expect(blockAtHeight(canonical, 21)).toBeUndefined();
    expect(blockByHash(canonical, chain.main.at(15)!.hash)?.height).toBe(15);
    expect(blockByHash(canonical, chain.main.at(21)!.hash)).toBeUndefined();
  });

  test('knows a block above a height that has none', () => {
    const { grown } = { grown: [...canonical.slice(0, 5), ...canonical.slice(6)] as unknown as CanonicalChain };
    expect(blockAtHeight(grown, 17)?.height).toBe(17);
    expect(blockAtHeight(grown, 15)).toBeUndefined();
  });

  test('holds a bounded number of blocks, the newest', () => {
    const { canonical: grown } = applyBranch(trunk(0, 0), chain.main.at(0)!.hash, trunk(1, 300));
    expect(grown).toHaveLength(WINDOW_BLOCKS);
    expect(headOf(grown).height).toBe(300);
    expect(grown[0].height).toBe(45);
  });
});

describe('a branch', () => {
  const canonical: CanonicalChain = trunk(10, 20);

  test('on the head adds and removes nothing', () => {
    const { canonical: grown, change } = applyBranch(canonical, canonical[10]!.hash, trunk(21, 23));
    expect(change).toEqual({ removed: [], added: trunk(21, 23), hasGap: false });
    expect(hashesOf(grown)).toEqual(hashesOf(trunk(10, 23)));
  });

  test('on an older block removes what is above it, newest first', () => {
    const other = new SimChain({ seed: 1 });
    other.mine(15);
    other.reorg(0, 2);
    const branch = [read(other.main.at(16)!), read(other.main.at(17)!)];
    const { canonical: grown, change } = applyBranch(canonical, branch[0]!.parentHash, branch);
    expect(change.removed.map(({ height }) => height)).toEqual([20, 19, 18, 17, 16]);
    expect(change.added).toEqual(branch);
    expect(hashesOf(grown)).toEqual(hashesOf([...trunk(10, 15), ...branch]));
  });

  test('that is empty only removes', () => {
    const { canonical: grown, change } = applyBranch(canonical, canonical[8]!.hash, []);
    expect(change.removed.map(({ height }) => height)).toEqual([20, 19]);
    expect(hashesOf(grown)).toEqual(hashesOf(trunk(10, 18)));
  });

  test.each([
    ['with a hole in it', [21, 23]],
    ['that begins too high', [22]],
  ])('%s is refused', (_case, heights) => {
    const branch = heights.map((height) => read(chain.main.at(height)!));
    expect(() => applyBranch(canonical, canonical[10]!.hash, branch)).toThrow(
      'The blocks of a branch are not linked by their parent hashes.',
    );
  });

  test('on a block outside the window is refused', () => {
    expect(() => applyBranch(canonical, chain.main.at(9)!.hash, trunk(10, 11))).toThrow(
      'The ancestor of a branch is not in the window.',
    );
  });
});

describe('the block time', () => {
  const stamped = (...stamps: unknown[]) =>
    stamps.map((timestamp, i) => ({ ...read(chain.main.at(i)!), header: { timestamp } })) as unknown as CanonicalChain;

  test.each([
    ['is that of the timestamps', stamped('0x0', '0xc', '0x18'), 12_000],
    ['is not misled by one long pause', stamped('0x0', '0x2', '0x4', '0xffff', '0x10001'), 2_000],
    ['does without what is no timestamp', stamped('0x0', 'x', '0x4', '0x6'), 2_000],
    ['does without a clock that goes back', stamped('0x9', '0x0', '0x1', '0x2'), 1_000],
    ['is nothing when blocks share a second', stamped('0x1', '0x1', '0x1'), 0],
    ['is not known of one block', stamped('0x1'), undefined],
  ])('%s', (_case, canonical, ms) => {
    expect(medianBlockTimeMs(canonical)).toBe(ms);
  });
});
