import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { connectEmbeddedNetwork, type NetworkDescription } from '../app/network.ts';
import { furtherChains } from '../app/served-chain.ts';
import { checkDefaultChain } from '../config/chains-file.ts';
import type { CoreSettings } from '../config/core-settings.ts';
import { checkSettings } from '../config/setting-checks.ts';
import type { Domain } from '../domains/domain.ts';
import type { Quantity } from '../ethereum/hex.ts';
import { GraphError } from '../lib/errors.ts';
import { metricsOfChains } from '../lib/metrics.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import { createRequestLimits } from '../server/callers/rate-limits.ts';
import { createRegistry } from '../server/ops.ts';
import { Channel, DEFAULT_CHAIN, decodeError, handlersOfChain } from './channel.ts';
import { type AcceptedConnection, ConnectionDistributor } from './connection-distributor.ts';
import { startPrimaryChain } from './primary-chain.ts';
import type { ChainWorkerHandlers, PrimaryHandlers, ProcessMetrics, ReadyWorker, WorkerHandlers } from './protocol.ts';
import { SharedSums } from './shared-sums.ts';

/** Time before a worker that has ended before it was ready is started again. */
const RESTART_DELAY_MS = 1_000;
/** Time for which a worker may leave messages unconfirmed before it is ready: it serves no requests, and its start is slow on a busy machine. */
const START_TIMEOUT_MS = 60_000;

/** Whether a metric only increases. */
const isCounter = ({ type }: ProcessMetrics[number]): boolean => ['counter', 'histogram'].includes(String(type));

/**
 * Starts a server of several workers. This process follows the chains, and knows their shared results and the limits of
 * all workers; it serves no requests. Rejects with the failure of the first worker.
 */
