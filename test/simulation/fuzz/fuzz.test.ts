import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { readChainData } from './chain-data.ts';
import { createOperationGenerator } from './operations.ts';
import { randomRequest } from './requests.ts';
import { fuzz, isRunning } from './run.ts';

/** Whatever is sent to the program, it answers as it says it does, and goes on. `FIGURES=1` prints what was sent and what came. */
const schema = buildSchema(readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8'));

const FROM = readSeed();
const REQUESTS = runSize(2_000, 100_000);
/** The program has no more room than this for its objects: what it would hold on to, it would die of. */
const HEAP_MB = 256;
/** How much more memory it may hold at the end than once it is warm. The short run ends before it is. */
const GROWTH_MB = runSize(HEAP_MB, 50);

let graph: RunningGraph;

beforeAll(async () => {
  // A small memory is full before the program counts as warm; what it still grows by is none of it.
  const small = { CACHE_BYTES: '8388608' };
  graph = await startGraph({ ...small, DEVNET_LIFE: 'off', LOG_LEVEL: 'info', NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
});

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

test(
  `${REQUESTS} random requests are each answered, or refused with a code, and the program goes on (SEED=${FROM})`,
  async () => {
    const drawOperation = createOperationGenerator(schema, await readChainData(graph));
    const { failures, seconds, counts, executed, maxima, memory } = await fuzz(graph, FROM, REQUESTS, (draw) =>
      randomRequest(draw, drawOperation),
    );
    const tenth = Math.ceil(memory.length / 10);
    const held = Array.from({ length: 10 }, (_none, at) => Math.round(median(memory.slice(at * tenth, (at + 1) * tenth))));
    const figures = { seconds, counts, ...maxima, held, peak: Math.max(...memory) };
    if (process.env.FIGURES) process.stdout.write(`${JSON.stringify(figures, null, 1)}\n`);

    if (!isRunning(graph)) throw new Error(`the program ended: ${graph.output().slice(-3_000)}\n${failures.join('\n\n')}`);
    expect(failures).toEqual([]);
    expect(graph.output().match(/^\{"level":[56]0.*/gm) ?? []).toEqual([]);
    expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
    // Not all was refused: much of it ran, on every way in.
    expect(counts.executed! / (counts.operation! + counts.get!)).toBeGreaterThan(0.3);
    const fields = Object.keys(schema.getQueryType()!.getFields());
    expect(fields.filter((name) => !executed.has(`Query.${name}`))).toEqual([]);
    expect(held[9]! - held[2]!).toBeLessThan(GROWTH_MB);
  },
  30 * 60_000,
);
