import { toQuantity } from 'ethers';
import type { Logger } from 'pino';
import type { AnvilRpc } from '../anvil/rpc.ts';
import { createPlayers, type SavedSecret } from '../tournament/players.ts';
import { baseFeeAt } from './base-fee.ts';
import { createSeededRandom } from './random.ts';
import { randomTransactions, type TrafficParticipants } from './traffic.ts';

export interface ActivityOptions {
  readonly rpc: AnvilRpc;
  readonly participants: TrafficParticipants;
  /** Address of the tournament contract; without it there are no moves. */
  readonly tournament?: string;
  readonly seed: number;
  /** Seconds between blocks; may be a fraction. */
  readonly blockTime: number;
  /** Called with the height of the head before each block. */
  readonly beforeBlock?: (height: number) => Promise<void>;
  /** The previous activity of the chain, which is continued. @default a new activity */
  readonly saved?: SavedActivity | undefined;
  readonly log: Logger;
}

/** The state, besides the chain, from which the next transactions follow, as JSON. */
export interface SavedActivity {
  /** Seed of the traffic that follows. */
  readonly traffic: number;
  /** Seed of the moves that follow. */
  readonly moves: number;
  readonly secrets: readonly SavedSecret[];
}

export interface ChainActivity {
  /** Read it only while no block is being mined. */
  save(): SavedActivity;
  /** Runs a task while no block is being mined and returns its result. */
  withMiningPaused<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Mines a block with generated transactions, then `count` empty blocks, at most 100. */
  mine(count: number): Promise<void>;
  /** Stops mining. Resolves when a block in progress is mined. */
  stop(): Promise<void>;
}

/**
 * Mines a block every `blockTime` seconds, with two to five generated transactions and the transactions that users
 * submitted. Up to two of the generated transactions are moves of the tournament. The seed decides the transactions;
 * moves also depend on the state of the tournament. A failed call is logged and does not stop the activity.
 */
export function startActivity({
  rpc,
  participants,
  tournament,
  seed,
  blockTime,
  beforeBlock,
  // Separate sequences, so that moves do not change the traffic.
  saved = { traffic: seed, moves: seed + 1, secrets: [] },
  log,
}: ActivityOptions): ChainActivity {
  const random = createSeededRandom(saved.traffic);
  const moveRandom = createSeededRandom(saved.moves);
  const { people } = participants;
  const players =
    tournament === undefined
      ? undefined
      : createPlayers({ rpc, address: tournament, people, random: moveRandom, secrets: saved.secrets });
  const period = blockTime * 1000;
  let due = performance.now() + period;
  let queue: Promise<unknown> = Promise.resolve();
  let stopped = false;

  const attempt = (method: string, ...params: unknown[]) =>
    rpc
      .call(method, ...params)
      .catch((err: unknown) => log.warn({ err, method }, 'the embedded chain rejected a generated transaction'));
  const readMoves = async (count: number) => {
    try {
      return players ? await players.nextMoves(count) : [];
    } catch (err) {
      log.warn({ err }, 'the tournament cannot be read; this block has no moves');
      return [];
    }
  };
  const prepareBlock = async () => {
    try {
      await beforeBlock?.(Number(await rpc.call<string>('eth_blockNumber')));
    } catch (err) {
      log.error({ err }, 'the embedded chain cannot be pruned');
    }
  };
  /** Also sets the base fee of the block after the mined one, which the node reports as its prediction. */
  const mineWithBaseFee = async () => {
    const parent = await rpc.call<{ number: string; baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false);
    const height = Number(parent.number) + 1;
    const fee = baseFeeAt(height, Number(parent.baseFeePerGas));
    const setFee = (wei: number) => rpc.call('anvil_setNextBlockBaseFeePerGas', toQuantity(wei));
    await setFee(fee);
    await rpc.call('evm_mine');
    await setFee(baseFeeAt(height + 1, fee));
  };
  const mineBlock = async () => {
    await prepareBlock();
    // Sequential and without nonces, because anvil assigns the next nonce even if a user spends from the account.
    const moves = await readMoves(1 + random.nextInt(2));
    const traffic = randomTransactions(2 + random.nextInt(4) - moves.length, participants, random);
    for (const request of [...moves, ...traffic]) await attempt('eth_sendTransaction', request);
    await mineWithBaseFee().catch((err: unknown) => log.warn({ err }, 'the embedded chain did not mine a block'));
  };
  const mineAndSchedule = async () => {
    await mineBlock();
    if (!stopped) timer = schedule();
  };
  const schedule = () =>
    setTimeout(() => {
      // After the machine was suspended, missed blocks are not mined later.
      due = Math.max(due + period, performance.now());
      queue = queue.then(mineAndSchedule);
    }, due - performance.now());
  let timer = schedule();

  const withMiningPaused = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = queue.then(task);
    queue = done.catch(() => {});
    return done;
  };

  return {
    save: () => ({ traffic: random.state, moves: moveRandom.state, secrets: players?.savedSecrets() ?? [] }),
    withMiningPaused,
    mine: (count) =>
      withMiningPaused(async () => {
        await mineBlock();
        await rpc.call('anvil_mine', toQuantity(count));
      }),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await queue;
    },
  };
}
