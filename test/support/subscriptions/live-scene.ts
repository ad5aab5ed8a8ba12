import { expect } from '@jest/globals';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { Crowd } from '../clients/load-clients.ts';
import { random } from '../prove.ts';
import { SimChain } from '../simulator/chain.ts';
import { DIALECTS } from '../simulator/rpc-simulator.ts';
import { SocketLine } from './lines.ts';
import { type LiveGraph, liveGraph } from './live-graph.ts';

/** A simulated chain, the graph of it, and everybody who is subscribed to that. */
export interface Scene {
  readonly draw: () => number;
  /** From 1 to so much. */
  readonly upTo: (n: number) => number;
  readonly chain: SimChain;
  readonly graph: LiveGraph;
  readonly crowd: Crowd;
  /** A filter that lets about such a part of the logs through. */
  drawFilter(least: number, most: number): LogFilter;
  /** How often the node's socket was cut. */
  cuts(): number;
  /** Adds one who is never cut off. Gives what looks, at the end, whether it knows the same reorgs from what came as from what it was told has gone. */
  addSteady(more: { readonly isHearingLogs: boolean }): () => void;
  /** What has happened, in a line. */
  write(name: string, made: Record<string, number>): void;
}

export interface SceneOptions {
  readonly seed: number;
  readonly ways: 'ws' | 'both';
  /** Which of the dialects the node speaks. */
  readonly dialect: number;
  readonly mostLogs: number;
}

export async function openScene({ seed, ways, dialect, mostLogs }: SceneOptions): Promise<Scene> {
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  const draw = random(seed);
  const chain = new SimChain({ seed, mostLogs, bloom: draw() < 0.5 ? 'real' : 'zero' });
  chain.mine(40);
  const graph = await liveGraph(chain, { ways, dialect: DIALECTS[dialect % DIALECTS.length]![1] });
  const crowd = new Crowd(graph, chain);
  // So that a cursor some way below the head is remembered.
  for (let more = 10; more > 0; more--) {
    chain.mine(10);
    await crowd.isComplete();
  }
  const logs = [...Array(30).keys()].flatMap((height) => chain.main.at(height)!.logs);
  const kinds = [logs.map(({ address }) => address), ...[0, 1].map((at) => logs.map(({ topics }) => topics[at]!))].map(
    (values) => [...new Set(values)],
  );

  const cuts = () => Object.values(graph.node.cuts).reduce((sum, count) => sum + count, 0);

  return {
    draw,
    upTo: (n) => 1 + Math.floor(draw() * n),
    chain,
    graph,
    crowd,
    drawFilter(least, most) {
      for (;;) {
        const chosen = kinds.map((values) => (draw() < 0.4 ? [] : values.filter(() => draw() < 0.6)));
        const parts = chosen.map(({ length }, i) => (length === 0 ? 1 : length / kinds[i]!.length));
        const part = parts.reduce((product, one) => product * one, 1);
        const [addresses, ...topics] = chosen;
        if (part >= least && part <= most) return { addresses: addresses!, topics };
      }
    },
    cuts,
    addSteady({ isHearingLogs }) {
      const line = new SocketLine(graph.url);
      const [heads, reorgs] = [crowd.heads(line), crowd.reorgs(line)];
      if (isHearingLogs) crowd.logsFromNow(line);
      return () => expect(reorgs.book.dropped).toEqual(heads.book.dropped);
    },
    write(name, made) {
      const { events, resumed, slow } = crowd.sums;
      const { kills, listeners } = crowd;
      const { reconnects, reorgs } = graph.follower.status;
      const told = Object.entries(made).map(([what, count]) => `${count} ${what}`);
      const seconds = Math.round((performance.now() - began.at) / 1_000);
      const busy = Math.round(process.cpuUsage(began.cpu).user / 1_000_000);
      process.stdout.write(
        `delivery, ${name}: ${told.join(', ')}; upstream ${cuts()} kills, ${reconnects} reconnects, ${reorgs} reorgs told, head ${chain.head.height}; ` +
          `${listeners.length} subscribers, ${events} events, ${kills.all} kills (${kills.catchingUp} while catching up), ${resumed} resumptions, ` +
          `${slow} SLOW_CONSUMER; ${seconds} s, busy for ${busy} (SEED=${seed})\n`,
      );
    },
  };
}
