import { expect, test } from '@jest/globals';
import { chainPath, EMPTY_CHAIN_HISTORY, updateChainHistory } from '../../../../src/sync/chain/chain-history.ts';
import { EMPTY_PATH, joinPaths } from '../../../../src/sync/chain/chain-path.ts';
import { random, readSeed } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';
import type { SimBlock, SimChange } from '../../../support/simulator/view.ts';

const SEED = readSeed();
const pathOf = ({ removed, added }: SimChange) => ({ removed: removed.map(headOf), added: added.map(headOf) });
const hashes = (way: { removed: readonly { hash: string }[]; added: readonly { hash: string }[] } | undefined) =>
  way && { removed: way.removed.map(({ hash }) => hash), added: way.added.map(({ hash }) => hash) };
const windowOf = (chain: SimChain, size = 256) =>
  Array.from({ length: Math.min(size, chain.head.height + 1) }, (_none, i) => chain.main.at(chain.head.height - i)!)
    .reverse()
    .map(headOf);

test(`changes joined one by one are the one way from the first head to the last (SEED=${SEED})`, () => {
  const draw = random(SEED);
  for (let round = 0; round < 60; round++) {
    const chain = new SimChain({ seed: SEED + round });
    chain.mine(12);
    const from = chain.head;
    let way = EMPTY_PATH;
    const past: SimBlock[] = [from];
    for (let step = 0; step < 6; step++) {
      // Now and then the chain goes back to where it has been.
      const back = past[Math.floor(draw() * past.length)]!;
      const change =
        draw() < 0.3 && back !== chain.head
          ? chain.main.moveTo(back)
          : chain.reorg(Math.floor(draw() * 4), 1 + Math.floor(draw() * 3));
      way = joinPaths(way, pathOf(change));
      past.push(chain.head);
    }
    const to = chain.head;
    const whole = { removed: [] as string[], added: [] as string[] };
    for (let a: SimBlock | undefined = from; a && chain.main.at(a.height) !== a; a = a.parent) whole.removed.push(a.hash);
    const fork = from.height - whole.removed.length;
    for (let height = fork + 1; height <= to.height; height++) whole.added.push(chain.main.at(height)!.hash);
    expect(hashes(way)).toEqual(whole);
  }
});

test('a way leads over the common ancestor, from a block of the chain or an abandoned one', () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine(10);
  const old = chain.head;
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  const first = chain.reorg(3, 4);
  history = updateChainHistory(history, first.removed.map(headOf), windowOf(chain));
  const second = chain.reorg(2, 2);
  history = updateChainHistory(history, second.removed.map(headOf), windowOf(chain));
  const to = chain.head.hash;
  const between = (from: string, goal = to) => hashes(chainPath(history, from, goal));

  expect(between(to)).toEqual({ removed: [], added: [] });
  expect(between(chain.main.at(9)!.hash)).toEqual({ removed: [], added: [chain.main.at(10)!.hash, to] });
  const added = [8, 9, 10, 11].map((height) => chain.main.at(height)!.hash);
  expect(between(old.hash)).toEqual({ removed: first.removed.map(({ hash }) => hash), added });
  expect(between(second.removed[0]!.hash)).toEqual({
    removed: second.removed.map(({ hash }) => hash),
    added: second.added.map(({ hash }) => hash),
  });
  // To an abandoned one, as to where listeners of logs are that have not heard of the last reorg.
  expect(between(old.hash, second.removed[0]!.hash)!.removed).toEqual(first.removed.map(({ hash }) => hash));
  expect(between(`0x${'1'.repeat(64)}`)).toBeUndefined();
});

test('256 blocks of the chain and 256 abandoned ones are remembered', () => {
  const chain = new SimChain({ seed: 2 });
  chain.mine(300);
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  const gone: SimBlock[] = [];
  for (let i = 0; i < 150; i++) {
    const { removed } = chain.reorg(2, 2);
    gone.push(...[...removed].reverse());
    history = updateChainHistory(history, removed.map(headOf), windowOf(chain));
  }
  const { height } = chain.head;
  expect([history.canonical.size, history.abandoned.size]).toEqual([256, 256]);
  expect(chainPath(history, chain.main.at(height - 255)!.hash, chain.head.hash)?.added).toHaveLength(255);
  expect(chainPath(history, chain.main.at(height - 256)!.hash, chain.head.hash)).toBeUndefined();
  expect(chainPath(history, gone.at(-256)!.hash, chain.head.hash)?.removed).toHaveLength(1);
  expect(chainPath(history, gone.at(-257)!.hash, chain.head.hash)).toBeUndefined();
});

test('a block that the chain comes back to is not abandoned any more', () => {
  const chain = new SimChain({ seed: 3 });
  chain.mine(5);
  const old = chain.head;
  let history = updateChainHistory(EMPTY_CHAIN_HISTORY, [], windowOf(chain));
  history = updateChainHistory(history, chain.reorg(1, 2).removed.map(headOf), windowOf(chain));
  expect(history.abandoned.has(old.hash)).toBe(true);
  history = updateChainHistory(history, chain.main.moveTo(old).removed.map(headOf), windowOf(chain));
  expect([...history.abandoned.keys()]).not.toContain(old.hash);
  expect(history.abandoned.size).toBe(2);
});
