import { describe, expect, test } from '@jest/globals';
import { isBlockHash } from '../../../../src/ethereum/hex.ts';
import { WINDOW_BLOCKS } from '../../../../src/sync/chain/canonical-chain.ts';
import { chooseFork, MAX_BRANCH_LENGTH, REQUIRED_SIGHTINGS } from '../../../../src/sync/chain/fork-choice.ts';
import {
  BACKFILL_BLOCKS,
  type ForkChoiceState,
  type HeadObservation,
  type HeadReporter,
  INITIAL_FORK_CHOICE_STATE,
  MAX_FAILED_STARTS,
} from '../../../../src/sync/chain/fork-choice-steps.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { random, readSeed, runSize } from '../../../support/random-tests.ts';
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

/** A chain of `blocks` blocks and a fork choice that has observed its head. */
function setUp(blocks = 50, seed = 1) {
  const chain = new SimChain({ seed, blocks: blocks });
  const node = createForkChoiceDriver(chain);
  let known: ForkChoiceState = INITIAL_FORK_CHOICE_STATE;
  const observe = (observation: HeadObservation, from = node) => {
    from.queries.length = 0;
    const result = from.run(chooseFork(known, observation));
    known = result.state;
    if (result.outcome !== 'moved') return { outcome: result.outcome, queries: from.queries.length };
    const { removed, added, hasGap } = result.change;
    return {
      outcome: 'moved',
      removed: heights(removed),
      added: heights(added),
      hasGap,
      queries: from.queries.length,
    };
  };
  const firstResult = observe(latest());
  return {
    chain,
    node,
    observe,
    firstResult,
    get tip() {
      return known.canonical!.at(-1)!;
    },
    get known() {
      return known;
    },
  };
}

const moved = (removed: number[], added: number[], queries: number) => ({
  outcome: 'moved',
  removed,
  added,
  hasGap: false,
  queries,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_none, i) => from + i);
const down = (from: number, to: number) => range(to, from).reverse();

describe('first head', () => {
  test('fork choice reads the first head and its ancestors in two queries', () => {
    const { firstResult, known } = setUp(50);
    expect(firstResult).toEqual(moved([], [50], 2));
    expect(heights(known.canonical!)).toEqual(range(50 - BACKFILL_BLOCKS, 50));
  });

  test('fork choice accepts a first head without ancestors from a node without history', () => {
    const chain = new SimChain({ seed: 1, blocks: 50 });
    const node = createForkChoiceDriver(chain, chain.main, ({ height }) => height < 50);
    let state = INITIAL_FORK_CHOICE_STATE;
    for (let i = 0; i <= MAX_FAILED_STARTS; i++) {
      expect(state.canonical).toBeUndefined();
      ({ state } = node.run(chooseFork(state, latest())));
    }
    expect(heights(state.canonical!)).toEqual([50]);
  });

  test('fork choice reads the ancestors of a first head again after the node has failed to return them', () => {
    const node = createForkChoiceDriver(new SimChain({ seed: 1, blocks: 50 }));
    const failed = node.run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest()), ([ref], result) => (ref === 'latest' ? result : []));
    expect(failed.outcome).toBe('unverified');
    const { state } = node.run(chooseFork(failed.state, latest()));
    expect(heights(state.canonical!)).toEqual(range(50 - BACKFILL_BLOCKS, 50));
  });

  test('fork choice has no head while the node returns no block', () => {
    const chain = new SimChain({ seed: 1 });
    const node = createForkChoiceDriver(chain, chain.main, () => true);
    expect(node.run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest()))).toEqual({
      outcome: 'unverified',
      state: INITIAL_FORK_CHOICE_STATE,
    });
  });
});

