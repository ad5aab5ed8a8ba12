import type { Logger } from 'pino';
import { type AnvilDump, compressJson, decompressJson, loadChain, submitPool, withoutEmptySlots } from '../anvil/dump.ts';
import type { AnvilRpc } from '../anvil/rpc.ts';
import { type DevnetWorld, removeBlockHashes } from '../world/build.ts';
import { type DataDirectory, unreadable } from './index.ts';

/** The world of a chain that was loaded into anvil. */
export interface RestoredWorld {
  readonly world: DevnetWorld;
  /** Height of the head. */
  readonly height: number;
  /** Whether the states of the whole generated history were saved. */
  readonly hasHistoryStates: boolean;
}

/**
 * Loads the saved chain and its pool into a new anvil. Returns undefined if the directory has no chain. Throws
 * BAD_USER_INPUT if the chain cannot be loaded.
 */
export async function restoreWorld(
  rpc: AnvilRpc,
  { saved, path }: DataDirectory,
  people: readonly string[],
  log: Logger,
): Promise<RestoredWorld | undefined> {
  if (!saved) return undefined;
  const { contracts, tournament, landmarks, pool } = saved.network;
  try {
    const chain = await decompressJson<AnvilDump>(saved.dumps.chain);
    const states = await decompressJson<AnvilDump['historical_states']>(saved.dumps.historyStates);
    const dump = { ...chain, accounts: withoutEmptySlots(chain.accounts), historical_states: states };
    const height = await loadChain(rpc, await compressJson(dump), () => removeBlockHashes(rpc));
    await submitPool(rpc, pool, log);
    return {
      world: { participants: { people, tokens: contracts }, contracts, tournament, landmarks },
      height,
      hasHistoryStates: states.length > landmarks.lastBlock,
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}
