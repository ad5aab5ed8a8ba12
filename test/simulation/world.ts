import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { createRandomChoices, type RandomChoices } from '../support/random-choices.ts';
import { withNodeKey } from '../support/secrets.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../support/simulator/node.ts';
import { DIALECTS, type LogFilterNames } from '../support/simulator/rpc-simulator.ts';
import { SimTransactions } from '../support/simulator/transactions.ts';
import { serveTransfers, transferReceiptsOf } from '../support/webhooks/transfer-chain.ts';
import { createBlockReads } from './blocks.ts';
import { createHttpClient, falseIfLost } from './client.ts';
import type { VirtualCluster } from './cluster.ts';
import { createFaults } from './faults.ts';
import { startLiveQueries } from './live-queries.ts';
import type { VirtualNetwork } from './network.ts';
import { startVirtualPostgres } from './postgres.ts';
import { connectionsAreBounded, everyRequestEnds, nothingStays, recovers } from './promises.ts';
import { startServer } from './server.ts';
import { startSubscribers } from './subscribers.ts';
import type { VirtualTime } from './virtual-time.ts';
import { startWebhooks, webhookSettings } from './webhooks.ts';
import { createWizardReads, startWizardService } from './wizards.ts';

/** What one run has done. */
export interface Outcome {
  readonly virtualMs: number;
  readonly queries: number;
  readonly events: number;
  readonly faults: number;
  readonly resumptions: number;
  readonly kills: number;
  readonly deliveries: number;
  /** Hash of all bytes that arrived anywhere, with their times. */
  readonly trace: string;
}

/** What the parts of a simulation share. */
export interface World {
  readonly draw: RandomChoices;
  readonly network: VirtualNetwork;
  readonly cluster: VirtualCluster;
  readonly chain: SimChain;
  readonly node: SimNode;
  /** Replaces responses of the node; undefined ends that. */
  setNodeFault(fault: SimNode['intercept']): void;
  /** URL of the server. */
  readonly url: string;
  readonly counts: Record<'queries' | 'events' | 'faults' | 'resumptions' | 'kills' | 'deliveries', number>;
  pause(ms: number): Promise<void>;
  /** Ends the simulation with an error. */
  fail(error: unknown): void;
  readonly post: ReturnType<typeof createHttpClient>['post'];
  /** Kills the server and starts it again: its connections are reset, and nothing that it sends afterwards arrives. */
  killServer(): Promise<void>;
}

/** Parts of a simulation that a run selects. */
export interface SimulationOptions {
  /** Whether the server is killed and started again. */
  readonly kills: boolean;
  /** Whether some seeds have webhooks over PostgreSQL. */
  readonly webhooks: boolean;
}

/** Virtual time with faults, and without faults afterwards. */
const FAULTY_MS = 20_000;
const HEALTHY_MS = 11_000;
/** OPERATION_TIMEOUT_MS, and stalls of the network. */
const REQUEST_LIMIT_MS = 60_000;
const MAX_CONNECTIONS = 300;
/** The server terminates a socket whose client does not answer after 30 s. */
const CLOSING_MS = 35_000;
/** Share of the seeds with webhooks: PostgreSQL takes as long to start as a seed without it takes in all. */
const WEBHOOKS = 0.01;
/** Share of the seeds whose subscribers select fields that are read for each event. */
const READS = 0.5;
/** Shares of the seeds with a wizard service, and with a server of two workers. */
const WIZARDS = 0.25;
const WORKERS = 0.08;

/** How nodes treat the two names of a block hash in a filter of logs. */
const LOG_FILTER_NAMES: readonly LogFilterNames[] = [
  { blockHash: 'read', blockhash: 'read' },
  { blockHash: 'read', blockhash: 'ignored' },
  { blockHash: 'read', blockhash: 'refused' },
  { blockHash: 'refused', blockhash: 'read' },
];

