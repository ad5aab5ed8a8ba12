import { spawn } from 'node:child_process';

/** Kills a child process and removes its directory when this process exits. */
export interface ParentWatchdog {
  /** Registers the child process, instead of the previous one. */
  watch(pid: number): void;
  /** To be called when the child has exited: nothing is killed, since its pid may be reused. Resolves when the directory is removed. */
  release(): Promise<void>;
}

export interface ParentWatchdogOptions {
  /** Directory that is removed once the child has exited. @default no directory */
  readonly directory?: string | undefined;
  /** Signal that ends the child and the children of the child. @default SIGKILL */
  readonly signal?: NodeJS.Signals;
}

/**
 * Reads "<pid> <pid> released" from its standard input, or the part of it that was written before the pipe closed; the last pid counts.
 * A child that is still running five seconds after the signal gets SIGKILL.
 */
const WATCHDOG_SCRIPT = `
const [signal, directory] = process.argv.slice(1);
const send = (pid, name) => { try { return process.kill(pid, name); } catch { return false; } };
const remove = () => {
  if (directory) require('node:fs').rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
};
let received = '';
process.stdin.on('data', (chunk) => { received += chunk; });
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
  const pid = Number(received.trim().split(' ').at(-1));
  if (!(pid > 0) || !send(pid, signal) || signal === 'SIGKILL') return remove();
  const deadline = Date.now() + 5_000;
  const timer = setInterval(() => {
    const isLate = Date.now() > deadline;
    if (send(pid, isLate ? 'SIGKILL' : 0) && !isLate) return;
    clearInterval(timer);
    remove();
  }, 20);
});
`;

/**
 * Starts a small process that cleans up when its pipe closes, which happens on SIGKILL too. Start it before the child: a kill between
 * the two would leave the child running.
 */
export function startParentWatchdog({ directory = '', signal = 'SIGKILL' }: ParentWatchdogOptions): ParentWatchdog {
  const watcher = spawn(process.execPath, ['-e', WATCHDOG_SCRIPT, signal, directory], {
    // In its own process group: Ctrl-C in the terminal must not end it first.
    detached: true,
    windowsHide: true,
    // Without NODE_OPTIONS, which may load modules or start a debugger.
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    watcher.once('exit', () => resolve());
    watcher.once('error', () => resolve());
  });
  // A watchdog that was killed must not end this process.
  watcher.stdin.on('error', () => {});
  watcher.unref();
  return {
    watch: (pid) => watcher.stdin.write(`${pid} `),
    release() {
      watcher.ref();
      watcher.stdin.end('released');
      return ended;
    },
  };
}
