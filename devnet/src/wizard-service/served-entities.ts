import type { DuelStart, TournamentEvent } from './events.ts';

/** A wizard with the documented fields in order. Powers are decimal strings. */
export interface ServedWizard {
  readonly id: string;
  /** With checksum. */
  readonly owner: string;
  readonly affinity: number;
  readonly initialPower: string;
  readonly power: string;
  /** Null while alive. */
  readonly eliminatedBlockNumber: number | null;
  readonly createdBlockNumber: number;
}

/** A duel with the documented fields in order. Fields of its end are null while it is in progress. */
export interface ServedDuel extends DuelStart {
  readonly startPower1: string | null;
  readonly startPower2: string | null;
  readonly endPower1: string | null;
  readonly endPower2: string | null;
  /** Null for a duel that timed out as well. */
  readonly moveSet1: string | null;
  readonly moveSet2: string | null;
  readonly startBlock: number;
  /** Null while in progress; the closing block for a duel that timed out. */
  readonly endBlock: number | null;
  readonly timedOut: boolean;
}

/** The wizard of a creation event in a block. */
export const newWizard = (
  { id, owner, affinity, power }: Extract<TournamentEvent, { kind: 'created' }>,
  block: number,
): ServedWizard => ({
  id,
  owner,
  affinity,
  initialPower: power,
  power,
  eliminatedBlockNumber: null,
  createdBlockNumber: block,
});

/** The duel of a start event in a block. */
export const newDuel = (event: DuelStart, block: number): ServedDuel => ({
  id: event.id,
  wizard1Id: event.wizard1Id,
  wizard2Id: event.wizard2Id,
  affinity1: event.affinity1,
  affinity2: event.affinity2,
  startPower1: null,
  startPower2: null,
  endPower1: null,
  endPower2: null,
  moveSet1: null,
  moveSet2: null,
  startBlock: block,
  endBlock: null,
  timeoutBlock: event.timeoutBlock,
  timedOut: false,
  isAscensionBattle: event.isAscensionBattle,
});
