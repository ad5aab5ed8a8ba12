import { expect } from '@jest/globals';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { WebSocketConnection } from '../clients/connections.ts';
import { LoadClients } from '../clients/load-clients.ts';
import { random } from '../random-tests.ts';
import { SimChain } from '../simulator/chain.ts';
import { DIALECTS } from '../simulator/rpc-simulator.ts';
import { startLiveGraph } from './live-graph.ts';

export interface DeliverySetupOptions {
  readonly seed: number;
  readonly transports: 'ws' | 'both';
  /** Index of the dialect of the node. */
  readonly dialect: number;
  readonly maxLogsPerBlock: number;
}

/** Starts a simulated chain, its graph and the subscribers. */
export async function startDeliverySetup({ seed, transports, dialect, maxLogsPerBlock }: DeliverySetupOptions) {
  const start = { at: performance.now(), cpu: process.cpuUsage() };
  const draw = random(seed);
  const chain = new SimChain({ seed, maxLogsPerBlock, bloom: draw() < 0.5 ? 'real' : 'zero', blocks: 40 });
  const graph = await startLiveGraph(chain, { transports, dialect: DIALECTS[dialect % DIALECTS.length]![1] });
  const clients = new LoadClients(graph, chain);
  // The server then has the blocks of cursors far below the head.
  for (let round = 0; round < 10; round++) {
    chain.mine(10);
    await clients.waitUntilComplete();
  }
  const logs = [...Array(30).keys()].flatMap((height) => chain.main.at(height)!.logs);
  const kinds = [logs.map(({ address }) => address), ...[0, 1].map((at) => logs.map(({ topics }) => topics[at]!))].map(
    (values) => [...new Set(values)],
  );

  /** How many connections to the node were cut. */
  const disconnectCount = () => Object.values(graph.node.disconnects).reduce((sum, count) => sum + count, 0);

  return {
    draw,
    /** Draws an integer from 1 to `n`. */
    upTo: (n: number) => 1 + Math.floor(draw() * n),
    chain,
    graph,
    clients,
    /** Draws a filter that matches a share of the logs between `min` and `max`. */
    drawFilter(min: number, max: number): LogFilter {
      for (;;) {
        const chosen = kinds.map((values) => (draw() < 0.4 ? [] : values.filter(() => draw() < 0.6)));
        const parts = chosen.map(({ length }, i) => (length === 0 ? 1 : length / kinds[i]!.length));
        const part = parts.reduce((product, one) => product * one, 1);
        const [addresses, ...topics] = chosen;
        if (part >= min && part <= max) return { addresses: addresses!, topics };
      }
    },
    disconnectCount,
    /** Adds a client whose connection is never cut. Returns a check, for the end, that its heads and its reorgs drop the same blocks. */
    addUninterruptedClient({ subscribesLogs }: { readonly subscribesLogs: boolean }) {
      const connection = new WebSocketConnection(graph.url);
      const [heads, reorgs] = [clients.subscribeHeads(connection), clients.subscribeReorgs(connection)];
      if (subscribesLogs) clients.subscribeNewLogs(connection);
      return () => expect(reorgs.checker.dropped).toEqual(heads.checker.dropped);
    },
    /** Prints the counts of the run in one line. */
    printSummary(name: string, changes: Record<string, number>) {
      const { events, resumed, slow } = clients.totals;
      const { kills, subscribers } = clients;
      const { reconnects, reorgs } = graph.follower.status;
      const counts = Object.entries(changes).map(([what, count]) => `${count} ${what}`);
      const seconds = Math.round((performance.now() - start.at) / 1_000);
      const cpuSeconds = Math.round(process.cpuUsage(start.cpu).user / 1_000_000);
      process.stdout.write(
        `delivery, ${name}: ${counts.join(', ')}; upstream ${disconnectCount()} kills, ${reconnects} reconnects, ${reorgs} reorgs emitted, head ${chain.head.height}; ` +
          `${subscribers.length} subscribers, ${events} events, ${kills.all} kills (${kills.catchingUp} while catching up), ${resumed} resumptions, ` +
          `${slow} SLOW_CONSUMER; ${seconds} s, CPU ${cpuSeconds} s (SEED=${seed})\n`,
      );
    },
  };
}
