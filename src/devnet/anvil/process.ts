import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GraphError } from '../../errors.ts';
import { MAX_ANVIL_STATES } from './history-pruner.ts';
import { startParentWatchdog } from './parent-watchdog.ts';

export interface AnvilOptions {
  readonly chainId: number;
  readonly mnemonic: string;
  /** How many accounts of the mnemonic have ether and are unlocked; 10 when left out. */
  readonly accounts?: number;
  /** Timestamp of the genesis block, seconds. */
  readonly genesisTime: number;
  /** The program to run; the one of the npm package when left out. */
  readonly binary?: string;
}

export interface Anvil {
  readonly url: string;
  readonly wsUrl: string;
  readonly pid: number;
  /** Resolves when anvil ends without having been asked to; stays pending after `stop`. */
  readonly exited: Promise<void>;
  /** Ends the process as a failure of its own would: `exited` resolves. */
  kill(): void;
  /** Resolves when the process and the files it kept are gone. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 10_000;
/** Anvil's allocator (jemalloc) returns freed memory to the system. By default each trim of the chain leaves some: 300 MB after 48,000 blocks. */
const ALLOCATOR_OPTIONS = 'narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0';
const INSTALL_HINT = 'Set RPC_URL to use a node of your own, or reinstall without --omit=optional.';

/**
 * Starts anvil on a free port; it mines nothing until told to. It ends with `stop`, and when our process ends in any way.
 * Rejects when the binary is missing for this platform, or ends before it listens.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { chainId, mnemonic, accounts = 10, genesisTime, binary = resolveAnvilBinary() } = options;
  // Older states move to disk while the chain grows. By default they would stay in the user's home after a SIGKILL.
  const states = createTemporaryDirectory();
  const args = ['--host', HOST, '--port', '0', '--chain-id', String(chainId), '--mnemonic', mnemonic];
  args.push(
    '--accounts',
    String(accounts),
    '--hardfork',
    'prague',
    '--timestamp',
    String(genesisTime),
    '--no-mining',
    // Its default lets pages of every site mine blocks and take them back.
    '--no-cors',
    // The dump of a chain is a request of several megabytes.
    '--no-request-size-limit',
    '--prune-history',
    String(MAX_ANVIL_STATES),
    '--cache-path',
    states,
  );
  const lifeline = startParentWatchdog(states);
  const child = spawn(binary, args, {
    // Ctrl-C in the terminal is for us: anvil answers until we have drained.
    detached: true,
    windowsHide: true,
    env: { _RJEM_MALLOC_CONF: ALLOCATOR_OPTIONS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) lifeline.watch(child.pid);
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve(lifeline.release())));
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

function createTemporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'grimoire-anvil-'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The embedded chain cannot write temporary files to ${tmpdir()} (${code}). Set TMPDIR to a directory that it can write to.`;
    throw new GraphError('BAD_USER_INPUT', message, { cause });
  }
}

/** The port anvil took, from the line it prints when it is ready. */
function waitForListeningPort(child: ChildProcessByStdio<null, Readable, Readable>): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (reason: string) =>
      reject(new GraphError('UPSTREAM_UNAVAILABLE', `The embedded chain did not start: ${reason}. ${INSTALL_HINT}`));
    const timer = setTimeout(() => fail(`anvil was not ready within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const listen = (chunk: Buffer) => {
      said += chunk;
      const port = /Listening on \S+:(\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      for (const stream of [child.stdout, child.stderr]) {
        stream.off('data', listen);
        // Anvil logs every call; unread, the pipe would fill up and stop it.
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
      fail(`anvil ended with ${signal ?? `code ${code}`}: ${said.trim().slice(-500)}`);
    });
  });
}

/** The native program. The npm package's own starter would be one more process between us and anvil, and outlive it or us. */
function resolveAnvilBinary(): string {
  const platform = `${process.platform}-${process.arch.replace('x64', 'amd64')}`;
  const path = `@foundry-rs/anvil-${platform}/bin/anvil${process.platform === 'win32' ? '.exe' : ''}`;
  try {
    // From anvil's own package: strict package managers show its platform packages to nobody else.
    const starter = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
    return createRequire(starter).resolve(path);
  } catch (cause) {
    const message = `The embedded chain needs anvil, and its package for ${platform} is not installed. ${INSTALL_HINT}`;
    throw new GraphError('UPSTREAM_UNAVAILABLE', message, { cause });
  }
}
