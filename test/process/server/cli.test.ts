import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { coreSettings } from '../../../src/config/core-settings.ts';
import { readSettings } from '../../../src/config/settings.ts';
import { chainSettings } from '../../../src/domains/chain/settings.ts';
import { servedDomains } from '../../../src/domains/domain.ts';
import { wizards } from '../../../src/domains/wizards/index.ts';
import { composeSchema, printGraph } from '../../../src/graphql/federation/compose.ts';
import { printSubgraph } from '../../../src/graphql/federation/subgraph-sdl.ts';
import { cleanups, createTemporaryFolder } from '../../support/cleanups.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { reservePort } from '../../support/reserved-port.ts';

/** The commands of the built program. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const run = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

const definitions = { ...coreSettings, ...chainSettings, ...wizards.settings };

test('--help lists the commands and each setting as flag and variable, and names the program as it was started', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/main.js', '--help'], { cwd: ROOT });
  expect(stdout).toContain('Usage: node dist/main.js [options] [command]');
  expect(stdout).toContain('  node dist/main.js devnet ');
  for (const name of Object.keys(definitions))
    expect(stdout).toMatch(new RegExp(`--${name.toLowerCase().replaceAll('_', '-')}, ${name}`));
  for (const command of ['serve', 'devnet', 'mcp', 'schema', 'init']) expect(stdout).toContain(`  ${command}`);
});

test('init writes a project that depends on the packages beside the program', async () => {
  const folder = createTemporaryFolder();
  await run('init', folder);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(dependencies['@grimoire/client']).toBe(`file:${join(ROOT, 'dist/grimoire-client.tgz')}`);
  expect(existsSync(join(ROOT, 'dist/grimoire-client.tgz'))).toBe(true);
  expect(resolve(devDependencies.grimoire.replace('file:', ''))).toBe(resolve(ROOT));
});

test('init rejects a folder that is not empty and writes nothing', async () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'own.txt'), '');
  await expect(run('init', folder)).rejects.toMatchObject({
    code: 1,
    stderr: `${folder} is not an empty folder. Pass the path of a new or an empty folder.\n`,
  });
  expect(readdirSync(folder)).toEqual(['own.txt']);
});

test('schema prints the committed schema', async () => {
  const { stdout } = await run('schema');
  const committed = readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8');
  expect(stdout).toBe(committed.slice(committed.indexOf('\n') + 1));
});

test('schema omits the tournament when RPC_URL is set without WIZARDS_URL', async () => {
  const { stdout } = await run('schema', '--rpc-url', 'http://127.0.0.1:1');
  expect(stdout).toContain('type TokenBalance');
  expect(stdout).not.toMatch(/wizard|duel/i);
  const both = { RPC_URL: 'http://127.0.0.1:1', WIZARDS_URL: 'http://127.0.0.1:2' };
  expect(servedDomains([wizards], readSettings(definitions, both, {}))).toEqual([wizards]);
});

test('schema --domain and --federated print the SDL of a subgraph', async () => {
  const both = domains.filter(({ name }) => ['tokens', 'wizards'].includes(name));
  const separate = await run('schema', '--domain', 'wizards', '--domain', 'tokens', '--multi-chain');
  expect(separate.stdout).toBe(printSubgraph(both, true));
  expect((await run('schema', '--domain', 'tokens,wizards')).stdout).toBe(printSubgraph(both));
  expect((await run('schema', '--multi-chain')).stdout).toBe(printGraph(composeSchema(domains, true)));
  expect((await run('schema', '--federated')).stdout).toBe(printSubgraph(domains));
});

test.each([
  ['schema --domain wizards --rpc-url http://127.0.0.1:1', 'which is disabled: set WIZARDS_URL'],
  ['schema --domain duels', 'Pass one or several of: chain, tokens, webhooks, wizards.'],
  ['devnet --chains 5', 'DEVNET_CHAINS (or --devnet-chains) is "5": expected a whole number from 1 to 4.'],
  ['serve --domain chain', 'Set RPC_URL to a node, or DEVNET_URL to a running "grimoire devnet".'],
])('%s exits with status 1 and one line', async (args, text) => {
  const error = await run(...args.split(' ')).catch((failure: { code: number; stderr: string }) => failure);
  expect(error).toMatchObject({ code: 1, stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect(error.stderr).toContain(text);
});

/** Runs `devnet` until it has printed its description; returns the whole text and the description. */
async function runDevnet(...flags: string[]): Promise<{ child: ChildProcess; text: string; devnet: any }> {
  const child = spawn(process.execPath, [MAIN, 'devnet', '--devnet-life', 'off', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  let text = '';
  for await (const line of createInterface(child.stdout)) {
    text += `${line}\n`;
    if (line === '}') break;
  }
  return { child, text, devnet: JSON.parse(text.slice(text.indexOf('{'))) };
}

test('devnet listens on the configured ports, prints its description and exits with status 0, or 1 when a port is in use', async () => {
  const reserved = await Promise.all([reservePort(), reservePort()]);
  const [http, ws] = reserved.map(({ port }) => String(port)) as [string, string];
  const flags = ['--devnet-seed', '7', '--devnet-node-port', http, '--devnet-node-ws-port', ws];
  await expect(run('devnet', ...flags)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(http) });
  await Promise.all(reserved.map(({ release }) => release()));
  const { child, text, devnet } = await runDevnet(...flags);
  const further = { name: 'Test deployment', chainId: 31338, seed: 8 };
  expect(devnet).toMatchObject({ seed: 7, blockTime: null, chains: [further] });
  expect(text).toContain('\n  chain       Test deployment, embedded chain 31338 at http://127.0.0.1:');
  const { endpoints, nodeService } = devnet;
  expect(new URL(nodeService.http).port).toBe(http);
  expect(new URL(nodeService.ws).port).toBe(ws);
  // The port of anvil and the path of the control endpoint stay random.
  expect([http, ws]).not.toContain(new URL(endpoints.http).port);
  expect(new URL(nodeService.control).pathname).toMatch(/^\/control\/[0-9a-f]{32}$/);
  for (const url of [nodeService.http, nodeService.ws, endpoints.http]) expect(text.slice(0, text.indexOf('{'))).toContain(url);
  expect(text).toContain(`\n  DEVNET_URL  http://127.0.0.1:${http}\n`);
  expect(await (await fetch(`http://127.0.0.1:${http}/devnet.json`)).json()).toEqual(devnet);
  expect(await rpc(nodeService.http, 'eth_chainId', [])).toBe('0x7a69');
  expect(await rpc(endpoints.http, 'eth_chainId', [])).toBe('0x7a69');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  for (const url of [nodeService.http, endpoints.http]) await expect(rpc(url, 'eth_chainId', [])).rejects.toThrow();
});

test('invalid settings exit with status 1 and one line each, a flag before its variable, without secrets', async () => {
  const refused = promisify(execFile)(process.execPath, [MAIN, '--port', 'flag'], {
    env: { ...process.env, PORT: 'environment', RPC_URL: 'ftp://node.example/secret-key-0123', DEVNET_LIFE: 'maybe' },
  });
  const { code, stderr } = await refused.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(1);
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines).toContainEqual(expect.stringMatching(/^PORT \(or --port\) is "flag": /));
  expect(lines).toContainEqual(expect.stringMatching(/^RPC_URL \(or --rpc-url\): is not an http/));
  expect(lines).toContainEqual(expect.stringMatching(/^DEVNET_LIFE \(or --devnet-life\) is "maybe": /));
  expect(stderr).not.toContain('secret-key');
});

test.each([
  ['--prot', "unknown option '--prot'\n(Did you mean --port?)"],
  ['--rpc_url=https://node.example/v2/key', "unknown option '--rpc_url=...'\n"],
  ['shcema', "unknown command 'shcema'\n(Did you mean schema?)"],
])('the unknown argument %s exits with status 1 and is named, with the nearest one', async (argument, text) => {
  await expect(run(argument)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(text) });
});
