import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startParentWatchdog } from '../../../devnet/src/parent-watchdog.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SCRIPT = fileURLToPath(new URL('watched-process.ts', import.meta.url));
const LOADER = createRequire(import.meta.url).resolve('tsx');

test('release of a watchdog removes the directory and leaves the watched pid alone', async () => {
  const directory = createTemporaryFolder();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
  const watchdog = startParentWatchdog({ directory });
  watchdog.watch(child.pid!);
  await watchdog.release();
  expect(existsSync(directory)).toBe(false);
  expect(child.kill()).toBe(true);
  // A signal of the watchdog would be SIGKILL.
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
});

test('a child that ignores the signal of the watchdog is killed before the directory is removed', async () => {
  const directory = createTemporaryFolder();
  const parent = spawn(process.execPath, ['--import', LOADER, SCRIPT, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(parent.stdout), 'line');
  const pid = Number(line);
  expect(pid).toBeGreaterThan(0);
  await waitUntil(() => !existsSync(directory), 'the directory is removed');
  await waitUntil(() => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  }, 'the child has ended');
});
