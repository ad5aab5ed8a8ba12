import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program to measure. */
export interface Program {
  readonly name: string;
  /** Relative to the folder of the built benchmark. */
  readonly file: string;
  /** Share of a scenario's requests per round; slow programs need fewer for the same precision. */
  readonly share: number;
  readonly settings?: Readonly<Record<string, string>>;
}

export const STUB = { name: 'stub', file: 'stub.js', share: 1 };
/** The floor of `front`. */
export const RAW_HTTP = { name: 'raw', file: 'raw.js', share: 1 };
export const FLOOR = { name: 'floor', file: 'floor.js', share: 1 };
/** Without the cache, so that every response is executed. */
export const OURS = { name: 'ours', file: '../../../dist/main.js', share: 1, settings: { CACHE_BYTES: '0' } };
/** With the default cache, for repeated requests. */
export const OURS_CACHED = { name: 'ours, cached', file: '../../../dist/main.js', share: 1 };
/** With two processes that serve requests, and a third one that follows the chain. */
export const WORKERS = { ...OURS, name: 'workers', settings: { ...OURS.settings, WORKERS: '2' } };
export const WORKERS_CACHED = { ...OURS_CACHED, name: 'workers, cached', settings: { WORKERS: '2' } };
/** The server of another commit, by the path of its `dist/main.js`. */
export const beforeOf = (file: string): Program => ({ ...OURS, name: 'before', file });
export const PLAIN = { name: 'plain', file: 'plain.js', share: 1 / 8 };
/** Other executors over the same loaders, from the package in `contenders`. */
export const EXECUTORS: readonly Program[] = ['jit', 'graphql17', 'mercurius', 'grafast'].map((name) => ({
  name,
  file: `../../contenders/dist/contenders/${name}.js`,
  share: 1,
  settings: { NODE_ENV: 'production', GRAPHILE_ENV: 'production' },
}));

/** A program in its own process. */
export interface RunningProgram {
  readonly name: string;
  /** URL of its GraphQL endpoint. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program with this process's environment and resolves when it prints its address. */
export async function startProgram(
  { name, file, settings }: Program,
  rpcUrl = '',
  nodeFlags: readonly string[] = [],
): Promise<RunningProgram> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, path], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', RPC_URL: rpcUrl, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyUrl(name, child);
  child.stdout!.resume();
  return {
    name,
    url,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const readyUrl = (name: string, child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk;
      const url = /graph +(http:\S+\/graphql)/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', (status) => reject(new Error(`${name} exited with status ${status}: ${output}`)));
  });

/** Whether CPU and memory can be read from /proc, as on Linux. */
export const canMeasure = existsSync('/proc/self/schedstat');

/** Returns the CPU milliseconds of a process with its child processes, all threads together; NaN without /proc. */
export function cpuMs(pid: number): number {
  if (!canMeasure) return Number.NaN;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.reduce((sum, child) => sum + cpuMs(child), ownCpuMs(pid));
}

/** In nanoseconds at the source: the times in `stat` are multiples of 10 ms, a tenth of a short round. */
function ownCpuMs(pid: number): number {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return times.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1e6, 0);
}

/** Returns the peak memory of a process since `resetPeakMemory`, in MiB; NaN without /proc. */
export function peakMemoryMiB(pid: number): number {
  if (!canMeasure) return Number.NaN;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

export function resetPeakMemory(pid: number): void {
  if (canMeasure) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
