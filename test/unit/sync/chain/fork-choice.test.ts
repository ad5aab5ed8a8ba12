import { describe, expect, test } from '@jest/globals';
import { WINDOW_BLOCKS } from '../../../../src/sync/chain/canonical-chain.ts';
import {
  BACKFILL_BLOCKS,
  chooseFork,
  type ForkChoiceState,
  type HeadObservation,
  type HeadReporter,
  INITIAL_FORK_CHOICE_STATE,
  MAX_BRANCH_LENGTH,
  REQUIRED_SIGHTINGS,
} from '../../../../src/sync/chain/fork-choice.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { random, readSeed } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { chainDifferences, replayChain } from '../../../support/simulator/chain-replay.ts';
import { announcedHeaderOf, createForkChoiceDriver, headOf } from '../../../support/simulator/fork-choice-driver.ts';
import type { Dialect } from '../../../support/simulator/rpc-simulator.ts';
import { type SimBlock, SimView } from '../../../support/simulator/view.ts';

const latest = (reporter: HeadReporter = 'headSource', isOverdue = false): HeadObservation => ({
  kind: 'latest',
  reporter,
  isOverdue,
});
const announcementOf = (
  block: SimBlock,
  header: Dialect['header'] = 'geth',
  reporter: Exclude<HeadReporter, 'poll'> = 'headSource',
): HeadObservation => ({
  kind: 'announced',
  head: announcedHeaderOf(block, header),
  reporter,
});
const heights = (heads: readonly Head[]) => heads.map(({ height }) => height);

/** A chain of so many blocks, and a follower that has its head. */
function setUp(blocks = 50, seed = 1) {
  const chain = new SimChain({ seed });
  chain.mine(blocks);
  const node = createForkChoiceDriver(chain);
  let known: ForkChoiceState = INITIAL_FORK_CHOICE_STATE;
  const take = (evidence: HeadObservation, from = node) => {
    from.queries.length = 0;
    const verdict = from.run(chooseFork(known, evidence));
    known = verdict.state;
    if (verdict.outcome !== 'moved') return { outcome: verdict.outcome, asked: from.queries.length };
    const { removed, added, hasGap } = verdict.change;
    return {
      outcome: 'moved',
      removed: heights(removed),
      added: heights(added),
      hasGap,
      asked: from.queries.length,
    };
  };
  const begun = take(latest());
  return {
    chain,
    node,
    take,
    begun,
    get tip() {
      return known.canonical!.at(-1)!;
    },
    get known() {
      return known;
    },
  };
}

const moved = (removed: number[], added: number[], asked: number) => ({ outcome: 'moved', removed, added, hasGap: false, asked });
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_none, i) => from + i);
const down = (from: number, to: number) => range(to, from).reverse();

describe('the first head', () => {
  test('comes with its ancestors, in two questions', () => {
    const { begun, known } = setUp(50);
    expect(begun).toEqual(moved([], [50], 2));
    expect(heights(known.canonical!)).toEqual(range(50 - BACKFILL_BLOCKS, 50));
  });

  test.each([0, 1, 2, 5])('may be block %s', (blocks) => {
    expect(heights(setUp(blocks).known.canonical!)).toEqual(range(0, blocks));
  });

  test('is taken without ancestors where the node has none', () => {
    const chain = new SimChain({ seed: 1 });
    chain.mine(50);
    const node = createForkChoiceDriver(chain, chain.main, ({ height }) => height < 50);
    const { state, outcome } = node.run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest()));
    expect(outcome).toBe('moved');
    expect(heights(state.canonical!)).toEqual([50]);
  });

  test('is not there while the node tells nothing', () => {
    const chain = new SimChain({ seed: 1 });
    const node = createForkChoiceDriver(chain, chain.main, () => true);
    expect(node.run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest()))).toEqual({
      outcome: 'unproven',
      state: INITIAL_FORK_CHOICE_STATE,
    });
  });

  test('may be one that is announced', () => {
    const chain = new SimChain({ seed: 1 });
    chain.mine(3);
    expect(createForkChoiceDriver(chain).run(chooseFork(INITIAL_FORK_CHOICE_STATE, announcementOf(chain.head)))).toMatchObject({
      outcome: 'moved',
      change: { hasGap: false },
    });
  });
});

