import { Interface, toQuantity } from 'ethers';
import { readArtifact } from '../world/artifacts.ts';
import { contractCreation, type TransactionRequest } from '../world/transaction-requests.ts';
import { commitmentHash, type DuelSecret } from './moves.ts';

export const tournamentAbi = new Interface(readArtifact('Tournament').abi);

/** Creates the contract. Twice as much gas as it needs. */
export const tournamentCreation = (from: string): TransactionRequest => ({
  ...contractCreation(from, 'Tournament'),
  gas: toQuantity(4_000_000),
});

/** What players do at the tournament of this address. A move against the rules is mined all the same, and reverts. */
export function tournamentCalls(address: string) {
  // Well above what any move needs, and enough that a dozen fit beside a block's other transactions.
  const call = (from: string, name: string, ...args: unknown[]): TransactionRequest => ({
    from,
    to: address,
    data: tournamentAbi.encodeFunctionData(name, args),
    gas: toQuantity(400_000),
  });
  return {
    /** A new wizard of the sender's. */
    createWizard: (from: string, affinity: number, power: bigint) => call(from, 'create', affinity, power),
    /** Duration in blocks. */
    challenge: (from: string, opponentId: bigint, secret: DuelSecret, duration: number) =>
      call(from, 'challenge', secret.wizardId, opponentId, commitmentHash(secret), duration),
    /** Starts the duel that was proposed with this commitment. */
    accept: (from: string, challengerId: bigint, commitment: string, secret: DuelSecret) =>
      call(from, 'accept', challengerId, secret.wizardId, commitment, commitmentHash(secret)),
    reveal: (from: string, duelId: string, { wizardId, moveSet, salt }: DuelSecret) =>
      call(from, 'reveal', duelId, wizardId, moveSet, salt),
    timeOut: (from: string, duelId: string) => call(from, 'timeOut', duelId),
    transfer: (from: string, to: string, wizardId: bigint) => call(from, 'transferFrom', from, to, wizardId),
  };
}