/** Runs the whole server between a node and its clients, with the faults of a seed. Throws an error that names a broken promise. */
export async function simulate(
  seed: number,
  time: VirtualTime,
  { network, cluster }: Pick<World, 'network' | 'cluster'>,
  options: SimulationOptions,
): Promise<Outcome> {
  const draw = createRandomChoices(seed);
  const trace = createHash('sha256');
  network.onArrival = (port, bytes) => trace.update(`${time.now} ${port} `).update(bytes);
  network.delayMs = () => (draw.chance(0.02) ? draw.below(300) : 1 + draw.below(9));
  cluster.delayMs = () => (draw.chance(0.02) ? draw.below(300) : draw.below(3));
  const hasWebhooks = options.webhooks && draw.chance(WEBHOOKS);
  // Before the time runs: PostgreSQL starts in real time.
  const postgres = hasWebhooks ? await startVirtualPostgres() : undefined;

  let failure: Error | undefined;
  const fail = (error: unknown) => {
    failure ??= error instanceof Error ? error : new Error(inspect(error));
  };
  /** Runs the world until a promise settles. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    work.then(mark, mark);
    for (let i = 0; i < 10_000 && !isSettled; i++) await time.run(10);
    return work;
  };

  const receiptsOf = hasWebhooks ? transferReceiptsOf : undefined;
  const chain = new SimChain({
    ...{ seed, blocks: 40, blockSeconds: 2, bloom: draw.pick(['real', 'zero'] as const), maxOrphans: 10_000, receiptsOf },
  });
  const backends = !hasWebhooks && draw.chance(0.25) ? { count: 1 + draw.below(3), lag: draw.below(4), seed } : undefined;
  const node = await settled(startSimNode({ chain, hasBlockReceipts: draw.chance(0.5), ...(backends && { backends }) }));
  node.supportsSubscriptions = draw.chance(0.85);
  node.logFilterNames = draw.pick(LOG_FILTER_NAMES);
  node.dialect = draw.pick(DIALECTS)[1];
  node.announcesBeforeReply = draw.chance(0.5);
  // A server that has just started knows no older blocks, which a backend that lags may lack, or return of another branch.
  const kills = options.kills && !backends && draw.chance(0.5);
  const hasReads = !hasWebhooks && !backends && draw.chance(READS);
  // A client that returns after a kill needs the blocks that a reorg has removed in the meantime.
  const prunesRemovedBlocks = hasReads && !kills && draw.chance(0.5);
  const { hasBlockReceipts } = node;
  if (hasWebhooks) serveTransfers(node, chain, { hasBlockReceipts });
  if (hasReads) node.intercept = new SimTransactions(chain, { hasBlockReceipts, prunesRemovedBlocks }).respond;
  const { intercept } = node;
  let nodeFault: SimNode['intercept'];
  node.intercept = (...call) => nodeFault?.(...call) ?? intercept?.(...call);

  const wizards = !hasWebhooks && draw.chance(WIZARDS) ? await settled(startWizardService()) : undefined;
  const workers = !hasWebhooks && !backends && draw.chance(WORKERS) ? 2 : 1;
  const isFederated = draw.chance(0.5);
  const settings = {
    ...(isFederated && { FEDERATED: 'on' }),
    ...wizards?.settings,
    LOG_LEVEL: 'warn',
    RPC_URL: withNodeKey(node.url),
    NODE_METHODS: 'plain',
    ...(draw.chance(0.8) && { RPC_WS_URL: withNodeKey(node.wsUrl) }),
    ...(draw.chance(0.3) && { CACHE_BYTES: '0' }),
    ...(postgres && webhookSettings(postgres.url)),
  };
  const server = await settled(startServer({ network, cluster, chain, settings, workers }));
  const { url } = server;
  const client = createHttpClient(url);
  const { post } = client;
  const check = () => {
    try {
      everyRequestEnds(client.openSince, time.now, REQUEST_LIMIT_MS);
      connectionsAreBounded(network.openConnections, MAX_CONNECTIONS);
    } catch (error) {
      fail(error);
    }
    if (failure) throw failure;
  };
  const counts = { queries: 0, events: 0, faults: 0, resumptions: 0, kills: 0, deliveries: 0 };
  const killServer = async () => {
    if (await server.kill()) counts.kills += 1;
  };
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  const setNodeFault = (fault: SimNode['intercept']) => {
    nodeFault = fault;
  };
  const world: World = { draw, network, cluster, chain, node, setNodeFault, url, counts, pause, fail, post, killServer };

  /** Whether blocks are mined and queries are sent. */
  let isActive = true;
  const every = async (maxMs: number, act: () => unknown) => {
    while (isActive) {
      await pause(1 + draw.below(maxMs));
      if (isActive) await act();
    }
  };

  const readBlock = createBlockReads(world, {
    // Without a confirmed head, blocks at heights are those of any backend, or of the time when a failed call is repeated: their branches may differ.
    lowestHeight: () => (backends || nodeFault ? undefined : server.knownFrom()),
    comparesLogs: !hasWebhooks,
    hasTransactions: hasReads,
    isFederated,
  });
  const subscribers = startSubscribers(world, { hasLogs: !hasWebhooks, hasReads });
  // Routers do not know live queries. The even seeds replay as before the simulation had them: they find the planted faults.
  const liveQueries = seed % 2 === 1 && !isFederated && !hasWebhooks ? startLiveQueries(world, seed) : undefined;
  const wizardReads = wizards && createWizardReads(world, wizards);
  const webhooks = hasWebhooks ? await settled(startWebhooks(world)) : undefined;
  // The server has not read the events of the blocks below the subscribers: it cannot remove them once the node has dropped the blocks.
  const lowest = prunesRemovedBlocks ? chain.head.height : 0;
  const reorg = (most: number) => {
    const depth = Math.min(most, chain.head.height - lowest);
    chain.reorg(depth, depth + draw.below(3) - (draw.chance(0.1) ? 1 : 0));
  };
  // More blocks than the window of the server, in which it keeps removed ones.
  const long = prunesRemovedBlocks ? 0 : 300;
  const mine = () =>
    draw.chance(0.25)
      ? reorg(1 + draw.below(6))
      : chain.mine(1 + (draw.chance(0.1) ? draw.below(5) : 0) + (draw.chance(0.004) ? long : 0));
  let isHealthy = false;
  const faults = createFaults(world, {
    kills,
    // Nor does it learn of them from a node that returns false headers.
    forgeries: !kills && !backends && !hasWebhooks && node.hasBlockReceipts,
    wizards: wizardReads,
  });
  const loops = [
    every(draw.pick([1_500, 4_000]), mine),
    every(draw.pick([400, 2_000]), () => falseIfLost(readBlock())),
    ...(wizardReads ? [every(2_000, () => falseIfLost(wizardReads.read())), every(1_000, wizardReads.change)] : []),
    // A backend that lags may never import the block of a cursor, and a node that drops removed blocks has no block that the server never read.
    ...(backends || prunesRemovedBlocks ? [] : [every(4_000, subscribers.joinOrLeave)]),
    every(1_300, () => {
      if (isHealthy) return;
      counts.faults += 1;
      faults.cause();
    }),
  ];
  for (const loop of loops) loop.catch(fail);

  await time.run(FAULTY_MS, check);
  isHealthy = true;
  faults.end();
  await time.run(HEALTHY_MS, check);
  /** Whether a read has data, now or a little later: a reorg may remove its block. */
  const hasDataSoon = async (read: () => Promise<boolean>): Promise<boolean> => {
    for (let i = 0; i < 20; i++) {
      if (await settled(falseIfLost(read()))) return true;
      await time.run(1_000, check);
    }
    return false;
  };
  const isReady = async () => (await post('/readyz')).status === 200;
  recovers(await hasDataSoon(isReady), 'the server is ready');
  recovers(await hasDataSoon(readBlock), 'a query has data');
  if (wizardReads) recovers(await hasDataSoon(wizardReads.read), 'wizards have data');
  isActive = false;
  // No event of heads says that the last head was removed without a new one: the next head does.
  chain.mine();
  const lacking = () => [...subscribers.lacking(), ...(liveQueries?.lacking() ?? [])];
  for (let i = 0; i < 30 && lacking().length > 0; i++) {
    // A backend that lags imports blocks when another one is mined.
    if (backends) chain.mine();
    await time.run(2_000, check);
  }
  recovers(lacking().length === 0, 'the subscribers have the chain', lacking());
  subscribers.check();
  if (webhooks) {
    for (let i = 0; i < 120 && !(await settled(webhooks.isComplete())); i++) await time.run(10_000, check);
    await settled(webhooks.check());
    await settled(webhooks.stop());
  }

  subscribers.leave();
  liveQueries?.leave();
  const hash = trace.digest('hex');
  // The metrics contain the memory and the times of the process.
  network.onArrival = () => {};
  await time.run(CLOSING_MS);
  client.stop();
  // On a new connection: the server may close one that is idle.
  const metrics = createHttpClient(url);
  nothingStays((await settled(metrics.post('/metrics'))).text);
  metrics.stop();
  await settled(server.stop());
  await settled(node.stop());
  if (wizards) await settled(wizards.stop());
  await postgres?.stop();
  // What still waits for its turn would wait for ever in the next seed.
  await time.run(1_000);
  return { virtualMs: time.now, ...counts, trace: hash };
}