describe('announced header', () => {
  test('fork choice accepts an announced child of the head without a query', () => {
    const { chain, observe } = setUp();
    chain.mine();
    expect(observe(announcementOf(chain.head))).toEqual(moved([], [51], 0));
  });

  test('fork choice treats an announced block of the window as confirmed or stale without a query', () => {
    const { chain, observe } = setUp();
    expect(observe(announcementOf(chain.head))).toEqual({ outcome: 'confirmed', queries: 0 });
    expect(observe(announcementOf(chain.main.at(40)!))).toEqual({ outcome: 'stale', queries: 0 });
  });

  test('fork choice fills 200 missing blocks in four queries', () => {
    const { chain, observe } = setUp();
    chain.mine(200);
    expect(observe(announcementOf(chain.head))).toEqual(moved([], range(51, 250), 4));
  });

  test('fork choice requests at most 64 blocks per query, none below block 0 and none twice', () => {
    const { chain, observe, node } = setUp(200);
    chain.mine(500);
    observe(announcementOf(chain.head));
    expect(node.queries.map(({ length }) => length)).toEqual([64, 64, 64, 64, 64, 64, 64, 64]);
    const requested = node.queries.flat().filter((ref) => !isBlockHash(ref));
    expect(new Set(requested).size).toBe(requested.length);
    const shortChain = setUp(3);
    shortChain.chain.reorg(3, 5);
    shortChain.observe(announcementOf(shortChain.chain.head));
    const heights = shortChain.node.queries.flat().filter((ref) => !isBlockHash(ref));
    expect(Math.min(...heights.map(Number))).toBe(0);
    const smallGap = setUp();
    smallGap.chain.mine(4);
    smallGap.observe(announcementOf(smallGap.chain.head));
    expect(smallGap.node.queries).toEqual([[smallGap.chain.main.at(53)!.hash, '0x34', '0x33']]);
  });

  test('fork choice reads a whole branch from the announcement of its head', () => {
    const { chain, observe } = setUp();
    chain.reorg(16, 17);
    expect(observe(announcementOf(chain.head))).toEqual(moved(down(50, 35), range(35, 51), 5));
  });

  test.each([1, 2])(
    'fork choice ignores the announcement of a branch that the node has left, %s blocks above the fork',
    (length) => {
      const { chain, observe, tip } = setUp();
      const orphan = chain.reorg(2, length).added.at(-1)!;
      chain.main.moveTo(chain.block(tip.hash)!);
      expect(observe(announcementOf(orphan))).toEqual({ outcome: 'confirmed', queries: 1 });
    },
  );

  test('fork choice does not accept a branch until the node has all its blocks', () => {
    const { chain, observe, tip } = setUp();
    const { added } = chain.reorg(2, 5);
    const incompleteNode = createForkChoiceDriver(chain, chain.main, (block) => block === added[2]);
    expect(observe(announcementOf(chain.head), incompleteNode)).toMatchObject({ outcome: 'unverified' });
    expect(observe(announcementOf(chain.block(tip.hash)!))).toEqual({ outcome: 'confirmed', queries: 0 });
    expect(observe(latest())).toEqual(moved([50, 49], range(49, 53), 3));
  });

  test('fork choice does not accept a head whose parent has the same height', () => {
    const { chain, known } = setUp();
    chain.mine(3);
    const [parent, child] = [headOf(chain.main.at(52)!), headOf(chain.main.at(53)!)];
    const steps = chooseFork(known, { kind: 'announced', head: child, reporter: 'headSource' });
    expect(steps.next().value).toEqual([parent.hash, '0x33']);
    const value = { outcome: 'unverified', state: { ...known, unverifiedIds: [expect.any(String)] } };
    expect(steps.next([{ ...parent, height: 53 }])).toEqual({ done: true, value });
  });
});

