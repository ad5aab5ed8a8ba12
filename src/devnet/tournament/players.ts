import type { AnvilRpc } from '../anvil/rpc.ts';
import type { SeededRandom } from '../world/random.ts';
import type { TransactionRequest } from '../world/transaction-requests.ts';
import { tournamentCalls } from './contract-calls.ts';
import { commitmentHash, type DuelSecret, randomMoves, randomSecret } from './moves.ts';
import { type LivingWizard, readTournament, type TournamentState } from './state.ts';

export interface PlayersOptions {
  readonly rpc: AnvilRpc;
  /** Of the tournament. */
  readonly address: string;
  /** Unlocked accounts, at least two: they move their own wizards and nobody else's. */
  readonly people: readonly string[];
  readonly random: SeededRandom;
}

export interface Players {
  /** So many moves or fewer that are allowed in the next block, no two of the same wizard. */
  nextMoves(count: number): Promise<TransactionRequest[]>;
}

/** One thing that can be done now, and the wizards that it takes. */
interface PlayerAction {
  readonly wizardIds: readonly bigint[];
  draft(): TransactionRequest;
}

/** With fewer alive a new one comes at once, with more none at all. */
const MIN_WIZARDS = 6;
const MAX_WIZARDS = 12;
/** Of so many secrets one is forgotten: its player cannot reveal, and the duel times out. */
const LOST_SECRET_ODDS = 8;
/** More than can be in play; what a reorganisation takes back is still known. */
const MAX_SECRETS = 256;
const OPENING_KINDS = ['challenge', 'challenge', 'challenge', 'challenge', 'transfer', 'summon'] as const;
const MILLI = 10n ** 15n;

/**
 * Players for ever. What they do follows from the seed and from what the chain says, so a reorganisation or a user's own duels never
 * leave them with a wrong idea: they answer users' challenges too, and leave duels alone that somebody else committed to.
 */
export function createPlayers({ rpc, address, people, random }: PlayersOptions): Players {
  const players = tournamentCalls(address);
  const secrets = new Map<string, DuelSecret>();
  const isOurs = ({ owner }: LivingWizard) => people.includes(owner);

  const devise = (wizardId: bigint): DuelSecret => {
    const secret = randomSecret(wizardId, randomMoves(random), random);
    if (random.nextInt(LOST_SECRET_ODDS) > 0) secrets.set(commitmentHash(secret), secret);
    if (secrets.size > MAX_SECRETS) secrets.delete(secrets.keys().next().value!);
    return secret;
  };

  /** What carries a duel on: accepting it, revealing moves, calling its time. */
  const dues = ({ height, wizards, duels }: TournamentState): PlayerAction[] => {
    const byId = new Map(wizards.map((wizard) => [wizard.id, wizard]));
    const accepts = wizards.flatMap(({ id, duelId, challenge }) => {
      const opponent = challenge && byId.get(challenge.opponentId);
      if (!opponent || duelId || opponent.duelId || !isOurs(opponent)) return [];
      const draft = () => players.accept(opponent.owner, id, challenge.commitment, devise(opponent.id));
      return [{ wizardIds: [id, opponent.id], draft }];
    });
    const ongoing = duels.flatMap(({ id, timeoutBlock, sides }) => {
      const wizardIds = sides.map(({ wizardId }) => wizardId);
      if (height >= timeoutBlock) return [{ wizardIds, draft: () => players.timeOut(random.pick(people), id) }];
      return sides.flatMap(({ wizardId, commitment, revealed }) => {
        const [secret, owner] = [secrets.get(commitment), byId.get(wizardId)?.owner];
        return revealed || !secret || !owner ? [] : [{ wizardIds, draft: () => players.reveal(owner, id, secret) }];
      });
    });
    return [...accepts, ...ongoing];
  };

  const summon: PlayerAction = {
    wizardIds: [],
    draft: () =>
      players.createWizard(random.pick(people), 1 + random.nextInt(4), BigInt(100_000 + random.nextInt(900_001)) * MILLI),
  };

  /** Something new, among those who are free. */
  const opening = ({ wizards }: TournamentState, busy: ReadonlySet<bigint>): PlayerAction | undefined => {
    if (wizards.length < MIN_WIZARDS) return summon;
    const free = wizards.filter(({ id, duelId }) => !duelId && !busy.has(id));
    const isWaiting = ({ challenge }: LivingWizard) =>
      wizards.some((other) => other.id === challenge?.opponentId && isOurs(other));
    const idle = free.filter((wizard) => isOurs(wizard) && !isWaiting(wizard));
    const kind = random.pick(OPENING_KINDS);
    if (kind === 'summon' || idle.length === 0) return wizards.length < MAX_WIZARDS ? summon : undefined;
    const { id, owner } = random.pick(idle);
    if (kind === 'transfer') {
      const heir = random.pick(people.filter((person) => person !== owner));
      return { wizardIds: [id], draft: () => players.transfer(owner, heir, id) };
    }
    const opponents = free.filter((wizard) => wizard.id !== id && isOurs(wizard));
    if (opponents.length === 0) return undefined;
    const opponent = random.pick(opponents);
    const draft = () => players.challenge(owner, opponent.id, devise(id), 4 + random.nextInt(6));
    return { wizardIds: [id, opponent.id], draft };
  };

  return {
    async nextMoves(count) {
      const state = await readTournament(rpc, address);
      const due = dues(state);
      const busy = new Set<bigint>();
      const drafts: TransactionRequest[] = [];
      for (let move = 0; move < count; move += 1) {
        const open = due.filter(({ wizardIds }) => !wizardIds.some((id) => busy.has(id)));
        const chosen = open.length > 0 ? random.pick(open) : opening(state, busy);
        if (!chosen) break;
        for (const id of chosen.wizardIds) busy.add(id);
        drafts.push(chosen.draft());
      }
      return drafts;
    },
  };
}