describe('an announced header', () => {
  test('that is the child of our head costs nothing', () => {
    const { chain, take } = setUp();
    chain.mine();
    expect(take(announcementOf(chain.head))).toEqual(moved([], [51], 0));
  });

  test('that we have is a confirmation or stale, and costs nothing', () => {
    const { chain, take } = setUp();
    expect(take(announcementOf(chain.head))).toEqual({ outcome: 'confirmed', asked: 0 });
    expect(take(announcementOf(chain.main.at(40)!))).toEqual({ outcome: 'stale', asked: 0 });
  });

  test('further on fills the gap, in as few questions as its length in sixty-fours', () => {
    const { chain, take } = setUp();
    chain.mine(200);
    expect(take(announcementOf(chain.head))).toEqual(moved([], range(51, 250), 4));
  });

  test('never asks for more than 64 blocks at once, nor for any below the first, nor for one that is known', () => {
    const { chain, take, node } = setUp(200);
    chain.mine(500);
    take(announcementOf(chain.head));
    const calls = node.queries.map((question) => (question.kind === 'ancestors' ? 1 + question.heights.length : 0));
    expect(calls).toEqual([64, 64, 64, 64, 64, 64, 64, 64]);
    const asked = node.queries.flatMap((question) => (question.kind === 'ancestors' ? [...question.heights] : []));
    expect(new Set(asked).size).toBe(asked.length);
    const young = setUp(3);
    young.chain.reorg(3, 5);
    young.take(announcementOf(young.chain.head));
    const lowest = young.node.queries.flatMap((question) => (question.kind === 'ancestors' ? [...question.heights] : []));
    expect(Math.min(...lowest)).toBe(0);
    const short = setUp();
    short.chain.mine(4);
    short.take(announcementOf(short.chain.head));
    expect(short.node.queries).toEqual([{ kind: 'ancestors', hash: short.chain.main.at(53)!.hash, heights: [52, 51] }]);
  });

  test('that alone is told of a new branch brings all of it', () => {
    const { chain, take } = setUp();
    chain.reorg(16, 17);
    expect(take(announcementOf(chain.head))).toEqual(moved(down(50, 35), range(35, 51), 5));
  });

  test('that is the first told of a new branch brings all of it, and the others are stale', () => {
    const { chain, take } = setUp();
    const { added } = chain.reorg(3, 4);
    expect(take(announcementOf(added[0]!))).toMatchObject(moved([50, 49, 48], range(48, 51), 3));
    for (const block of added.slice(1, -1)) expect(take(announcementOf(block))).toEqual({ outcome: 'stale', asked: 0 });
    expect(take(announcementOf(added.at(-1)!))).toEqual({ outcome: 'confirmed', asked: 0 });
  });

  test('of a branch that is no higher than our head is believed when the node calls it the head', () => {
    const { chain, take, tip } = setUp();
    chain.reorg(4, 2);
    expect(tip.height).toBe(50);
    expect(take(announcementOf(chain.head))).toEqual(moved([50, 49, 48, 47], [47, 48], 2));
  });

  test.each([1, 2])('of a branch that has lost already changes nothing, %s blocks above the fork', (length) => {
    const { chain, take, tip } = setUp();
    const orphan = chain.reorg(2, length).added.at(-1)!;
    chain.main.moveTo(chain.block(tip.hash)!);
    expect(take(announcementOf(orphan))).toEqual({ outcome: 'confirmed', asked: 1 });
  });

  test('whose parent the node does not have changes nothing until it has', () => {
    const { chain, take, tip } = setUp();
    const { added } = chain.reorg(2, 5);
    const hole = createForkChoiceDriver(chain, chain.main, (block) => block === added[2]);
    expect(take(announcementOf(chain.head), hole)).toMatchObject({ outcome: 'unproven' });
    expect(take(announcementOf(chain.block(tip.hash)!))).toEqual({ outcome: 'confirmed', asked: 0 });
    expect(take(latest())).toEqual(moved([50, 49], range(49, 53), 3));
  });

  test('is not proven where its parent claims to be no lower than itself', () => {
    const { chain, known } = setUp();
    chain.mine(3);
    const [parent, child] = [headOf(chain.main.at(52)!), headOf(chain.main.at(53)!)];
    const judging = chooseFork(known, { kind: 'announced', head: child, reporter: 'headSource' });
    expect(judging.next().value).toMatchObject({ kind: 'ancestors', hash: parent.hash });
    const value = { outcome: 'unproven', state: { ...known, unprovenIds: [expect.any(String)] } };
    expect(judging.next([{ ...parent, height: 53 }])).toEqual({ done: true, value });
  });
});

