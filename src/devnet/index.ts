import type { Logger } from 'pino';
import { developmentAccounts, MNEMONIC } from './accounts.ts';
import { startAnvil } from './anvil.ts';
import type { DevnetDescription } from './description.ts';
import { type Life, startLife } from './life.ts';
import { connect } from './rpc.ts';
import { buildWorld } from './world.ts';

export type { DevnetContract, DevnetDescription, DevnetLandmarks } from './description.ts';

/** The chain id development tools know. */
const CHAIN_ID = 31337;
/** 2025-01-01T00:00:00Z, so that the history has the same hashes on every day. */
const GENESIS_TIME = 1_735_689_600;

export interface DevnetOptions {
  /** Whole number that picks the world; 1 when left out. */
  readonly seed?: number;
  /** Seconds between blocks while there is life; 2 when left out. */
  readonly blockTime?: number;
  /** False: the world stands still, and each transaction a user sends is mined at once. True when left out. */
  readonly life?: boolean;
  readonly log: Logger;
}

export interface Devnet {
  readonly description: DevnetDescription;
  /** Process id of the chain. */
  readonly pid: number;
  /** Resolves when the chain ends without having been asked to; stays pending after `stop`. */
  readonly exited: Promise<void>;
  /** Resolves when nothing is left: no timer, no process, no file. May be called twice. */
  stop(): Promise<void>;
}

/** Starts a chain of our own on this machine, with a built history. Rejects, leaving nothing behind, when it cannot. */
export async function startDevnet({ seed = 1, blockTime = 2, life = true, log }: DevnetOptions): Promise<Devnet> {
  const anvil = await startAnvil({ chainId: CHAIN_ID, mnemonic: MNEMONIC, genesisTime: GENESIS_TIME });
  const rpc = connect(anvil.url);
  let living: Life | undefined;
  const stop = async () => {
    await living?.stop();
    await rpc.close();
    await anvil.stop();
  };
  try {
    const accounts = developmentAccounts();
    const people = accounts.map(({ address }) => address);
    const { cast, contracts, landmarks } = await buildWorld(rpc, GENESIS_TIME, people, seed);
    if (life) living = startLife({ rpc, cast, seed, blockTime, log });
    else await rpc.call('evm_setAutomine', true);
    // The caller learns it from `exited`; here it only ends the calls to nobody.
    anvil.exited.then(() => living?.stop());
    const endpoints = { http: anvil.url, ws: anvil.wsUrl };
    const description = {
      chainId: CHAIN_ID,
      seed,
      blockTime: life ? blockTime : null,
      endpoints,
      accounts,
      contracts,
      landmarks,
    };
    return { description, pid: anvil.pid, exited: anvil.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
