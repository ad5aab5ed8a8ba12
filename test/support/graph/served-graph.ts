import { Writable } from 'node:stream';
import { afterAll } from '@jest/globals';
import { assembleSettings, readSettings, secretValues } from '../../../src/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { domains, serve } from '../../../src/serve.ts';
import { assertNoSecret } from '../secrets.ts';
import { executeOverHttp, type RunningGraph } from './running-graph.ts';

/** A graph that this process serves on a free port, put together by the function that the program calls. */
export interface ServedGraph extends Pick<RunningGraph, 'url' | 'execute'> {
  /** The log so far. */
  output(): string;
  /** Stops the server; rejects when it has logged a secret. */
  stop(): Promise<void>;
}

const started = new Set<ServedGraph>();

// Also after a failed test, so that jest can exit.
afterAll(async () => {
  await Promise.all([...started].map((graph) => graph.stop()));
});

/**
 * Serves the graph with these settings alone, at log level trace. For tests that start several graphs: a process of its own takes
 * longer to load the program than such a test to run. Rejects as `serve` does.
 */
export async function serveGraph(settings: Record<string, string> = {}): Promise<ServedGraph> {
  const definitions = assembleSettings(domains);
  const values = readSettings(definitions, { PORT: '0', LOG_LEVEL: 'trace', ...settings }, {});
  const lines: string[] = [];
  const out = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.push(line);
      done();
    },
  });
  const { url, stop } = await serve(values, domains, createLogger(values.LOG_LEVEL, secretValues(definitions, values), out));
  const output = () => lines.join('');
  const graph: ServedGraph = {
    url,
    output,
    execute: (query, variables) => executeOverHttp(url, query, variables),
    async stop() {
      started.delete(graph);
      await stop();
      assertNoSecret(output(), 'the log of the graph');
    },
  };
  started.add(graph);
  return graph;
}
