import { randomBytes } from 'node:crypto';
import { type Anvil, startAnvil } from './anvil/process.ts';
import { type AnvilRpc, createAnvilRpc } from './anvil/rpc.ts';
import type { DataDirectory } from './data-directory/index.ts';
import { createNetworkSave } from './data-directory/network-save.ts';
import { type PeriodicSave, startPeriodicSave } from './data-directory/periodic-save.ts';
import { restoreWorld } from './data-directory/restore.ts';
import { startDatabase } from './database.ts';
import type { DevnetDescription, FurtherChain } from './description.ts';
import { type Mining, restoredPruning, startMining } from './mining.ts';
import { type NodeService, startNodeService, type TokenMetadataDatabase } from './node-service/index.ts';
import { type NotificationService, startNotificationService } from './notification-service/index.ts';
import type { Devnet, DevnetOptions } from './options.ts';
import { acceptsLoopbackHost, LOOPBACK_ADDRESS } from './service-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver/index.ts';
import { type DevnetWizardServer, startWizardService } from './wizard-service/index.ts';
import { developmentAccounts, MNEMONIC, WORLD_ACCOUNT_COUNT } from './world/accounts.ts';
import { buildWorld } from './world/build.ts';
import { embeddedTokenList, type TokenList } from './world/token-list.ts';

/** 2025-01-01T00:00:00Z, so that the hashes of the history never change. */
const GENESIS_TIME = 1_735_689_600;
/** Key of the node service. Public: it gives access to nothing but the embedded chain. */
const API_KEY = 'devnet';
/** Credentials of the wizard service. Public, like the key. */
const WIZARD_CREDENTIALS = { token: 'devnet', email: 'wizard@devnet.example' } as const;
/** Application that notifications name. */
const NOTIFICATION_APP = 'devnet';
/**
 * Application of the registered webhooks of the embedded receiver. It differs from the application of the
 * notifications, so that each application has its own events.
 */
const RECEIVER_APP = 'devnet-receiver';
/** Number of accounts with activity whose transfers and transactions are notified, besides the guest. */
const NOTIFIED_ACCOUNT_COUNT = 3;
/**
 * Methods that the graph uses although the service description lacks the methods: without the methods the graph needs
 * more calls or returns null.
 */
const EXTRA_METHODS = [
  'eth_getBlockReceipts',
  'eth_syncing',
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
  'eth_capabilities',
  'eth_simulateV1',
  'eth_createAccessList',
  'debug_traceTransaction',
  'debug_traceBlockByHash',
];
/** Converts the token list to the token database of the node service. */
const toTokenMetadataDatabase = ({ tokens }: TokenList): TokenMetadataDatabase =>
  Object.fromEntries(
    tokens.map(({ address, name, symbol, decimals, logoURI }) => [address, { name, symbol, decimals, logo: logoURI }]),
  );

/** A chain of the embedded network. */
export interface EmbeddedChainOptions extends Omit<DevnetOptions, 'chains' | 'dataDirectory'> {
  readonly chainId: number;
  /** Released when the chain stops or cannot start. */
  readonly directory: DataDirectory | undefined;
  /** The other chains, which the description of the default chain names; undefined for a chain without notifications. */
  readonly furtherChains?: Promise<readonly FurtherChain[]>;
}

