import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBenchmarkClient } from './client.ts';
import { OURS, startProgram } from './contenders.ts';
import { WARM_UP_MS } from './measure.ts';
import type { Scenario } from './scenarios.ts';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** A file that V8 writes with --cpu-prof. Times are microseconds of the monotonic clock. */
interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const ROUNDS = 4;
const MAX_FUNCTIONS = 10;
const MAX_PACKAGES = 6;

const now = () => Number(process.hrtime.bigint() / 1000n);

/** Runs our server on one scenario under V8's profiler; returns the functions with the highest self time after warm-up. */
export async function profile(scenario: Scenario, stub: string, connections: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  try {
    const running = await startProgram(OURS, stub, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    const client = createBenchmarkClient(running.url, connections);
    let from = 0;
    let to = 0;
    try {
      const next = await client.load(scenario, 0, Number.POSITIVE_INFINITY, WARM_UP_MS);
      from = now();
      await client.load(scenario, next, next + scenario.requestsPerRound * ROUNDS);
      to = now();
    } finally {
      await client.close();
      await running.stop();
    }
    const [file] = readdirSync(folder);
    return report(scenario, JSON.parse(readFileSync(join(folder, file!), 'utf8')) as CpuProfile, from, to);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(scenario: Scenario, { startTime, nodes, samples, timeDeltas }: CpuProfile, from: number, to: number): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let busy = 0;
  let time = startTime;
  samples.forEach((id, i) => {
    time += timeDeltas[i]!;
    const frame = frames.get(id)!;
    if (time < from || time > to || frame.functionName === '(idle)') return;
    // A sample covers the time until the next one.
    const duration = timeDeltas[i + 1] ?? 0;
    busy += duration;
    const path = sourcePath(frame);
    add(functions, `${frame.functionName || '(anonymous)'} | ${path.replace('node_modules/', '')}`, duration);
    add(packages, packageOf(path), duration);
  });
  const share = (duration: number) => `${((100 * duration) / busy).toFixed(1)}%`;
  const top = (map: Map<string, number>, count: number) => [...map].sort((a, b) => b[1] - a[1]).slice(0, count);
  const ms = (busy / 1000 / (scenario.requestsPerRound * ROUNDS)).toFixed(2);
  return [
    `${scenario.title}: ${ms} ms per request in JavaScript and the functions that it calls\n`,
    '| self time | function | file |\n|---|---|---|',
    ...top(functions, MAX_FUNCTIONS).map(([name, duration]) => `| ${share(duration)} | ${name} |`),
    `\nby package: ${top(packages, MAX_PACKAGES)
      .map(([packageName, duration]) => `${packageName} ${share(duration)}`)
      .join(', ')}`,
  ].join('\n');
}

const add = (map: Map<string, number>, key: string, duration: number) => map.set(key, (map.get(key) ?? 0) + duration);

const bundledLines = new Map<string, readonly string[]>();

/** Returns the source of a function in the bundle: the bundler writes the path of each module in a comment before its code. */
function sourcePath({ url, lineNumber }: CallFrame): string {
  if (!url.startsWith('file:')) return url;
  const lines = bundledLines.get(url) ?? readFileSync(fileURLToPath(url), 'utf8').split('\n');
  bundledLines.set(url, lines);
  for (let line = lineNumber; line >= 0; line -= 1) {
    const path = /^\/\/ ((?:node_modules|src)\/\S+)$/.exec(lines[line]!)?.[1];
    if (path) return path;
  }
  return url;
}

/** Returns the package of a source; those of this project are `ours`. */
function packageOf(path: string): string {
  if (path === '') return 'V8';
  if (path.startsWith('node:')) return 'Node';
  return /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(path)?.[1] ?? 'ours';
}
