import { describe, expect, test } from '@jest/globals';
import type { ChainQuery, ChainQueryResult } from '../../../../src/sync/chain/ancestors.ts';
import { headOf as tipOf } from '../../../../src/sync/chain/canonical-chain.ts';
import {
  chooseFork,
  type ForkChoiceState,
  type HeadObservation,
  type HeadReporter,
  INITIAL_FORK_CHOICE_STATE,
  MAX_BRANCH_LENGTH,
  REQUIRED_SIGHTINGS,
} from '../../../../src/sync/chain/fork-choice.ts';
import { type Head, readAnnouncedHead, readHead } from '../../../../src/sync/chain/rpc-header.ts';
import { random, readSeed } from '../../../support/random-tests.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcedHeaderOf, createForkChoiceDriver } from '../../../support/simulator/fork-choice-driver.ts';
import { INVALID_HEAD_KINDS, invalidHeader } from '../../../support/simulator/invalid-heads.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';
import { type SimBlock, SimView } from '../../../support/simulator/view.ts';

const latest = (reporter: HeadReporter, isOverdue = false): HeadObservation => ({ kind: 'latest', reporter, isOverdue });
const announced = (wire: object, isHeadCheckDue = false): HeadObservation => ({
  kind: 'announced',
  head: readAnnouncedHead(wire)!,
  reporter: 'headSource',
  isHeadCheckDue,
});

/** A follower of a chain of 50 blocks; `liar` answers the question for the head with another block. */
function setUp(blocks = 50) {
  const chain = new SimChain({ seed: 5 });
  chain.mine(blocks);
  const node = createForkChoiceDriver(chain);
  let known: ForkChoiceState = INITIAL_FORK_CHOICE_STATE;
  const settle = (evidence: HeadObservation, change?: (question: ChainQuery, answer: ChainQueryResult) => ChainQueryResult) => {
    node.queries.length = 0;
    const verdict = node.run(chooseFork(known, evidence), change);
    known = verdict.state;
    return verdict;
  };
  settle(latest('headSource'));
  return {
    chain,
    node,
    settle,
    get tip() {
      return tipOf(known.canonical!);
    },
  };
}

const withLatest = (head: Head) => (question: ChainQuery, answer: ChainQueryResult) =>
  question.kind === 'latest' ? [head, ...answer.slice(1)] : answer;

describe('an announced head that the node does not confirm', () => {
  test.each(INVALID_HEAD_KINDS)('is not taken, and its repetition costs no read: %s', (kind) => {
    const { chain, node, settle, tip } = setUp();
    const wire = invalidHeader(kind, chain, random(1));
    const first = settle(announced(wire));
    const reads = node.queries.length;
    expect(first.outcome).toBe('unproven');
    expect(reads).toBeLessThanOrEqual(2);
    for (let i = 0; i < 1_000; i++) {
      expect(settle(announced(wire)).outcome).toBe('deferred');
      expect(node.queries).toEqual([]);
    }
    chain.mine();
    expect(settle(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { removed: [], hasGap: false } });
    expect(tip.height).toBe(50);
  });

  test('is reported with its number when it lies beyond the window', () => {
    const { chain, settle } = setUp();
    const wire = invalidHeader('largest number', chain, random(1));
    expect(settle(announced(wire))).toMatchObject({ outcome: 'unproven', unconfirmedHead: { number: '0x1fffffffffffff' } });
  });

  test('costs no read at all while the head is about to be read anyway', () => {
    const { chain, node, settle } = setUp();
    const draw = random(2);
    for (let i = 0; i < 1_000; i++) {
      const wire = invalidHeader('largest number', chain, draw);
      expect(settle(announced(wire, true)).outcome).toBe('deferred');
    }
    expect(node.queries).toEqual([]);
  });

  test('that carries the hash of a block of the window does not keep that block from being taken again', () => {
    const { chain, settle } = setUp();
    const next = chain.mine().added[0]!;
    settle(announced({ ...blockOf(next), number: '0x1fffffffffffff' }));
    expect(settle(announced(blockOf(next)))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 51 }] } });
  });

  test('with a wrong hash is taken where the node confirms that hash, which then is not computed from the header', () => {
    const { chain, node, settle } = setUp();
    const mined = () => blockOf(chain.mine().added[0]!);
    // This node announces another miner than it hashes.
    const odd = (block: object) => ({ ...block, miner: `0x${'99'.repeat(20)}` });
    expect(settle(announced(odd(mined())))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 51 }] } });
    expect(node.queries).toEqual([{ kind: 'blocks', hashes: [chain.head.hash, chain.head.parent!.hash] }]);
    expect(settle(announced(odd(mined())))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 52 }] } });
    expect(node.queries).toEqual([]);
  });
});