describe('a gap', () => {
  test(`of more than ${MAX_BRANCH_LENGTH} blocks is told as such, and following goes on`, () => {
    const { chain, take, known: before } = setUp();
    chain.mine(MAX_BRANCH_LENGTH + 1);
    expect(take(announcementOf(chain.head))).toEqual({
      outcome: 'moved',
      removed: [],
      added: [50 + MAX_BRANCH_LENGTH + 1],
      hasGap: true,
      asked: 2,
    });
    expect(before.canonical).toHaveLength(BACKFILL_BLOCKS + 1);
    chain.mine();
    expect(take(announcementOf(chain.head))).toMatchObject(moved([], [50 + MAX_BRANCH_LENGTH + 2], 0));
  });

  test(`of ${MAX_BRANCH_LENGTH} blocks is filled`, () => {
    const { chain, take } = setUp();
    chain.mine(MAX_BRANCH_LENGTH);
    expect(take(announcementOf(chain.head))).toEqual(moved([], range(51, 50 + MAX_BRANCH_LENGTH), 16));
  });

  test('is a reorg below the window', () => {
    const { chain, take } = setUp();
    chain.reorg(BACKFILL_BLOCKS, BACKFILL_BLOCKS + 1);
    expect(take(announcementOf(chain.head))).toMatchObject({ removed: down(50, 51 - BACKFILL_BLOCKS), hasGap: false });
    const deep = setUp();
    deep.chain.reorg(BACKFILL_BLOCKS + 1, BACKFILL_BLOCKS + 2);
    expect(deep.take(announcementOf(deep.chain.head))).toMatchObject({ removed: [], added: [51], hasGap: true });
  });

  test('is none for a reorg as deep as the whole window, once that is full', () => {
    const { chain, take } = setUp();
    for (let i = 0; i < 300; i++) {
      chain.mine();
      take(announcementOf(chain.head));
    }
    chain.reorg(255, 256);
    expect(take(announcementOf(chain.head))).toMatchObject({ removed: down(350, 96), added: range(96, 351), hasGap: false });
  });
});

describe('a header without a hash', () => {
  test.each(['seed', 'hashless'] as const)('is read by its height: %s', (header) => {
    const { chain, take, tip } = setUp();
    chain.mine();
    expect(take(announcementOf(chain.head, header))).toEqual(moved([], [51], 1));
    expect(tip.height).toBe(50);
  });

  test('has its hash reckoned once one of its form has proved right', () => {
    const state = setUp();
    state.chain.mine();
    expect(state.take(announcementOf(state.chain.head, 'hashless'))).toMatchObject({ asked: 1 });
    state.chain.mine();
    expect(state.take(announcementOf(state.chain.head, 'hashless'))).toEqual(moved([], [52], 0));
    expect(state.tip).toEqual({ ...announcedHeaderOf(state.chain.head, 'geth') });
  });

  test('is read again after a fork, and after any reorg', () => {
    const state = setUp();
    state.chain.mine();
    state.take(announcementOf(state.chain.head, 'hashless'));
    state.chain.reorg(1, 2);
    state.take(announcementOf(state.chain.head, 'hashless'));
    state.chain.mine();
    expect(state.take(announcementOf(state.chain.head, 'hashless'))).toMatchObject({ asked: 1 });
    state.chain.mine();
    const { requestsHash: _, ...london } = announcedHeaderOf(state.chain.head, 'hashless').header as Record<string, string>;
    const head = { ...announcedHeaderOf(state.chain.head, 'hashless'), header: london };
    expect(state.take({ kind: 'announced', head, reporter: 'headSource' })).toEqual(moved([], [state.chain.head.height], 1));
  });

  test('that we have costs nothing', () => {
    const { chain, take } = setUp();
    expect(take(announcementOf(chain.head, 'seed'))).toEqual({ outcome: 'confirmed', asked: 0 });
    expect(take(announcementOf(chain.main.at(45)!, 'seed'))).toEqual({ outcome: 'stale', asked: 0 });
  });

  test('that a reorg has overtaken leads to what the node has instead', () => {
    const { chain, take } = setUp();
    const orphan = chain.mine().added[0]!;
    chain.reorg(2, 3);
    expect(take(announcementOf(orphan, 'seed'))).toMatchObject(moved([50], [50, 51], 2));
    expect(take(announcementOf(chain.head, 'seed'))).toMatchObject(moved([], [52], 1));
  });

  test('that the node does not have any more is not proven', () => {
    const { chain, take } = setUp();
    const orphan = chain.mine(3).added.at(-1)!;
    chain.reorg(3, 1);
    expect(take(announcementOf(orphan, 'seed'))).toEqual({ outcome: 'unproven', asked: 1 });
  });
});