describe('unproven head', () => {
  /** A changed child of the head. */
  const mineChild = (chain: SimChain, changes: Partial<Head>): Head => ({ ...headOf(chain.mine().added[0]!), ...changes });
  const announced = (head: Head, isHeadCheckDue = false): HeadObservation => {
    return { kind: 'announced', reporter: 'headSource', head, isHeadCheckDue };
  };
  const isUnconfirmed = { outcome: 'unverified', isUnconfirmed: true };

  test('fork choice defers the announcement of a head beyond the window while a read of the latest block is due', () => {
    const { chain, observe } = setUp();
    chain.mine(MAX_BRANCH_LENGTH);
    expect(observe(announced(headOf(chain.head), true))).toMatchObject({ outcome: 'moved' });
    chain.mine(MAX_BRANCH_LENGTH + 1);
    expect(observe(announced(headOf(chain.head), true))).toEqual({ outcome: 'deferred', queries: 0 });
  });

  test('fork choice evaluates an announcement that proved nothing only once, and remembers 64 of them', () => {
    const { chain, observe, tip, node, known } = setUp();
    const orphan = chain.reorg(2, 1).added[0]!;
    chain.main.moveTo(chain.block(tip.hash)!);
    expect(observe(announcementOf(orphan))).toEqual({ outcome: 'confirmed', queries: 1 });
    expect(observe(announcementOf(orphan))).toEqual({ outcome: 'deferred', queries: 0 });
    const lost = chain.mine(70).added;
    chain.reorg(70, 1);
    let state = known;
    for (const block of lost.slice(1)) ({ state } = node.run(chooseFork(state, announcementOf(block, 'service'))));
    expect(state.unverifiedIds).toHaveLength(64);
    expect(node.run(chooseFork(state, announcementOf(chain.head))).state.unverifiedIds).toEqual(state.unverifiedIds);
  });

  test('a header without a hash far above the node, and a read block with another height, are unconfirmed heads of the node', () => {
    const { chain, known, node } = setUp();
    const renumber = chooseFork(known, latest());
    expect(renumber.next().value).toEqual(['latest']);
    expect(renumber.next([{ ...headOf(chain.head), height: 49 }]).value).toMatchObject(isUnconfirmed);
    const orphan = chain.mine(MAX_BRANCH_LENGTH + 1).added.at(-1)!;
    chain.reorg(MAX_BRANCH_LENGTH + 1, 1);
    expect(node.run(chooseFork(known, announcementOf(orphan, 'service')))).toMatchObject(isUnconfirmed);
  });

  test.each<[string, (head: Head, parent: Head) => (Head | undefined)[], boolean]>([
    ['with the head and its parent', (head, parent) => [head, parent], true],
    ['without the head', (_head, parent) => [undefined, parent], false],
    ['without the parent', (head) => [head, undefined], false],
    ['with another height', (head, parent) => [{ ...head, height: 51 }, parent], false],
    ['with another parent', (head, parent) => [{ ...head, parentHash: head.hash }, parent], false],
    ['with a parent of equal height', (head, parent) => [head, { ...parent, height: 52 }], false],
  ])('a head that skips a height is accepted if the node confirms it: %s', (_case, respond, isAccepted) => {
    const base = setUp();
    const head = mineChild(base.chain, { height: 52, number: '0x34' });
    const steps = chooseFork(base.known, announced(head));
    expect(steps.next().value).toEqual([head.hash, base.tip.hash]);
    const result = steps.next(respond(head, base.tip)).value;
    expect(result).toMatchObject(isAccepted ? { outcome: 'moved', change: { added: [head], removed: [] } } : isUnconfirmed);
  });

  test('the hash of a header counts only on a chain whose hashes were computed, and for headers of the form of its first head', () => {
    const change = (head: Head | undefined): Head | undefined => head && { ...head, header: { ...head.header, gasUsed: '0x1' } };
    const other = setUp();
    const { state } = other.node.run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest()), (_query, heads) => heads.map(change));
    expect(state).toMatchObject({ verifiedHashForm: undefined, requiresHashes: false });
    const { withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash, ...london } = other.tip.header;
    expect(other.observe(announced(mineChild(other.chain, { header: london })))).toMatchObject({ outcome: 'moved', queries: 0 });
    const same = setUp();
    const wrong = announced(mineChild(same.chain, { header: { ...same.tip.header, gasUsed: '0x1' } }));
    expect(same.node.run(chooseFork(same.known, wrong), () => [])).toMatchObject(isUnconfirmed);
    expect(same.node.run(chooseFork(state, wrong)).outcome).toBe('moved');
  });

  test('side branches are the removed blocks, oldest first, without those that became canonical again', () => {
    const base = setUp();
    const formerHead = base.chain.head;
    base.chain.reorg(3, 4);
    base.observe(announcementOf(base.chain.head));
    expect(heights(base.known.sideBranches)).toEqual([48, 49, 50]);
    base.chain.main.moveTo(formerHead);
    base.observe(latest());
    expect(heights(base.known.sideBranches)).toEqual([48, 49, 50, 51]);
  });
});

