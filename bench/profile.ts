import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBenchmarkClient } from './client.ts';
import { OURS, startProgram } from './contenders.ts';
import type { Scenario } from './scenarios.ts';

/** What V8 writes with --cpu-prof. Times are microseconds of the machine's steady clock. */
interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string; readonly url: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const ROUNDS = 4;
const MAX_FUNCTIONS = 10;
const MAX_PACKAGES = 6;

const now = () => Number(process.hrtime.bigint() / 1000n);

/** Runs our server on one question under V8's profiler, and says in which functions its CPU time went once it was warm. */
export async function profile(question: Scenario, stub: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  try {
    const running = await startProgram(OURS, stub, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    const client = createBenchmarkClient(running.url);
    let from = 0;
    let to = 0;
    try {
      await client.load(question, 0, question.requestsPerRound);
      from = now();
      await client.load(question, question.requestsPerRound, question.requestsPerRound * (ROUNDS + 1));
      to = now();
    } finally {
      await client.close();
      await running.stop();
    }
    const [file] = readdirSync(folder);
    return report(question, JSON.parse(readFileSync(join(folder, file!), 'utf8')) as CpuProfile, from, to);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(question: Scenario, { startTime, nodes, samples, timeDeltas }: CpuProfile, from: number, to: number): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  let busy = 0;
  let time = startTime;
  samples.forEach((id, i) => {
    time += timeDeltas[i]!;
    const { functionName, url } = frames.get(id)!;
    if (time < from || time > to || functionName === '(idle)') return;
    // A sample stands for the time until the next one.
    const lasted = timeDeltas[i + 1] ?? 0;
    busy += lasted;
    add(functions, `${functionName || '(anonymous)'} | ${shortPath(url)}`, lasted);
    add(places, packageOf(url), lasted);
  });
  const share = (lasted: number) => `${((100 * lasted) / busy).toFixed(1)}%`;
  const top = (map: Map<string, number>, count: number) => [...map].sort((a, b) => b[1] - a[1]).slice(0, count);
  const ms = (busy / 1000 / (question.requestsPerRound * ROUNDS)).toFixed(2);
  return [
    `${question.title}: ${ms} ms a request in JavaScript and what it calls\n`,
    '| self time | function | file |\n|---|---|---|',
    ...top(functions, MAX_FUNCTIONS).map(([name, lasted]) => `| ${share(lasted)} | ${name} |`),
    `\nby place: ${top(places, MAX_PACKAGES)
      .map(([place, lasted]) => `${place} ${share(lasted)}`)
      .join(', ')}`,
  ].join('\n');
}

const add = (map: Map<string, number>, key: string, lasted: number) => map.set(key, (map.get(key) ?? 0) + lasted);

/** The path from the package or from the project. */
const shortPath = (url: string): string => url.replace(/^file:\/\/(?:.*\/node_modules\/|.*\/(?=dist\/))?/, '');

/** The package, the project, Node, or V8 itself. */
function packageOf(url: string): string {
  if (url === '') return 'V8';
  if (url.startsWith('node:')) return 'Node';
  return /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url)?.[1] ?? 'our dist';
}
