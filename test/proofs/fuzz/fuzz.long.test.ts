import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { readChainData } from './chain-data.ts';
import { createOperationGenerator } from './operations.ts';
import { randomRequest } from './requests.ts';
import { fuzz, isRunning } from './run.ts';

/** Random and malformed requests to the built program. `FIGURES=1` prints counts of requests and responses. */
const schema = buildSchema(readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8'));

const REQUESTS = runSize(2_000, 100_000);
/** Heap limit of the program, so that a leak crashes it. */
const HEAP_MB = 256;
/** Allowed memory growth after warm-up. The short run ends before the warm-up. */
const GROWTH_MB = runSize(HEAP_MB, 50);

let graph: GraphProcess;

beforeAll(async () => {
  // A small cache is full before the warm-up ends, so it does not count as growth.
  const small = { CACHE_BYTES: '8388608' };
  graph = await startGraph({ ...small, DEVNET_LIFE: 'off', LOG_LEVEL: 'info', NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
});

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

test(
  `${REQUESTS} random requests each return data or an error code, and the program continues`,
  async () => {
    const drawOperation = createOperationGenerator(schema, await readChainData(graph));
    const { failures, counts, executed, memory } = await fuzz(graph, readSeed(), REQUESTS, (draw) =>
      randomRequest(draw, drawOperation),
    );
    const tenth = Math.ceil(memory.length / 10);
    const held = Array.from({ length: 10 }, (_none, at) => Math.round(median(memory.slice(at * tenth, (at + 1) * tenth))));
    const figures = { counts, fields: Object.fromEntries(executed), held, peak: Math.max(...memory) };
    if (process.env.FIGURES) process.stdout.write(`${JSON.stringify(figures, null, 1)}\n`);

    if (!isRunning(graph)) throw new Error(`the program ended: ${graph.output().slice(-3_000)}\n${failures.join('\n\n')}`);
    expect(failures).toEqual([]);
    expect(graph.output().match(/^\{"level":[56]0.*/gm) ?? []).toEqual([]);
    expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
    // Many requests were executed, on each transport.
    expect(counts.executed! / (counts.operation! + counts.get!)).toBeGreaterThan(0.15);
    const fields = Object.keys(schema.getQueryType()!.getFields());
    expect(fields.filter((name) => !executed.has(name))).toEqual([]);
    expect(held[9]! - held[2]!).toBeLessThan(GROWTH_MB);
  },
  30 * 60_000,
);
