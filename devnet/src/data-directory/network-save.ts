import { compressJson, dumpChain, readHistoryStates, readPool } from '../anvil/dump.ts';
import { nothingPruned } from '../anvil/history-pruner.ts';
import type { AnvilRpc } from '../anvil/rpc.ts';
import type { Mining } from '../mining.ts';
import type { DevnetWizardServer } from '../wizard-service/index.ts';
import type { DevnetWorld } from '../world/build.ts';
import type { DataDirectory, SavedNetwork } from './index.ts';

export interface NetworkSaveOptions {
  readonly rpc: AnvilRpc;
  readonly directory: DataDirectory;
  readonly seed: number;
  readonly world: DevnetWorld;
  readonly mining: Mining;
  readonly wizards: Pick<DevnetWizardServer, 'catchUp' | 'saveIndex'>;
  /** Whether the directory has the states of the whole generated history. */
  readonly hasHistoryStates: boolean;
}

/** Saves the network if its head or its pool has changed. The last call always saves the network. */
export type SaveNetwork = (isLast: boolean) => Promise<void>;

/** Creates the function that saves the network. No block is mined while it reads the chain; the files are written after that. */
export function createNetworkSave({
  rpc,
  directory,
  seed,
  world: { contracts, tournament, landmarks },
  mining,
  wizards,
  ...options
}: NetworkSaveOptions): SaveNetwork {
  const { lastBlock } = landmarks;
  let { hasHistoryStates } = options;
  let { tournamentIndex, activity } = directory.saved?.network ?? {};
  let savedVersion: string | undefined;

  const read = async (isLast: boolean) => {
    // Read the index before the dump, because a restart indexes blocks after the head of the index again.
    await wizards.catchUp();
    tournamentIndex = wizards.saveIndex() ?? tournamentIndex;
    activity = mining.activity?.save() ?? activity;
    const { number, hash } = await rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false);
    const pool = await readPool(rpc);
    const version = [hash, ...pool].join();
    if (version === savedVersion && !isLast) return undefined;
    const states = hasHistoryStates ? undefined : await compressJson(await readHistoryStates(rpc, lastBlock));
    const chain = await dumpChain(rpc);
    const pruned = mining.pruned ?? nothingPruned(lastBlock);
    const network: SavedNetwork = {
      seed,
      contracts,
      tournament,
      landmarks,
      pruned: { lastBlock: pruned.lastBlock, retainedHeights: [...pruned.retainedHeights] },
      pool,
      tournamentIndex,
      activity,
    };
    return { version, network, height: Number(number), dumps: { chain, ...(states && { historyStates: states }) } };
  };

  return async (isLast) => {
    const current = await mining.withMiningPaused(() => read(isLast));
    if (!current) return;
    await directory.save(current.network, current.dumps);
    savedVersion = current.version;
    // Anvil has the state of the last block of the history since the next block.
    hasHistoryStates ||= current.height > lastBlock;
  };
}
