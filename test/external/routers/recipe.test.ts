import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { reservePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The commands of docs/recipes/router.md as they are written, but for the ports, the network and the installation. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const text = readFileSync(join(ROOT, 'docs/recipes/router.md'), 'utf8');
const [, startSubgraphs, compose, startRouter, query] = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(
  ([, commands]) => commands!,
);

test('the commands of the router recipe start a router whose query reads both subgraphs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grimoire-router-'));
  const [cwd, router] = [join(folder, 'clone'), join(folder, 'router')];
  for (const path of [cwd, router]) mkdirSync(path);
  for (const name of ['dist', 'examples', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name));
  symlinkSync(join(ROOT, 'test/external/routers/packages/node_modules'), join(router, 'node_modules'));
  const ports = await Promise.all(['4001', '4002', '4003'].map(async (port) => ({ from: port, ...(await reservePort()) })));
  await Promise.all(ports.map(({ release }) => release()));
  const withPorts = (commands: string): string =>
    ports
      .reduce((all, { from, port }) => all.replaceAll(from, String(port)), commands)
      .replace('http://127.0.0.1:8545', sharedDevnet().nodeService.origin)
      .replace(/^npm install .*\n/m, '');
  const run = (commands: string) => execFileSync('bash', ['-ec', withPorts(commands)], { cwd, encoding: 'utf8' });
  // Process groups: the commands run until they are stopped.
  const start = (commands: string) =>
    spawn('bash', ['-ec', withPorts(commands)], { cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const started = [start(`${startSubgraphs!}wait`)];
  try {
    const output: Buffer[] = [];
    started[0]!.stdout!.on('data', (chunk: Buffer) => void output.push(chunk));
    await waitUntil(() => String(output).match(/ is ready/g)?.length === 2, 'both subgraphs are ready');
    run(compose!);
    started.push(start(startRouter!));
    const read = async () => JSON.parse(run(query!));
    await waitUntil(() => read().then(Boolean, () => false), 'the router responds');
    const owned = { owner: { balance: expect.stringMatching(/^0x/) } };
    expect(await read()).toMatchObject({ data: { wizards: { nodes: [owned, owned] } } });
  } finally {
    const exits = started.map((child) => child.exitCode === null && once(child, 'exit'));
    // A shell starts commands in the background without SIGINT.
    for (const { pid } of started) process.kill(-pid!, 'SIGTERM');
    await Promise.all(exits);
    rmSync(folder, { recursive: true });
  }
});
