import { once } from 'node:events';
import { beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startBalancer } from '../../support/proxies/balancer.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { APOLLO_GATEWAY, composeSupergraph, HIVE_GATEWAY, type Router, startRouter } from './router-processes.ts';
import { DOMAINS, readDevnet, startSubgraphs, upstreamSettings } from './split-graph.ts';

const CLIENTS = 4;

let devnet: DevnetDescription;

beforeAll(async () => {
  devnet = await readDevnet(await startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' }));
});

/** Clients that each execute an operation over all domains again and again. */
class LoadClients {
  readonly failures: unknown[][] = Array.from({ length: CLIENTS }, () => []);
  readonly #counts = this.failures.map(() => 0);
  readonly #done: Promise<unknown>;
  #isOver = false;

  constructor(router: Router) {
    const token = devnet.contracts[0]!.address;
    const query = `{ wizards(first: 2) { nodes { id owner { balance tokenBalance(contract: "${token}") { tokenBalance } } } } }`;
    const run = async (i: number): Promise<void> => {
      while (!this.#isOver) {
        const { errors } = await router.execute(query).catch((error) => ({ errors: [String(error)] }));
        if (errors) this.failures[i]!.push(errors);
        this.#counts[i]!++;
      }
    };
    this.#done = Promise.all(this.failures.map((_list, i) => run(i)));
  }

  /** Resolves when each client has executed two further operations from start to end. */
  async waitForFurtherOperations(): Promise<void> {
    const before = [...this.#counts];
    await waitUntil(() => this.#counts.every((count, i) => count > before[i]! + 2), 'every client has sent further operations');
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }
}

async function endProcess({ process }: GraphProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const exited = once(process, 'exit');
  process.kill(signal);
  await exited;
}

test.each([HIVE_GATEWAY, APOLLO_GATEWAY])(
  'no operation through $name fails when a replica of each domain gets SIGTERM, and only those in flight when one gets SIGKILL',
  async (kind) => {
    const settings = { ...upstreamSettings(devnet), LOG_LEVEL: 'error' };
    const replicas = await Promise.all([startSubgraphs(settings), startSubgraphs(settings), startSubgraphs(settings)]);
    const urls: Record<string, string> = {};
    for (const domain of DOMAINS) {
      const balancer = await startBalancer();
      for (const replica of replicas) await balancer.addServer(replica[domain].url);
      urls[domain] = balancer.url;
    }
    const router = await startRouter(kind, await composeSupergraph(urls));
    const clients = new LoadClients(router);
    const [stopped, killed] = replicas;

    await clients.waitForFurtherOperations();
    await Promise.all(DOMAINS.map((domain) => endProcess(stopped![domain], 'SIGTERM')));
    await clients.waitForFurtherOperations();
    expect(clients.failures.flat()).toEqual([]);

    for (const [i, domain] of DOMAINS.entries()) {
      await endProcess(killed![domain], 'SIGKILL');
      await clients.waitForFurtherOperations();
      // A client has one operation in flight.
      expect(Math.max(...clients.failures.map(({ length }) => length))).toBeLessThanOrEqual(i + 1);
    }
    const failures = clients.failures.flat().length;
    await clients.waitForFurtherOperations();
    expect(clients.failures.flat()).toHaveLength(failures);
    await clients.stop();
    await router.stop();
  },
);
