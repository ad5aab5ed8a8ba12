import type { Affinity, DuelRound } from '../../generated/wizards.ts';
import type { Duel, Power } from './model.ts';

/** One round of a duel, decoded from the move sets. The id of the winner is null when neither move beats the other. */
export type DuelRoundModel = Omit<DuelRound, 'winner'> & { readonly winnerId: string | null };

/** Number of rounds of a duel: the first five bytes of a move set, one per round. */
const ROUND_COUNT = 5;

const MOVES: Readonly<Record<string, Affinity>> = { '02': 'FIRE', '03': 'WIND', '04': 'WATER' };
const BEATS: Readonly<Partial<Record<Affinity, Affinity>>> = { FIRE: 'WIND', WIND: 'WATER', WATER: 'FIRE' };

const decodeMoves = (moveSet: string): readonly Affinity[] =>
  (moveSet.slice(2, 2 + 2 * ROUND_COUNT).match(/../g) ?? []).map((byte) => MOVES[byte] ?? 'UNKNOWN');

/** The rounds of a finished duel. Empty if it timed out or a move set is null; fewer than five if a move set is shorter. */
export function roundsOf(duel: Duel): readonly DuelRoundModel[] {
  const { moveSet1, moveSet2, endBlockNumber, timedOut } = duel;
  if (endBlockNumber === null || timedOut || moveSet1 === null || moveSet2 === null) return [];
  const moves2 = decodeMoves(moveSet2);
  return decodeMoves(moveSet1)
    .slice(0, moves2.length)
    .map((move1, index) => {
      const move2 = moves2[index]!;
      const winnerId = BEATS[move1] === move2 ? duel.wizard1Id : BEATS[move2] === move1 ? duel.wizard2Id : null;
      return { index, move1, move2, winnerId };
    });
}

/** The difference between two powers; null if one of the powers is null. */
export const powerChangeOf = (before: Power | null, after: Power | null): bigint | null =>
  before === null || after === null ? null : BigInt(after) - BigInt(before);

/** Id of the wizard that gained more power in a finished duel; null for a draw, undefined while in progress or if a power is null. */
export function winnerIdOf(duel: Duel): string | null | undefined {
  const change1 = powerChangeOf(duel.startPower1, duel.endPower1);
  const change2 = powerChangeOf(duel.startPower2, duel.endPower2);
  if (duel.endBlockNumber === null || change1 === null || change2 === null) return undefined;
  if (change1 === change2) return null;
  return change1 > change2 ? duel.wizard1Id : duel.wizard2Id;
}

/** Duels of a wizard, counted by outcome. */
export class DuelRecord {
  duels = 0;
  won = 0;
  lost = 0;
  drawn = 0;
  timedOut = 0;

  /** Counts a duel of the wizard. Returns false if the outcome of a finished duel is unknown, since the counts are then wrong. */
  add(wizardId: string, duel: Duel): boolean {
    this.duels += 1;
    if (duel.endBlockNumber === null) return true;
    const winner = winnerIdOf(duel);
    if (winner === null) this.drawn += 1;
    else if (winner === wizardId) this.won += 1;
    else this.lost += 1;
    if (duel.timedOut) this.timedOut += 1;
    return winner !== undefined && duel.timedOut !== null;
  }
}
