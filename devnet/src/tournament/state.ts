import type { AnvilCall, AnvilRpc } from '../anvil/rpc.ts';
import { tournamentAbi } from './contract-calls.ts';

/** A wizard that is not eliminated. */
export interface LivingWizard {
  readonly id: bigint;
  /** Lower case. */
  readonly owner: string;
  readonly power: bigint;
  /** Null outside a duel. */
  readonly duelId: string | null;
  /** Its open challenge; null without one. */
  readonly challenge: { readonly opponentId: bigint; readonly commitment: string } | null;
}

export interface RunningDuel {
  readonly id: string;
  /** The last block in which moves can be revealed. */
  readonly timeoutBlock: number;
  /** The challenger first. */
  readonly sides: readonly { readonly wizardId: bigint; readonly commitment: string; readonly revealed: boolean }[];
}

export interface TournamentState {
  /** Height of the latest block. */
  readonly height: number;
  readonly wizards: readonly LivingWizard[];
  readonly duels: readonly RunningDuel[];
}

/** Limits the time to prepare a block if users create many wizards. */
const MAX_WIZARDS = 64;

/** Reads living wizards and running duels at the latest block, in three requests. */
export async function readTournament(rpc: AnvilRpc, address: string): Promise<TournamentState> {
  const read = (name: string, ...args: unknown[]): AnvilCall => [
    'eth_call',
    { to: address, data: tournamentAbi.encodeFunctionData(name, args) },
    'latest',
  ];
  const decode = (name: string, result: string) => tournamentAbi.decodeFunctionResult(name, result);

  const [height, living] = (await rpc.batch<string>([['eth_blockNumber'], read('living')])) as [string, string];
  const ids: bigint[] = [...decode('living', living)[0]].slice(0, MAX_WIZARDS);
  const results = await rpc.batch<string>(ids.flatMap((id) => [read('wizard', id), read('challenges', id)]));
  const wizards = ids.map((id, index): LivingWizard => {
    const { owner, power, duelId } = decode('wizard', results[2 * index]!);
    const { opponent, commit, duration } = decode('challenges', results[2 * index + 1]!);
    return {
      id,
      owner: owner.toLowerCase(),
      power,
      duelId: BigInt(duelId) === 0n ? null : duelId,
      challenge: duration === 0n ? null : { opponentId: opponent, commitment: commit },
    };
  });
  const duelIds = [...new Set(wizards.flatMap(({ duelId }) => duelId ?? []))];
  const duels = await rpc.batch<string>(duelIds.map((id) => read('duel', id)));
  return {
    height: Number(height),
    wizards,
    duels: duels.map((result, index) => toRunningDuel(duelIds[index]!, decode('duel', result)[0])),
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
