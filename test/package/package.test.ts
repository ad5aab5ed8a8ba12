import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { launchBrowser } from '../support/clients/browser.ts';
import { type OutsideProgram, packPackages, runOutside, startOutside } from '../support/package/installed.ts';
import { reservePort } from '../support/reserved-port.ts';

/** The files that `npm publish` would publish, installed and started in a folder outside the repository. */
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'];

let folder: string;
let packed: { readonly server: string; readonly client: string };
let graph: OutsideProgram;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grimoire-package-'));
  mkdirSync(join(folder, 'packed'));
  mkdirSync(join(folder, 'empty'));
  packed = await packPackages(join(folder, 'packed'));
  await runOutside(join(folder, 'empty'), 'npm', ...INSTALL, packed.server);
  graph = await startOutside(join(folder, 'empty'), /graph +(http:\S+)\/graphql/, { PORT: '0' }, 'npx', 'grimoire');
});

afterAll(async () => {
  await graph?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the package installs no package that its bundle contains', () => {
  const installed = readdirSync(join(folder, 'empty/node_modules'));
  expect(installed).toContain('grimoire');
  expect(['fastify', 'graphql', 'ethers'].filter((name) => installed.includes(name))).toEqual([]);
});

test('npx grimoire serves the graph, the playground and the live page from an empty folder', async () => {
  const body = JSON.stringify({
    query: '{ block { number } wizards(first: 1) { nodes { id } } webhookEvents(first: 1) { nodes { id } } }',
  });
  const response = await fetch(`${graph.found}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(await response.json()).toMatchObject({
    data: { block: { number: expect.stringMatching(/^0x/) }, wizards: { nodes: [{}] } },
  });
  for (const path of ['/', '/live/', '/devnet.json']) expect((await fetch(graph.found + path)).status).toBe(200);
});

test('the project of grimoire init builds, starts and shows a block of the graph', async () => {
  const printed = await runOutside(join(folder, 'empty'), 'npx', 'grimoire', 'init', '../My Page');
  expect(printed).toContain('npm install');
  const project = join(folder, 'My Page');
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name).toBe('my-page');
  // Not from the registry, where this version may not exist.
  await runOutside(project, 'npm', ...INSTALL, packed.client, packed.server);
  const { port, release } = await reservePort();
  await release();
  const env = { VITE_GRAPH_URL: `${graph.found}/graphql` };
  const page = await startOutside(
    project,
    /Local: +(http:\S+)/,
    env,
    'npm',
    'start',
    '--',
    '--port',
    String(port),
    '--strictPort',
  );
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(page.found);
    await tab.locator('#state', { hasText: 'live' }).waitFor();
    const first = Number(await tab.locator('#block').textContent());
    expect(first).toBeGreaterThan(0);
    await tab.locator('#block', { hasText: String(first + 1) }).waitFor();
    expect(await tab.locator('#balance').textContent()).toMatch(/^[0-9.]+ ether$/);
  } finally {
    await browser.close();
    await page.stop();
  }
});

test('npx grimoire and its embedded network end at the interrupt of a terminal', async () => {
  const response = await fetch(`${graph.found}/devnet.json`);
  const { nodeService } = (await response.json()) as { nodeService: { http: string } };
  await graph.stop();
  for (const url of [graph.found, nodeService.http]) await expect(fetch(url)).rejects.toThrow('fetch failed');
});
