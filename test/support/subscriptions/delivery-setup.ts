import { expect } from '@jest/globals';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { WebSocketConnection } from '../clients/connections.ts';
import { LoadClients } from '../clients/load-clients.ts';
import { random } from '../random-tests.ts';
import { SimChain } from '../simulator/chain.ts';
import { DIALECTS } from '../simulator/rpc-simulator.ts';
import { type LiveGraph, startLiveGraph } from './live-graph.ts';

/** A simulated chain, the graph of it, and everybody who is subscribed to that. */
export interface DeliverySetup {
  readonly draw: () => number;
  /** From 1 to so much. */
  readonly upTo: (n: number) => number;
  readonly chain: SimChain;
  readonly graph: LiveGraph;
  readonly clients: LoadClients;
  /** A filter that lets about such a part of the logs through. */
  drawFilter(least: number, most: number): LogFilter;
  /** How often the node's socket was cut. */
  disconnectCount(): number;
  /** Adds one who is never cut off. Gives what looks, at the end, whether it knows the same reorgs from what came as from what it was told has gone. */
  addUninterruptedClient(more: { readonly isHearingLogs: boolean }): () => void;
  /** What has happened, in a line. */
  printSummary(name: string, made: Record<string, number>): void;
}

export interface DeliverySetupOptions {
  readonly seed: number;
  readonly transports: 'ws' | 'both';
  /** Which of the dialects the node speaks. */
  readonly dialect: number;
  readonly maxLogsPerBlock: number;
}

export async function startDeliverySetup({
  seed,
  transports,
  dialect,
  maxLogsPerBlock,
}: DeliverySetupOptions): Promise<DeliverySetup> {
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  const draw = random(seed);
  const chain = new SimChain({ seed, maxLogsPerBlock, bloom: draw() < 0.5 ? 'real' : 'zero' });
  chain.mine(40);
  const graph = await startLiveGraph(chain, { transports, dialect: DIALECTS[dialect % DIALECTS.length]![1] });
  const clients = new LoadClients(graph, chain);
  // So that a cursor some way below the head is remembered.
  for (let more = 10; more > 0; more--) {
    chain.mine(10);
    await clients.waitUntilComplete();
  }
  const logs = [...Array(30).keys()].flatMap((height) => chain.main.at(height)!.logs);
  const kinds = [logs.map(({ address }) => address), ...[0, 1].map((at) => logs.map(({ topics }) => topics[at]!))].map(
    (values) => [...new Set(values)],
  );

  const disconnectCount = () => Object.values(graph.node.disconnects).reduce((sum, count) => sum + count, 0);

  return {
    draw,
    upTo: (n) => 1 + Math.floor(draw() * n),
    chain,
    graph,
    clients,
    drawFilter(least, most) {
      for (;;) {
        const chosen = kinds.map((values) => (draw() < 0.4 ? [] : values.filter(() => draw() < 0.6)));
        const parts = chosen.map(({ length }, i) => (length === 0 ? 1 : length / kinds[i]!.length));
        const part = parts.reduce((product, one) => product * one, 1);
        const [addresses, ...topics] = chosen;
        if (part >= least && part <= most) return { addresses: addresses!, topics };
      }
    },
    disconnectCount,
    addUninterruptedClient({ isHearingLogs }) {
      const line = new WebSocketConnection(graph.url);
      const [heads, reorgs] = [clients.subscribeHeads(line), clients.subscribeReorgs(line)];
      if (isHearingLogs) clients.subscribeNewLogs(line);
      return () => expect(reorgs.checker.dropped).toEqual(heads.checker.dropped);
    },
    printSummary(name, made) {
      const { events, resumed, slow } = clients.totals;
      const { kills, subscribers } = clients;
      const { reconnects, reorgs } = graph.follower.status;
      const emitted = Object.entries(made).map(([what, count]) => `${count} ${what}`);
      const seconds = Math.round((performance.now() - began.at) / 1_000);
      const busy = Math.round(process.cpuUsage(began.cpu).user / 1_000_000);
      process.stdout.write(
        `delivery, ${name}: ${emitted.join(', ')}; upstream ${disconnectCount()} kills, ${reconnects} reconnects, ${reorgs} reorgs told, head ${chain.head.height}; ` +
          `${subscribers.length} subscribers, ${events} events, ${kills.all} kills (${kills.catchingUp} while catching up), ${resumed} resumptions, ` +
          `${slow} SLOW_CONSUMER; ${seconds} s, busy for ${busy} (SEED=${seed})\n`,
      );
    },
  };
}