describe('gap', () => {
  test(`fork choice reports a gap of more than ${MAX_BRANCH_LENGTH} blocks and continues above it`, () => {
    const { chain, observe, known: before } = setUp();
    chain.mine(MAX_BRANCH_LENGTH + 1);
    expect(observe(announcementOf(chain.head))).toEqual({
      outcome: 'moved',
      removed: [],
      added: [50 + MAX_BRANCH_LENGTH + 1],
      hasGap: true,
      queries: 2,
    });
    expect(before.canonical).toHaveLength(BACKFILL_BLOCKS + 1);
    chain.mine();
    expect(observe(announcementOf(chain.head))).toMatchObject(moved([], [50 + MAX_BRANCH_LENGTH + 2], 0));
  });

  test('fork choice reports a reorg below the window as a gap', () => {
    const { chain, observe } = setUp();
    chain.reorg(BACKFILL_BLOCKS, BACKFILL_BLOCKS + 1);
    expect(observe(announcementOf(chain.head))).toMatchObject({ removed: down(50, 51 - BACKFILL_BLOCKS), hasGap: false });
    const deep = setUp();
    deep.chain.reorg(BACKFILL_BLOCKS + 1, BACKFILL_BLOCKS + 2);
    expect(deep.observe(announcementOf(deep.chain.head))).toMatchObject({ removed: [], added: [51], hasGap: true });
  });

  test('fork choice reports a reorg of the full window block by block', () => {
    const { chain, observe } = setUp();
    for (let i = 0; i < 300; i++) {
      chain.mine();
      observe(announcementOf(chain.head));
    }
    chain.reorg(255, 256);
    expect(observe(announcementOf(chain.head))).toMatchObject({ removed: down(350, 96), added: range(96, 351), hasGap: false });
  });
});

describe('header without a hash', () => {
  test.each(['service', 'hashless'] as const)(
    'fork choice reads the block of a header without a hash by its height: %s',
    (header) => {
      const { chain, observe, tip } = setUp();
      chain.mine();
      expect(observe(announcementOf(chain.head, header))).toEqual(moved([], [51], 1));
      expect(tip.height).toBe(50);
    },
  );

  test('fork choice accepts no header without a hash of a block in the window as a new head', () => {
    const { chain, observe } = setUp();
    expect(observe(announcementOf(chain.head, 'service'))).toEqual({ outcome: 'confirmed', queries: 1 });
    expect(observe(announcementOf(chain.main.at(45)!, 'service'))).toEqual({ outcome: 'stale', queries: 1 });
  });

  test('fork choice accepts the block that replaced an announced one without a hash', () => {
    const { chain, observe } = setUp();
    const orphan = chain.mine().added[0]!;
    chain.reorg(2, 3);
    expect(observe(announcementOf(orphan, 'service'))).toMatchObject(moved([50], [50, 51], 2));
    expect(observe(announcementOf(chain.head, 'service'))).toMatchObject(moved([], [52], 1));
  });

  test('fork choice does not accept a header without a hash above the head of the node', () => {
    const { chain, observe } = setUp();
    const orphan = chain.mine(3).added.at(-1)!;
    chain.reorg(3, 1);
    expect(observe(announcementOf(orphan, 'service'))).toEqual({ outcome: 'unverified', queries: 1 });
  });
});

