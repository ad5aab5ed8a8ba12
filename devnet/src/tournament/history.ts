import { id, toQuantity } from 'ethers';
import type { AnvilRpc } from '../anvil/rpc.ts';
import type { MinedBlock } from '../world/blocks.ts';
import type { SeededRandom } from '../world/random.ts';
import type { TransactionRequest } from '../world/transaction-requests.ts';
import { tournamentCalls } from './contract-calls.ts';
import { commitmentHash, counterMove, type Move, randomMoves, randomSecret } from './moves.ts';

/** Examples of wizards (decimal ids) and duels (32-byte ids) in the generated history. */
export interface TournamentLandmarks {
  /** A wizard that lost all its power in `finishedDuel`. */
  readonly eliminatedWizard: string;
  /** A duel with all moves revealed. */
  readonly finishedDuel: string;
  /** A duel in which one player did not reveal. */
  readonly timedOutDuel: string;
  /** A duel that runs for a million blocks. */
  readonly runningDuel: string;
  /** A finished ascension battle. */
  readonly ascensionDuel: string;
}

interface TournamentHistoryOptions {
  readonly rpc: AnvilRpc;
  readonly address: string;
  /** At least ten. */
  readonly people: readonly string[];
  readonly random: SeededRandom;
  /** Mines the next block with these moves in order, and with other traffic. */
  mine(moves: readonly TransactionRequest[]): Promise<MinedBlock>;
}

const LONG_DURATION_BLOCKS = 1_000_000;
const MILLI = 10n ** 15n;
const DUEL_START_TOPIC = id('DuelStart(bytes32,uint256,uint256,uint8,uint8,uint256,bool,bytes32,bytes32)');

/**
 * Mines ten blocks in which wizards are created, transferred, duel and are eliminated. The sequence is fixed; the seed decides affinities,
 * powers and moves, and so the winners of the ascension battle and of the later duels.
 */
export async function buildTournamentHistory({
  rpc,
  address,
  people,
  random,
  mine,
}: TournamentHistoryOptions): Promise<TournamentLandmarks> {
  const players = tournamentCalls(address);
  // Wizard 1 belongs to the first account, and so on, until wizards are transferred.
  const ownerOf = (wizardId: bigint) => people[Number(wizardId) - 1]!;
  /** Creates a wizard with `units` to `units + 100` whole units of power. */
  const createWizard = (wizardId: bigint, units: number) =>
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
  /** Ids of the duels that started in a block, in order. */
  const startedDuelIds = async ({ number }: MinedBlock) => {
    const block = toQuantity(number);
    const filter = { address, fromBlock: block, toBlock: block, topics: [DUEL_START_TOPIC] };
    const logs = await rpc.call<{ topics: string[] }[]>('eth_getLogs', filter);
    return logs.map(({ topics }) => topics[1]!) as [string, string, string];
  };
  const randomMovePair = (): [Move[], Move[]] => [randomMoves(random), randomMoves(random)];
  /** Moves with which the second player loses all five rounds. */
  const decisiveMovePair = (): [Move[], Move[]] => {
    const lost = randomMoves(random);
    return [lost.map(counterMove), lost];
  };

  // Wizards 1 and 2 together have enough power to ascend. Of wizards 4 and 5, the stronger one does not reveal its moves and survives.
  await mine([850, 650, 400, 500, 250, 300, 350, 450].map((units, index) => createWizard(BigInt(index + 1), units)));
  const decisiveDuel = duel(1n, 2n, 5, decisiveMovePair());
  const unrevealedDuel = duel(4n, 5n, 1, randomMovePair());
  const longDuel = duel(6n, 7n, LONG_DURATION_BLOCKS, randomMovePair());
  const [finishedDuel, timedOutDuel, runningDuel] = await startedDuelIds(
    await mine([...decisiveDuel.start, ...unrevealedDuel.start, ...longDuel.start]),
  );
  await mine([
    decisiveDuel.reveal(finishedDuel, 0),
    decisiveDuel.reveal(finishedDuel, 1),
    unrevealedDuel.reveal(timedOutDuel, 1),
  ]);
  const moves = decisiveMovePair();
  const ascension = duel(1n, 3n, 5, random.nextInt(2) ? moves : [moves[1], moves[0]]);
  const [ascensionDuel] = await startedDuelIds(
    await mine([
      ...ascension.start,
      players.timeOut(random.pick(people), timedOutDuel),
      players.transfer(people[7]!, people[8]!, 8n),
    ]),
  );
  await mine([ascension.reveal(ascensionDuel, 0), ascension.reveal(ascensionDuel, 1)]);
  const rematch = duel(4n, 5n, 5, randomMovePair());
  const [rematchId] = await startedDuelIds(await mine([...rematch.start, createWizard(9n, 200), createWizard(10n, 600)]));
  await mine([rematch.reveal(rematchId, 1), rematch.reveal(rematchId, 0)]);
  const lastDuel = duel(8n, 10n, 5, randomMovePair(), [people[8]!, people[9]!]);
  const [lastDuelId] = await startedDuelIds(await mine(lastDuel.start));
  await mine([lastDuel.reveal(lastDuelId, 0)]);
  await mine([lastDuel.reveal(lastDuelId, 1)]);
  return { eliminatedWizard: '2', finishedDuel, timedOutDuel, runningDuel, ascensionDuel };
}