describe('a node that lags', () => {
  const behind = (chain: SimChain, height: number) => createForkChoiceDriver(chain, new SimView(chain.main.at(height)!, true));

  test.each<[HeadReporter]>([['connection'], ['poll']])('is no reorg, as %s', (by) => {
    const { chain, take } = setUp();
    expect(take(latest(by), behind(chain, 45))).toEqual({ outcome: 'behind', asked: 1 });
  });

  test('is no reorg and puts our head in doubt, where it is our witness or far below', () => {
    const { chain, take } = setUp();
    expect(take(latest('headSource'), behind(chain, 45))).toEqual({ outcome: 'doubtful', asked: 1 });
    for (const by of ['headSource', 'connection', 'poll'] as const) {
      expect(take(latest(by), behind(chain, 3))).toEqual({ outcome: 'doubtful', asked: 1 });
    }
    expect(take(announcementOf(chain.main.at(3)!), behind(chain, 3))).toEqual({ outcome: 'doubtful', asked: 1 });
    expect(take(latest('poll'), behind(chain, 50 - BACKFILL_BLOCKS))).toEqual({ outcome: 'behind', asked: 1 });
    chain.reorg(BACKFILL_BLOCKS + 1, 1);
    expect(chain.head.height).toBe(50 - BACKFILL_BLOCKS);
    expect(take(latest('poll'))).toEqual({ outcome: 'rival', asked: 1 });
  });

  test('is no reorg when it is still on a branch that we have left, unless it has shown us the new one', () => {
    const { chain, take } = setUp();
    const old = behind(chain, 50);
    chain.reorg(3, 4);
    take(announcementOf(chain.head));
    expect(take(latest('connection'), old)).toEqual({ outcome: 'behind', asked: 4 });
    for (let poll = 0; poll < 10; poll++) expect(take(latest('poll'), old)).toEqual({ outcome: 'behind', asked: 1 });
    expect(take(latest('headSource'), old)).toEqual(moved([51, 50, 49, 48], [48, 49, 50], 3));
  });

  test('is no reorg when it shows a lower block, unheard of, on a branch that we have left', () => {
    const { chain, take, known } = setUp();
    chain.reorg(3, 2);
    take(announcementOf(chain.head));
    const lost = createForkChoiceDriver(chain, new SimView(chain.mine().added[0]!, true));
    chain.reorg(3, 5);
    expect(take(announcementOf(chain.head))).toMatchObject({ removed: [49, 48] });
    for (let poll = 0; poll < 50; poll++) expect(take(latest('poll'), lost)).toMatchObject({ outcome: 'behind' });
    expect(take(latest('connection'), lost)).toMatchObject({ outcome: 'behind' });
    expect(take(latest('connection', true), lost)).toMatchObject({ removed: [52, 51, 50, 49, 48], added: [48, 49, 50] });
    expect(known.abandoned).toEqual([]);
  });

  test('is no reorg on any branch that we have left, however long ago, unless we came back to it', () => {
    const { chain, take, tip, node } = setUp();
    const first = behind(chain, 50);
    for (let i = 0; i < 5; i++) {
      chain.reorg(3, 4);
      take(announcementOf(chain.head));
    }
    expect(take(latest('poll'), first)).toEqual({ outcome: 'behind', asked: 1 });
    // Back to where it began, and then a lower branch that is rooted in what was left in between.
    const last = createForkChoiceDriver(chain, new SimView(chain.head, true));
    chain.main.moveTo(chain.block(tip.hash)!);
    chain.mine(9);
    expect(take(latest('poll'), node)).toMatchObject({ outcome: 'moved' });
    chain.reorg(10, 2);
    expect(take(latest('poll'), node)).toMatchObject({ outcome: 'rival' });
    expect(take(latest('poll'), last)).toMatchObject({ outcome: 'behind' });
    expect(take(latest('poll'), first)).toMatchObject({ outcome: 'behind' });
  });

  test('is one when it has our head and calls a branch its own that we have left, twice, as a connection', () => {
    const { chain, take, tip } = setUp();
    const first = chain.block(tip.hash)!;
    chain.reorg(3, 4);
    take(announcementOf(chain.head));
    chain.main.moveTo(first);
    for (let poll = 0; poll < 10; poll++) expect(take(latest('poll'))).toEqual({ outcome: 'behind', asked: 1 });
    expect(take(latest('connection'))).toMatchObject({ outcome: 'rival' });
    expect(take(latest('connection'))).toMatchObject({ removed: [51, 50, 49, 48], added: [48, 49, 50], hasGap: false });
  });

  test('is believed where it was our witness, and shows an older block for very long', () => {
    const { chain, take } = setUp();
    expect(take(latest('poll', true), behind(chain, 45))).toEqual({ outcome: 'behind', asked: 1 });
    expect(take(latest('connection', true), behind(chain, 45))).toEqual({ outcome: 'behind', asked: 1 });
    expect(take(latest('headSource', true), behind(chain, 45))).toEqual(moved(down(50, 46), [], 1));
  });

  test.each<[HeadReporter]>([['headSource'], ['connection'], ['poll']])(
    'is believed after very long where it is below all that we know, and then as a gap, as %s',
    (by) => {
      const { chain, take } = setUp();
      expect(take(latest(by, true), behind(chain, 3))).toEqual({
        outcome: 'moved',
        removed: [],
        added: [3],
        hasGap: true,
        asked: 3,
      });
    },
  );
});

