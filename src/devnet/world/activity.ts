import type { Logger } from 'pino';
import type { AnvilRpc } from '../anvil/rpc.ts';
import { createPlayers } from '../tournament/index.ts';
import { createSeededRandom } from './random.ts';
import { randomTransactions, type TrafficParticipants } from './traffic.ts';

export interface ActivityOptions {
  readonly rpc: AnvilRpc;
  readonly participants: TrafficParticipants;
  /** Address of the contract; left out, nobody plays. */
  readonly tournament?: string;
  readonly seed: number;
  /** Seconds between blocks; may be a fraction. */
  readonly blockTime: number;
  /** Called with the number of the head before a block is made; nothing when left out. */
  readonly beforeBlock?: (height: number) => Promise<void>;
  readonly log: Logger;
}

export interface ChainActivity {
  /** Runs a task between two beats, while no block is made, and gives what it gives. */
  withMiningPaused<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Makes a block at once, and so many empty ones behind it, at most 100. */
  mine(count: number): Promise<void>;
  /** Resolves when the block being made, if any, is mined. No block comes after it. */
  stop(): Promise<void>;
}

/**
 * Every `blockTime` seconds two to five transactions and one block; what users sent meanwhile is mined with them. Up to two
 * of the transactions are moves of the tournament. The choices come from the seed, and for the moves from how the tournament stands. A call
 * that fails costs that call alone: it is logged and life goes on.
 */
export function startActivity({
  rpc,
  participants,
  tournament,
  seed,
  blockTime,
  beforeBlock,
  log,
}: ActivityOptions): ChainActivity {
  const random = createSeededRandom(seed);
  const { people } = participants;
  // Choices of their own: the duels do not change the traffic beside them.
  const players = tournament && createPlayers({ rpc, address: tournament, people, random: createSeededRandom(seed + 1) });
  const period = blockTime * 1000;
  let due = performance.now() + period;
  let beat: Promise<unknown> = Promise.resolve();
  let stopped = false;

  const attempt = (method: string, ...params: unknown[]) =>
    rpc
      .call(method, ...params)
      .catch((err: unknown) => log.warn({ err, method }, 'the embedded chain refused a call of its own life'));
  const someMoves = async (count: number) => {
    try {
      return players ? await players.nextMoves(count) : [];
    } catch (err) {
      log.warn({ err }, 'the tournament could not be read; nobody plays in this block');
      return [];
    }
  };
  const prepareBlock = async () => {
    try {
      await beforeBlock?.(Number(await rpc.call<string>('eth_blockNumber')));
    } catch (err) {
      log.error({ err }, 'the embedded chain could not be trimmed');
    }
  };
  const writeBlock = async () => {
    await prepareBlock();
    // One after the other, and without nonces: anvil gives the next one, also when a user spends from the same account.
    const moves = await someMoves(1 + random.nextInt(2));
    const traffic = randomTransactions(2 + random.nextInt(4) - moves.length, participants, random);
    for (const draft of [...moves, ...traffic]) await attempt('eth_sendTransaction', draft);
    await attempt('evm_mine');
  };
  const makeBlock = async () => {
    await writeBlock();
    if (!stopped) timer = schedule();
  };
  const schedule = () =>
    setTimeout(() => {
      // After a pause of the whole machine the missed blocks stay missed.
      due = Math.max(due + period, performance.now());
      beat = beat.then(makeBlock);
    }, due - performance.now());
  let timer = schedule();

  const withMiningPaused = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = beat.then(task);
    beat = done.catch(() => {});
    return done;
  };

  return {
    withMiningPaused,
    mine: (count) =>
      withMiningPaused(async () => {
        await writeBlock();
        await rpc.call('anvil_mine', `0x${count.toString(16)}`);
      }),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await beat;
    },
  };
}
