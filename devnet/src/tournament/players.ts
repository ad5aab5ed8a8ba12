import type { AnvilRpc } from '../anvil/rpc.ts';
import type { SeededRandom } from '../world/random.ts';
import type { TransactionRequest } from '../world/transaction-requests.ts';
import { tournamentCalls } from './contract-calls.ts';
import { commitmentHash, type DuelSecret, randomMoves, randomSecret } from './moves.ts';
import { type LivingWizard, readTournament, type TournamentState } from './state.ts';

export interface PlayersOptions {
  readonly rpc: AnvilRpc;
  /** Address of the tournament contract. */
  readonly address: string;
  /** At least two unlocked accounts, which move their own wizards only. */
  readonly people: readonly string[];
  readonly random: SeededRandom;
  /** Secrets of the duels of earlier players. @default no secrets */
  readonly secrets?: readonly SavedSecret[] | undefined;
}

/** A secret as JSON. */
export type SavedSecret = Omit<DuelSecret, 'wizardId'> & { readonly wizardId: string };

export interface Players {
  /** The secrets of all running duels, and of some ended duels. */
  savedSecrets(): SavedSecret[];
  /** At most `count` valid moves for the next block, each of different wizards. */
  nextMoves(count: number): Promise<TransactionRequest[]>;
}

/** A possible move and the wizards that it involves. */
interface PlayerAction {
  readonly wizardIds: readonly bigint[];
  createRequest(): TransactionRequest;
}

/** Below the minimum, a wizard is created at once; above the maximum, no wizard is created. */
const MIN_WIZARDS = 6;
const MAX_WIZARDS = 12;
/** One in this many secrets is discarded: its player cannot reveal, and the duel times out. */
const LOST_SECRET_ODDS = 8;
/** More than the number of running duels, so that secrets survive a reorg. */
const MAX_SECRETS = 256;
const OPENING_KINDS = ['challenge', 'challenge', 'challenge', 'challenge', 'transfer', 'create'] as const;
const MILLI = 10n ** 15n;

/**
 * Creates players whose moves depend on the seed and the state of the contract only, so that they continue
 * correctly after reorgs and among duels of users. They accept challenges of users and ignore duels whose secret they do not have.
 */
export function createPlayers({ rpc, address, people, random, secrets: saved = [] }: PlayersOptions): Players {
  const players = tournamentCalls(address);
  const restored = saved.map((secret): DuelSecret => ({ ...secret, wizardId: BigInt(secret.wizardId) }));
  const secrets = new Map(restored.map((secret) => [commitmentHash(secret), secret]));
  const isOurs = ({ owner }: LivingWizard) => people.includes(owner);

  const createSecret = (wizardId: bigint): DuelSecret => {
    const secret = randomSecret(wizardId, randomMoves(random), random);
    if (random.nextInt(LOST_SECRET_ODDS) > 0) secrets.set(commitmentHash(secret), secret);
    if (secrets.size > MAX_SECRETS) secrets.delete(secrets.keys().next().value!);
    return secret;
  };

  /** Moves that continue a duel: accept, reveal, time out. */
  const pendingActions = ({ height, wizards, duels }: TournamentState): PlayerAction[] => {
    const byId = new Map(wizards.map((wizard) => [wizard.id, wizard]));
    const accepts = wizards.flatMap(({ id, duelId, challenge }) => {
      const opponent = challenge && byId.get(challenge.opponentId);
      if (!opponent || duelId || opponent.duelId || !isOurs(opponent)) return [];
      const createRequest = () => players.accept(opponent.owner, id, challenge.commitment, createSecret(opponent.id));
      return [{ wizardIds: [id, opponent.id], createRequest }];
    });
    const ongoing = duels.flatMap(({ id, timeoutBlock, sides }) => {
      const wizardIds = sides.map(({ wizardId }) => wizardId);
      if (height >= timeoutBlock) return [{ wizardIds, createRequest: () => players.timeOut(random.pick(people), id) }];
      return sides.flatMap(({ wizardId, commitment, revealed }) => {
        const [secret, owner] = [secrets.get(commitment), byId.get(wizardId)?.owner];
        return revealed || !secret || !owner ? [] : [{ wizardIds, createRequest: () => players.reveal(owner, id, secret) }];
      });
    });
    return [...accepts, ...ongoing];
  };

  const createWizard: PlayerAction = {
    wizardIds: [],
    createRequest: () =>
      players.createWizard(random.pick(people), 1 + random.nextInt(4), BigInt(100_000 + random.nextInt(900_001)) * MILLI),
  };

  /** A new challenge, transfer or wizard, among wizards without a duel. */
  const newAction = ({ wizards }: TournamentState, busy: ReadonlySet<bigint>): PlayerAction | undefined => {
    if (wizards.length < MIN_WIZARDS) return createWizard;
    const free = wizards.filter(({ id, duelId }) => !duelId && !busy.has(id));
    const isWaiting = ({ challenge }: LivingWizard) =>
      wizards.some((other) => other.id === challenge?.opponentId && isOurs(other));
    const idle = free.filter((wizard) => isOurs(wizard) && !isWaiting(wizard));
    const kind = random.pick(OPENING_KINDS);
    if (kind === 'create' || idle.length === 0) return wizards.length < MAX_WIZARDS ? createWizard : undefined;
    const { id, owner } = random.pick(idle);
    if (kind === 'transfer') {
      const recipient = random.pick(people.filter((person) => person !== owner));
      return { wizardIds: [id], createRequest: () => players.transfer(owner, recipient, id) };
    }
    const opponents = free.filter((wizard) => wizard.id !== id && isOurs(wizard));
    if (opponents.length === 0) return undefined;
    const opponent = random.pick(opponents);
    const createRequest = () => players.challenge(owner, opponent.id, createSecret(id), 4 + random.nextInt(6));
    return { wizardIds: [id, opponent.id], createRequest };
  };

  return {
    savedSecrets: () => [...secrets.values()].map((secret) => ({ ...secret, wizardId: String(secret.wizardId) })),
    async nextMoves(count) {
      const state = await readTournament(rpc, address);
      const pending = pendingActions(state);
      const busy = new Set<bigint>();
      const requests: TransactionRequest[] = [];
      for (let move = 0; move < count; move += 1) {
        const available = pending.filter(({ wizardIds }) => !wizardIds.some((id) => busy.has(id)));
        const chosen = available.length > 0 ? random.pick(available) : newAction(state, busy);
        if (!chosen) break;
        for (const id of chosen.wizardIds) busy.add(id);
        requests.push(chosen.createRequest());
      }
      return requests;
    },
  };
}