describe('polls', () => {
  const poll = latest('poll');

  test('show what is new at once, and what we have as such', () => {
    const { chain, take } = setUp();
    expect(take(poll)).toEqual({ outcome: 'confirmed', asked: 1 });
    chain.reorg(2, 4);
    expect(take(poll)).toMatchObject(moved([50, 49], range(49, 52), 3));
  });

  test('show a branch that is not higher than our head three times before it counts', () => {
    const { chain, take } = setUp();
    chain.reorg(3, 2);
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    chain.mine();
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject(moved([50, 49, 48], [48, 49, 50], 3));
  });

  test.each<[HeadReporter, number]>([
    ['poll', REQUIRED_SIGHTINGS.poll.withoutCurrentHead],
    ['connection', REQUIRED_SIGHTINGS.connection.withoutCurrentHead],
  ])('and connections that have never had our head must show it much more often: %s', (by, often) => {
    const { chain, take } = setUp();
    const view = new SimView(chain.main.at(47)!, true);
    chain.reorg(3, 2);
    view.moveTo(chain.head);
    for (let i = 1; i < often; i++)
      expect(take(latest(by), createForkChoiceDriver(chain, view))).toMatchObject({ outcome: 'rival' });
    expect(take(latest(by), createForkChoiceDriver(chain, view))).toMatchObject({ removed: [50, 49, 48], added: [48, 49] });
  });

  test('count anew when one of them shows our head, or less', () => {
    const { chain, take, tip } = setUp();
    const ours = createForkChoiceDriver(chain, new SimView(chain.block(tip.hash)!, true));
    const lagging = createForkChoiceDriver(chain, new SimView(chain.main.at(40)!, true));
    chain.reorg(3, 2);
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll, ours)).toMatchObject({ outcome: 'confirmed' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll, lagging)).toMatchObject({ outcome: 'behind' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'moved' });
  });

  test('of different branches do not add up', () => {
    const { chain, take } = setUp();
    for (let i = 0; i < 10; i++) {
      chain.reorg(chain.head.height - 47, 2);
      expect(take(poll)).toMatchObject({ outcome: 'rival' });
    }
  });

  test('show a lower branch from below the window three times before that is a gap', () => {
    const { chain, take } = setUp(50);
    chain.reorg(40, 30);
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'rival' });
    expect(take(poll)).toMatchObject({ outcome: 'moved', removed: [], added: [40], hasGap: true });
  });

  test('that cannot be followed to a known block say nothing', () => {
    const { chain, take } = setUp();
    const { added } = chain.reorg(5, 4);
    const hole = createForkChoiceDriver(chain, chain.main, (block) => block === added[1]);
    for (let i = 0; i < 5; i++) expect(take(poll, hole)).toMatchObject({ outcome: 'unproven' });
  });
});

