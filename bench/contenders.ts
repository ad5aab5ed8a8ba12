import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program that answers the questions, seen from the folder of the built benchmark. */
export interface Program {
  readonly name: string;
  readonly file: string;
  /** Part of a question's requests that it gets a round; the slow ones need fewer for the same precision. */
  readonly share: number;
  readonly settings?: Readonly<Record<string, string>>;
}

export const STUB = { name: 'stub', file: 'stub.js', share: 1 };
/** The floor under the HTTP front alone. */
export const RAW_HTTP = { name: 'raw', file: 'raw.js', share: 1 };
export const FLOOR = { name: 'floor', file: 'floor.js', share: 1 };
/** With nothing kept, so that every answer is worked out. */
export const OURS = { name: 'ours', file: '../../dist/main.js', share: 1, settings: { CACHE_BYTES: '0' } };
/** As it comes, when it has been asked before. */
export const OURS_CACHED = { name: 'ours, kept', file: '../../dist/main.js', share: 1 };
export const PLAIN = { name: 'plain', file: 'plain.js', share: 1 / 8 };

/** A program that runs in a process of its own. */
export interface RunningProgram {
  readonly name: string;
  /** Where it is asked. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program and resolves when it says where it listens. Settings in the environment go through to it. */
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
    child.once('exit', (status) => reject(new Error(`${name} ended with status ${status}: ${output}`)));
  });

/** Linux tells CPU and memory of any process in /proc; elsewhere they are not measured. */
export const canMeasure = existsSync('/proc/self/stat');

/** Ticks a second of the kernel's accounting, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU milliseconds that a process has used, all its threads together; NaN where that cannot be told. */
export function cpuMs(pid: number): number {
  if (!canMeasure) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces; user and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Most memory that a process has held since the peak was last forgotten, in MiB; NaN where that cannot be told. */
export function peakMemoryMiB(pid: number): number {
  if (!canMeasure) return Number.NaN;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

export function resetPeakMemory(pid: number): void {
  if (canMeasure) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
