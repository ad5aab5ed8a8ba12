import { id } from 'ethers';
import type { AnvilRpc } from '../anvil/rpc.ts';
import type { MinedBlock } from '../world/blocks.ts';
import type { SeededRandom } from '../world/random.ts';
import type { TransactionRequest } from '../world/transaction-requests.ts';
import { tournamentCalls } from './contract-calls.ts';
import { commitmentHash, counterMove, type Move, randomMoves, randomSecret } from './moves.ts';

/** Wizards and duels worth looking at, in the built history. Wizards by id, decimal; duels by id, a hash. */
export interface TournamentLandmarks {
  /** Lost all its power in `finishedDuel`. */
  readonly eliminatedWizard: string;
  /** All moves revealed. */
  readonly finishedDuel: string;
  /** One player kept silent. */
  readonly timedOutDuel: string;
  /** Stays so, moves unrevealed, for a million blocks. */
  readonly runningDuel: string;
  /** An ascension battle, finished. */
  readonly ascensionDuel: string;
}

interface TournamentHistoryOptions {
  readonly rpc: AnvilRpc;
  readonly address: string;
  /** At least ten. */
  readonly people: readonly string[];
  readonly random: SeededRandom;
  /** Mines the next block with these moves in their order, and whatever else. */
  mine(moves: readonly TransactionRequest[]): Promise<MinedBlock>;
}

const LONG_DURATION_BLOCKS = 1_000_000;
const MILLI = 10n ** 15n;
const DUEL_START_TOPIC = id('DuelStart(bytes32,uint256,uint256,uint8,uint8,uint256,bool,bytes32,bytes32)');

/**
 * Ten blocks in which wizards are made, change hands, duel and are eliminated. What happens is always the same; affinities, powers, moves,
 * and so who wins the ascension battle and the later duels, are the seed's choice.
 */
export async function buildTournamentHistory({
  rpc,
  address,
  people,
  random,
  mine,
}: TournamentHistoryOptions): Promise<TournamentLandmarks> {
  const players = tournamentCalls(address);
  // Wizard 1 is the first person's, and so on; who moves needs no lookup as long as nobody has moved house.
  const ownerOf = (wizardId: bigint) => people[Number(wizardId) - 1]!;
  /** From so many whole units of power to a hundred more. */
  const summon = (wizardId: bigint, units: number) =>
    players.createWizard(
      ownerOf(wizardId),
      1 + random.nextInt(4),
      (BigInt(units) * 1000n + BigInt(random.nextInt(100_000))) * MILLI,
    );

  const duel = (
    first: bigint,
    second: bigint,
    duration: number,
    moves: readonly [Move[], Move[]],
    owners = [first, second].map(ownerOf),
  ) => {
    const secrets = [randomSecret(first, moves[0], random), randomSecret(second, moves[1], random)] as const;
    const commitment = commitmentHash(secrets[0]);
    return {
      start: [
        players.challenge(owners[0]!, second, secrets[0], duration),
        players.accept(owners[1]!, first, commitment, secrets[1]),
      ],
      reveal: (duelId: string, side: 0 | 1) => players.reveal(owners[side]!, duelId, secrets[side]),
    };
  };
  /** The ids of the duels that started in this block, in their order. */
  const started = async ({ number }: MinedBlock) => {
    const block = `0x${number.toString(16)}`;
    const filter = { address, fromBlock: block, toBlock: block, topics: [DUEL_START_TOPIC] };
    const logs = await rpc.call<{ topics: string[] }[]>('eth_getLogs', filter);
    return logs.map(({ topics }) => topics[1]!) as [string, string, string];
  };
  const any = (): [Move[], Move[]] => [randomMoves(random), randomMoves(random)];
  /** Five rounds lost by the second player. */
  const sweep = (): [Move[], Move[]] => {
    const lost = randomMoves(random);
    return [lost.map(counterMove), lost];
  };

  // The first two together are enough to ascend; of the fourth and the fifth the stronger one is to time out, and survives it.
  await mine([850, 650, 400, 500, 250, 300, 350, 450].map((units, index) => summon(BigInt(index + 1), units)));
  const rout = duel(1n, 2n, 5, sweep());
  const silence = duel(4n, 5n, 1, any());
  const standoff = duel(6n, 7n, LONG_DURATION_BLOCKS, any());
  const [finishedDuel, timedOutDuel, runningDuel] = await started(
    await mine([...rout.start, ...silence.start, ...standoff.start]),
  );
  await mine([rout.reveal(finishedDuel, 0), rout.reveal(finishedDuel, 1), silence.reveal(timedOutDuel, 1)]);
  const moves = sweep();
  const ascension = duel(1n, 3n, 5, random.nextInt(2) ? moves : [moves[1], moves[0]]);
  const [ascensionDuel] = await started(
    await mine([
      ...ascension.start,
      players.timeOut(random.pick(people), timedOutDuel),
      players.transfer(people[7]!, people[8]!, 8n),
    ]),
  );
  await mine([ascension.reveal(ascensionDuel, 0), ascension.reveal(ascensionDuel, 1)]);
  const rematch = duel(4n, 5n, 5, any());
  const [rematchDuel] = await started(await mine([...rematch.start, summon(9n, 200), summon(10n, 600)]));
  await mine([rematch.reveal(rematchDuel, 1), rematch.reveal(rematchDuel, 0)]);
  const guest = duel(8n, 10n, 5, any(), [people[8]!, people[9]!]);
  const [guestDuel] = await started(await mine(guest.start));
  await mine([guest.reveal(guestDuel, 0)]);
  await mine([guest.reveal(guestDuel, 1)]);
  return { eliminatedWizard: '2', finishedDuel, timedOutDuel, runningDuel, ascensionDuel };
}
