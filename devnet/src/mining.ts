import type { Logger } from 'pino';
import { createHistoryPruner } from './anvil/history-pruner.ts';
import type { Anvil } from './anvil/process.ts';
import { createReadWriteLock, type ReadWriteLock } from './anvil/read-write-lock.ts';
import type { AnvilRpc } from './anvil/rpc.ts';
import type { RestoredWorld } from './data-directory/restore.ts';
import type { SavedNetwork } from './data-directory/saved-network.ts';
import type { PrunedHistory } from './node-service/behaviour/pruned-history.ts';
import { type ChainActivity, type SavedActivity, startActivity } from './world/activity.ts';
import { type DevnetWorld, removeBlockHashes } from './world/build.ts';

export interface MiningOptions {
  readonly anvil: Anvil;
  readonly rpc: AnvilRpc;
  readonly world: DevnetWorld;
  readonly seed: number;
  /** Seconds between blocks. */
  readonly blockTime: number;
  /** False: each submitted transaction is mined at once. */
  readonly hasActivity: boolean;
  /** The blocks and states that were pruned before the restart; undefined for a new chain. */
  readonly restored: PrunedHistory | undefined;
  readonly savedActivity: SavedActivity | undefined;
  /** Heights of older blocks that are not pruned. */
  readonly retainedHeights: () => Iterable<number>;
  /** Called before blocks are pruned. */
  readonly beforePruning: () => Promise<unknown>;
  readonly log: Logger;
}

export interface Mining {
  /** Undefined without activity. */
  readonly activity: ChainActivity | undefined;
  /** The blocks and states that were pruned so far; undefined for a new chain that is never pruned. */
  readonly pruned: PrunedHistory | undefined;
  readonly withMiningPaused: ChainActivity['withMiningPaused'];
  /** Delays reads while the chain is pruned. */
  readonly withSharedLock: ReadWriteLock['shared'];
}

/**
 * The pruned blocks and states of a restored chain. The dump contains only the state of the head and the states of the
 * history.
 */
export function restoredPruning({ pruned, landmarks }: SavedNetwork, { height }: RestoredWorld): PrunedHistory {
  const { lastBlock, retainedHeights } = pruned;
  return { first: landmarks.lastBlock + 1, lastBlock, retainedHeights: new Set(retainedHeights), lastState: height - 1 };
}

/** Starts the activity of the chain, or automatic mining without activity. */
export async function startMining(options: MiningOptions): Promise<Mining> {
  const { anvil, rpc, world, seed, blockTime, hasActivity, restored, savedActivity, log } = options;
  const { participants, tournament, landmarks } = world;
  const lock = createReadWriteLock();
  if (!hasActivity) {
    await rpc.call('evm_setAutomine', true);
    const queue = createTaskQueue();
    return { activity: undefined, pruned: restored, withMiningPaused: queue.run, withSharedLock: lock.shared };
  }
  const pruner = createHistoryPruner({
    rpc,
    historyBlock: landmarks.lastBlock,
    retainedHeights: options.retainedHeights,
    afterLoad: () => removeBlockHashes(rpc),
    onChainLost: anvil.kill,
    restored,
    log,
  });
  // Pruning retains only the newest state. Every follower has read the head before the next block is mined, so no
  // follower needs an older state.
  const beforeBlock = (height: number) =>
    pruner.pruneIfDue(height, async (task) => {
      // A service that lags must read the blocks before they are pruned.
      await options.beforePruning();
      await lock.exclusive(task);
    });
  const activity = startActivity({
    rpc,
    participants,
    tournament: tournament.address,
    seed,
    blockTime,
    beforeBlock,
    saved: savedActivity,
    log,
  });
  return { activity, pruned: pruner.pruned, withMiningPaused: activity.withMiningPaused, withSharedLock: lock.shared };
}

/** Runs tasks one after another, in the order of the calls. */
interface TaskQueue {
  /** Resolves or rejects with the result of the task. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(task) {
      const done = last.then(task);
      last = done.catch(() => {});
      return done;
    },
  };
}
