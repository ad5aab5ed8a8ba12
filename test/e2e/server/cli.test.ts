import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { assembleSettings } from '../../../src/config.ts';
import { domains } from '../../../src/installed-domains.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';

/** The commands of the built program. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

let child: ReturnType<typeof spawn> | undefined;

afterEach(() => void child?.kill('SIGKILL'));

test('--help lists the commands and each setting as flag and variable', async () => {
  const { stdout } = await run('--help');
  for (const name of Object.keys(assembleSettings(domains)))
    expect(stdout).toMatch(new RegExp(`--${name.toLowerCase().replaceAll('_', '-')}, ${name}`));
  for (const command of ['serve', 'devnet', 'schema']) expect(stdout).toContain(`  ${command}`);
});

test('schema prints the committed schema', async () => {
  const { stdout } = await run('schema');
  const committed = readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8');
  expect(stdout).toBe(committed.slice(committed.indexOf('\n') + 1));
});

test('schema omits the tournament when RPC_URL is set without WIZARDS_URL', async () => {
  const [alone, both] = await Promise.all([
    run('schema', '--rpc-url', 'http://127.0.0.1:1'),
    run('schema', '--rpc-url', 'http://127.0.0.1:1', '--wizards-url', 'http://127.0.0.1:2'),
  ]);
  expect(alone.stdout).toContain('type TokenBalance');
  expect(alone.stdout).not.toMatch(/wizard|duel/i);
  expect(both.stdout).toContain('type Duel');
});

/** Runs `devnet` until it has printed its description; returns the whole text and the description. */
async function runDevnet(...flags: string[]): Promise<{ text: string; devnet: any }> {
  child = spawn(process.execPath, [MAIN, 'devnet', '--devnet-life', 'off', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const line of createInterface(child.stdout!)) {
    text += `${line}\n`;
    if (line === '}') break;
  }
  return { text, devnet: JSON.parse(text.slice(text.indexOf('{'))) };
}

async function endDevnet(): Promise<void> {
  child!.kill('SIGINT');
  expect(await once(child!, 'exit')).toEqual([0, null]);
}

test('devnet runs the embedded chain, prints its description and exits with status 0', async () => {
  const { text, devnet } = await runDevnet('--devnet-seed', '7');
  expect(devnet).toMatchObject({ seed: 7, blockTime: null });
  const { endpoints, nodeService } = devnet;
  for (const url of [nodeService.http, nodeService.ws, endpoints.http]) expect(text.slice(0, text.indexOf('{'))).toContain(url);
  expect(await rpc(nodeService.http, 'eth_chainId', [])).toBe('0x7a69');
  expect(await rpc(endpoints.http, 'eth_chainId', [])).toBe('0x7a69');
  await endDevnet();
  for (const url of [nodeService.http, endpoints.http]) await expect(rpc(url, 'eth_chainId', [])).rejects.toThrow();
});

test('devnet listens on the configured ports, and exits with status 1 when one is in use', async () => {
  const portOf = (url: string) => new URL(url).port;
  const { nodeService: first } = (await runDevnet()).devnet;
  const ports = ['--devnet-node-port', portOf(first.http), '--devnet-node-ws-port', portOf(first.ws)];
  await expect(run('devnet', ...ports)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(portOf(first.http)) });
  await endDevnet();
  const { nodeService: second } = (await runDevnet(...ports)).devnet;
  expect({ http: second.http, ws: second.ws }).toEqual({ http: first.http, ws: first.ws });
  // The port of anvil itself is random at each start.
  expect(second.control).not.toBe(first.control);
  await endDevnet();
});

test('a flag overrides the environment variable', async () => {
  const failure = await promisify(execFile)(process.execPath, [MAIN, '--port', 'flag'], {
    env: { ...process.env, PORT: 'environment' },
  }).then(
    () => 'it started',
    ({ stderr }: { stderr: string }) => stderr,
  );
  expect(failure).toMatch(/^PORT \(or --port\) is "flag": /);
});

test('an unknown flag exits with status 1 and is named', async () => {
  await expect(run('--nope')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--nope') });
});
