import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Client, type Counts, openClient, takeCounts } from './client.ts';
import { cpuMs, FLOOR, forgetPeak, KEPT, OURS, type Program, peakMiB, RAW, type Running, start } from './contenders.ts';
import type { Question } from './questions.ts';

/** What one program used on one question. */
export interface Figures {
  readonly program: string;
  /** CPU milliseconds a request, by round. */
  readonly cpu: readonly number[];
  /** Of one request alone. */
  readonly upstream: Counts;
  readonly peak: number;
}

/** By then V8 has compiled what runs often. */
const WARM_UP_MS = 2_000;
/** What ethers remembers of earlier calls is gone after this; a single request then shows its whole cost. */
const MEMORY_MS = 300;

interface Seat {
  readonly program: Program;
  readonly running: Running;
  readonly client: Client;
  readonly requests: number;
  readonly cpu: number[];
  upstream: Counts;
  next: number;
}

/** Those that can answer a question; the floor of the front is another one, and only what is asked again can have been kept. */
const fieldFor = ({ name }: Question, programs: readonly Program[]): Program[] =>
  programs.flatMap((program) => {
    if (program === FLOOR && name === 'front') return RAW;
    return program === OURS && name === 'again' ? [OURS, KEPT] : program;
  });

/** Lets all programs answer a question in turn, over and over, each in a fresh process. Their answers must be equal. */
export async function measure(
  question: Question,
  programs: readonly Program[],
  rounds: number,
  stub: string,
): Promise<Figures[]> {
  const seats: Seat[] = [];
  try {
    for (const program of fieldFor(question, programs)) {
      const running = await start(program, stub);
      const requests = Math.max(1, Math.round(question.requests * program.share));
      const upstream = { http: 0, calls: 0 };
      seats.push({ program, running, client: openClient(running.url), requests, cpu: [], upstream, next: 1 });
    }
    await compareAnswers(question, seats);
    for (const seat of seats) {
      seat.next = await seat.client.load(question, seat.next, seat.next + question.requests, WARM_UP_MS);
      await setTimeout(MEMORY_MS);
      await takeCounts(stub);
      await seat.client.ask(question, seat.next++);
      seat.upstream = await takeCounts(stub);
      forgetPeak(seat.running.pid);
    }
    for (let i = 0; i < rounds; i++) {
      for (const seat of seats) seat.cpu.push(await round(question, seat));
    }
    return seats.map(({ program, cpu, upstream, running }) => ({
      program: program.name,
      cpu,
      upstream,
      peak: peakMiB(running.pid),
    }));
  } finally {
    await Promise.all(seats.map(({ client }) => client.close()));
    await Promise.all(seats.map(({ running }) => running.stop()));
  }
}

/** CPU milliseconds a request over one round. */
async function round(question: Question, seat: Seat): Promise<number> {
  const before = cpuMs(seat.running.pid);
  const from = seat.next;
  seat.next += seat.requests;
  await seat.client.load(question, from, seat.next);
  return (cpuMs(seat.running.pid) - before) / (seat.next - from);
}

async function compareAnswers(question: Question, seats: readonly Seat[]): Promise<void> {
  let first: unknown;
  for (const { program, client } of seats) {
    const { data: answer } = JSON.parse(await client.ask(question, 0)) as { data: unknown };
    first ??= answer;
    if (!isDeepStrictEqual(answer, first)) throw new Error(`${program.name} answers "${question.name}" differently`);
  }
}
