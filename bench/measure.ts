import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type BenchmarkClient, createBenchmarkClient, takeUpstreamCounts, type UpstreamCounts } from './client.ts';
import {
  cpuMs,
  FLOOR,
  OURS,
  OURS_CACHED,
  type Program,
  peakMemoryMiB,
  RAW_HTTP,
  type RunningProgram,
  resetPeakMemory,
  startProgram,
} from './contenders.ts';
import type { Scenario } from './scenarios.ts';

/** What one program used on one question. */
export interface Measurement {
  readonly program: string;
  /** CPU milliseconds a request, by round. */
  readonly cpu: readonly number[];
  /** Of one request alone. */
  readonly upstream: UpstreamCounts;
  readonly peak: number;
}

/** By then V8 has compiled what runs often. */
const WARM_UP_MS = 2_000;
/** What ethers remembers of earlier calls is gone after this; a single request then shows its whole cost. */
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

/** Those that can answer a question; the floor of the front is another one, and only what is asked again can have been kept. */
const programsFor = ({ name }: Scenario, programs: readonly Program[]): Program[] =>
  programs.flatMap((program) => {
    if (program === FLOOR && name === 'front') return RAW_HTTP;
    return program === OURS && name === 'again' ? [OURS, OURS_CACHED] : program;
  });

/** Lets all programs answer a question in turn, over and over, each in a fresh process. Their answers must be equal. */
export async function measure(
  question: Scenario,
  programs: readonly Program[],
  rounds: number,
  stub: string,
): Promise<Measurement[]> {
  const seats: MeasuredProgram[] = [];
  try {
    for (const program of programsFor(question, programs)) {
      const running = await startProgram(program, stub);
      const requests = Math.max(1, Math.round(question.requestsPerRound * program.share));
      const upstream = { http: 0, calls: 0 };
      seats.push({ program, running, client: createBenchmarkClient(running.url), requests, cpu: [], upstream, next: 1 });
    }
    await assertEqualResponses(question, seats);
    for (const seat of seats) {
      seat.next = await seat.client.load(question, seat.next, seat.next + question.requestsPerRound, WARM_UP_MS);
      await setTimeout(ETHERS_CACHE_EXPIRY_MS);
      await takeUpstreamCounts(stub);
      await seat.client.request(question, seat.next++);
      seat.upstream = await takeUpstreamCounts(stub);
      resetPeakMemory(seat.running.pid);
    }
    for (let i = 0; i < rounds; i++) {
      for (const seat of seats) seat.cpu.push(await round(question, seat));
    }
    return seats.map(({ program, cpu, upstream, running }) => ({
      program: program.name,
      cpu,
      upstream,
      peak: peakMemoryMiB(running.pid),
    }));
  } finally {
    await Promise.all(seats.map(({ client }) => client.close()));
    await Promise.all(seats.map(({ running }) => running.stop()));
  }
}

/** CPU milliseconds a request over one round. */
async function round(question: Scenario, seat: MeasuredProgram): Promise<number> {
  const before = cpuMs(seat.running.pid);
  const from = seat.next;
  seat.next += seat.requests;
  await seat.client.load(question, from, seat.next);
  return (cpuMs(seat.running.pid) - before) / (seat.next - from);
}

async function assertEqualResponses(question: Scenario, seats: readonly MeasuredProgram[]): Promise<void> {
  let first: unknown;
  for (const { program, client } of seats) {
    const { data: answer } = JSON.parse(await client.request(question, 0)) as { data: unknown };
    first ??= answer;
    if (!isDeepStrictEqual(answer, first)) throw new Error(`${program.name} answers "${question.name}" differently`);
  }
}
