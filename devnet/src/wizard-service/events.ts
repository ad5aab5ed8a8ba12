import { Interface, ZeroAddress } from 'ethers';

/** The tournament contract's events, as its source declares them. */
const tournament = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event WizardCreated(uint256 indexed wizardId, address indexed owner, uint8 affinity, uint256 power)',
  'event WizardPowerChanged(uint256 indexed wizardId, uint256 power)',
  'event WizardEliminated(uint256 indexed wizardId)',
  'event DuelStart(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint8 affinity1, uint8 affinity2, uint256 timeoutBlock, bool isAscensionBattle, bytes32 commit1, bytes32 commit2)',
  'event DuelEnd(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, bytes32 moveSet1, bytes32 moveSet2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2)',
  'event DuelTimeOut(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2)',
]);

/** Powers of both wizards before and after a duel, as decimal strings. */
export interface DuelPowers {
  readonly startPower1: string;
  readonly startPower2: string;
  readonly endPower1: string;
  readonly endPower2: string;
}

/** An event of the contract. Ids and powers are decimal strings, duel ids and move sets 0x and 64 digits. */
export type TournamentEvent =
  | { readonly kind: 'created'; readonly id: string; readonly owner: string; readonly affinity: number; readonly power: string }
  | { readonly kind: 'transferred'; readonly id: string; readonly owner: string }
  | { readonly kind: 'powerChanged'; readonly id: string; readonly power: string }
  | { readonly kind: 'eliminated'; readonly id: string }
  | ({ readonly kind: 'duelStarted' } & DuelStart)
  | ({ readonly kind: 'duelEnded'; readonly id: string; readonly moveSet1: string; readonly moveSet2: string } & DuelPowers)
  | ({ readonly kind: 'duelTimedOut'; readonly id: string } & DuelPowers);

/** The fields of a duel that its start event has. */
export interface DuelStart {
  readonly id: string;
  readonly wizard1Id: string;
  readonly wizard2Id: string;
  readonly affinity1: number;
  readonly affinity2: number;
  readonly timeoutBlock: number;
  readonly isAscensionBattle: boolean;
}

/** The fields of a node's log that are decoded. */
export interface ContractLog {
  readonly topics: readonly string[];
  readonly data: string;
}

/** Decodes a log of the contract; undefined for events that the service does not use, such as approvals. */
export function decodeTournamentEvent({ topics, data }: ContractLog): TournamentEvent | undefined {
  const parsed = tournament.parseLog({ topics, data });
  if (parsed === null) return undefined;
  const { args } = parsed;
  switch (parsed.name) {
    case 'Transfer':
      // A burned wizard was eliminated before; the service retains its last owner.
      if (args.to === ZeroAddress) return undefined;
      return { kind: 'transferred', id: String(args.tokenId), owner: args.to };
    case 'WizardCreated':
      return {
        kind: 'created',
        id: String(args.wizardId),
        owner: args.owner,
        affinity: Number(args.affinity),
        power: String(args.power),
      };
    case 'WizardPowerChanged':
      return { kind: 'powerChanged', id: String(args.wizardId), power: String(args.power) };
    case 'WizardEliminated':
      return { kind: 'eliminated', id: String(args.wizardId) };
    case 'DuelStart':
      return {
        kind: 'duelStarted',
        id: args.duelId,
        wizard1Id: String(args.wizardId1),
        wizard2Id: String(args.wizardId2),
        affinity1: Number(args.affinity1),
        affinity2: Number(args.affinity2),
        timeoutBlock: Number(args.timeoutBlock),
        isAscensionBattle: args.isAscensionBattle,
      };
    case 'DuelEnd':
      return { kind: 'duelEnded', id: args.duelId, moveSet1: args.moveSet1, moveSet2: args.moveSet2, ...decodePowers(args) };
    case 'DuelTimeOut':
      return { kind: 'duelTimedOut', id: args.duelId, ...decodePowers(args) };
  }
  return undefined;
}

const decodePowers = (args: Record<string, unknown>): DuelPowers => ({
  startPower1: String(args.startPower1),
  startPower2: String(args.startPower2),
  endPower1: String(args.endPower1),
  endPower2: String(args.endPower2),
});
