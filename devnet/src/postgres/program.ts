import { spawn } from 'node:child_process';
import type { SystemUser } from './system-user.ts';

/** Options with which a program is started. */
export interface ProgramOptions {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly user: SystemUser | undefined;
}

/** A running program of PostgreSQL. */
export interface Program {
  /** Undefined if the program could not be started. */
  readonly pid: number | undefined;
  /** Resolves when the program and its own children have ended: to undefined after success, otherwise to the reason. */
  readonly ended: Promise<string | undefined>;
  kill(signal: NodeJS.Signals): void;
}

/** Number of last characters of the error output in the reason of a failure. */
const MAX_OUTPUT_LENGTH = 500;

/** Starts a program. Throws if the operating system rejects the user. */
export function startProgram(path: string, args: readonly string[], { directory, environment, user }: ProgramOptions): Program {
  const child = spawn(path, args, {
    // The directory of this process may be closed to the user.
    cwd: directory,
    env: environment,
    ...user,
    // Ctrl-C in the terminal must not reach the database, which is in use until the server has drained.
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk).slice(-MAX_OUTPUT_LENGTH);
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    // The children of the program hold its error output open.
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `${path} ended with ${signal ?? `code ${code}`}: ${output.trim()}`),
    );
  });
  return { pid: child.pid, ended, kill: (signal) => void child.kill(signal) };
}
