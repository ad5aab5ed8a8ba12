import { describe, expect, test } from '@jest/globals';
import type { Duel } from '../../../../src/domains/wizards/model.ts';
import { DuelRecord, roundsOf, winnerIdOf } from '../../../../src/domains/wizards/rounds.ts';
import { decodeDuel } from '../../../../src/domains/wizards/service/decoders.ts';
import { DUEL_IN_PROGRESS, duelFixture } from '../../../support/upstream/scripted-wizard-service.ts';

const duel = (changes: Record<string, unknown> = {}): Duel => decodeDuel(duelFixture(1, changes)) as Duel;
const word = (bytes: string) => `0x${bytes.padEnd(64, '0')}`;

describe('roundsOf', () => {
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
  ])('roundsOf the moves %s and %s is %s against %s with the winner %s', (one, other, move1, move2, winnerId) => {
    const rounds = roundsOf(duel({ moveSet1: word(one), moveSet2: word(other) }));
    expect(rounds[0]).toEqual({ index: 0, move1, move2, winnerId });
  });

  test.each<[string, Record<string, unknown>, number]>([
    ['with longer move sets', { moveSet1: word('020304020302030402'), moveSet2: word('02') }, 5],
    ['in progress', DUEL_IN_PROGRESS, 0],
    ['in progress with move sets', { endBlock: null }, 0],
    ['that timed out', { timedOut: true }, 0],
    ['without the second move set', { moveSet2: null }, 0],
    ['with a short move set', { moveSet1: '0x0203' }, 2],
    ['with an empty move set', { moveSet2: '0x' }, 0],
  ])('roundsOf a duel %s returns the first five rounds that both move sets have', (_case, changes, count) => {
    expect(roundsOf(duel(changes))).toHaveLength(count);
  });
});

describe('winnerIdOf', () => {
  const powers = (startPower1: unknown, endPower1: unknown, startPower2: unknown, endPower2: unknown) => ({
    startPower1,
    endPower1,
    startPower2,
    endPower2,
  });
  const huge = 10n ** 60n;

  test.each<[string, Record<string, unknown>, string | null | undefined]>([
    ['is the wizard that gained power', powers('100', '130', '100', '70'), '1'],
    ['is the second wizard if it gained power', powers('100', '70', '100', '130'), '2'],
    ['is the wizard that lost less power', powers('100', '99', '100', '50'), '1'],
    ['is exact for powers above 2^53', powers(`${huge}`, `${huge}`, `${huge}`, `${huge + 1n}`), '2'],
    ['is null if both powers changed equally', powers('100', '90', '50', '40'), null],
    ['is null if no power changed', powers('1', '1', '2', '2'), null],
    ['is undefined while in progress', DUEL_IN_PROGRESS, undefined],
    ['is undefined while in progress, even with all powers', { endBlock: null }, undefined],
    ['is undefined if a power is null', powers('1', '1', null, '2'), undefined],
  ])('winnerIdOf a duel %s', (_case, changes, winner) => {
    expect(winnerIdOf(duel(changes))).toBe(winner);
  });
});

test('DuelRecord counts won, lost, drawn and timed-out duels', () => {
  const lost = { endPower1: '70', endPower2: '130' };
  const drawn = { endPower1: '100', endPower2: '100' };
  const duels = [duel(), duel(lost), duel({ ...lost, timedOut: true }), duel(drawn), duel(DUEL_IN_PROGRESS)];
  for (const [id, won, lost] of [
    ['1', 1, 2],
    ['2', 2, 1],
  ] as const) {
    const record = new DuelRecord();
    expect(duels.every((added) => record.add(id, added))).toBe(true);
    expect({ ...record }).toEqual({ duels: 5, won, lost, drawn: 1, timedOut: 1 });
  }
});

test.each([{ endPower1: null }, { startPower2: null }, { timedOut: null }])(
  'DuelRecord reports the unknown outcome of a finished duel with %j',
  (changes) => {
    expect(new DuelRecord().add('1', duel(changes))).toBe(false);
  },
);
