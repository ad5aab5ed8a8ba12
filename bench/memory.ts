import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBenchmarkClient } from './client.ts';
import { OURS, OURS_CACHED, type Program, peakMemoryMiB, resetPeakMemory, STUB, startProgram } from './contenders.ts';
import { FIRST_BLOCK, type Scenario, scenarios } from './scenarios.ts';
import { median } from './table.ts';

// Peak memory of long responses above the idle memory: 50 full blocks with receipts and logs, requested again and again by one client.

const BLOCKS = 50;
/** The time after the first request in which the server becomes idle. */
const IDLE_MS = 500;
/** The bound of the median peak of repeated requests; without the early collection of buffers it is about 120. */
const MAX_PEAK_MIB = 90;
/** The estimate of the operation is above the default limit. */
const SETTINGS = { MAX_COST: '10000' };

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
    /** Flags of V8, separated by spaces. @default those of `npm start`, and none */
    flags: { type: 'string', multiple: true, default: ['--max-semi-space-size=32', ''] },
    /** Whether a peak above its bound is status 1, with V8's default young generation. */
    check: { type: 'boolean', default: false },
    /** The built server. */
    file: { type: 'string', default: OURS.file },
  },
});

const [front] = scenarios as readonly [Scenario];
const { query } = scenarios.find(({ name }) => name === 'blocks')!;
const rangeFrom = (from: number) => ({ from, to: from + BLOCKS - 1 });
const otherBlocks: Scenario = {
  name: 'blocks',
  title: 'other blocks each time',
  query,
  variables: (n) => rangeFrom(FIRST_BLOCK + n * BLOCKS),
  requestsPerRound: Number(options.requests),
};
const sameBlocks: Scenario = { ...otherBlocks, title: 'the same blocks', variables: () => rangeFrom(FIRST_BLOCK) };

const memoryMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Returns the MiB above idle of the first request, and of all requests. */
async function measureMemory(program: Program, flags: string, scenario: Scenario, nodeUrl: string) {
  const file = options.file;
  const settings = { ...program.settings, ...SETTINGS };
  const { url, pid, stop } = await startProgram({ ...program, file, settings }, nodeUrl, flags.split(' ').filter(Boolean));
  const client = createBenchmarkClient(url, 1);
  try {
    await client.request(front, 0);
    await setTimeout(IDLE_MS);
    const idle = memoryMiB(pid);
    resetPeakMemory(pid);
    await client.request(scenario, 0);
    const first = peakMemoryMiB(pid) - idle;
    await client.load(scenario, 1, scenario.requestsPerRound);
    return { first, repeated: peakMemoryMiB(pid) - idle };
  } finally {
    await client.close();
    await stop();
  }
}

const show = (all: readonly number[]): string => `${Math.min(...all).toFixed(0)} - ${Math.max(...all).toFixed(0)}`;

const stub = await startProgram(STUB);
try {
  process.stdout.write('| cache | blocks | flags | first request, MiB above idle | repeated |\n|---|---|---|---|---|\n');
  for (const [program, scenario] of [
    [OURS, otherBlocks],
    [OURS_CACHED, sameBlocks],
    [OURS_CACHED, otherBlocks],
  ] as const) {
    for (const flags of options.flags) {
      const results: Awaited<ReturnType<typeof measureMemory>>[] = [];
      for (let i = 0; i < Number(options.rounds); i++) results.push(await measureMemory(program, flags, scenario, stub.url));
      const [first, repeated] = [results.map((result) => result.first), results.map((result) => result.repeated)];
      process.stdout.write(`| ${program.name} | ${scenario.title} | ${flags || 'none'} | ${show(first)} | ${show(repeated)} |\n`);
      if (!options.check || flags !== '' || program !== OURS || median(repeated) <= MAX_PEAK_MIB) continue;
      process.stdout.write(`The median peak is ${median(repeated).toFixed(0)} MiB; the bound is ${MAX_PEAK_MIB}.\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await stub.stop();
}
