import { describe, expect, test } from '@jest/globals';
import type { Answer, Question } from '../../../../src/sync/chain/ancestors.ts';
import { headOf as tipOf } from '../../../../src/sync/chain/canonical-chain.ts';
import {
  type Evidence,
  FURTHEST,
  judge,
  type Known,
  NOTHING,
  OFTEN,
  type Speaker,
} from '../../../../src/sync/chain/fork-choice.ts';
import { type Head, readHead, readTold } from '../../../../src/sync/chain/rpc-header.ts';
import { random, seed } from '../../../support/prove.ts';
import { ABSURD, absurdHeader } from '../../../support/simulator/absurd-heads.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { teller, toldOf } from '../../../support/simulator/judge.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';
import { type SimBlock, SimView } from '../../../support/simulator/view.ts';

const latest = (by: Speaker, overdue = false): Evidence => ({ kind: 'latest', by, overdue });
const announced = (wire: object, isLookDue = false): Evidence => ({
  kind: 'announced',
  told: readTold(wire)!,
  by: 'witness',
  isLookDue,
});

/** A follower of a chain of 50 blocks; `liar` answers the question for the head with another block. */
function setUp(blocks = 50) {
  const chain = new SimChain({ seed: 5 });
  chain.mine(blocks);
  const node = teller(chain);
  let known: Known = NOTHING;
  const settle = (evidence: Evidence, change?: (question: Question, answer: Answer) => Answer) => {
    node.asked.length = 0;
    const verdict = node.settle(judge(known, evidence), change);
    known = verdict.known;
    return verdict;
  };
  settle(latest('witness'));
  return {
    chain,
    node,
    settle,
    get tip() {
      return tipOf(known.canonical!);
    },
  };
}

const withLatest = (head: Head) => (question: Question, answer: Answer) =>
  question.ask === 'latest' ? [head, ...answer.slice(1)] : answer;

describe('an announced head that the node does not confirm', () => {
  test.each(ABSURD)('is not taken, and its repetition costs no read: %s', (kind) => {
    const { chain, node, settle, tip } = setUp();
    const wire = absurdHeader(kind, chain, random(1));
    const first = settle(announced(wire));
    const reads = node.asked.length;
    expect(first.outcome).toBe('unproven');
    expect(reads).toBeLessThanOrEqual(2);
    for (let i = 0; i < 1_000; i++) {
      expect(settle(announced(wire)).outcome).toBe('deferred');
      expect(node.asked).toEqual([]);
    }
    chain.mine();
    expect(settle(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { removed: [], gap: false } });
    expect(tip.height).toBe(50);
  });

  test('is reported with its number when it lies beyond the window', () => {
    const { chain, settle } = setUp();
    const wire = absurdHeader('largest number', chain, random(1));
    expect(settle(announced(wire))).toMatchObject({ outcome: 'unproven', refused: { number: '0x1fffffffffffff' } });
  });

  test('costs no read at all while the head is about to be read anyway', () => {
    const { chain, node, settle } = setUp();
    const draw = random(2);
    for (let i = 0; i < 1_000; i++) {
      const wire = absurdHeader('largest number', chain, draw);
      expect(settle(announced(wire, true)).outcome).toBe('deferred');
    }
    expect(node.asked).toEqual([]);
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
    expect(node.asked).toEqual([{ ask: 'blocks', hashes: [chain.head.hash, chain.head.parent!.hash] }]);
    expect(settle(announced(odd(mined())))).toMatchObject({ outcome: 'moved', change: { added: [{ height: 52 }] } });
    expect(node.asked).toEqual([]);
  });
});

describe('an absurd answer for the head', () => {
  test.each<[Speaker]>([['witness'], ['connection'], ['poll']])('leaves the head as it is, as %s', (by) => {
    const { chain, settle, tip } = setUp();
    const absurd = readHead(absurdHeader('largest number', chain, random(3)))!;
    for (let i = 0; i < 30; i++) {
      expect(settle(latest(by), withLatest(absurd))).toMatchObject({ outcome: 'unproven', refused: { hash: absurd.hash } });
    }
    expect(settle(latest(by))).toMatchObject({ outcome: 'confirmed' });
    expect(tip.height).toBe(50);
  });

  test('is not taken as the first head', () => {
    const { chain } = setUp();
    const absurd = readHead(absurdHeader('largest number', chain, random(3)))!;
    const first = teller(chain).settle(judge(NOTHING, latest('poll')), withLatest(absurd));
    expect(first).toMatchObject({
      outcome: 'unproven',
      refused: { number: '0x1fffffffffffff' },
      known: { canonical: undefined },
    });
  });

  test('is not taken as the first head with another number than the node has under its hash', () => {
    const { chain } = setUp();
    const absurd = readHead({ ...blockOf(chain.head), number: '0x1fffffffffffff' })!;
    const first = teller(chain).settle(judge(NOTHING, latest('poll')), withLatest(absurd));
    expect(first).toMatchObject({ outcome: 'unproven', known: { canonical: undefined } });
  });

  test('with the hash of another height is not taken', () => {
    const { chain, settle } = setUp();
    const absurd = readHead({ ...blockOf(chain.main.at(40)!), number: '0x33' })!;
    expect(settle(latest('witness', true), withLatest(absurd))).toMatchObject({
      outcome: 'unproven',
      refused: { number: '0x33' },
    });
  });
});

