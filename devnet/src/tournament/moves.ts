import { AbiCoder, keccak256 } from 'ethers';
import type { SeededRandom } from '../world/random.ts';

/** 2 fire, 3 wind, 4 water: fire beats wind, wind beats water, water beats fire. */
export type Move = 2 | 3 | 4;

/** The moves and salt that a player commits to and later reveals. */
export interface DuelSecret {
  readonly wizardId: bigint;
  /** 0x-hex, 32 bytes: five moves, then zeros. */
  readonly moveSet: string;
  /** 0x-hex, 32 bytes. */
  readonly salt: string;
}

const ROUNDS = 5;
const MOVES: readonly Move[] = [2, 3, 4];
const abi = AbiCoder.defaultAbiCoder();

/** Five random moves. */
export const randomMoves = (random: SeededRandom): Move[] => Array.from({ length: ROUNDS }, () => random.pick(MOVES));

/** The move that beats `move`. */
export const counterMove = (move: Move): Move => (move === 2 ? 4 : move === 3 ? 2 : 3);

/** The rounds that the first move set wins, minus the rounds that the second one wins. */
export const leadOf = (first: readonly Move[], second: readonly Move[]): number =>
  first.reduce((lead, move, round) => {
    const other = second[round]!;
    return lead + Number(move === counterMove(other)) - Number(other === counterMove(move));
  }, 0);

/** Encodes moves as bytes32 for the contract. */
const encodeMoveSet = (moves: readonly Move[]): string =>
  `0x${moves
    .map((move) => `0${move}`)
    .join('')
    .padEnd(64, '0')}`;

/** The moves of a move set. */
export const movesOf = (moveSet: string): Move[] =>
  (moveSet.slice(2, 2 + 2 * ROUNDS).match(/../g) ?? []).map((byte) => Number(byte) as Move);

/** A secret with these moves and a random salt of 256 bits. */
export function randomSecret(wizardId: bigint, moves: readonly Move[], random: SeededRandom): DuelSecret {
  const salt = Array.from({ length: 8 }, () =>
    random
      .nextInt(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return { wizardId, moveSet: encodeMoveSet(moves), salt: `0x${salt}` };
}

/** The hash that the contract's `commitment` function returns. */
export const commitmentHash = ({ wizardId, moveSet, salt }: DuelSecret): string =>
  keccak256(abi.encode(['uint256', 'bytes32', 'bytes32'], [wizardId, moveSet, salt]));
