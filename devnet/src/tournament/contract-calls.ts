import { Interface, toQuantity } from 'ethers';
import { readArtifact } from '../world/artifacts.ts';
import { contractCreation, type TransactionRequest } from '../world/transaction-requests.ts';
import { commitmentHash, type DuelSecret } from './moves.ts';

export const tournamentAbi = new Interface(readArtifact('Tournament').abi);

/** Creation of the tournament contract, with twice the gas that it needs. */
export const tournamentCreation = (from: string): TransactionRequest => ({
  ...contractCreation(from, 'Tournament'),
  gas: toQuantity(4_000_000),
});

/** Transaction requests of players. An invalid move is mined and reverts. */
export function tournamentCalls(address: string) {
  // More than any move needs, and a dozen moves still fit into a block.
  const call = (from: string, name: string, ...args: unknown[]): TransactionRequest => ({
    from,
    to: address,
    data: tournamentAbi.encodeFunctionData(name, args),
    gas: toQuantity(400_000),
  });
  return {
    /** Creates a wizard of the sender. */
    createWizard: (from: string, affinity: number, power: bigint) => call(from, 'create', affinity, power),
    /** Challenges an opponent; duration in blocks. */
    challenge: (from: string, opponentId: bigint, secret: DuelSecret, duration: number) =>
      call(from, 'challenge', secret.wizardId, opponentId, commitmentHash(secret), duration),
    /** Accepts the challenge with this commitment, which starts the duel. */
    accept: (from: string, challengerId: bigint, commitment: string, secret: DuelSecret) =>
      call(from, 'accept', challengerId, secret.wizardId, commitment, commitmentHash(secret)),
    reveal: (from: string, duelId: string, { wizardId, moveSet, salt }: DuelSecret) =>
      call(from, 'reveal', duelId, wizardId, moveSet, salt),
    timeOut: (from: string, duelId: string) => call(from, 'timeOut', duelId),
    transfer: (from: string, to: string, wizardId: bigint) => call(from, 'transferFrom', from, to, wizardId),
  };
}