describe('an absurd answer for the head', () => {
  test.each<[HeadReporter]>([['headSource'], ['connection'], ['poll']])('leaves the head as it is, as %s', (by) => {
    const { chain, settle, tip } = setUp();
    const absurd = readHead(invalidHeader('largest number', chain, random(3)))!;
    for (let i = 0; i < 30; i++) {
      expect(settle(latest(by), withLatest(absurd))).toMatchObject({ outcome: 'unproven', unconfirmedHead: { hash: absurd.hash } });
    }
    expect(settle(latest(by))).toMatchObject({ outcome: 'confirmed' });
    expect(tip.height).toBe(50);
  });

  test('is not taken as the first head', () => {
    const { chain } = setUp();
    const absurd = readHead(invalidHeader('largest number', chain, random(3)))!;
    const first = createForkChoiceDriver(chain).run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest('poll')), withLatest(absurd));
    expect(first).toMatchObject({
      outcome: 'unproven',
      unconfirmedHead: { number: '0x1fffffffffffff' },
      state: { canonical: undefined },
    });
  });

  test('is not taken as the first head with another number than the node has under its hash', () => {
    const { chain } = setUp();
    const absurd = readHead({ ...blockOf(chain.head), number: '0x1fffffffffffff' })!;
    const first = createForkChoiceDriver(chain).run(chooseFork(INITIAL_FORK_CHOICE_STATE, latest('poll')), withLatest(absurd));
    expect(first).toMatchObject({ outcome: 'unproven', state: { canonical: undefined } });
  });

  test('with the hash of another height is not taken', () => {
    const { chain, settle } = setUp();
    const absurd = readHead({ ...blockOf(chain.main.at(40)!), number: '0x33' })!;
    expect(settle(latest('headSource', true), withLatest(absurd))).toMatchObject({
      outcome: 'unproven',
      unconfirmedHead: { number: '0x33' },
    });
  });
});

describe('a head far away that the node confirms', () => {
  test.each([[MAX_BRANCH_LENGTH + 1], [3_000]])('is taken in two reads: %s blocks ahead', (blocks) => {
    const { chain, node, settle } = setUp();
    chain.mine(blocks);
    const verdict = settle(announced(blockOf(chain.head)));
    expect(verdict).toMatchObject({ outcome: 'moved', change: { removed: [], added: [{ height: 50 + blocks }], hasGap: true } });
    expect(node.queries[0]).toEqual({ kind: 'blocks', hashes: [chain.head.hash, chain.head.parent!.hash] });
    expect(node.queries).toHaveLength(2);
    chain.mine();
    expect(settle(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { hasGap: false } });
  });

  test('is taken with the header that the node has, and not with the one that was announced', () => {
    const { chain, settle } = setUp();
    chain.mine(MAX_BRANCH_LENGTH + 1);
    const verdict = settle(announced({ ...blockOf(chain.head), timestamp: '0x7fffffffffffffff' }));
    expect(verdict).toMatchObject({
      outcome: 'moved',
      change: { added: [{ header: { timestamp: chain.head.header.timestamp } }] },
    });
  });

  test('is taken later when the node does not have its parent yet', () => {
    const { chain, settle } = setUp();
    chain.mine(MAX_BRANCH_LENGTH + 1);
    const lacksParent = (question: ChainQuery, answer: ChainQueryResult) =>
      question.kind === 'blocks' ? answer.map((head, at) => (at === 1 ? undefined : head)) : answer;
    expect(settle(announced(blockOf(chain.head)), lacksParent)).toMatchObject({ outcome: 'unproven' });
    expect(settle(latest('headSource'))).toMatchObject({ outcome: 'moved', change: { hasGap: true } });
  });

  test('may leave out numbers', () => {
    const { chain, settle } = setUp();
    const [parent, block] = [chain.head, chain.mine(3).added.at(-1)!] as const;
    const skipping = readHead({ ...blockOf(block), parentHash: parent.hash })!;
    const confirms = (question: ChainQuery, answer: ChainQueryResult) =>
      question.kind === 'blocks' ? [skipping, readHead(blockOf(parent))] : answer;
    const evidence: HeadObservation = { kind: 'announced', head: skipping, reporter: 'headSource' };
    expect(settle(evidence, (question, answer) => withLatest(skipping)(question, confirms(question, answer)))).toMatchObject({
      outcome: 'moved',
      change: { removed: [], added: [{ height: 53 }], hasGap: false },
    });
  });
});