describe('lagging node', () => {
  const behind = (chain: SimChain, height: number) => createForkChoiceDriver(chain, new SimView(chain.main.at(height)!, true));

  test.each<[HeadReporter]>([['connection'], ['poll']])('fork choice sees no reorg in the lagging head of a %s', (reporter) => {
    const { chain, observe } = setUp();
    expect(observe(latest(reporter), behind(chain, 45))).toEqual({ outcome: 'behind', queries: 1 });
  });

  test('fork choice doubts the head when its source lags or a node is below the window', () => {
    const { chain, observe } = setUp();
    expect(observe(latest('headSource'), behind(chain, 45))).toEqual({ outcome: 'doubtful', queries: 1 });
    for (const reporter of ['headSource', 'connection', 'poll'] as const) {
      expect(observe(latest(reporter), behind(chain, 3))).toEqual({ outcome: 'doubtful', queries: 1 });
    }
    expect(observe(announcementOf(chain.main.at(3)!), behind(chain, 3))).toEqual({ outcome: 'doubtful', queries: 1 });
    expect(observe(latest('poll'), behind(chain, 50 - BACKFILL_BLOCKS))).toEqual({ outcome: 'behind', queries: 1 });
    chain.reorg(BACKFILL_BLOCKS + 1, 1);
    expect(chain.head.height).toBe(50 - BACKFILL_BLOCKS);
    expect(observe(latest('poll'))).toEqual({ outcome: 'competing', queries: 1 });
  });

  test('fork choice sees no reorg in a side branch unless the head source returns to it', () => {
    const { chain, observe } = setUp();
    const old = behind(chain, 50);
    chain.reorg(3, 4);
    observe(announcementOf(chain.head));
    expect(observe(latest('connection'), old)).toEqual({ outcome: 'behind', queries: 4 });
    for (let poll = 0; poll < 10; poll++) expect(observe(latest('poll'), old)).toEqual({ outcome: 'behind', queries: 1 });
    expect(observe(latest('headSource'), old)).toEqual(moved([51, 50, 49, 48], [48, 49, 50], 3));
  });

  test('fork choice sees no reorg in an unknown lower block on a side branch', () => {
    const { chain, observe, known } = setUp();
    chain.reorg(3, 2);
    observe(announcementOf(chain.head));
    const sideBranchNode = createForkChoiceDriver(chain, new SimView(chain.mine().added[0]!, true));
    chain.reorg(3, 5);
    expect(observe(announcementOf(chain.head))).toMatchObject({ removed: [49, 48] });
    for (let poll = 0; poll < 50; poll++) expect(observe(latest('poll'), sideBranchNode)).toMatchObject({ outcome: 'behind' });
    expect(observe(latest('connection'), sideBranchNode)).toMatchObject({ outcome: 'behind' });
    expect(observe(latest('connection', true), sideBranchNode)).toMatchObject({
      removed: [52, 51, 50, 49, 48],
      added: [48, 49, 50],
    });
    expect(known.sideBranches).toEqual([]);
  });

  test('fork choice returns to a side branch when a connection that has the head reports it twice', () => {
    const { chain, observe, tip } = setUp();
    const first = chain.block(tip.hash)!;
    chain.reorg(3, 4);
    observe(announcementOf(chain.head));
    chain.main.moveTo(first);
    for (let poll = 0; poll < 10; poll++) expect(observe(latest('poll'))).toEqual({ outcome: 'behind', queries: 1 });
    expect(observe(latest('connection'))).toMatchObject({ outcome: 'competing' });
    expect(observe(latest('connection'))).toMatchObject({ removed: [51, 50, 49, 48], added: [48, 49, 50], hasGap: false });
  });

  test('fork choice accepts an ancestor of the head from the head source once the head is overdue', () => {
    const { chain, observe } = setUp();
    expect(observe(latest('poll', true), behind(chain, 45))).toEqual({ outcome: 'behind', queries: 1 });
    expect(observe(latest('connection', true), behind(chain, 45))).toEqual({ outcome: 'behind', queries: 1 });
    expect(observe(latest('headSource', true), behind(chain, 45))).toEqual(moved(down(50, 46), [], 1));
  });

  test.each<[HeadReporter]>([['headSource'], ['connection'], ['poll']])(
    'fork choice accepts a head below the window as a gap once the head is overdue, from %s',
    (reporter) => {
      const { chain, observe } = setUp();
      expect(observe(latest(reporter, true), behind(chain, 3))).toEqual({
        outcome: 'moved',
        removed: [],
        added: [3],
        hasGap: true,
        queries: 3,
      });
    },
  );
});

