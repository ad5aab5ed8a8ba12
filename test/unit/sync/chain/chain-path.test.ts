import { expect, test } from '@jest/globals';
import { EMPTY_PATH, joinPaths } from '../../../../src/sync/chain/ancestors.ts';
import { type CanonicalChain, chainPath } from '../../../../src/sync/chain/canonical-chain.ts';
import { random, readSeed, runSize } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';
import type { SimBlock, SimChange } from '../../../support/simulator/view.ts';

const SEED = readSeed();
const ROUNDS = runSize(20, 60);

const pathOf = ({ removed, added }: SimChange) => ({ removed: removed.map(headOf), added: added.map(headOf) });
const hashes = (path: { removed: readonly { hash: string }[]; added: readonly { hash: string }[] } | undefined) =>
  path && { removed: path.removed.map(({ hash }) => hash), added: path.added.map(({ hash }) => hash) };
test('joinPaths of consecutive changes is the path from the first head to the last', () => {
  const draw = random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const chain = new SimChain({ seed: SEED + round, blocks: 12 });
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

test('chainPath leads over the common ancestor, from a canonical block or from a block of a side branch', () => {
  const chain = new SimChain({ seed: 1, blocks: 10 });
  const old = chain.head;
  const first = chain.reorg(3, 4);
  const second = chain.reorg(2, 2);
  const canonical = Array.from({ length: chain.head.height + 1 }, (_none, height) => headOf(chain.main.at(height)!));
  const sideBranches = [...first.removed, ...second.removed].map(headOf);
  const to = chain.head.hash;
  const between = (from: string, target = to) =>
    hashes(chainPath({ canonical: canonical as unknown as CanonicalChain, sideBranches }, from, target));

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
