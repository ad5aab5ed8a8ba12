import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Returns the ids of the direct children of a process. */
export const childProcessesOf = async (pid: number): Promise<number[]> =>
  (process.platform === 'linux' ? parentsFromProc() : await parentsFromPs())
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child);

type Process = readonly [pid: number, parent: number];

/** Slim images of Linux have no `ps`. */
function parentsFromProc(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readOrUndefined(`/proc/${name}/stat`);
      // The second field is the name of the program, which may contain spaces and brackets.
      const parent = stat?.slice(stat.lastIndexOf(')') + 1).split(' ')[2];
      return parent === undefined ? [] : [[Number(name), Number(parent)] as const];
    });
}

/** Undefined for a process that has ended since. */
function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function parentsFromPs(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return [pid!, parent!] as const;
    });
}
