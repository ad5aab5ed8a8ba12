import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { runSql } from '../../support/postgres.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SCRIPT = fileURLToPath(new URL('postgres-parent-process.ts', import.meta.url));
const LOADER = createRequire(import.meta.url).resolve('tsx');

const temporary = createTemporaryFolder();
// PostgreSQL runs as another user if the test runs as root.
chmodSync(temporary, 0o755);

const serverDirectories = () => readdirSync(temporary).filter((name) => name.startsWith('grimoire-postgres-'));

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a process that starts a server. Resolves to the first line that it prints. */
async function startParent(...args: string[]) {
  const parent = spawn(process.execPath, ['--import', LOADER, SCRIPT, ...args], {
    env: { PATH: process.env.PATH, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(parent.stdout), 'line');
  return { parent, line: String(line) };
}

test('PostgreSQL ends and its directory is removed when its parent process is killed with SIGKILL', async () => {
  const { parent, line } = await startParent();
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  expect(await runSql(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(serverDirectories()).toHaveLength(1);
  parent.kill('SIGKILL');
  await waitUntil(() => !isRunning(pid), 'PostgreSQL has ended');
  await waitUntil(() => serverDirectories().length === 0, 'its directory is removed');
});
