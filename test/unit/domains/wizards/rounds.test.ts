import { describe, expect, test } from '@jest/globals';
import type { Duel } from '../../../../src/domains/wizards/model.ts';
import { powerChangeOf, recordOf, roundsOf, winnerIdOf } from '../../../../src/domains/wizards/rounds.ts';
import { decodeDuel } from '../../../../src/domains/wizards/service/decoders.ts';
import { DUEL_IN_PROGRESS, duelFixture } from '../../../support/upstream/scripted-wizard-service.ts';

const duel = (changes: Record<string, unknown> = {}): Duel => decodeDuel(duelFixture(1, changes)) as Duel;
const word = (bytes: string) => `0x${bytes.padEnd(64, '0')}`;

describe('a round', () => {
  test.each([
    ['02', '03', 'FIRE', 'WIND', '1'],
    ['03', '04', 'WIND', 'WATER', '1'],
    ['04', '02', 'WATER', 'FIRE', '1'],
    ['03', '02', 'WIND', 'FIRE', '2'],
    ['04', '03', 'WATER', 'WIND', '2'],
    ['02', '04', 'FIRE', 'WATER', '2'],
    ['02', '02', 'FIRE', 'FIRE', null],
    ['04', '04', 'WATER', 'WATER', null],
    ['00', '02', 'UNKNOWN', 'FIRE', null],
    ['02', '01', 'FIRE', 'UNKNOWN', null],
    ['ff', '05', 'UNKNOWN', 'UNKNOWN', null],
  ])('of the moves %s and %s is %s against %s, and wizard %s wins it', (one, other, move1, move2, winnerId) => {
    const rounds = roundsOf(duel({ moveSet1: word(one), moveSet2: word(other) }));
    expect(rounds[0]).toEqual({ index: 0, move1, move2, winnerId });
  });

  test('is one of five, whatever comes behind them in the move sets', () => {
    const moves = word('020304020302030402');
    expect(roundsOf(duel({ moveSet1: moves, moveSet2: moves })).map(({ index, move1 }) => [index, move1])).toEqual([
      [0, 'FIRE'],
      [1, 'WIND'],
      [2, 'WATER'],
      [3, 'FIRE'],
      [4, 'WIND'],
    ]);
  });

  test.each<[string, Record<string, unknown>, number]>([
    ['in progress', DUEL_IN_PROGRESS, 0],
    ['in progress, though the move sets are told', { endBlock: null }, 0],
    ['that timed out', { timedOut: true }, 0],
    ['without the second move set', { moveSet2: null }, 0],
    ['with a short move set', { moveSet1: '0x0203' }, 2],
    ['with an empty move set', { moveSet2: '0x' }, 0],
  ])('of a duel %s: there are as many as both have told', (_what, changes, count) => {
    expect(roundsOf(duel(changes))).toHaveLength(count);
  });
});

describe('the winner of a duel', () => {
  const powers = (startPower1: unknown, endPower1: unknown, startPower2: unknown, endPower2: unknown) => ({
    startPower1,
    endPower1,
    startPower2,
    endPower2,
  });
  const huge = 10n ** 60n;

  test.each<[string, Record<string, unknown>, string | null | undefined]>([
    ['is who gained', powers('100', '130', '100', '70'), '1'],
    ['is who gained, the other way round', powers('100', '70', '100', '130'), '2'],
    ['is who lost less', powers('100', '99', '100', '50'), '1'],
    ['is told by one unit of powers beyond a double', powers(`${huge}`, `${huge}`, `${huge}`, `${huge + 1n}`), '2'],
    ['is nobody when both changed alike', powers('100', '90', '50', '40'), null],
    ['is nobody when nothing changed', powers('1', '1', '2', '2'), null],
    ['is not known while in progress', DUEL_IN_PROGRESS, undefined],
    ['is not known while in progress, whatever powers are told', { endBlock: null }, undefined],
    ['is not known without a power', powers('1', '1', null, '2'), undefined],
  ])('%s', (_what, changes, winner) => {
    expect(winnerIdOf(duel(changes))).toBe(winner);
  });
});

test('a change of power is exact, and may be below zero', () => {
  expect([
    powerChangeOf('1', '1000000000000000000000000000001'),
    powerChangeOf('9007199254740993', '0'),
    powerChangeOf(null, '1'),
  ]).toEqual([10n ** 30n, -9007199254740993n, null]);
});

test('a record counts what was won, lost, drawn and timed out', () => {
  const lost = { endPower1: '70', endPower2: '130' };
  const drawn = { endPower1: '100', endPower2: '100' };
  const duels = [duel(), duel(lost), duel({ ...lost, timedOut: true }), duel(drawn), duel(DUEL_IN_PROGRESS)];
  expect(recordOf('1', duels)).toEqual({ duels: 5, won: 1, lost: 2, drawn: 1, timedOut: 1 });
  expect(recordOf('2', duels)).toEqual({ duels: 5, won: 2, lost: 1, drawn: 1, timedOut: 1 });
});

test.each([{ endPower1: null }, { startPower2: null }, { timedOut: null }])(
  'there is no record with a finished duel of %j',
  (untold) => {
    expect(recordOf('1', [duel(), duel(untold)])).toBeNull();
  },
);