describe('polls', () => {
  const poll = latest('poll');

  test('fork choice accepts a higher branch of a poll immediately', () => {
    const { chain, observe } = setUp();
    expect(observe(poll)).toEqual({ outcome: 'confirmed', queries: 1 });
    chain.reorg(2, 4);
    expect(observe(poll)).toMatchObject(moved([50, 49], range(49, 52), 3));
  });

  test('fork choice accepts a branch that is not higher after three polls', () => {
    const { chain, observe } = setUp();
    chain.reorg(3, 2);
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    chain.mine();
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject(moved([50, 49, 48], [48, 49, 50], 3));
  });

  test.each<[HeadReporter, number]>([
    ['poll', REQUIRED_SIGHTINGS.poll.withoutCurrentHead],
    ['connection', REQUIRED_SIGHTINGS.connection.withoutCurrentHead],
  ])('fork choice requires more reports of a %s that does not have the head', (reporter, required) => {
    const { chain, observe } = setUp();
    const view = new SimView(chain.main.at(47)!, true);
    chain.reorg(3, 2);
    view.moveTo(chain.head);
    for (let i = 1; i < required; i++)
      expect(observe(latest(reporter), createForkChoiceDriver(chain, view))).toMatchObject({ outcome: 'competing' });
    expect(observe(latest(reporter), createForkChoiceDriver(chain, view))).toMatchObject({
      removed: [50, 49, 48],
      added: [48, 49],
    });
  });

  test('fork choice restarts the count of polls when one returns the head or an ancestor', () => {
    const { chain, observe, tip } = setUp();
    const ours = createForkChoiceDriver(chain, new SimView(chain.block(tip.hash)!, true));
    const lagging = createForkChoiceDriver(chain, new SimView(chain.main.at(40)!, true));
    chain.reorg(3, 2);
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll, ours)).toMatchObject({ outcome: 'confirmed' });
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll, lagging)).toMatchObject({ outcome: 'behind' });
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject({ outcome: 'moved' });
  });

  test('fork choice counts a branch that was never canonical although a reorg has removed other blocks', () => {
    const { chain, observe } = setUp();
    chain.reorg(2, 3);
    observe(announcementOf(chain.head));
    chain.reorg(1, 1);
    for (let i = 0; i < 2; i++) expect(observe(poll)).toMatchObject({ outcome: 'competing' });
    expect(observe(poll)).toMatchObject({ removed: [51], added: [51] });
  });

  test('fork choice does not accept a poll whose branch is not linked to a known block', () => {
    const { chain, observe } = setUp();
    const { added } = chain.reorg(5, 4);
    const incompleteNode = createForkChoiceDriver(chain, chain.main, (block) => block === added[1]);
    for (let i = 0; i < 5; i++) expect(observe(poll, incompleteNode)).toMatchObject({ outcome: 'unverified' });
  });
});

/** Random reorgs, announcements in all dialects, polls, lagging views and missing parents. */
describe('random observations', () => {
  const SEED = readSeed();

  test.each(range(1, runSize(3, 8)))('fork choice emits linked changes that end at the head of the node (run %s)', (run) => {
    const draw = random(SEED + run);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED + run });
    chain.mine(upTo(60));
    const lagging = new SimView(chain.head, true);
    const replay = replayChain();
    let known = INITIAL_FORK_CHOICE_STATE;
    const observe = (observation: HeadObservation, view: SimView, missingShare: number) => {
      const before = known.canonical?.at(-1);
      const node = createForkChoiceDriver(chain, view, () => draw() < missingShare);
      const result = node.run(chooseFork(known, observation));
      known = result.state;
      const now = known.canonical?.at(-1);
      if (result.outcome === 'moved') replay.apply(result.change);
      const window = known.canonical ?? [];
      expect({
        isHeadUnchanged: result.outcome === 'moved' || now === before,
        unlinkedIndex: window.findIndex((head, i) => i > 0 && head.parentHash !== window[i - 1]!.hash),
        replayedHead: replay.tip,
        isWindowTooLong: window.length > WINDOW_BLOCKS,
      }).toEqual({ isHeadUnchanged: true, unlinkedIndex: -1, replayedHead: now?.hash, isWindowTooLong: false });
    };
    for (let step = 0; step < 80; step++) {
      const forms = ['geth', 'hashless', 'service'] as const;
      const { removed, added } = chain.reorg(draw() < 0.5 ? 0 : upTo(16), upTo(12));
      if (draw() < 0.3) lagging.moveTo(chain.main.at(Math.max(0, chain.head.height - upTo(20)))!);
      const announced = draw() < 0.5 ? added : [...removed, ...added].filter(() => draw() < 0.3);
      for (const block of announced) {
        const reporter = draw() < 0.5 ? 'headSource' : 'connection';
        observe(announcementOf(block, forms[upTo(3) - 1]!, reporter), chain.main, draw() < 0.3 ? 0.2 : 0);
      }
      if (draw() < 0.3) observe(latest('poll', draw() < 0.05), draw() < 0.5 ? lagging : chain.main, draw() < 0.2 ? 0.2 : 0);
    }
    observe(latest(), chain.main, 0);
    expect(known.canonical!.at(-1)!.hash).toBe(chain.head.hash);
    expect(chainDifferences({ chain: known.canonical! }, chain.main, WINDOW_BLOCKS)).toEqual([]);
  });
});
