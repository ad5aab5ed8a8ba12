import { readFile } from 'node:fs/promises';
import type { GraphProcess } from '../graph/running-graph.ts';

const QUERIES: readonly string[] = [
  '{ __typename }',
  '{ block { number gasUsed } }',
  '{ block(number: 5) { hash transactions { hash } } }',
  '{ account(address: "0x00000000000000000000000000000000000000aa") { balance } }',
];

/** Clients that send small queries until `stop`, each one request at a time. */
export class HonestClients {
  readonly #graph: GraphProcess;
  readonly #times: number[] = [];
  readonly #failures: string[] = [];
  readonly #done: Promise<unknown>;
  #peakBytes = 0;
  #isStopped = false;

  constructor(graph: GraphProcess) {
    this.#graph = graph;
    this.#done = Promise.all([...QUERIES.map((query) => this.#repeat(query)), this.#sampleMemory()]);
  }

  /** Number of requests so far. */
  get count(): number {
    return this.#times.length;
  }

  /** Returns what the clients experienced. */
  async stop() {
    this.#isStopped = true;
    await this.#done;
    const times = this.#times.sort((a, b) => a - b);
    return {
      requests: times.length,
      /** Responses with errors or without data. */
      failures: this.#failures,
      /** 99th percentile of the response times in milliseconds. */
      p99: times[Math.floor(times.length * 0.99)]!,
      /** Maximum resident memory of the server in MiB, sampled; 0 without /proc. */
      peakMiB: this.#peakBytes / 1024 / 1024,
    };
  }

  async #repeat(query: string): Promise<void> {
    while (!this.#isStopped) {
      const start = performance.now();
      const response = await this.#graph.execute(query).catch((error: unknown) => ({ data: null, errors: [String(error)] }));
      this.#times.push(performance.now() - start);
      if (!response.data || response.errors) this.#failures.push(`${query}: ${JSON.stringify(response.errors)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async #sampleMemory(): Promise<void> {
    while (!this.#isStopped) {
      const status = await readFile(`/proc/${this.#graph.process.pid}/status`, 'utf8').catch(() => '');
      this.#peakBytes = Math.max(this.#peakBytes, 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
