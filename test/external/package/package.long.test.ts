import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createTemporaryFolder, untilTestsEnd } from '../../support/cleanups.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { copyRepository, type OutsideProgram, runOutside, startOutside } from '../../support/package/installed.ts';

/** The documented commands as they are written, but for `npm test`, the port and the paths, in folders outside the repository. */
const readPage = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const readme = readPage('README.md');
const shellLines = (page: string): string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, lines]) => lines!.trimEnd().split('\n'));
const [startCommand, testCommand, queryCommand] = shellLines(readme);
const packedFile = shellLines(readPage('docs/deployment.md').split('## Packed file')[1]!);
const tableCommands = [...readme.matchAll(/^\| `(.*node .+)` \|/gm)].map(([, command]) => command!);

const GRAPH = /graph +(http:\S+)\/graphql/;
/** Also matches the last build of `npm start`, which runs while the server is ready. */
const GRAPH_AND_PAGES = /graph +(http:\S+)\/graphql[\s\S]*package of the embedded network built/;
const FREE_PORT = { PORT: '0' };

let folder: string;
let clone: string;
let graph: OutsideProgram;
let browser: Browser;

beforeAll(async () => {
  folder = createTemporaryFolder();
  clone = join(folder, 'grimoire');
  copyRepository(clone);
  browser = await launchBrowser();
  graph = untilTestsEnd(await startOutside(clone, startCommand!, GRAPH_AND_PAGES, FREE_PORT));
  // Installs all packages and builds everything.
}, 15 * 60_000);

test('the README leads with the commands that start and check a clone', () => {
  expect([startCommand, testCommand]).toEqual([
    expect.stringMatching(/^npm ci && npm start\b/),
    expect.stringMatching(/^npm ci && npm test\b/),
  ]);
});

test('the start command of the README serves the graph, the playground, the explorer and the documentation', async () => {
  const response = JSON.parse(await runOutside(folder, queryCommand!.replace('http://127.0.0.1:4000', graph.found)));
  expect(response).toMatchObject({ data: { wizards: { nodes: [{}, {}, {}] } } });
  for (const path of ['/', '/explore/', '/docs/', '/llms.txt', '/devnet.json'])
    expect((await fetch(graph.found + path)).status).toBe(200);
});

test('each link of the documentation leads to a page that has its heading', async () => {
  const pages = new Map<string, string | undefined>();
  // Grows while it is read.
  const links = new Set([`${graph.found}/docs/`]);
  const dead: string[] = [];
  for (const link of links) {
    const [address = '', anchor = ''] = link.split('#');
    if (!pages.has(address)) {
      const response = await fetch(address);
      pages.set(address, response.ok ? await response.text() : undefined);
      const hrefs = address.includes('/docs/') ? (pages.get(address) ?? '').matchAll(/ (?:href|src)="(.*?)"/g) : [];
      for (const [, href] of hrefs) {
        const { href: found, origin } = new URL(href!, address);
        if (origin === graph.found) links.add(found);
      }
    }
    if (!pages.get(address)?.includes(anchor && `id="${decodeURIComponent(anchor)}"`)) dead.push(link);
  }
  expect({ dead, hasManyPages: pages.size > 150 }).toEqual({ dead: [], hasManyPages: true });
});

