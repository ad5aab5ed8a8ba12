import type { AnvilRpc } from '../anvil/rpc.ts';
import type { SeededRandom } from '../world/random.ts';
import type { TransactionRequest } from '../world/transaction-requests.ts';
import { tournamentCalls } from './contract-calls.ts';
import { commitmentHash, type DuelSecret, leadOf, type Move, movesOf, randomMoves, randomSecret } from './moves.ts';
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

const UNIT = 10n ** 18n;
/** Below the minimum, a wizard is created at once; above the maximum, no wizard is created. */
const MIN_WIZARDS = 8;
const MAX_WIZARDS = 16;
/** Power of new wizards: about the average, within the limits of the contract. */
const MIN_NEW_POWER = 100n * UNIT;
const MAX_NEW_POWER = 1_000n * UNIT;
/**
 * No duel destroys power, so that new wizards would soon be weaker than all others. No wizard is created while all wizards together have this
 * power and enough of them can duel without an ascension battle, which eliminates its loser.
 */
const MAX_TOTAL_POWER = 12_000n * UNIT;
const ASCENSION_POWER = 1_500n * UNIT;
const MIN_WIZARDS_BELOW_ASCENSION = 4;
/** One in this many possible ascension battles is fought. */
const ASCENSION_ODDS = 100;
/** The winner of an ascension battle gets both powers: at most the power of all wizards, divided by this number. */
const MAX_ASCENSION_SHARE = 4n;
/** A wizard with less power may lose a duel by time-out, which eliminates it, so that a new wizard takes its place. */
const MIN_LASTING_POWER = 50n * UNIT;
/** A challenge is for one of this many wizards with the nearest power. */
const MAX_OPPONENTS = 3;
/** One in this many secrets is discarded: its player cannot reveal, and the duel times out. */
const LOST_SECRET_ODDS = 8;
/** More than the number of running duels, so that secrets survive a reorg. */
const MAX_SECRETS = 256;
const OPENING_KINDS = ['challenge', 'challenge', 'challenge', 'challenge', 'transfer', 'create'] as const;
const MILLI = 10n ** 15n;

const powerOf = (wizards: readonly LivingWizard[]): bigint => wizards.reduce((sum, { power }) => sum + power, 0n);

const isWeak = ({ power }: LivingWizard): boolean => power < MIN_LASTING_POWER;

const isBelowAscension = ({ power }: LivingWizard): boolean => power < ASCENSION_POWER;

const canCreate = (wizards: readonly LivingWizard[]): boolean =>
  wizards.length < MAX_WIZARDS &&
  (powerOf(wizards) < MAX_TOTAL_POWER || wizards.filter(isBelowAscension).length < MIN_WIZARDS_BELOW_ASCENSION);

/**
 * Creates players whose moves depend on the seed and the state of the contract only, so that they continue
 * correctly after reorgs and among duels of users. They accept challenges of users and ignore duels whose secret they do not have.
 */
