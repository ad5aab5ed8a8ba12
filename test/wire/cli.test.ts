import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { settingNames } from '../../src/config.ts';
import { rpc } from '../kit/chain.ts';

/** The commands of the program, as typed. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

let child: ReturnType<typeof spawn> | undefined;

afterEach(() => void child?.kill('SIGKILL'));

test('--help names the commands, and every setting as a flag and as a variable', async () => {
  const { stdout } = await run('--help');
  for (const name of settingNames) expect(stdout).toMatch(new RegExp(`--${name.toLowerCase().replaceAll('_', '-')}, ${name}`));
  for (const command of ['serve', 'devnet', 'schema']) expect(stdout).toContain(`  ${command}`);
});

test('schema prints the committed schema', async () => {
  const { stdout } = await run('schema');
  const committed = readFileSync(new URL('../../schema/graph.graphql', import.meta.url), 'utf8');
  expect(stdout).toBe(committed.slice(committed.indexOf('\n') + 1));
});

test('devnet runs the embedded chain alone, describes it, and ends with status 0', async () => {
  child = spawn(process.execPath, [MAIN, 'devnet', '--devnet-life', 'off', '--devnet-seed', '7'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const line of createInterface(child.stdout!)) {
    text += `${line}\n`;
    if (line === '}') break;
  }
  const devnet = JSON.parse(text.slice(text.indexOf('{')));
  expect(devnet).toMatchObject({ seed: 7, blockTime: null });
  expect(await rpc(devnet.endpoints.http, 'eth_chainId', [])).toBe('0x7a69');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect(rpc(devnet.endpoints.http, 'eth_chainId', [])).rejects.toThrow();
});

test('a flag goes before the environment', async () => {
  const failure = await promisify(execFile)(process.execPath, [MAIN, '--port', 'flag'], {
    env: { ...process.env, PORT: 'environment' },
  }).then(
    () => 'it started',
    ({ stderr }: { stderr: string }) => stderr,
  );
  expect(failure).toMatch(/^PORT \(or --port\) is "flag": /);
});

test('a flag that there is not ends the program with status 1, and is named', async () => {
  await expect(run('--nope')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--nope') });
});
