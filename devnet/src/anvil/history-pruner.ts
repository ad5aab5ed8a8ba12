import type { Logger } from 'pino';
import type { PrunedHistory } from '../node-service/behaviour/pruned-history.ts';
import {
  type AnvilDump,
  compressJson,
  decompressJson,
  dumpChain,
  loadChain,
  readHistoryStates,
  readPool,
  submitPool,
  withoutEmptySlots,
} from './dump.ts';
import type { AnvilRpc } from './rpc.ts';

/** Number of blocks between two prunings. */
const PRUNE_INTERVAL_BLOCKS = 256;
/** Number of newest blocks that are never pruned: more than any follower needs for a reorg. */
const RECENT_BLOCKS = 512;
/**
 * Number of states that anvil stores: enough that anvil evicts no state of the generated history between two prunings.
 */
export const MAX_ANVIL_STATES = 400;

export interface HistoryPrunerOptions {
  readonly rpc: AnvilRpc;
  /** Height up to which blocks are never removed. */
  readonly historyBlock: number;
  /** Heights of older blocks that are not pruned. @default no heights */
  readonly retainedHeights?: () => Iterable<number>;
  /** Called after the pruned chain was loaded. */
  readonly afterLoad: () => Promise<unknown>;
  /** Called if the chain cannot be loaded after its reset. It has no blocks then and must be stopped. */
  readonly onChainLost: () => void;
  /** The blocks and states that were pruned before the chain was restored from a dump. @default nothing */
  readonly restored?: PrunedHistory | undefined;
  readonly log: Logger;
}

export interface HistoryPruner {
  /** The blocks and states that were pruned so far. */
  readonly pruned: PrunedHistory;
  /**
   * Prunes the chain if it is due; to be called before each block. `exclusive` must delay all other requests to anvil, which has no blocks
   * while the chain is pruned.
   */
  pruneIfDue(height: number, exclusive: (task: () => Promise<void>) => Promise<void>): Promise<void>;
}

/** Nothing is pruned of a chain whose generated history ends with this block. */
export const nothingPruned = (historyBlock: number): PrunedHistory => ({
  first: historyBlock + 1,
  retainedHeights: new Set(),
  lastBlock: historyBlock,
  lastState: historyBlock,
});

/**
 * Bounds the memory of anvil, which has no option to remove old blocks and transactions. Every 256 blocks the chain is
 * dumped and loaded again with the generated history, the last 512 blocks and the blocks of `retainedHeights`. Hashes,
 * balances, the states of the history and the pool stay; states between the history and the head are removed.
 */
export function createHistoryPruner({
  rpc,
  historyBlock,
  retainedHeights = () => [],
  afterLoad,
  onChainLost,
  restored,
  log,
}: HistoryPrunerOptions): HistoryPruner {
  const pruned: { -readonly [Key in keyof PrunedHistory]: PrunedHistory[Key] } = { ...(restored ?? nothingPruned(historyBlock)) };
  // After a restored chain was pruned, its head was `RECENT_BLOCKS` above the last pruned block.
  let nextPruneHeight = PRUNE_INTERVAL_BLOCKS + pruned.lastBlock + (pruned.lastBlock > historyBlock ? RECENT_BLOCKS : 0);
  let historyStates: AnvilDump['historical_states'] | undefined;

  const prune = async () => {
    const height = Number(await rpc.call<string>('eth_blockNumber'));
    const lastPruned = Math.max(pruned.lastBlock, height - RECENT_BLOCKS);
    const retained = new Set(retainedHeights());
    const isRetained = (at: number) => at <= historyBlock || at > lastPruned || retained.has(at);
    const dump = await decompressJson<AnvilDump>(await dumpChain(rpc));
    const prunedDump = await compressJson({
      ...dump,
      accounts: withoutEmptySlots(dump.accounts),
      blocks: dump.blocks.filter(({ header }) => isRetained(Number(header.number))),
      transactions: dump.transactions.filter(({ block_number }) => isRetained(Number(block_number))),
      historical_states: historyStates,
    });
    const pool = await readPool(rpc);
    try {
      await rpc.call('anvil_reset');
      await loadChain(rpc, prunedDump, afterLoad);
    } catch (error) {
      onChainLost();
      throw error;
    }
    pruned.lastBlock = lastPruned;
    // A pruned block stays pruned, even if `retainedHeights` names it now.
    pruned.retainedHeights = new Set(dump.blocks.map(({ header }) => Number(header.number)).filter((at) => retained.has(at)));
    pruned.lastState = height - 1;
    nextPruneHeight = height + PRUNE_INTERVAL_BLOCKS;
    await submitPool(rpc, pool, log);
  };

  return {
    pruned,
    async pruneIfDue(height, exclusive) {
      if (height > historyBlock) historyStates ??= await readHistoryStates(rpc, historyBlock);
      if (height >= nextPruneHeight) await exclusive(prune);
    },
  };
}
