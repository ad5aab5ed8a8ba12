import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { DevnetError } from '../devnet-error.ts';
import { startParentWatchdog } from '../parent-watchdog.ts';
import { createTemporaryDirectory } from '../temporary-directory.ts';
import { MAX_ANVIL_STATES } from './history-pruner.ts';

export interface AnvilOptions {
  readonly chainId: number;
  readonly mnemonic: string;
  /** Number of accounts of the mnemonic with ether, unlocked. @default 10 */
  readonly accounts?: number;
  /** Timestamp of the genesis block, seconds. */
  readonly genesisTime: number;
  /** The hard fork whose rules all blocks have, such as `frontier`. @default `prague` */
  readonly hardfork?: string;
  /** Path of the program. @default the program of the npm package */
  readonly binary?: string;
}

export interface Anvil {
  readonly url: string;
  readonly wsUrl: string;
  readonly pid: number;
  /** Resolves when anvil exits unexpectedly; never resolves after `stop`. */
  readonly exited: Promise<void>;
  /** Kills the process, so that `exited` resolves. */
  kill(): void;
  /** Kills the process. Resolves when it has exited and its files are removed. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 10_000;
/**
 * Makes jemalloc return freed memory to the system; without this setting, 300 MB stay allocated after 48,000 blocks.
 */
const ALLOCATOR_OPTIONS = 'narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0';
const INSTALL_HINT = 'Set RPC_URL to use a node of your own, or reinstall without --omit=optional.';

/**
 * Starts anvil on a free port, without automatic mining. It ends with `stop`, and when this process ends in any way. Rejects if there is
 * no binary for this platform, if TMPDIR is not writable, or if anvil exits or is not ready within ten seconds.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { chainId, mnemonic, accounts = 10, genesisTime, hardfork = 'prague', binary = resolveAnvilBinary() } = options;
  // Anvil writes older states to disk; in its default directory they would remain after a SIGKILL.
  const states = createTemporaryDirectory('grimoire-anvil-', 'embedded chain');
  const args = ['--host', HOST, '--port', '0', '--chain-id', String(chainId), '--mnemonic', mnemonic];
  args.push(
    '--accounts',
    String(accounts),
    '--hardfork',
    hardfork,
    '--timestamp',
    String(genesisTime),
    '--no-mining',
    // By default, web pages of any site may mine and revert blocks.
    '--no-cors',
    // Loading a dump is a request of several megabytes.
    '--no-request-size-limit',
    '--prune-history',
    String(MAX_ANVIL_STATES),
    '--cache-path',
    states,
  );
  const watchdog = startParentWatchdog({ directory: states });
  const child = spawn(binary, args, {
    // Ctrl-C in the terminal must not reach anvil, which responds until the server has drained.
    detached: true,
    windowsHide: true,
    env: { _RJEM_MALLOC_CONF: ALLOCATOR_OPTIONS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) watchdog.watch(child.pid);
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve(watchdog.release())));
  try {
    const port = await waitForListeningPort(child);
    return {
      url: `http://${HOST}:${port}`,
      wsUrl: `ws://${HOST}:${port}`,
      pid: child.pid!,
      exited: new Promise((resolve) => ended.then(() => stopping || resolve())),
      kill: () => void child.kill('SIGKILL'),
      stop() {
        stopping = true;
        child.kill('SIGKILL');
        return ended;
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

/** Resolves to the port that anvil prints when it is ready. */
function waitForListeningPort(child: ChildProcessByStdio<null, Readable, Readable>): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) =>
      reject(new DevnetError('UPSTREAM_UNAVAILABLE', `The embedded chain did not start: ${reason}. ${INSTALL_HINT}`));
    const timer = setTimeout(() => fail(`anvil was not ready within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const listen = (chunk: Buffer) => {
      output += chunk;
      const port = /Listening on \S+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      for (const stream of [child.stdout, child.stderr]) {
        stream.off('data', listen);
        // Anvil logs every call; a full pipe would block anvil.
        stream.resume();
      }
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(`anvil ended with ${signal ?? `code ${code}`}: ${output.trim().slice(-500)}`);
    });
  });
}

/** Path of the native program. The npm package's launcher would be another process, which can outlive anvil or the server. */
function resolveAnvilBinary(): string {
  const platform = `${process.platform}-${process.arch.replace('x64', 'amd64')}`;
  const path = `@foundry-rs/anvil-${platform}/bin/anvil${process.platform === 'win32' ? '.exe' : ''}`;
  try {
    // Resolved from anvil's own package: strict package managers hide its platform packages from others.
    const anvilPackage = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
    return createRequire(anvilPackage).resolve(path);
  } catch (cause) {
    const message = `The embedded chain needs anvil, and its package for ${platform} is not installed. ${INSTALL_HINT}`;
    throw new DevnetError('UPSTREAM_UNAVAILABLE', message, { cause });
  }
}