test('the documentation has a search and obeys the content policy, also on a narrow screen', async () => {
  const tab = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const problems: string[] = [];
  tab.on('console', (message) => void problems.push(message.text()));
  tab.on('pageerror', ({ message }) => void problems.push(message));
  tab.on('request', (request) => void (request.url().startsWith(graph.found) || problems.push(request.url())));
  await tab.goto(`${graph.found}/docs/`);
  expect(await tab.getByRole('link', { name: `${graph.found}/explore/` }).count()).toBe(1);
  await tab.getByRole('button', { name: 'Search' }).click();
  await tab.locator('.VPLocalSearchBox input').fill('HEADER_CHECKS');
  await tab.locator('.VPLocalSearchBox .result').first().click();
  await tab.waitForURL(/\/docs\/settings#header_checks/);
  expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  expect(problems).toEqual([]);
  await tab.close();
});

test.each(tableCommands.filter((command) => !command.includes('init')))(
  'the command %s of the README starts',
  async (command) => {
    const { nodeService } = (await (await fetch(`${graph.found}/devnet.json`)).json()) as { nodeService: { http: string } };
    const ready = /graph +http|embedded chain is ready|speaks MCP|type Query/;
    const program = await startOutside(clone, command.replace(/https:\S+your-key/, nodeService.http), ready, FREE_PORT);
    await program.stop();
  },
);

/** Starts the built page of a project, and waits until it shows two blocks of the graph. */
async function showBlocks(project: string): Promise<void> {
  const page = await startOutside(project, 'npm start', /Local: +(http:\S+)/, { VITE_GRAPH_URL: `${graph.found}/graphql` });
  const tab = await browser.newPage();
  try {
    await tab.goto(page.found);
    await tab.locator('#state', { hasText: 'live' }).waitFor();
    const first = Number(await tab.locator('#block').textContent());
    expect(first).toBeGreaterThan(0);
    await tab.locator('#block', { hasText: String(first + 1) }).waitFor();
    expect(await tab.locator('#balance').textContent()).toMatch(/^[0-9.]+ ether$/);
  } finally {
    await tab.close();
    await page.stop();
  }
}

test('the project that init of a clone writes installs, builds, and shows a block of the graph', async () => {
  const command = tableCommands.find((text) => text.includes(' init '))!;
  expect(await runOutside(clone, command)).toContain('npm install');
  const project = join(folder, 'my-app');
  await runOutside(project, 'npm install');
  await showBlocks(project);
});

test('the packed server installs no other package, and init of it writes a project that installs and starts', async () => {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  const [pack, install, installNetwork, program] = packedFile.map((line) => line.replace('/path/to', folder));
  await runOutside(clone, pack!);
  await runOutside(elsewhere, install!);
  expect(readdirSync(join(elsewhere, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['grimoire']);
  await expect(runOutside(elsewhere, program!)).rejects.toThrow(
    /Install it \(npm install "\S+grimoire-devnet\.tgz"\), or set RPC_URL/,
  );
  const { nodeService } = (await (await fetch(`${graph.found}/devnet.json`)).json()) as { nodeService: { http: string } };
  await (await startOutside(elsewhere, program!, GRAPH, { ...FREE_PORT, RPC_URL: nodeService.http })).stop();
  const files = readdirSync(join(elsewhere, 'node_modules/grimoire'), { recursive: true, encoding: 'utf8' });
  for (const bundle of ['dist', 'dist/playground/assets', 'dist/explorer/assets', 'dist/docs/assets'])
    expect(files).toContainEqual(expect.stringMatching(`^${bundle}/licenses[^/]*\\.txt$`));
  await runOutside(elsewhere, `${program!.split(' #')[0]} init 'My Page'`);
  const project = join(elsewhere, 'My Page');
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name).toBe('my-page');
  // The packages of the project come from the installed file alone.
  rmSync(join(clone, 'dist'), { recursive: true });
  await runOutside(project, 'npm install');
  await showBlocks(project);
  const ownGraph = await startOutside(project, 'npm run graph', GRAPH, FREE_PORT);
  const page = await startOutside(project, 'npm run dev', /Local: +(http:\S+)/);
  expect((await fetch(`${ownGraph.found}/readyz`)).status).toBe(200);
  expect((await fetch(page.found)).status).toBe(200);
  await Promise.all([page.stop(), ownGraph.stop()]);
  await runOutside(elsewhere, installNetwork!);
  await (await startOutside(elsewhere, program!, GRAPH, FREE_PORT)).stop();
});

test('the start command of the README and its embedded network end at the interrupt of a terminal', async () => {
  const response = await fetch(`${graph.found}/devnet.json`);
  const { nodeService } = (await response.json()) as { nodeService: { http: string } };
  await graph.stop();
  for (const url of [graph.found, nodeService.http]) await expect(fetch(url)).rejects.toThrow('fetch failed');
});
