import type { Server, Socket } from 'node:net';
import type { Logger } from 'pino';
import { serve } from '../app/serve.ts';
import { type ConfiguredChain, unsetChainSettings } from '../config/chains-file.ts';
import { assembleSettings, type CoreSettings, workerCount } from '../config/core-settings.ts';
import type { Domain } from '../domains/domain.ts';
import { GraphError } from '../lib/errors.ts';
import type { AttachedServer, SharedServer } from '../server/context.ts';
import { Channel, DEFAULT_CHAIN, encodeError, handlersOfChain } from './channel.ts';
import type { AcceptedConnection, SentConnection } from './connection-distributor.ts';
import { startMirroredChain } from './mirrored-chain.ts';
import type { ChainPrimaryHandlers, ChainWorkerHandlers, PrimaryHandlers, WorkerHandlers } from './protocol.ts';

type CreateLog = (chains: readonly ConfiguredChain[]) => Logger;

/**
 * Serves the graph in this worker until the primary or a signal stops it. `createLog` receives the chains whose secrets are masked; `port`: its
 * process, which has the connection to the primary.
 */
export async function runWorker(settings: CoreSettings, installed: readonly Domain[], createLog: CreateLog, port = process) {
  const handlers: Partial<WorkerHandlers> = {};
  const primary = new Channel<PrimaryHandlers>(port as never, handlers as WorkerHandlers);
  const stopped = new Promise<boolean>((resolve) => {
    handlers.stop = resolve;
    port.once('SIGTERM', () => resolve(true));
    port.once('SIGINT', () => resolve(false));
  });
  let log: Logger | undefined;
  try {
    const defaultId = await primary.ofChain<ChainPrimaryHandlers>(DEFAULT_CHAIN).request('chainId');
    // JSON omits the settings that a chain leaves unset.
    const unset = unsetChainSettings(assembleSettings(installed));
    const chains = (await primary.request('chains')).map((chain) => ({ ...chain, values: { ...unset, ...chain.values } }));
    log = createLog(chains);
    const graph = await serve(settings, installed, log, {
      shared: {
        processes: workerCount(settings),
        chains,
        startChain(sources, id) {
          const name = id ?? DEFAULT_CHAIN;
          const ofChain: Partial<ChainWorkerHandlers> = {};
          const chain = startMirroredChain(primary.ofChain(name), ofChain, id ?? defaultId, sources);
          Object.assign(handlers, handlersOfChain(name, ofChain));
          return chain;
        },
        server: createSharedServer(settings, primary, handlers, port),
      },
    });
    primary.send('ready', { url: graph.url, readyMessage: graph.readyMessage });
    await graph.stop({ hasGracePeriod: await stopped });
  } catch (error) {
    if (!(error instanceof GraphError)) log?.fatal({ err: error }, 'a worker cannot start');
    await primary.request('failed', encodeError(error));
  }
}

/** The limits and the metrics of all workers. */
function createSharedServer(
  settings: CoreSettings,
  primary: Channel<PrimaryHandlers>,
  handlers: Partial<WorkerHandlers>,
  port: NodeJS.Process,
): SharedServer {
  const others = new Map<string, number>();
  /** The servers in the order of their starts, which is the same in all workers. */
  const listening = new Map<string, Server>();
  let server: AttachedServer | undefined;
  Object.assign(handlers, {
    setOthers: (name, count) => void (count > 0 ? others.set(name, count) : others.delete(name)),
    closeIdle: () => server?.connections.closeIdle() ?? false,
    metrics: async () => (await server?.registry.getMetricsAsJSON()) ?? [],
  } satisfies Partial<WorkerHandlers>);
  port.on('message', (message: SentConnection, socket: Socket | undefined) => {
    if (message.connection === undefined) return;
    port.send!({ accepted: message.connection } satisfies AcceptedConnection);
    // Undefined if the client has closed the connection meanwhile.
    if (socket) listening.get(message.listener)!.emit('connection', Object.assign(socket, { allowHalfOpen: true }));
  });
  const hasRateLimits = (settings.RATE_LIMIT_REQUESTS ?? settings.RATE_LIMIT_COST) !== undefined;
  return {
    async listen(httpServer, ...place) {
      const key = String(listening.size);
      listening.set(key, httpServer);
      const url = await primary.request('listen', key, ...place);
      return { url, close: () => primary.send('unlisten', key) };
    },
    counts: {
      set: (name, count) => primary.send('setCount', name, count),
      others: (name) => others.get(name) ?? 0,
    },
    requestLimits: hasRateLimits
      ? {
          check: (caller, address) => primary.request('checkRate', caller?.app, address),
          spend: (key, cost) => primary.send('spend', key, cost),
        }
      : undefined,
    closeIdleElsewhere: () => primary.request('closeIdle'),
    renderMetrics: () => primary.request('metrics'),
    attach(attached) {
      server = attached;
    },
  };
}