/** Everything at once, from a seed: reorgs, announcements in any dialect, polls, lagging views, parents that are not to be had. */
describe('whatever is told', () => {
  const SEED = readSeed();

  test.each(range(1, 8))(`the changes make up a chain, and in the end the node's (SEED=${SEED}, run %s)`, (run) => {
    const draw = random(SEED + run);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED + run });
    chain.mine(upTo(60));
    const lagging = new SimView(chain.head, true);
    const heardOf = replayChain();
    let known = INITIAL_FORK_CHOICE_STATE;
    const settle = (evidence: HeadObservation, view: SimView, holes: number) => {
      const before = known.canonical?.at(-1);
      const node = createForkChoiceDriver(chain, view, () => draw() < holes);
      const verdict = node.run(chooseFork(known, evidence));
      known = verdict.state;
      const now = known.canonical?.at(-1);
      if (verdict.outcome === 'moved') heardOf.apply(verdict.change);
      else expect(now).toBe(before);
      // Nothing is made up: whatever is the head has been a block of this chain, under its own parents.
      const line = known.canonical ?? [];
      expect(line.findIndex((head, i) => i > 0 && head.parentHash !== line[i - 1]!.hash)).toBe(-1);
      expect(heardOf.tip).toBe(now?.hash);
      expect(line.length).toBeLessThanOrEqual(WINDOW_BLOCKS);
    };
    for (let step = 0; step < 80; step++) {
      const forms = ['geth', 'hashless', 'seed'] as const;
      const { removed, added } = chain.reorg(draw() < 0.5 ? 0 : upTo(16), upTo(12));
      if (draw() < 0.3) lagging.moveTo(chain.main.at(Math.max(0, chain.head.height - upTo(20)))!);
      const told = draw() < 0.5 ? added : [...removed, ...added].filter(() => draw() < 0.3);
      for (const block of told) {
        const by = draw() < 0.5 ? 'headSource' : 'connection';
        settle(announcementOf(block, forms[upTo(3) - 1]!, by), chain.main, draw() < 0.3 ? 0.2 : 0);
      }
      if (draw() < 0.3) settle(latest('poll', draw() < 0.05), draw() < 0.5 ? lagging : chain.main, draw() < 0.2 ? 0.2 : 0);
    }
    settle(latest(), chain.main, 0);
    expect(known.canonical!.at(-1)!.hash).toBe(chain.head.hash);
    expect(chainDifferences({ chain: known.canonical! }, chain.main, WINDOW_BLOCKS)).toEqual([]);
  });

  test.each(range(1, 5))(`backends that lag are never a reorg, and the head never goes back (SEED=${SEED}, run %s)`, (run) => {
    const draw = random(SEED + 100 + run);
    const chain = new SimChain({ seed: SEED + run });
    chain.mine(60);
    const views = range(1, 3).map(() => new SimView(chain.main.at(40 + Math.floor(draw() * 21))!, true));
    let known = INITIAL_FORK_CHOICE_STATE;
    let height = 0;
    for (let poll = 0; poll < 300; poll++) {
      if (draw() < 0.3) chain.mine();
      for (const view of views) {
        const goal = chain.head.height - Math.floor(draw() * 21);
        if (draw() < 0.3 && goal > view.head.height) view.moveTo(chain.main.at(goal)!);
      }
      const verdict = createForkChoiceDriver(chain, views[Math.floor(draw() * 3)]!).run(chooseFork(known, latest('poll')));
      known = verdict.state;
      if (verdict.outcome === 'moved') expect(verdict.change).toMatchObject({ removed: [], hasGap: false });
      expect(known.canonical!.at(-1)!.height).toBeGreaterThanOrEqual(height);
      height = known.canonical!.at(-1)!.height;
    }
    expect(height).toBeGreaterThan(chain.head.height - 21);
  });
});
