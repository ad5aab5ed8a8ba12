import type { DevnetContract, DevnetLandmarks, DevnetTournament } from '../description.ts';
import type { SavedTournamentIndex } from '../wizard-service/index.ts';
import type { SavedActivity } from '../world/activity.ts';

/** Version of the file format. This server cannot read files of any other version. */
export const FORMAT_VERSION = 1;

/** The data that a restart needs besides the dump of the chain, as JSON. */
export interface SavedNetwork {
  readonly seed: number;
  readonly contracts: readonly DevnetContract[];
  readonly tournament: DevnetTournament;
  readonly landmarks: DevnetLandmarks;
  /** The height up to which blocks are pruned, and the heights up to it whose blocks are retained. */
  readonly pruned: { readonly lastBlock: number; readonly retainedHeights: readonly number[] };
  /** Signed transactions of the pool, by ascending nonce. */
  readonly pool: readonly string[];
  /** Absent before the chain was indexed for the first time. */
  readonly tournamentIndex?: SavedTournamentIndex | undefined;
  /** Absent before the chain had activity. */
  readonly activity?: SavedActivity | undefined;
}

/** The dumps of a network, as compressed JSON. */
export interface ChainDumps {
  /** The chain with the state of its head. */
  readonly chain: Uint8Array;
  /** The states of the generated history. */
  readonly historyStates: Uint8Array;
}
