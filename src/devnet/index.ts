import type { Logger } from 'pino';
import { createHostCheck, type HostCheck } from '../hosts.ts';
import { createHistoryPruner } from './anvil/history-pruner.ts';
import { startAnvil } from './anvil/process.ts';
import { createReadWriteLock } from './anvil/read-write-lock.ts';
import { createAnvilRpc } from './anvil/rpc.ts';
import type { DevnetDescription } from './description.ts';
import type { PrunedHistory } from './node-service/behaviour/pruned-history.ts';
import { type NodeService, startNodeService, type TokenMetadataDatabase } from './node-service/index.ts';
import { type DevnetWizardServer, startWizardService } from './wizard-service/index.ts';
import { developmentAccounts, MNEMONIC, WORLD_ACCOUNT_COUNT } from './world/accounts.ts';
import { type ChainActivity, startActivity } from './world/activity.ts';
import { buildWorld, removeBlockHashes } from './world/build.ts';
import { embeddedTokenList, type TokenList } from './world/token-list.ts';

export type { DevnetContract, DevnetDescription, DevnetLandmarks, DevnetTournament } from './description.ts';

/** The chain id development tools know. */
const CHAIN_ID = 31337;
/** 2025-01-01T00:00:00Z, so that the history has the same hashes on every day. */
const GENESIS_TIME = 1_735_689_600;
/** Of the node service. Known to all: it opens nothing but the embedded chain. */
const API_KEY = 'devnet';
/** Of the wizard service, and as open as the key. */
const WIZARD_CREDENTIALS = { token: 'devnet', email: 'wizard@devnet.example' } as const;
/** Beyond the seed's methods, what the graph asks of a node: without these it would find out in more calls, or not at all. */
const EXTRA_METHODS = ['eth_getBlockReceipts', 'eth_syncing', 'eth_feeHistory', 'eth_maxPriorityFeePerGas'];

/** The list's facts, as the node service keeps them. */
const toTokenMetadataDatabase = ({ tokens }: TokenList): TokenMetadataDatabase =>
  Object.fromEntries(
    tokens.map(({ address, name, symbol, decimals, logoURI }) => [address, { name, symbol, decimals, logo: logoURI }]),
  );

export interface DevnetOptions {
  /** Whole number that picks the world; 1 when left out. */
  readonly seed?: number;
  /** Seconds between blocks while there is life; 2 when left out. */
  readonly blockTime?: number;
  /** False: the world stands still, and each transaction a user sends is mined at once. True when left out. */
  readonly hasActivity?: boolean;
  /** Port of the node service for HTTP; any free one when 0 or left out. */
  readonly nodePort?: number;
  /** The same for WebSocket. */
  readonly nodeWsPort?: number;
  /** Port of the wizard service; any free one when 0 or left out. */
  readonly wizardsPort?: number;
  /** The Host headers that its services serve; those of loopback names when left out. */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

export interface Devnet {
  readonly description: DevnetDescription;
  /** What its tokens are called. */
  readonly tokenList: TokenList;
  /** Process id of the chain. */
  readonly pid: number;
  /** Makes a block of its life at once, and so many empty ones behind it, at most 100; undefined without life. */
  readonly mine: ChainActivity['mine'] | undefined;
  /** Resolves when the chain ends without having been asked to; stays pending after `stop`. */
  readonly exited: Promise<void>;
  /** Resolves when nothing is left: no timer, no process, no file. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a chain of our own on this machine, with a built history, a hosted node service before it and a wizard service beside it. Rejects, leaving nothing
 * behind, when it cannot.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const {
    seed = 1,
    blockTime = 2,
    hasActivity = true,
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
  const access = createReadWriteLock();
  let living: ChainActivity | undefined;
  let service: NodeService | undefined;
  let wizards: DevnetWizardServer | undefined;
  const stop = async () => {
    await wizards?.stop();
    await service?.stop();
    await living?.stop();
    await rpc.close();
    await anvil.stop();
  };
  try {
    const accounts = developmentAccounts();
    const people = accounts.slice(0, WORLD_ACCOUNT_COUNT).map(({ address }) => address);
    const { participants, contracts, tournament, landmarks } = await buildWorld(rpc, GENESIS_TIME, people, seed);
    let pruned: PrunedHistory | undefined;
    if (hasActivity) {
      const trim = createHistoryPruner({
        rpc,
        historyBlock: landmarks.lastBlock,
        retainedHeights: () => wizards?.referencedHeights() ?? [],
        afterLoad: () => removeBlockHashes(rpc),
        onChainLost: anvil.kill,
        log,
      });
      pruned = trim.pruned;
      // Before a block, and not behind it: by then all who follow the chain have its head, whose state is the one that stays.
      const beforeBlock = (height: number) =>
        trim.pruneIfDue(height, async (task) => {
          // A service that is far behind could not read the blocks that are removed.
          await Promise.all([service?.catchUp(), wizards?.catchUp()]);
          await access.exclusive(task);
        });
      living = startActivity({ rpc, participants, tournament: tournament.address, seed, blockTime, beforeBlock, log });
    } else await rpc.call('evm_setAutomine', true);
    // The caller learns it from `exited`; here it only ends the calls to nobody.
    anvil.exited.then(() => living?.stop());
    const endpoints = { http: anvil.url, ws: anvil.wsUrl };
    const tokenList = embeddedTokenList(CHAIN_ID, contracts);
    service = await startNodeService({
      anvil: endpoints,
      keys: [API_KEY],
      port: nodePort,
      wsPort: nodeWsPort,
      tokenDatabase: toTokenMetadataDatabase(tokenList),
      extraMethods: EXTRA_METHODS,
      ...(living && { withMiningPaused: living.withMiningPaused }),
      acceptsHost,
      withSharedLock: access.shared,
      ...(pruned && { pruned }),
      log,
    });
    wizards = await startWizardService({
      rpcUrl: anvil.url,
      contract: tournament.address,
      ...WIZARD_CREDENTIALS,
      historyBlock: landmarks.lastBlock,
      withSharedLock: access.shared,
      port: wizardsPort,
      acceptsHost,
      log,
    });
    // Whoever asks first finds the whole history; a chain that has ended meanwhile tells so by `exited`.
    await Promise.race([wizards.indexed, anvil.exited]);
    const description = {
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
    };
    return { description, tokenList, pid: anvil.pid, mine: living?.mine, exited: anvil.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
