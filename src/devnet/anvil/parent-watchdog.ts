import { spawn } from 'node:child_process';

/** Ends a child process, and removes its directory, when our own process is gone. */
export interface ParentWatchdog {
  /** From now on this process dies with ours. */
  watch(pid: number): void;
  /** The process has ended, so its pid may soon be someone else's: nothing is killed. Resolves when the directory is removed. */
  release(): Promise<void>;
}

/** Hears "<pid> released" from us, as far as we come before the pipe ends. */
const WATCHDOG_SCRIPT = `
const [directory] = process.argv.slice(1);
let heard = '';
process.stdin.on('data', (chunk) => { heard += chunk; });
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
  const pid = Number.parseInt(heard);
  if (pid > 0 && !heard.endsWith('released')) try { process.kill(pid, 'SIGKILL'); } catch {}
  require('node:fs').rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});
`;

/**
 * A pipe closes even after SIGKILL, when no handler of ours runs, so a small process on its other end does the tidying. Cast it before the
 * child starts: between the two a kill would leave the child alone.
 */
export function startParentWatchdog(directory: string): ParentWatchdog {
  const watcher = spawn(process.execPath, ['-e', WATCHDOG_SCRIPT, directory], {
    // In a group of its own, or Ctrl-C in the terminal would end it first.
    detached: true,
    windowsHide: true,
    // Without NODE_OPTIONS of ours, which may load or debug things.
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    watcher.once('exit', () => resolve());
    watcher.once('error', () => resolve());
  });
  // Somebody may have killed the watcher; that must not take us along.
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
