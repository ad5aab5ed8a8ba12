import { describe, expect, test } from '@jest/globals';
import type { TournamentEvent } from '../../../devnet/src/wizard-service/events.ts';
import {
  createTournamentIndex,
  type IndexedBlock,
  type TournamentIndex,
} from '../../../devnet/src/wizard-service/tournament-index.ts';
import { createSeededRandom } from '../../../devnet/src/world/random.ts';
import { readSeed } from '../../support/random-tests.ts';

const ALICE = `0x${'A'.repeat(40)}`;
const BOB = `0x${'B'.repeat(40)}`;
const DUEL = `0x${'d'.repeat(64)}`;
const POWERS = { startPower1: '10', startPower2: '20', endPower1: '15', endPower2: '15' };
const created = (id: string, owner = ALICE): TournamentEvent => ({ kind: 'created', id, owner, affinity: 2, power: '10' });
const started: TournamentEvent = {
  ...{ kind: 'duelStarted', id: DUEL, wizard1Id: '1', wizard2Id: '2' },
  ...{ affinity1: 2, affinity2: 3, timeoutBlock: 50, isAscensionBattle: true },
};
const ended: TournamentEvent = { kind: 'duelEnded', id: DUEL, moveSet1: '0x01', moveSet2: '0x02', ...POWERS };
const timedOut: TournamentEvent = { kind: 'duelTimedOut', id: DUEL, ...POWERS };

const ONE_SEASON = { seasonDuels: 1_000_000, historyBlock: -1 };

/** Creates a child of the head on a named branch. */
const child = (state: TournamentIndex, events: readonly TournamentEvent[], branch = 'a'): IndexedBlock => {
  const number = (state.head?.number ?? -1) + 1;
  return { number, hash: `${branch}${number}`, parentHash: state.head?.hash ?? 'none', events };
};
const contentOf = ({ wizards, duels }: TournamentIndex) => ({ wizards: new Map(wizards), duels: new Map(duels) });
const stateAfter = (...blocks: (readonly TournamentEvent[])[]) => {
  const state = createTournamentIndex({ ...ONE_SEASON, maxRollbackBlocks: 100 });
  for (const events of blocks) state.apply(child(state, events));
  return state;
};

describe('tournament index', () => {
  test('tournament index applies the events of a wizard in their order within a block', () => {
    const state = stateAfter(
      [{ kind: 'transferred', id: '1', owner: BOB }, created('1'), { kind: 'powerChanged', id: '1', power: '11' }],
      [
        { kind: 'powerChanged', id: '1', power: '12' },
        { kind: 'powerChanged', id: '1', power: '13' },
      ],
      [
        { kind: 'transferred', id: '1', owner: BOB },
        { kind: 'eliminated', id: '1' },
      ],
    );
    expect(state.wizards.get('1')).toEqual({
      ...{ id: '1', owner: BOB, affinity: 2, initialPower: '10', power: '13', eliminatedBlockNumber: 2, createdBlockNumber: 0 },
    });
  });

  test('tournament index has a duel in progress until it ends or times out', () => {
    const unset = { startPower1: null, startPower2: null, endPower1: null, endPower2: null, moveSet1: null, moveSet2: null };
    expect(stateAfter([], [started]).duels.get(DUEL)).toMatchObject({
      ...unset,
      startBlock: 1,
      endBlock: null,
      timedOut: false,
    });
    expect(stateAfter([started], [], [ended]).duels.get(DUEL)).toMatchObject({
      ...{ ...POWERS, moveSet1: '0x01', moveSet2: '0x02', startBlock: 0, endBlock: 2, timedOut: false },
    });
    expect(stateAfter([started], [timedOut]).duels.get(DUEL)).toMatchObject({
      ...{ ...POWERS, moveSet1: null, moveSet2: null, endBlock: 1, timedOut: true },
    });
  });

  test('tournament index rejects a block that is not a child of its head', () => {
    const state = stateAfter([created('1')], []);
    const before = contentOf(state);
    expect(() => state.apply({ number: 2, hash: 'b2', parentHash: 'b1', events: [created('2')] })).toThrow(/no child/);
    expect(() => state.apply({ number: 5, hash: 'a5', parentHash: 'a1', events: [created('2')] })).toThrow(/no child/);
    expect([contentOf(state), state.head?.hash]).toEqual([before, 'a1']);
  });

  test('tournament index rolls back only to blocks within maxRollbackBlocks', () => {
    const state = createTournamentIndex({ ...ONE_SEASON, maxRollbackBlocks: 3 });
    for (let block = 0; block < 6; block += 1) state.apply(child(state, [created(String(block))]));
    expect([2, 3, 4, 5, 6].map(state.hashAt)).toEqual([undefined, 'a3', 'a4', 'a5', undefined]);
    expect(state.rollBackTo('a2')).toBe(false);
    expect([...state.wizards.keys()]).toHaveLength(6);
    expect(state.rollBackTo('a5')).toBe(true);
    expect([...state.wizards.keys()]).toHaveLength(6);
    expect(state.rollBackTo('a3')).toBe(true);
    expect([[...state.wizards.keys()], state.head?.hash]).toEqual([['0', '1', '2', '3'], 'a3']);
  });
});

