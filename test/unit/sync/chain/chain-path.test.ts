import { expect, test } from '@jest/globals';
import { EMPTY_PATH, joinPaths } from '../../../../src/sync/chain/ancestors.ts';
import { chainPath, EMPTY_CHAIN_HISTORY, updateChainHistory } from '../../../../src/sync/chain/canonical-chain.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { random, readSeed, runSize } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';
import type { SimBlock, SimChange } from '../../../support/simulator/view.ts';

const SEED = readSeed();
const ROUNDS = runSize(20, 60);

const pathOf = ({ removed, added }: SimChange) => ({ removed: removed.map(headOf), added: added.map(headOf) });
const hashes = (path: { removed: readonly { hash: string }[]; added: readonly { hash: string }[] } | undefined) =>
  path && { removed: path.removed.map(({ hash }) => hash), added: path.added.map(({ hash }) => hash) };
/** The head of each block, read once: a window of 256 blocks is built for each change. */
const headsByBlock = new WeakMap<SimBlock, Head>();
const cachedHeadOf = (block: SimBlock): Head => {
  const head = headsByBlock.get(block) ?? headOf(block);
  headsByBlock.set(block, head);
  return head;
};
const windowOf = (chain: SimChain, size = 256) =>
  Array.from({ length: Math.min(size, chain.head.height + 1) }, (_none, i) => chain.main.at(chain.head.height - i)!)
    .reverse()
    .map(cachedHeadOf);

test(`joinPaths of consecutive changes is the path from the first head to the last (SEED=${SEED})`, () => {
  const draw = random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const chain = new SimChain({ seed: SEED + round });
    chain.mine(12);
    const from = chain.head;
    let path = EMPTY_PATH;
    const formerHeads: SimBlock[] = [from];
    for (let step = 0; step < 6; step++) {
      // Sometimes the chain returns to a former head.
      const formerHead = formerHeads[Math.floor(draw() * formerHeads.length)]!;
      const change =
        draw() < 0.3 && formerHead !== chain.head
          ? chain.main.moveTo(formerHead)
          : chain.reorg(Math.floor(draw() * 4), 1 + Math.floor(draw() * 3));
      path = joinPaths(path, pathOf(change));
      formerHeads.push(chain.head);
    }
    const to = chain.head;
    const expected = { removed: [] as string[], added: [] as string[] };
    for (let a: SimBlock | undefined = from; a && chain.main.at(a.height) !== a; a = a.parent) expected.removed.push(a.hash);
    const fork = from.height - expected.removed.length;
    for (let height = fork + 1; height <= to.height; height++) expected.added.push(chain.main.at(height)!.hash);
    expect(hashes(path)).toEqual(expected);
  }
});

test('chainPath leads over the common ancestor from a canonical block or one of a side branch', () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine(10);
  const old = chain.head;
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  const first = chain.reorg(3, 4);
  history = updateChainHistory(history, first.removed.map(headOf), windowOf(chain));
  const second = chain.reorg(2, 2);
  history = updateChainHistory(history, second.removed.map(headOf), windowOf(chain));
  const to = chain.head.hash;
  const between = (from: string, target = to) => hashes(chainPath(history, from, target));

  expect(between(to)).toEqual({ removed: [], added: [] });
  expect(between(chain.main.at(9)!.hash)).toEqual({ removed: [], added: [chain.main.at(10)!.hash, to] });
  const added = [8, 9, 10, 11].map((height) => chain.main.at(height)!.hash);
  expect(between(old.hash)).toEqual({ removed: first.removed.map(({ hash }) => hash), added });
  expect(between(second.removed[0]!.hash)).toEqual({
    removed: second.removed.map(({ hash }) => hash),
    added: second.added.map(({ hash }) => hash),
  });
  // To a block of a side branch, for example the head of a log subscription that has not emitted the last reorg.
  expect(between(old.hash, second.removed[0]!.hash)!.removed).toEqual(first.removed.map(({ hash }) => hash));
  expect(between(`0x${'1'.repeat(64)}`)).toBeUndefined();
});

test('chain history holds 256 canonical blocks and 256 on side branches', () => {
  const chain = new SimChain({ seed: 2 });
  chain.mine(300);
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  const sideBranches: SimBlock[] = [];
  for (let i = 0; i < 150; i++) {
    const { removed } = chain.reorg(2, 2);
    sideBranches.push(...[...removed].reverse());
    history = updateChainHistory(history, removed.map(headOf), windowOf(chain));
  }
  const { height } = chain.head;
  expect([history.canonical.size, history.sideBranches.size]).toEqual([256, 256]);
  expect(chainPath(history, chain.main.at(height - 255)!.hash, chain.head.hash)?.added).toHaveLength(255);
  expect(chainPath(history, chain.main.at(height - 256)!.hash, chain.head.hash)).toBeUndefined();
  expect(chainPath(history, sideBranches.at(-256)!.hash, chain.head.hash)?.removed).toHaveLength(1);
  expect(chainPath(history, sideBranches.at(-257)!.hash, chain.head.hash)).toBeUndefined();
});

test('chain history removes a block from the side branches when it is canonical again', () => {
  const chain = new SimChain({ seed: 3 });
  chain.mine(5);
  const old = chain.head;
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  history = updateChainHistory(history, chain.reorg(1, 2).removed.map(headOf), windowOf(chain));
  expect(history.sideBranches.has(old.hash)).toBe(true);
  history = updateChainHistory(history, chain.main.moveTo(old).removed.map(headOf), windowOf(chain));
  expect([...history.sideBranches.keys()]).not.toContain(old.hash);
  expect(history.sideBranches.size).toBe(2);
});
