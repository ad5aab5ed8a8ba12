import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The variables that npm needs to reach the registry; others of `npm run` describe the repository. */
const PASSED_VARIABLES = /^(?:HOME|TMPDIR|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|npm_config_(?:cache|registry|cafile))$/i;

/** Shortens the installations. */
const NPM_SETTINGS = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

/** The environment of a terminal outside the repository: no program of its packages is in the path. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(passed), ...NPM_SETTINGS, PATH: path.join(delimiter) };
}

/** Copies the files of the repository that git tracks or would track, as they are now: what a clone of the next commit contains. */
export function copyRepository(folder: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(folder, file));
}

/** Runs a command of a shell to its end and returns its standard output. Rejects with the whole output when it fails. */
export async function runOutside(folder: string, command: string): Promise<string> {
  const options = { cwd: folder, env: outsideEnvironment(), maxBuffer: 64 * 1024 * 1024 };
  try {
    return (await promisify(execFile)('bash', ['-c', command], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** A program that a command of a shell has started, with its children. */
export interface OutsideProgram {
  /** The first group of the text that the pattern found in the output. */
  readonly found: string;
  /** Sends SIGINT to the program and its children, as a terminal does. Resolves when all have ended. */
  stop(): Promise<void>;
}

/** Starts a program by a command of a shell, and resolves when its output matches the pattern. */
export async function startOutside(
  folder: string,
  command: string,
  pattern: RegExp,
  env: Record<string, string> = {},
): Promise<OutsideProgram> {
  // In a separate process group, to which a signal can be sent.
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...outsideEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(child, 'close');
  return {
    found: await waitForOutput(child, pattern),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
      await closed;
    },
  };
}

function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk;
      const found = pattern.exec(output);
      if (found) resolve(found[1] ?? found[0]);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('close', (code) => reject(new Error(`the program ended with status ${code}:\n${output}`)));
  });
}
