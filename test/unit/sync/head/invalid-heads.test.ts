import { describe, expect, test } from '@jest/globals';
import { isBlockHash } from '../../../../src/ethereum/hex.ts';
import type { ChainQuery, ChainQueryResult } from '../../../../src/sync/chain/ancestors.ts';
import { headOf as tipOf } from '../../../../src/sync/chain/canonical-chain.ts';
import { chooseFork, MAX_BRANCH_LENGTH, REQUIRED_SIGHTINGS } from '../../../../src/sync/chain/fork-choice.ts';
import {
  type ForkChoiceState,
  type HeadObservation,
  type HeadReporter,
  INITIAL_FORK_CHOICE_STATE,
} from '../../../../src/sync/chain/fork-choice-steps.ts';
import { type Head, readAnnouncedHead, readHead } from '../../../../src/sync/chain/rpc-header.ts';
import { random, readSeed, runSize } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcedHeaderOf, createForkChoiceDriver } from '../../../support/simulator/fork-choice-driver.ts';
import { INVALID_HEAD_KINDS, invalidHeader } from '../../../support/simulator/invalid-heads.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';
import type { SimBlock } from '../../../support/simulator/view.ts';

const latest = (reporter: HeadReporter, isOverdue = false): HeadObservation => ({ kind: 'latest', reporter, isOverdue });
const announced = (wire: object, isHeadCheckDue = false): HeadObservation => ({
  kind: 'announced',
  head: readAnnouncedHead(wire)!,
  reporter: 'headSource',
  isHeadCheckDue,
});

/** A chain of `blocks` blocks and a fork choice that has observed its head. `change` replaces the results of queries. */
function setUp({ blocks = 50, requiresHashes = false } = {}) {
  const chain = new SimChain({ seed: 5, blocks: blocks });
  const node = createForkChoiceDriver(chain);
  let known: ForkChoiceState = { ...INITIAL_FORK_CHOICE_STATE, requiresHashes };
  const observe = (observation: HeadObservation, change?: (query: ChainQuery, result: ChainQueryResult) => ChainQueryResult) => {
    node.queries.length = 0;
    const result = node.run(chooseFork(known, observation), change);
    known = result.state;
    return result;
  };
  observe(latest('headSource'));
  return {
    chain,
    node,
    observe,
    get tip() {
      return tipOf(known.canonical!);
    },
  };
}

/** A query of a head and its parent by their hashes. */
const isConfirmation = ([, parent]: ChainQuery) => parent !== undefined && isBlockHash(parent);

const withLatest = (head: Head) => (query: ChainQuery, result: ChainQueryResult) =>
  query[0] === 'latest' ? [head, ...result.slice(1)] : result;

describe('announced head that the node does not confirm', () => {
  test.each(INVALID_HEAD_KINDS)(
    'fork choice rejects an invalid announced head, and its repetition costs no query: %s',
    (kind) => {
      const { chain, node, observe, tip } = setUp();
      const wire = invalidHeader(kind, chain, random(1));
      const first = observe(announced(wire));
      const reads = node.queries.length;
      expect(first.outcome).toBe('unverified');
      expect(reads).toBeLessThanOrEqual(2);
      for (let i = 0; i < 100; i++) {
        expect(observe(announced(wire)).outcome).toBe('deferred');
        expect(node.queries).toEqual([]);
      }
      chain.mine();
      expect(observe(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { removed: [], hasGap: false } });
      expect(tip.height).toBe(50);
    },
  );

  test('fork choice accepts a head with a mismatched hash that the node confirms, and no longer checks hashes', () => {
    const { chain, node, observe } = setUp();
    const mined = () => blockOf(chain.mine().added[0]!);
    // This node announces a miner that differs from the hashed header.
    const withOtherMiner = (block: object) => ({ ...block, miner: `0x${'99'.repeat(20)}` });
    expect(observe(announced(withOtherMiner(mined())))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 51 }] } });
    expect(node.queries).toEqual([[chain.head.hash, chain.head.parent!.hash]]);
    expect(observe(announced(withOtherMiner(mined())))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 52 }] } });
    expect(node.queries).toEqual([]);
  });

  test('fork choice reads each announced head without the hash of its header while hashes are required', () => {
    const { chain, node, observe } = setUp({ requiresHashes: true });
    for (let i = 0; i < 2; i++) {
      // Some nodes omit the fields of newer forks from announcements.
      const header = { ...blockOf(chain.mine().added[0]!), parentBeaconBlockRoot: null };
      const { hash, height } = chain.head;
      expect(observe(announced(header))).toMatchObject({ outcome: 'moved', change: { added: [{ hash, height }] } });
      expect(node.queries).toEqual([[chain.head.hash, chain.head.parent!.hash]]);
    }
    expect(observe(announced(blockOf(chain.mine().added[0]!)))).toMatchObject({ outcome: 'moved' });
    expect(node.queries).toEqual([]);
  });
});

describe('invalid latest block', () => {
  test.each<[HeadReporter]>([['headSource'], ['connection'], ['poll']])(
    'fork choice does not change the head for an invalid latest block of a %s',
    (reporter) => {
      const { chain, observe, tip } = setUp();
      const invalid = readHead(invalidHeader('largest number', chain, random(3)))!;
      for (let i = 0; i < 30; i++) {
        expect(observe(latest(reporter), withLatest(invalid))).toMatchObject({
          outcome: 'unverified',
          isUnconfirmed: true,
        });
      }
      expect(observe(latest(reporter))).toMatchObject({ outcome: 'confirmed' });
      expect(tip.height).toBe(50);
    },
  );

  test('fork choice does not start at an invalid latest block', () => {
    const { chain } = setUp();
    const invalid = readHead(invalidHeader('largest number', chain, random(3)))!;
    const first = createForkChoiceDriver(chain).run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest('poll')), withLatest(invalid));
    expect(first).toMatchObject({
      outcome: 'unverified',
      isUnconfirmed: true,
      state: { canonical: undefined },
    });
  });
});

