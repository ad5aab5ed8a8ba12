import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { labelOfChain, startChain, stopChain } from '../app/chain.ts';
import { connectEmbeddedNetwork } from '../app/network.ts';
import { hasFurtherChains } from '../app/served-chain.ts';
import type { CoreSettings } from '../config/core-settings.ts';
import { checkSettings } from '../config/setting-checks.ts';
import { withTimeout } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import { metricsOfChains } from '../lib/metrics.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import { createObservability } from '../observability/index.ts';
import { createRequestLimits } from '../server/callers/rate-limits.ts';
import { createRegistry } from '../server/ops.ts';
import { areProven } from '../sync/logs/log-fetcher.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { ChainPublisher } from './chain-publisher.ts';
import { Channel, decodeError, encodeError } from './channel.ts';
import { type AcceptedConnection, ConnectionDistributor } from './connection-distributor.ts';
import type { PrimaryHandlers, ReadyWorker, WorkerHandlers } from './protocol.ts';
import { ResultDirectory } from './result-directory.ts';
import { SharedSums } from './shared-sums.ts';

/** Time that the start of a worker waits for the chain id, which the node has returned before unless it is down. */
const CHAIN_ID_TIMEOUT_MS = 500;

/** Time before a worker that has ended before it was ready is started again. */
const RESTART_DELAY_MS = 1_000;

/**
 * Starts a server of several workers. This process follows the chain, and knows the limits and the shared
 * results of all workers; it serves no requests. Rejects with the failure of the first worker.
 */
export async function servePrimary(settings: CoreSettings, workerCount: number, log: Logger) {
  checkSettings(settings);
  const network = await connectEmbeddedNetwork(settings, log);
  const { observeUpstreams, metrics } = createObservability(log);
  const { upstreamObserver, metrics: upstreamMetrics } = observeUpstreams();
  const chain = startChain([settings, network?.description, log, upstreamObserver]);
  const { node, feed } = chain;
  const httpFailure = await chain.firstHead;
  const ofChain = { label: () => labelOfChain(chain.follower), metrics: [...upstreamMetrics, ...nodeMetrics(node)] };
  const registry = createRegistry([...metrics, ...metricsOfChains([ofChain], hasFurtherChains(settings, network?.description))]);
  const rates = { requestsPerMinute: settings.RATE_LIMIT_REQUESTS, costPerMinute: settings.RATE_LIMIT_COST };
  const requestLimits = createRequestLimits(rates);
  const workers = new Map<number, Channel<WorkerHandlers>>();
  const directory = new ResultDirectory(workers);
  const sums = new SharedSums(workers);
  const publisher = new ChainPublisher(chain);
  const distributor = new ConnectionDistributor((id) => cluster.workers?.[id], log);
  let isStopping = false;

  /** The id of the chain; undefined while the node does not respond, and without a chain id. */
  const knownChainId = async () => (await withTimeout(CHAIN_ID_TIMEOUT_MS, node.chainId).catch(() => null)) ?? undefined;

  const closeIdleOf = async (asking: number): Promise<boolean> => {
    for (const [id, channel] of workers)
      if (id !== asking && (await channel.request('closeIdle').catch(() => false))) return true;
    return false;
  };

  const renderMetrics = async (): Promise<string> => {
    const channels = [...workers.values()];
    const others = channels.map((channel) => channel.request('metrics').catch(() => []));
    return AggregatorRegistry.aggregate(await Promise.all([registry.getMetricsAsJSON(), ...others])).metrics();
  };

  /** Starts a worker. Resolves when it serves requests, and rejects with its failure. */
  const startWorker = (): Promise<ReadyWorker> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      const { id } = worker;
      let isReady = false;
      let stopPending: (() => void) | undefined;
      const handlers: PrimaryHandlers = {
        chainId: knownChainId,
        async join() {
          // Before, the worker handles no messages: they would be lost, and requests would wait for their replies forever.
          workers.set(id, channel);
          sums.add(id);
          await publisher.add(id, channel, () => worker.process.kill('SIGKILL'));
          // The worker may have ended while it waited for its turn.
          if (!workers.has(id)) publisher.remove(id);
          return httpFailure && encodeError(httpFailure);
        },
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
        async logsOf(head) {
          const logs = await feed.logsOf(head, stopController.signal);
          return { logs, areProven: areProven(logs) };
        },
        startPending() {
          stopPending?.();
          stopPending = feed.subscribePendingTransactions({
            next: (transaction) => channel.send('addPending', transaction),
            end: (error) => channel.send('endPending', encodeError(error)),
          });
        },
        stopPending: () => stopPending?.(),
        claim: (keys) => directory.claim(id, keys),
        learned(keys, hashes) {
          directory.addCached(id, keys);
          if (hashes.length === 0) return;
          for (const [other, target] of workers) if (other !== id) target.send('recordHashes', hashes);
        },
        released: (key) => directory.release(id, key),
        result: (...result) => directory.pass(id, ...result),
        setCount: (name, count) => sums.set(id, name, count),
        closeIdle: () => closeIdleOf(id),
        checkRate: (app, address) => requestLimits!.check({ app: app ?? undefined }, address ?? undefined),
        spend: (key, cost) => requestLimits!.spend(key, cost),
        metrics: renderMetrics,
      };
      const channel = new Channel<WorkerHandlers>(worker, handlers);
      worker.on('message', ({ accepted }: AcceptedConnection) => accepted !== undefined && distributor.accept(accepted));
      worker.once('exit', (code, signal) => {
        workers.delete(id);
        distributor.remove(id);
        publisher.remove(id);
        stopPending?.();
        channel.close(new GraphError('SHUTTING_DOWN', 'The worker has ended.'));
        directory.remove(id);
        sums.remove(id);
        reject(new GraphError('INTERNAL_SERVER_ERROR', `A worker has ended before it was ready (${signal ?? code}).`));
        if (isStopping || !(hasStarted || isReady)) return;
        log.error({ worker: id, code, signal }, 'a worker has ended; another one starts');
        setTimeout(() => isStopping || startWorker().catch(() => {}), isReady ? 0 : RESTART_DELAY_MS);
      });
    });

  let hasStarted = false;
  const stopController = new AbortController();
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
    stopController.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
    publisher.stop();
    await stopChain(chain);
  };
  try {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('dist/main.js', PACKAGE_ROOT)) });
    const [first] = await Promise.all(Array.from({ length: workerCount }, startWorker));
    hasStarted = true;
    return { ...first!, devnetExited: undefined, stop };
  } catch (error) {
    await stop({ hasGracePeriod: false });
    throw error;
  }
}