const anySeed = readSeed();

test(`tournament index equals a rebuilt index over 2000 random blocks and rollbacks (seed ${anySeed})`, () => {
  const random = createSeededRandom(anySeed);
  const state = createTournamentIndex({ ...ONE_SEASON, maxRollbackBlocks: 40 });
  let branch: IndexedBlock[] = [];
  let rebuilt = 0;
  const anyEvent = (): TournamentEvent => {
    const id = String(random.nextInt(5));
    const duel = `${random.nextInt(4)}`;
    return random.pick<TournamentEvent>([
      created(id, random.pick([ALICE, BOB])),
      { kind: 'transferred', id, owner: random.pick([ALICE, BOB]) },
      { kind: 'powerChanged', id, power: String(random.nextInt(1000)) },
      { kind: 'eliminated', id },
      { ...started, id: duel },
      { ...ended, id: duel },
      { ...timedOut, id: duel },
    ]);
  };
  for (let step = 0; step < 2000; step += 1) {
    if (branch.length > 1 && random.nextInt(5) === 0) {
      branch = branch.slice(0, branch.length - random.nextInt(Math.min(branch.length, 12)));
      if (!state.rollBackTo(branch.at(-1)!.hash)) {
        // Earlier rollbacks have used up the rollback window.
        state.reset();
        for (const block of branch) state.apply(block);
        rebuilt += 1;
      }
    } else {
      const block = child(state, Array.from({ length: random.nextInt(5) }, anyEvent), `${step}-`);
      branch.push(block);
      state.apply(block);
    }
    if (step % 20 > 0) continue;
    const fresh = createTournamentIndex({ ...ONE_SEASON, maxRollbackBlocks: 1 });
    for (const block of branch) fresh.apply(block);
    expect([step, state.head?.hash, contentOf(state)]).toEqual([step, branch.at(-1)!.hash, contentOf(fresh)]);
  }
  expect(rebuilt).toBeLessThan(100);
});

describe('seasons', () => {
  const startOf = (n: number): TournamentEvent =>
    ({ ...started, id: `duel ${n}`, wizard1Id: `${n}`, wizard2Id: 'all' }) as TournamentEvent;
  const end = (n: number): TournamentEvent => ({ ...ended, id: `duel ${n}` }) as TournamentEvent;
  /** Applies a block with one duel. Unless it stays in progress, the duel ends and its first wizard is eliminated. */
  const play = (state: TournamentIndex, n: number, staysInProgress = false) => {
    const over = staysInProgress ? [] : [end(n), { kind: 'eliminated', id: `${n}` } as TournamentEvent];
    state.apply(child(state, [...(n === 0 ? [created('all')] : []), created(`${n}`), startOf(n), ...over]));
  };
  const listed = ({ duels, wizards }: TournamentIndex) => [
    [...duels.keys()].map((id) => Number(id.slice(5))).sort((a, b) => a - b),
    wizards.size,
  ];
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_none, i) => from + i);

  test('tournament index lists the current and the previous season, the history and duels in progress', () => {
    const state = createTournamentIndex({ maxRollbackBlocks: 100, seasonDuels: 5, historyBlock: 1 });
    for (let n = 0; n < 10; n++) play(state, n, n === 3);
    expect(listed(state)).toEqual([range(0, 10), 11]);
    play(state, 10);
    // The history, the duel in progress and their wizards remain of the first season.
    expect(listed(state)).toEqual([[0, 1, 3, ...range(5, 11)], 10]);
    state.apply(child(state, [end(3)]));
    for (let n = 11; n < 1_000; n++) play(state, n);
    // Ten wizards of the listed seasons, two of the history, and two alive: the common opponent and wizard 3.
    expect(listed(state)).toEqual([[0, 1, ...range(990, 1_000)], 14]);
  });
});
