import { domains } from '../../src/app/installed-domains.ts';
import { servePrimary } from '../../src/workers/primary.ts';
import { runWorker } from '../../src/workers/worker.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import type { SimChain } from '../support/simulator/chain.ts';
import type { VirtualCluster } from './cluster.ts';
import type { VirtualNetwork } from './network.ts';

interface ServerParts {
  readonly network: VirtualNetwork;
  readonly cluster: VirtualCluster;
  readonly chain: SimChain;
  readonly settings: Readonly<Record<string, string>>;
  /** Number of processes that serve requests: one, or several behind a primary process. */
  readonly workers: number;
}

/** Starts the server, which a fault can kill. */
export async function startServer({ network, cluster, chain, settings, workers }: ServerParts) {
  const start = (port: string) =>
    serveGraph(
      { ...settings, PORT: port, WORKERS: String(workers) },
      workers === 1
        ? undefined
        : (values, log) => {
            cluster.runWorker = (id, process) => runWorker(values, domains, () => log.child({ worker: id }), process);
            return servePrimary(values, domains, workers, log);
          },
    );
  let served = await start('0');
  const { url } = served;
  let knownFrom = chain.head.height;
  let isRestarting = false;
  return {
    url,
    /** The server may lack the headers of lower blocks, if the node failed when it read them. */
    knownFrom: (): number => knownFrom,
    /** Kills the server and starts it again: its connections are reset, and nothing that it sends afterwards arrives. Returns false while it starts. */
    async kill(): Promise<boolean> {
      if (isRestarting) return false;
      isRestarting = true;
      const restore = network.isolate();
      await served.stop();
      restore();
      // A fault may kill a worker that starts, which ends the start of the server.
      while (isRestarting) {
        const started = await start(new URL(url).port).catch((error) => workers === 1 && Promise.reject(error));
        if (started) served = started;
        isRestarting = !started;
      }
      knownFrom = chain.head.height;
      return true;
    },
    stop: () => served.stop(),
  };
}