describe('confirmed head beyond the window', () => {
  test.each([[MAX_BRANCH_LENGTH + 1], [2 * MAX_BRANCH_LENGTH]])(
    'fork choice accepts a confirmed head %s blocks ahead in two queries',
    (blocks) => {
      const { chain, node, observe } = setUp();
      chain.mine(blocks);
      const result = observe(announced(blockOf(chain.head)));
      expect(result).toMatchObject({ outcome: 'moved', change: { removed: [], added: [{ height: 50 + blocks }], hasGap: true } });
      expect(node.queries[0]).toEqual([chain.head.hash, chain.head.parent!.hash]);
      expect(node.queries).toHaveLength(2);
      chain.mine();
      expect(observe(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { hasGap: false } });
    },
  );

  test('fork choice accepts a head beyond the window once the node has its parent', () => {
    const { chain, observe } = setUp();
    chain.mine(MAX_BRANCH_LENGTH + 1);
    const lacksParent = (query: ChainQuery, result: ChainQueryResult) =>
      isConfirmation(query) ? result.map((head, index) => (index === 1 ? undefined : head)) : result;
    expect(observe(announced(blockOf(chain.head)), lacksParent)).toMatchObject({ outcome: 'unverified' });
    expect(observe(latest('headSource'))).toMatchObject({ outcome: 'moved', change: { hasGap: true } });
  });
});

describe('restarted chain', () => {
  /** Five blocks of another chain whose timestamps are later than the old head's. */
  const restarted = () => {
    const chain = new SimChain({ seed: 99, genesisTime: 1_800_000_000, blocks: 5 });
    return chain;
  };

  test.each<[HeadReporter, number]>([
    ['headSource', REQUIRED_SIGHTINGS.connection.withCurrentHead],
    ['connection', REQUIRED_SIGHTINGS.connection.withoutCurrentHead],
    ['poll', REQUIRED_SIGHTINGS.poll.withoutCurrentHead],
  ])('fork choice follows a restarted chain after several reports of a %s while it grows', (reporter, required) => {
    const { observe } = setUp({ blocks: 500 });
    const other = restarted();
    const resultOfOther = (query: ChainQuery): ChainQueryResult => {
      const results: ChainQueryResult[] = [];
      createForkChoiceDriver(other).run(
        (function* () {
          results.push(yield query);
          return { outcome: 'stale', state: INITIAL_FORK_CHOICE_STATE };
        })(),
      );
      return results[0]!;
    };
    for (let i = 1; i < required; i++) {
      expect(observe(latest(reporter), resultOfOther)).toMatchObject({ outcome: 'competing' });
      if (i % 3 === 0) other.mine();
    }
    expect(observe(latest(reporter), resultOfOther)).toMatchObject({
      outcome: 'moved',
      change: { added: [{ hash: other.head.hash }], hasGap: true },
    });
  });
});

const SEED = readSeed();

test.each([1, 2, 3, 4, 5].slice(0, runSize(2, 5)))(
  'fork choice emits the same changes with and without invalid heads (run %s)',
  (run) => {
    const draw = random(SEED + run);
    const chain = new SimChain({ seed: SEED + run, blocks: 60 });
    const node = createForkChoiceDriver(chain);
    const [undisturbed, disturbed] = [
      { known: INITIAL_FORK_CHOICE_STATE, changes: [] as string[] },
      { known: INITIAL_FORK_CHOICE_STATE, changes: [] as string[] },
    ];
    const observe = (follower: typeof undisturbed, observation: HeadObservation) => {
      const result = node.run(chooseFork(follower.known, observation));
      follower.known = result.state;
      if (result.outcome !== 'moved') return;
      const { removed, added, hasGap } = result.change;
      follower.changes.push(JSON.stringify([removed.map(({ hash }) => hash), added.map(({ hash }) => hash), hasGap]));
    };
    for (const follower of [undisturbed, disturbed]) observe(follower, latest('connection'));
    for (let step = 0; step < 100; step++) {
      const added: readonly SimBlock[] = (draw() < 0.2 ? chain.reorg(1 + Math.floor(draw() * 5), 6) : chain.mine()).added;
      for (const block of added) {
        const isHeadCheckDue = draw() < 0.3;
        const header = draw() < 0.5 ? 'geth' : 'hashless';
        const before = node.queries.length;
        for (let more = Math.floor(draw() * 4); more > 0; more--) {
          const kind = INVALID_HEAD_KINDS[Math.floor(draw() * INVALID_HEAD_KINDS.length)]!;
          observe(disturbed, announced(invalidHeader(kind, chain, draw), isHeadCheckDue));
        }
        expect(node.queries.length - before).toBeLessThanOrEqual(6);
        const observation: HeadObservation = {
          kind: 'announced',
          head: announcedHeaderOf(block, header),
          reporter: 'headSource',
        };
        for (const follower of [undisturbed, disturbed]) observe(follower, observation);
      }
    }
    expect(disturbed.changes).toEqual(undisturbed.changes);
    expect(tipOf(disturbed.known.canonical!).hash).toBe(chain.head.hash);
  },
);
