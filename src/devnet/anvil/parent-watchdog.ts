import { spawn } from 'node:child_process';

/** Kills a child process and removes its directory when this process exits. */
export interface ParentWatchdog {
  /** Registers the child process. */
  watch(pid: number): void;
  /** To be called when the child has exited: nothing is killed, since its pid may be reused. Resolves when the directory is removed. */
  release(): Promise<void>;
}

/** Reads "<pid> released" from its standard input, or the part of it that was written before the pipe closed. */
const WATCHDOG_SCRIPT = `
const [directory] = process.argv.slice(1);
let received = '';
process.stdin.on('data', (chunk) => { received += chunk; });
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
  const pid = Number.parseInt(received);
  if (pid > 0 && !received.endsWith('released')) try { process.kill(pid, 'SIGKILL'); } catch {}
  require('node:fs').rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});
`;

/**
 * Starts a small process that cleans up when its pipe closes, which happens on SIGKILL too. Start it before the child: a kill between
 * the two would leave the child running.
 */
export function startParentWatchdog(directory: string): ParentWatchdog {
  const watcher = spawn(process.execPath, ['-e', WATCHDOG_SCRIPT, directory], {
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