export async function servePrimary(settings: CoreSettings, installed: readonly Domain[], workerCount: number, log: Logger) {
  checkSettings(settings);
  const network = await connectEmbeddedNetwork(settings, log);
  const { observeUpstreams, metrics } = createObservability(log);
  const others = furtherChains(settings, installed, network?.description);
  const startOne = (own: CoreSettings, devnet: NetworkDescription | undefined, id?: Quantity) => {
    const { upstreamObserver, metrics: upstreamMetrics } = observeUpstreams();
    const ownLog = id === undefined ? log : log.child({ chain: Number(id) });
    return startPrimaryChain([own, devnet, ownLog, upstreamObserver], upstreamMetrics, id);
  };
  const chains = await Promise.all([
    startOne(settings, network?.description),
    ...others.map(({ id, values, devnet }) => startOne({ ...settings, ...values }, devnet, id)),
  ]);
  const names = [DEFAULT_CHAIN, ...others.map(({ id }) => id)];
  const ofChains = metricsOfChains(
    chains.map((chain) => chain.metrics),
    others.length > 0,
  );
  const registry = createRegistry([...metrics, ...ofChains]);
  const rates = { requestsPerMinute: settings.RATE_LIMIT_REQUESTS, costPerMinute: settings.RATE_LIMIT_COST };
  const requestLimits = createRequestLimits(rates);
  const workers = new Map<number, Channel<WorkerHandlers>>();
  const sums = new SharedSums(workers);
  const distributor = new ConnectionDistributor((id) => cluster.workers?.[id], log);
  let isStopping = false;

  const closeIdleOf = async (asking: number): Promise<boolean> => {
    for (const [id, channel] of workers)
      if (id !== asking && (await channel.request('closeIdle').catch(() => false))) return true;
    return false;
  };

  /** The metrics of each worker at its last scrape. */
  const scraped = new Map<number, ProcessMetrics>();
  /** The counters of the workers that have ended: Prometheus takes a sum that decreases for a restart, and counts all of it again. */
  let ended: Promise<ProcessMetrics> = Promise.resolve([]);
  const retainCounters = (id: number): void => {
    const counters = (scraped.get(id) ?? []).filter(isCounter);
    scraped.delete(id);
    ended = ended.then((earlier) => AggregatorRegistry.aggregate([earlier, counters]).getMetricsAsJSON());
  };

  const renderMetrics = async (): Promise<string> => {
    const scrape = async ([id, channel]: [number, Channel<WorkerHandlers>]): Promise<void> => {
      const metrics = await channel.request('metrics').catch(() => undefined);
      if (metrics && workers.has(id)) scraped.set(id, metrics);
    };
    const [own] = await Promise.all([registry.getMetricsAsJSON(), ...[...workers].map(scrape)]);
    // Read together: a worker that ends meanwhile would be missing, or count twice.
    return AggregatorRegistry.aggregate([own, ...(await Promise.all([ended, ...scraped.values()]))]).metrics();
  };

  /** Starts a worker. Resolves when it serves requests, and rejects with its failure. */
  const startWorker = (): Promise<ReadyWorker> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      const { id } = worker;
      const startedAt = performance.now();
      let isReady = false;
      const handlers: PrimaryHandlers = {
        chains: () => others,
        listen: (...place) => distributor.listen(id, ...place),
        unlisten: (key) => distributor.unlisten(id, key),
        ready(info) {
          isReady = true;
          log.info({ worker: id, pid: worker.process.pid }, 'a worker accepts requests');
          resolve(info);
        },
        failed(error) {
          if (hasStarted) log.error({ worker: id, reason: error.message }, 'a worker cannot start');
          reject(decodeError(error));
        },
        setCount: (name, count) => sums.set(id, name, count),
        closeIdle: () => closeIdleOf(id),
        checkRate: (app, address) => requestLimits!.check({ app: app ?? undefined }, address ?? undefined),
        spend: (key, cost) => requestLimits!.spend(key, cost),
        metrics: renderMetrics,
      };
      const ofWorker: Record<string, unknown> = { ...handlers };
      const channel = new Channel<WorkerHandlers>(worker, ofWorker as PrimaryHandlers);
      const onJoin = (): void => {
        if (workers.has(id)) return;
        workers.set(id, channel);
        sums.add(id);
      };
      const served = chains.map((chain, i) => {
        const kill = () => (isReady || performance.now() - startedAt > START_TIMEOUT_MS) && worker.process.kill('SIGKILL');
        const ofChain = channel.ofChain<ChainWorkerHandlers>(names[i]!);
        const one = chain.serveWorker({ id, channel: ofChain, kill, onJoin, hasEnded: () => !workers.has(id) });
        Object.assign(ofWorker, handlersOfChain(names[i]!, one.handlers));
        return one;
      });
      worker.on('message', ({ accepted }: AcceptedConnection) => accepted !== undefined && distributor.accept(accepted));
      worker.once('exit', (code, signal) => {
        workers.delete(id);
        retainCounters(id);
        distributor.remove(id);
        for (const { remove } of served) remove();
        channel.close(new GraphError('SHUTTING_DOWN', 'The worker has ended.'));
        sums.remove(id);
        reject(new GraphError('INTERNAL_SERVER_ERROR', `A worker has ended before it was ready (${signal ?? code}).`));
        if (isStopping || !(hasStarted || isReady)) return;
        log.error({ worker: id, code, signal }, 'a worker has ended; another one starts');
        setTimeout(() => isStopping || startWorker().catch(() => {}), isReady ? 0 : RESTART_DELAY_MS);
      });
    });

  let hasStarted = false;
  const stop = async ({ hasGracePeriod = true } = {}): Promise<void> => {
    isStopping = true;
    const running = (Object.values(cluster.workers ?? {}) as Worker[]).filter((worker) => !worker.isDead());
    const exits = running.map((worker) => once(worker, 'exit'));
    for (const { id, process: starting } of running) {
      const channel = workers.get(id);
      if (channel) channel.send('stop', hasGracePeriod);
      else starting.kill('SIGKILL');
    }
    distributor.stop();
    await Promise.all(exits);
    await Promise.all(chains.map((chain) => chain.stop()));
  };
  try {
    checkDefaultChain(settings.CHAINS, others, chains[0]!.chainId());
    // The workers inherit the variables of --env-file, which may have changed when a later worker starts.
    const execArgv = process.execArgv.filter((one, i, all) => !/^--env-/.test(one) && !/^--env-[^=]*$/.test(all[i - 1]!));
    cluster.setupPrimary({ exec: fileURLToPath(new URL('dist/main.js', PACKAGE_ROOT)), execArgv });
    const [first] = await Promise.all(Array.from({ length: workerCount }, startWorker));
    hasStarted = true;
    return { ...first!, devnetExited: undefined, stop };
  } catch (error) {
    await stop({ hasGracePeriod: false });
    throw error;
  }
}
