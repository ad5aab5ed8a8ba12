import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/clients/browser.ts';
import { type OutsideProgram, packPackages, runOutside, startOutside } from '../support/package/installed.ts';
import { reservePort } from '../support/reserved-port.ts';

/** The files that `npm publish` would publish, installed and started in a folder outside the repository. */
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'];

let folder: string;
let packed: { readonly server: string; readonly client: string };
let graph: OutsideProgram;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grimoire-package-'));
  mkdirSync(join(folder, 'packed'));
  mkdirSync(join(folder, 'empty'));
  packed = await packPackages(join(folder, 'packed'));
  await runOutside(join(folder, 'empty'), 'npm', ...INSTALL, packed.server);
  browser = await launchBrowser();
  graph = await startOutside(join(folder, 'empty'), /graph +(http:\S+)\/graphql/, { PORT: '0' }, 'npx', 'grimoire');
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the package installs no package that its bundle contains', () => {
  const installed = readdirSync(join(folder, 'empty/node_modules'));
  expect(installed).toContain('grimoire');
  expect(['fastify', 'graphql', 'ethers'].filter((name) => installed.includes(name))).toEqual([]);
});

test('npx grimoire serves the graph, the playground and the explorer from an empty folder', async () => {
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
  for (const path of ['/', '/explore/', '/docs/', '/llms.txt', '/devnet.json'])
    expect((await fetch(graph.found + path)).status).toBe(200);
});

test('each link of llms.txt is a page of the documentation as Markdown', async () => {
  const text = await (await fetch(`${graph.found}/llms.txt`)).text();
  const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(20);
  for (const link of links) {
    const response = await fetch(new URL(link, `${graph.found}/llms.txt`));
    expect([link, response.status, (await response.text()).slice(0, 2)]).toEqual([link, 200, '# ']);
  }
});

test('the documentation has a search and obeys the content policy, also on a narrow screen', async () => {
  const tab = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const problems: string[] = [];
  tab.on('console', (message) => void problems.push(message.text()));
  tab.on('pageerror', ({ message }) => void problems.push(message));
  tab.on('request', (request) => void (request.url().startsWith(graph.found) || problems.push(request.url())));
  await tab.goto(`${graph.found}/docs/`);
  await tab.getByRole('button', { name: 'Search' }).click();
  await tab.locator('.VPLocalSearchBox input').fill('CURSOR_EXPIRED');
  await tab.locator('.VPLocalSearchBox .result').first().click();
  await tab.waitForURL(/\/docs\/[\w/-]+#/);
  expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  expect(problems).toEqual([]);
  await tab.close();
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
  try {
    const tab = await browser.newPage();
    await tab.goto(page.found);
    await tab.locator('#state', { hasText: 'live' }).waitFor();
    const first = Number(await tab.locator('#block').textContent());
    expect(first).toBeGreaterThan(0);
    await tab.locator('#block', { hasText: String(first + 1) }).waitFor();
    expect(await tab.locator('#balance').textContent()).toMatch(/^[0-9.]+ ether$/);
  } finally {
    await page.stop();
  }
});

test('npx grimoire and its embedded network end at the interrupt of a terminal', async () => {
  const response = await fetch(`${graph.found}/devnet.json`);
  const { nodeService } = (await response.json()) as { nodeService: { http: string } };
  await graph.stop();
  for (const url of [graph.found, nodeService.http]) await expect(fetch(url)).rejects.toThrow('fetch failed');
});