export function createPlayers({ rpc, address, people, random, secrets: saved = [] }: PlayersOptions): Players {
  const players = tournamentCalls(address);
  const restored = saved.map((secret): DuelSecret => ({ ...secret, wizardId: BigInt(secret.wizardId) }));
  const secrets = new Map(restored.map((secret) => [commitmentHash(secret), secret]));
  const isOurs = ({ owner }: LivingWizard) => people.includes(owner);

  /** Only a secret that may be lost is sometimes discarded. */
  const createSecret = (wizardId: bigint, moves: readonly Move[], mayBeLost: boolean): DuelSecret => {
    const secret = randomSecret(wizardId, moves, random);
    if (!mayBeLost || random.nextInt(LOST_SECRET_ODDS) > 0) secrets.set(commitmentHash(secret), secret);
    if (secrets.size > MAX_SECRETS) secrets.delete(secrets.keys().next().value!);
    return secret;
  };
  /**
   * The moves of a wizard that accepts a challenge: of two random move sets, the better one for the weaker wizard of the duel if the moves of
   * the challenger are known. Otherwise one wizard would soon have the power of all others.
   */
  const acceptingMoves = (commitment: string, isWeaker: boolean): readonly Move[] => {
    const [first, second] = [randomMoves(random), randomMoves(random)];
    const challenger = secrets.get(commitment);
    if (!challenger) return first;
    const opposing = movesOf(challenger.moveSet);
    return leadOf(first, opposing) > leadOf(second, opposing) === isWeaker ? first : second;
  };

  /** Moves that continue a duel: accept, reveal, time out. */
  const pendingActions = ({ height, wizards, duels }: TournamentState): PlayerAction[] => {
    const byId = new Map(wizards.map((wizard) => [wizard.id, wizard]));
    const accepts = wizards.flatMap(({ id, power, duelId, challenge }) => {
      const opponent = challenge && byId.get(challenge.opponentId);
      if (!opponent || duelId || opponent.duelId || !isOurs(opponent)) return [];
      const isWeaker = opponent.power < power;
      const createRequest = () => {
        const secret = createSecret(opponent.id, acceptingMoves(challenge.commitment, isWeaker), !isWeaker || isWeak(opponent));
        return players.accept(opponent.owner, id, challenge.commitment, secret);
      };
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

  /** A wizard of about the average power. */
  const createWizard = (wizards: readonly LivingWizard[]): PlayerAction => ({
    wizardIds: [],
    createRequest() {
      const average = powerOf(wizards) / BigInt(wizards.length || 1);
      const power = (average * BigInt(70 + random.nextInt(61))) / 100n;
      const limited = power < MIN_NEW_POWER ? MIN_NEW_POWER : power > MAX_NEW_POWER ? MAX_NEW_POWER : power;
      return players.createWizard(random.pick(people), 1 + random.nextInt(4), limited - (limited % MILLI));
    },
  });

  /** A new challenge, transfer or wizard, among wizards without a duel. */
  const newAction = ({ wizards }: TournamentState, busy: ReadonlySet<bigint>): PlayerAction | undefined => {
    if (wizards.length < MIN_WIZARDS) return createWizard(wizards);
    const free = wizards.filter(({ id, duelId }) => !duelId && !busy.has(id));
    const isWaiting = ({ challenge }: LivingWizard) =>
      wizards.some((other) => other.id === challenge?.opponentId && isOurs(other));
    const idle = free.filter((wizard) => isOurs(wizard) && !isWaiting(wizard));
    const kind = random.pick(OPENING_KINDS);
    if (kind === 'create' || idle.length === 0) return canCreate(wizards) ? createWizard(wizards) : undefined;
    const wizard = random.pick(idle);
    const { id, owner } = wizard;
    if (kind === 'transfer') {
      const recipient = random.pick(people.filter((person) => person !== owner));
      return { wizardIds: [id], createRequest: () => players.transfer(owner, recipient, id) };
    }
    const isAscensionAllowed = wizards.length > MIN_WIZARDS && random.nextInt(ASCENSION_ODDS) === 0;
    const isBalanced = (other: LivingWizard) =>
      isBelowAscension(wizard) && isBelowAscension(other)
        ? true
        : isAscensionAllowed && (wizard.power + other.power) * MAX_ASCENSION_SHARE <= powerOf(wizards);
    const distance = ({ power }: LivingWizard) => (power > wizard.power ? power - wizard.power : wizard.power - power);
    const opponents = free
      .filter((other) => other.id !== id && isOurs(other) && isBalanced(other))
      .sort((a, b) => (distance(a) < distance(b) ? -1 : 1))
      .slice(0, MAX_OPPONENTS);
    if (opponents.length === 0) return undefined;
    const opponent = random.pick(opponents);
    const createRequest = () => {
      const secret = createSecret(id, randomMoves(random), wizard.power > opponent.power || isWeak(wizard));
      return players.challenge(owner, opponent.id, secret, 4 + random.nextInt(6));
    };
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