describe('a head far away that the node confirms', () => {
  test.each([[FURTHEST + 1], [3_000]])('is taken in two reads: %s blocks ahead', (blocks) => {
    const { chain, node, settle } = setUp();
    chain.mine(blocks);
    const verdict = settle(announced(blockOf(chain.head)));
    expect(verdict).toMatchObject({ outcome: 'moved', change: { removed: [], added: [{ height: 50 + blocks }], gap: true } });
    expect(node.asked[0]).toEqual({ ask: 'blocks', hashes: [chain.head.hash, chain.head.parent!.hash] });
    expect(node.asked).toHaveLength(2);
    chain.mine();
    expect(settle(announced(blockOf(chain.head)))).toMatchObject({ outcome: 'moved', change: { gap: false } });
  });

  test('is taken with the header that the node has, and not with the one that was announced', () => {
    const { chain, settle } = setUp();
    chain.mine(FURTHEST + 1);
    const verdict = settle(announced({ ...blockOf(chain.head), timestamp: '0x7fffffffffffffff' }));
    expect(verdict).toMatchObject({
      outcome: 'moved',
      change: { added: [{ header: { timestamp: chain.head.header.timestamp } }] },
    });
  });

  test('is taken later when the node does not have its parent yet', () => {
    const { chain, settle } = setUp();
    chain.mine(FURTHEST + 1);
    const lacksParent = (question: Question, answer: Answer) =>
      question.ask === 'blocks' ? answer.map((head, at) => (at === 1 ? undefined : head)) : answer;
    expect(settle(announced(blockOf(chain.head)), lacksParent)).toMatchObject({ outcome: 'unproven' });
    expect(settle(latest('witness'))).toMatchObject({ outcome: 'moved', change: { gap: true } });
  });

  test('may leave out numbers', () => {
    const { chain, settle } = setUp();
    const [parent, block] = [chain.head, chain.mine(3).added.at(-1)!] as const;
    const skipping = readHead({ ...blockOf(block), parentHash: parent.hash })!;
    const confirms = (question: Question, answer: Answer) =>
      question.ask === 'blocks' ? [skipping, readHead(blockOf(parent))] : answer;
    const evidence: Evidence = { kind: 'announced', told: skipping, by: 'witness' };
    expect(settle(evidence, (question, answer) => withLatest(skipping)(question, confirms(question, answer)))).toMatchObject({
      outcome: 'moved',
      change: { removed: [], added: [{ height: 53 }], gap: false },
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

  test.each<[Speaker, number]>([
    ['witness', OFTEN.connection.knowing],
    ['connection', OFTEN.connection.blind],
    ['poll', OFTEN.poll.blind],
  ])('is followed once it was shown a few times, though it mines on, as %s', (by, often) => {
    const { settle } = setUp(500);
    const other = restarted();
    const its = (question: Question): Answer => {
      const asked: Answer[] = [];
      teller(other).settle(
        (function* () {
          asked.push(yield question);
          return { outcome: 'stale', known: NOTHING };
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
      change: { added: [{ hash: other.head.hash }], gap: true },
    });
  });

  test('is not seen in a node that lags, whose head is older than ours', () => {
    const { chain, node, settle } = setUp(500);
    const lagging = teller(chain, new SimView(chain.main.at(100)!, true));
    for (let i = 0; i < 100; i++) {
      expect(settle(latest('poll'), withLatest(readHead(blockOf(chain.main.at(100)!))!))).toMatchObject({ outcome: 'lost' });
    }
    expect(node.asked).toHaveLength(1);
    expect(lagging.asked).toEqual([]);
  });
});

test.each(['0x20000000000000', '0xffffffffffffffff', `0x${'f'.repeat(65)}`, '-0x1', '0x', -1, 2 ** 53, 1.5, null])(
  'the number %s of a head is not read',
  (number) => {
    const chain = new SimChain({ seed: 5 });
    expect(readTold({ ...blockOf(chain.head), number })).toBeUndefined();
  },
);

describe('absurd heads in a normal stream', () => {
  const SEED = seed();

  test.each([1, 2, 3, 4, 5])(`change nothing of what a follower emits (SEED=${SEED}, run %s)`, (run) => {
    const draw = random(SEED + run);
    const chain = new SimChain({ seed: SEED + run });
    chain.mine(60);
    const node = teller(chain);
    const [calm, pestered] = [
      { known: NOTHING, changes: [] as string[] },
      { known: NOTHING, changes: [] as string[] },
    ];
    const hear = (one: typeof calm, evidence: Evidence) => {
      const verdict = node.settle(judge(one.known, evidence));
      one.known = verdict.known;
      if (verdict.outcome !== 'moved') return;
      const { removed, added, gap } = verdict.change;
      one.changes.push(JSON.stringify([removed.map(({ hash }) => hash), added.map(({ hash }) => hash), gap]));
    };
    for (const one of [calm, pestered]) hear(one, latest('connection'));
    for (let step = 0; step < 100; step++) {
      const added: readonly SimBlock[] = (draw() < 0.2 ? chain.reorg(1 + Math.floor(draw() * 5), 6) : chain.mine()).added;
      for (const block of added) {
        const isLookDue = draw() < 0.3;
        const header = draw() < 0.5 ? 'geth' : 'hashless';
        const before = node.asked.length;
        for (let more = Math.floor(draw() * 4); more > 0; more--) {
          const kind = ABSURD[Math.floor(draw() * ABSURD.length)]!;
          hear(pestered, announced(absurdHeader(kind, chain, draw), isLookDue));
        }
        expect(node.asked.length - before).toBeLessThanOrEqual(6);
        const evidence: Evidence = { kind: 'announced', told: toldOf(block, header), by: 'witness' };
        for (const one of [calm, pestered]) hear(one, evidence);
      }
    }
    expect(pestered.changes).toEqual(calm.changes);
    expect(tipOf(pestered.known.canonical!).hash).toBe(chain.head.hash);
  });
});
