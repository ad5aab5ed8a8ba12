import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The settings of npm that `npm run` passes on and that reach the registry; the others describe the repository. */
const PASSED_VARIABLES = /^(?:HOME|TMPDIR|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|npm_config_(?:cache|registry|cafile))$/i;

/** The environment of a terminal outside the repository: no program of its packages is in the path. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(passed), PATH: path.join(delimiter) };
}

/** Runs a command to its end and returns its standard output. Rejects with the whole output when it fails. */
export async function runOutside(folder: string, command: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: outsideEnvironment(), maxBuffer: 64 * 1024 * 1024 };
  try {
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Packs the server and the client as `npm publish` does, with a new build, and returns the paths of the files. */
export async function packPackages(folder: string): Promise<{ readonly server: string; readonly client: string }> {
  const pack = async (...args: string[]): Promise<string> => {
    const output = await runOutside(ROOT, 'npm', 'pack', '--silent', '--pack-destination', folder, ...args);
    return join(folder, output.trim().split('\n').at(-1)!);
  };
  // One after the other: the build of the server builds the client, too.
  const server = await pack();
  return { server, client: await pack('--workspace', '@grimoire/client') };
}

/** A program that was started by npm or npx, with its children. */
export interface OutsideProgram {
  /** The first group of the text that the pattern found in the output. */
  readonly found: string;
  /** Sends SIGINT to the program and its children, as a terminal does. Resolves when all have ended. */
  stop(): Promise<void>;
}

/** Starts a program and resolves when its output matches the pattern. */
export async function startOutside(
  folder: string,
  pattern: RegExp,
  env: Record<string, string>,
  command: string,
  ...args: string[]
): Promise<OutsideProgram> {
  // In a process group of its own, to which a signal can be sent.
  const child = spawn(command, args, {
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