describe('a chain that was started again', () => {
  /** Five blocks of another chain: the timestamps are later than those of the old head. */
  const restarted = () => {
    const chain = new SimChain({ seed: 99, genesisTime: 1_800_000_000 });
    chain.mine(5);
    return chain;
  };

  test.each<[HeadReporter, number]>([
    ['headSource', REQUIRED_SIGHTINGS.connection.withCurrentHead],
    ['connection', REQUIRED_SIGHTINGS.connection.withoutCurrentHead],
    ['poll', REQUIRED_SIGHTINGS.poll.withoutCurrentHead],
  ])('is followed once it was shown a few times, though it mines on, as %s', (by, often) => {
    const { settle } = setUp(500);
    const other = restarted();
    const its = (question: ChainQuery): ChainQueryResult => {
      const asked: ChainQueryResult[] = [];
      createForkChoiceDriver(other).run(
        (function* () {
          asked.push(yield question);
          return { outcome: 'stale', state: INITIAL_FORK_CHOICE_STATE };
        })(),
      );
      return asked[0]!;
    };
    for (let i = 1; i < often; i++) {
      expect(settle(latest(by), its)).toMatchObject({ outcome: 'rival' });
      if (i % 3 === 0) other.mine();
    }
    expect(settle(latest(by), its)).toMatchObject({
      outcome: 'moved',
      change: { added: [{ hash: other.head.hash }], hasGap: true },
    });
  });

  test('is not seen in a node that lags, whose head is older than ours', () => {
    const { chain, node, settle } = setUp(500);
    const lagging = createForkChoiceDriver(chain, new SimView(chain.main.at(100)!, true));
    for (let i = 0; i < 100; i++) {
      expect(settle(latest('poll'), withLatest(readHead(blockOf(chain.main.at(100)!))!))).toMatchObject({ outcome: 'doubtful' });
    }
    expect(node.queries).toHaveLength(1);
    expect(lagging.queries).toEqual([]);
  });
});

test.each(['0x20000000000000', '0xffffffffffffffff', `0x${'f'.repeat(65)}`, '-0x1', '0x', -1, 2 ** 53, 1.5, null])(
  'the number %s of a head is not read',
  (number) => {
    const chain = new SimChain({ seed: 5 });
    expect(readAnnouncedHead({ ...blockOf(chain.head), number })).toBeUndefined();
  },
);

describe('absurd heads in a normal stream', () => {
  const SEED = readSeed();

  test.each([1, 2, 3, 4, 5])(`change nothing of what a follower emits (SEED=${SEED}, run %s)`, (run) => {
    const draw = random(SEED + run);
    const chain = new SimChain({ seed: SEED + run });
    chain.mine(60);
    const node = createForkChoiceDriver(chain);
    const [calm, pestered] = [
      { known: INITIAL_FORK_CHOICE_STATE, changes: [] as string[] },
      { known: INITIAL_FORK_CHOICE_STATE, changes: [] as string[] },
    ];
    const hear = (one: typeof calm, evidence: HeadObservation) => {
      const verdict = node.run(chooseFork(one.known, evidence));
      one.known = verdict.state;
      if (verdict.outcome !== 'moved') return;
      const { removed, added, hasGap } = verdict.change;
      one.changes.push(JSON.stringify([removed.map(({ hash }) => hash), added.map(({ hash }) => hash), hasGap]));
    };
    for (const one of [calm, pestered]) hear(one, latest('connection'));
    for (let step = 0; step < 100; step++) {
      const added: readonly SimBlock[] = (draw() < 0.2 ? chain.reorg(1 + Math.floor(draw() * 5), 6) : chain.mine()).added;
      for (const block of added) {
        const isLookDue = draw() < 0.3;
        const header = draw() < 0.5 ? 'geth' : 'hashless';
        const before = node.queries.length;
        for (let more = Math.floor(draw() * 4); more > 0; more--) {
          const kind = INVALID_HEAD_KINDS[Math.floor(draw() * INVALID_HEAD_KINDS.length)]!;
          hear(pestered, announced(invalidHeader(kind, chain, draw), isLookDue));
        }
        expect(node.queries.length - before).toBeLessThanOrEqual(6);
        const evidence: HeadObservation = { kind: 'announced', head: announcedHeaderOf(block, header), reporter: 'headSource' };
        for (const one of [calm, pestered]) hear(one, evidence);
      }
    }
    expect(pestered.changes).toEqual(calm.changes);
    expect(tipOf(pestered.known.canonical!).hash).toBe(chain.head.hash);
  });
});
