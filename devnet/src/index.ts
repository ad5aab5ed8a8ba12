import { join } from 'node:path';
import { acquireDataDirectory } from './data-directory/index.ts';
import { startEmbeddedChain } from './embedded-chain.ts';
import type { Devnet, DevnetOptions } from './options.ts';

export type { DevnetDescription, DevnetLandmarks, FurtherChain } from './description.ts';
export type { Devnet, DevnetDatabase, DevnetOptions } from './options.ts';

/** The default chain id of anvil and Hardhat. The further chains have the ids above it. */
const CHAIN_ID = 31337;
const NAMES_OF_FURTHER_CHAINS = ['Test deployment', 'Test deployment 2', 'Test deployment 3'] as const;

/**
 * Starts the embedded network: its chains in parallel. Rejects, with everything stopped, if a part of a chain cannot start; PostgreSQL starts in
 * the background.
 */
export async function startDevnet({ chains = 1, seed = 1, dataDirectory, ...options }: DevnetOptions): Promise<Devnet> {
  const acquire = (path: string | undefined, seedOfChain: number) =>
    path === undefined ? undefined : acquireDataDirectory(path, seedOfChain);
  // Throws before the further chains create their directories, whose seeds would be those of a refused start.
  const directory = acquire(dataDirectory, seed);
  const further = NAMES_OF_FURTHER_CHAINS.slice(0, chains - 1).map(async (name, i) => {
    const chainId = CHAIN_ID + 1 + i;
    const ownSeed = (seed + 1 + i) % 2 ** 32;
    const started = await startEmbeddedChain({
      ...options,
      chainId,
      seed: ownSeed,
      directory: acquire(dataDirectory && join(dataDirectory, `chain-${chainId}`), ownSeed),
      hasDatabase: false,
      nodePort: 0,
      nodeWsPort: 0,
      wizardsPort: 0,
    });
    return { ...started, description: { ...started.description, name } };
  });
  const furtherChains = Promise.all(further).then((started) => started.map(({ description }) => description));
  // If the default chain fails first, nothing reads it.
  furtherChains.catch(() => {});
  const results = await Promise.allSettled([
    startEmbeddedChain({ ...options, chainId: CHAIN_ID, seed, directory, furtherChains }),
    ...further,
  ]);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.all(started.map((chain) => chain.stop()));
  };
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return { ...started[0]!, exited: Promise.race(started.map(({ exited }) => exited)), stop };
}
