import type { AnvilCall, AnvilRpc } from '../anvil/rpc.ts';
import { tournamentAbi } from './contract-calls.ts';

/** A wizard that is not eliminated. */
export interface LivingWizard {
  readonly id: bigint;
  /** Lower case. */
  readonly owner: string;
  /** Null when it is in none. */
  readonly duelId: string | null;
  /** What it proposes, and has not been accepted; null when nothing. */
  readonly challenge: { readonly opponentId: bigint; readonly commitment: string } | null;
}

export interface RunningDuel {
  readonly id: string;
  /** The last block in which moves can be revealed. */
  readonly timeoutBlock: number;
  /** First the challenger's. */
  readonly sides: readonly { readonly wizardId: bigint; readonly commitment: string; readonly revealed: boolean }[];
}

export interface TournamentState {
  /** Of the latest block. */
  readonly height: number;
  readonly wizards: readonly LivingWizard[];
  readonly duels: readonly RunningDuel[];
}

/** However many wizards users make, a beat of life stays as short as this allows. */
const MAX_WIZARDS = 64;

/** Who lives and who fights, as of the latest block. Three requests. */
export async function readTournament(rpc: AnvilRpc, address: string): Promise<TournamentState> {
  const read = (name: string, ...args: unknown[]): AnvilCall => [
    'eth_call',
    { to: address, data: tournamentAbi.encodeFunctionData(name, args) },
    'latest',
  ];
  const decode = (name: string, answer: string) => tournamentAbi.decodeFunctionResult(name, answer);

  const [height, living] = (await rpc.batch<string>([['eth_blockNumber'], read('living')])) as [string, string];
  const ids: bigint[] = [...decode('living', living)[0]].slice(0, MAX_WIZARDS);
  const told = await rpc.batch<string>(ids.flatMap((id) => [read('wizard', id), read('challenges', id)]));
  const wizards = ids.map((id, index): LivingWizard => {
    const { owner, duelId } = decode('wizard', told[2 * index]!);
    const { opponent, commit, duration } = decode('challenges', told[2 * index + 1]!);
    return {
      id,
      owner: owner.toLowerCase(),
      duelId: BigInt(duelId) === 0n ? null : duelId,
      challenge: duration === 0n ? null : { opponentId: opponent, commitment: commit },
    };
  });
  const duelIds = [...new Set(wizards.flatMap(({ duelId }) => duelId ?? []))];
  const duels = await rpc.batch<string>(duelIds.map((id) => read('duel', id)));
  return {
    height: Number(height),
    wizards,
    duels: duels.map((answer, index) => toRunningDuel(duelIds[index]!, decode('duel', answer)[0])),
  };
}

interface DuelStruct {
  readonly timeoutBlock: bigint;
  readonly wizardId1: bigint;
  readonly wizardId2: bigint;
  readonly commit1: string;
  readonly commit2: string;
  readonly moveSet1: string;
  readonly moveSet2: string;
}

const toRunningDuel = (id: string, duel: DuelStruct): RunningDuel => ({
  id,
  timeoutBlock: Number(duel.timeoutBlock),
  sides: [
    { wizardId: duel.wizardId1, commitment: duel.commit1, revealed: BigInt(duel.moveSet1) !== 0n },
    { wizardId: duel.wizardId2, commitment: duel.commit2, revealed: BigInt(duel.moveSet2) !== 0n },
  ],
});
