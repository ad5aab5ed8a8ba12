import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type BenchmarkClient, createBenchmarkClient, takeUpstreamCounts, type UpstreamCounts } from './client.ts';
import {
  cpuMs,
  FLOOR,
  OURS,
  OURS_CACHED,
  PLAIN,
  type Program,
  peakMemoryMiB,
  RAW_HTTP,
  type RunningProgram,
  resetPeakMemory,
  startProgram,
  WORKERS,
  WORKERS_CACHED,
} from './contenders.ts';
import type { Scenario } from './scenarios.ts';

/** The resources that one program used in one scenario. */
export interface Measurement {
  readonly program: string;
  /** CPU milliseconds per request, by round. */
  readonly cpu: readonly number[];
  /** Counts of a single request. */
  readonly upstream: UpstreamCounts;
  /** Peak memory in MiB. */
  readonly peak: number;
}

/** V8 compiles functions until about 5,000 requests have been executed: twenty seconds of the slower rows. */
export const WARM_UP_MS = 20_000;
/** ethers caches calls for 250 ms; after this a single request shows its full cost. */
const ETHERS_CACHE_EXPIRY_MS = 300;

interface MeasuredProgram {
  readonly program: Program;
  readonly running: RunningProgram;
  readonly client: BenchmarkClient;
  readonly requests: number;
  readonly cpu: number[];
  upstream: UpstreamCounts;
  next: number;
}

/** The programs for a scenario: `front` has a floor of its own, and only repeated requests can be cached. */
const programsFor = ({ name, isRepeated }: Scenario, programs: readonly Program[]): Program[] =>
  programs.flatMap((program) => {
    if (program === FLOOR && name === 'front') return RAW_HTTP;
    // It reads transactions by their hashes, and all blocks of the stub have equal transactions.
    if (program === PLAIN && name === 'blocks') return [];
    if (!isRepeated) return program;
    return program === OURS ? [OURS, OURS_CACHED] : program === WORKERS ? WORKERS_CACHED : program;
  });

export interface MeasureOptions {
  readonly rounds: number;
  /** Requests at a time to one program. */
  readonly connections: number;
  /** URL of the node. */
  readonly stub: string;
}

/** Runs a scenario on all programs in turn, each in a new process. Throws when their responses differ. */
export async function measure(
  scenario: Scenario,
  programs: readonly Program[],
  { rounds, connections, stub }: MeasureOptions,
): Promise<Measurement[]> {
  const measured: MeasuredProgram[] = [];
  try {
    for (const program of programsFor(scenario, programs)) {
      const running = await startProgram(program, stub);
      const requests = Math.max(1, Math.round(scenario.requestsPerRound * program.share));
      const upstream = { http: 0, calls: 0 };
      measured.push({
        program,
        running,
        client: createBenchmarkClient(running.url, connections),
        requests,
        cpu: [],
        upstream,
        next: 1,
      });
    }
    await assertEqualResponses(scenario, measured);
    for (const one of measured) {
      one.next = await one.client.load(scenario, one.next, Number.POSITIVE_INFINITY, WARM_UP_MS);
      one.upstream = await countUpstream(scenario, one, stub);
      resetPeakMemory(one.running.pid);
    }
    for (let i = 0; i < rounds; i++) {
      for (const one of measured) one.cpu.push(await round(scenario, one));
    }
    return measured.map(({ program, cpu, upstream, running }) => ({
      program: program.name,
      cpu,
      upstream,
      peak: peakMemoryMiB(running.pid),
    }));
  } finally {
    await Promise.all(measured.map(({ client }) => client.close()));
    await Promise.all(measured.map(({ running }) => running.stop()));
  }
}

/** Returns the lowest counts of three single requests, because a program that polls the head may do so during one of them. */
async function countUpstream(scenario: Scenario, one: MeasuredProgram, stub: string): Promise<UpstreamCounts> {
  const counts: UpstreamCounts[] = [];
  for (let i = 0; i < 3; i++) {
    await setTimeout(ETHERS_CACHE_EXPIRY_MS);
    await takeUpstreamCounts(stub);
    await one.client.request(scenario, one.next++);
    counts.push(await takeUpstreamCounts(stub));
  }
  return counts.reduce((lowest, next) => (next.calls < lowest.calls ? next : lowest));
}

/** Runs one round; returns CPU milliseconds per request. */
async function round(scenario: Scenario, one: MeasuredProgram): Promise<number> {
  const before = cpuMs(one.running.pid);
  const from = one.next;
  one.next += one.requests;
  await one.client.load(scenario, from, one.next);
  return (cpuMs(one.running.pid) - before) / (one.next - from);
}

async function assertEqualResponses(scenario: Scenario, measured: readonly MeasuredProgram[]): Promise<void> {
  let first: unknown;
  for (const { program, client } of measured) {
    const { data } = JSON.parse(await client.request(scenario, 0)) as { data: unknown };
    first ??= data;
    if (!isDeepStrictEqual(data, first))
      throw new Error(`the response of ${program.name} to "${scenario.name}" differs from that of the first program`);
  }
}
