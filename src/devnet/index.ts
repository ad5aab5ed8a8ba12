import type { Logger } from 'pino';
import { createHostCheck, type HostCheck } from '../hosts.ts';
import { createHistoryPruner } from './anvil/history-pruner.ts';
import { startAnvil } from './anvil/process.ts';
import { createReadWriteLock } from './anvil/read-write-lock.ts';
import { createAnvilRpc } from './anvil/rpc.ts';
import type { DevnetDescription } from './description.ts';
import type { PrunedHistory } from './node-service/behaviour/pruned-history.ts';
import { type NodeService, startNodeService, type TokenMetadataDatabase } from './node-service/index.ts';
import { LOOPBACK_ADDRESS } from './service-server.ts';
import { type DevnetWizardServer, startWizardService } from './wizard-service/index.ts';
import { developmentAccounts, MNEMONIC, WORLD_ACCOUNT_COUNT } from './world/accounts.ts';
import { type ChainActivity, startActivity } from './world/activity.ts';
import { buildWorld, removeBlockHashes } from './world/build.ts';
import { embeddedTokenList, type TokenList } from './world/token-list.ts';

export type { DevnetDescription, DevnetLandmarks } from './description.ts';

/** The default chain id of anvil and Hardhat. */
const CHAIN_ID = 31337;
/** 2025-01-01T00:00:00Z, so that the hashes of the history never change. */
const GENESIS_TIME = 1_735_689_600;
/** Key of the node service. Public: it gives access to nothing but the embedded chain. */
const API_KEY = 'devnet';
/** Credentials of the wizard service. Public, like the key. */
const WIZARD_CREDENTIALS = { token: 'devnet', email: 'wizard@devnet.example' } as const;
/** Methods that the graph uses although the service description lacks them: without them it needs more calls or returns null. */
const EXTRA_METHODS = [
  'eth_getBlockReceipts',
  'eth_syncing',
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
  'eth_capabilities',
  'eth_simulateV1',
  'eth_createAccessList',
  'debug_traceTransaction',
];

/** Converts the token list to the token database of the node service. */
const toTokenMetadataDatabase = ({ tokens }: TokenList): TokenMetadataDatabase =>
  Object.fromEntries(
    tokens.map(({ address, name, symbol, decimals, logoURI }) => [address, { name, symbol, decimals, logo: logoURI }]),
  );

export interface DevnetOptions {
  /** Seed of the generated accounts, contracts and history; 1 by default. */
  readonly seed?: number;
  /** Seconds between blocks; 2 by default. */
  readonly blockTime?: number;
  /** False: no generated transactions; each submitted transaction is mined at once. True by default. */
  readonly hasActivity?: boolean;
  /** Address that the node service and the wizard service listen on; loopback by default. Anvil always listens on loopback. */
  readonly host?: string;
  /** HTTP port of the node service; 0 (the default) picks a free one. */
  readonly nodePort?: number;
  /** WebSocket port of the node service; 0 (the default) picks a free one. */
  readonly nodeWsPort?: number;
  /** Port of the wizard service; 0 (the default) picks a free one. */
  readonly wizardsPort?: number;
  /** Checks the Host header of requests to both services; accepts loopback names by default. */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

export interface Devnet {
  readonly description: DevnetDescription;
  /** Process id of anvil. */
  readonly pid: number;
  /** Mines a block with generated transactions, then `count` empty blocks, at most 100; undefined without activity. */
  readonly mine: ChainActivity['mine'] | undefined;
  /** Resolves when anvil exits unexpectedly; never resolves after `stop`. */
  readonly exited: Promise<void>;
  /** Stops all timers, processes and sockets and removes the files. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded network: anvil with a generated history, a node service in front of it and a wizard service. Rejects, with
 * everything stopped, if any part cannot start.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const {
    seed = 1,
    blockTime = 2,
    hasActivity = true,
    host = LOOPBACK_ADDRESS,
    nodePort = 0,
    nodeWsPort = 0,
    wizardsPort = 0,
    acceptsHost = createHostCheck([]),
    log,
  } = options;
  const anvil = await startAnvil({
    chainId: CHAIN_ID,
    mnemonic: MNEMONIC,
    accounts: WORLD_ACCOUNT_COUNT + 1,
    genesisTime: GENESIS_TIME,
  });
  const rpc = createAnvilRpc(anvil.url);
  const lock = createReadWriteLock();
  let activity: ChainActivity | undefined;
  let service: NodeService | undefined;
  let wizards: DevnetWizardServer | undefined;
  let description: DevnetDescription | undefined;
  const stop = async () => {
    await wizards?.stop();
    await service?.stop();
    await activity?.stop();
    await rpc.close();
    await anvil.stop();
  };
  try {
    const accounts = developmentAccounts();
    const addresses = accounts.slice(0, WORLD_ACCOUNT_COUNT).map(({ address }) => address);
    const { participants, contracts, tournament, landmarks } = await buildWorld(rpc, GENESIS_TIME, addresses, seed);
    let pruned: PrunedHistory | undefined;
    if (hasActivity) {
      const pruner = createHistoryPruner({
        rpc,
        historyBlock: landmarks.lastBlock,
        retainedHeights: () => wizards?.referencedHeights() ?? [],
        afterLoad: () => removeBlockHashes(rpc),
        onChainLost: anvil.kill,
        log,
      });
      pruned = pruner.pruned;
      // Pruning retains only the newest state. Every follower has read the head before the next block is mined, so none needs an older state.
      const beforeBlock = (height: number) =>
        pruner.pruneIfDue(height, async (task) => {
          // A service that lags must read the blocks before they are pruned.
          await Promise.all([service?.catchUp(), wizards?.catchUp()]);
          await lock.exclusive(task);
        });
      activity = startActivity({ rpc, participants, tournament: tournament.address, seed, blockTime, beforeBlock, log });
    } else await rpc.call('evm_setAutomine', true);
    // The caller handles the exit through `exited`; the activity must not call a process that has exited.
    anvil.exited.then(() => activity?.stop());
    const endpoints = { http: anvil.url, ws: anvil.wsUrl };
    const tokenList = embeddedTokenList(CHAIN_ID, contracts);
    service = await startNodeService({
      anvil: endpoints,
      keys: [API_KEY],
      host,
      port: nodePort,
      wsPort: nodeWsPort,
      tokenDatabase: toTokenMetadataDatabase(tokenList),
      extraMethods: EXTRA_METHODS,
      ...(activity && { withMiningPaused: activity.withMiningPaused }),
      acceptsHost,
      withSharedLock: lock.shared,
      description: () => description,
      ...(pruned && { pruned }),
      log,
    });
    wizards = await startWizardService({
      rpcUrl: anvil.url,
      contract: tournament.address,
      ...WIZARD_CREDENTIALS,
      historyBlock: landmarks.lastBlock,
      withSharedLock: lock.shared,
      host,
      port: wizardsPort,
      acceptsHost,
      log,
    });
    // Wait until the wizard service has indexed the history, or anvil has exited, which `exited` reports to the caller.
    await Promise.race([wizards.indexed, anvil.exited]);
    description = {
      chainId: CHAIN_ID,
      seed,
      blockTime: hasActivity ? blockTime : null,
      endpoints,
      nodeService: service.endpoints,
      wizardService: { url: wizards.url, ...WIZARD_CREDENTIALS, control: wizards.control },
      accounts,
      contracts,
      tournament,
      landmarks,
      tokenList,
    };
    return { description, pid: anvil.pid, mine: activity?.mine, exited: anvil.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