/**
 * Starts a chain: anvil with a generated history, a node service in front of it, a wizard service, and PostgreSQL, for which it
 * does not wait. Continues the chain of the data directory. Rejects, with everything stopped, if any other part cannot start.
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<Devnet> {
  const {
    chainId,
    directory,
    furtherChains,
    seed = 1,
    blockTime = 2,
    hasActivity = true,
    hasDatabase = false,
    host = LOOPBACK_ADDRESS,
    nodePort = 0,
    nodeWsPort = 0,
    wizardsPort = 0,
    acceptsHost = acceptsLoopbackHost,
    log,
  } = options;
  let database: ReturnType<typeof startDatabase> | undefined;
  let anvil: Anvil | undefined;
  let rpc: AnvilRpc | undefined;
  let mining: Mining | undefined;
  let service: NodeService | undefined;
  let wizards: DevnetWizardServer | undefined;
  let notifications: NotificationService | undefined;
  let receiver: WebhookReceiver | undefined;
  let periodicSave: PeriodicSave | undefined;
  let description: DevnetDescription | undefined;
  const stopChain = async () => {
    await notifications?.stop();
    await receiver?.stop();
    await service?.stop();
    await mining?.activity?.stop();
    // The index of the wizard service is saved, too.
    await periodicSave?.stop();
    await wizards?.stop();
    await rpc?.close();
    await anvil?.stop();
  };
  const stop = async () => {
    await Promise.all([stopChain(), database?.stop()]);
    directory?.release();
  };
  try {
    anvil = await startAnvil({
      chainId,
      mnemonic: MNEMONIC,
      accounts: WORLD_ACCOUNT_COUNT + 1,
      genesisTime: GENESIS_TIME,
    });
    // After the chain, which reports an unusable directory in one message.
    database = hasDatabase ? startDatabase(directory?.databasePath, log) : undefined;
    rpc = createAnvilRpc(anvil.url);
    const accounts = developmentAccounts();
    const addresses = accounts.map(({ address }) => address);
    const [people, guest] = [addresses.slice(0, WORLD_ACCOUNT_COUNT), addresses[WORLD_ACCOUNT_COUNT]!];
    const saved = directory?.saved?.network;
    const restored = directory && (await restoreWorld(rpc, directory, people, log));
    if (restored) log.info({ height: restored.height, directory: directory?.path }, 'the embedded chain continues');
    const world = restored?.world ?? (await buildWorld(rpc, GENESIS_TIME, people, guest, seed));
    const { contracts, tournament, landmarks } = world;
    mining = await startMining({
      anvil,
      rpc,
      world,
      seed,
      blockTime,
      hasActivity,
      restored: saved && restored && restoredPruning(saved, restored),
      savedActivity: saved?.activity,
      retainedHeights: () => wizards?.referencedHeights() ?? [],
      beforePruning: () => Promise.all([service?.catchUp(), wizards?.catchUp()]),
      log,
    });
    const { activity, pruned, withMiningPaused, withSharedLock } = mining;
    // The caller handles the exit through `exited`; the activity must not call a process that has exited.
    anvil.exited.then(() => {
      periodicSave?.cancel();
      return activity?.stop();
    });
    const endpoints = { http: anvil.url, ws: anvil.wsUrl };
    const tokenList = embeddedTokenList(chainId, contracts);
    service = await startNodeService({
      anvil: endpoints,
      keys: [API_KEY],
      host,
      port: nodePort,
      wsPort: nodeWsPort,
      tokenDatabase: toTokenMetadataDatabase(tokenList),
      extraMethods: EXTRA_METHODS,
      withMiningPaused,
      acceptsHost,
      withSharedLock,
      description: () => description,
      ...(pruned && { pruned }),
      log,
    });
    wizards = await startWizardService({
      rpcUrl: anvil.url,
      contract: tournament.address,
      ...WIZARD_CREDENTIALS,
      historyBlock: landmarks.lastBlock,
      savedIndex: saved?.tournamentIndex,
      withSharedLock,
      host,
      port: wizardsPort,
      acceptsHost,
      log,
    });
    // Wait until the wizard service has indexed the history, or anvil has exited, which `exited` reports to the caller.
    await Promise.race([wizards.indexed, anvil.exited]);
    if (directory) {
      const hasHistoryStates = restored?.hasHistoryStates ?? false;
      const save = createNetworkSave({ rpc, directory, seed, world, mining, wizards, hasHistoryStates });
      // Without this save, a killed process would start a new chain, and the database would contain blocks of the old
      // chain.
      await save(false);
      periodicSave = startPeriodicSave(save, log);
    }
    const notified = [...accounts.slice(0, NOTIFIED_ACCOUNT_COUNT), ...accounts.slice(-1)].map(({ address }) => address);
    // The network as the graph names this chain, which relates the notifications to its blocks.
    const source = { app: NOTIFICATION_APP, network: `CHAIN_${chainId}` };
    const application = { ...source, token: randomBytes(32).toString('hex'), addresses: notified };
    if (hasActivity && furtherChains)
      notifications = startNotificationService({ rpcUrl: anvil.url, ...application, withSharedLock, log });
    if (hasActivity && hasDatabase)
      receiver = await startWebhookReceiver({ app: RECEIVER_APP, addresses: notified, acceptsHost });
    const chains = (await furtherChains) ?? [];
    description = {
      chainId,
      seed,
      blockTime: hasActivity ? blockTime : null,
      endpoints,
      nodeService: service.endpoints,
      wizardService: { url: wizards.url, ...WIZARD_CREDENTIALS, control: wizards.control },
      notificationService: notifications ? application : null,
      webhookReceiver: receiver?.description ?? null,
      accounts,
      contracts,
      tournament,
      landmarks,
      tokenList,
      ...(chains.length > 0 && { chains }),
    };
    return {
      description,
      database: database && { url: database.url, restoredHeight: restored?.height },
      webhookReceiver: receiver,
      pid: anvil.pid,
      mine: activity?.mine,
      deliverNotificationsTo: (url) => notifications?.deliverTo(url),
      exited: anvil.exited,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
