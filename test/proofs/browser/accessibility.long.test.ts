import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The start page, the pages of the settings and of a recipe, and the page with the longest table. */
const DOCS = ['', 'start/node', 'settings', 'recipes/portfolio', 'observability'];
/** A phone and a laptop. */
const WIDTHS = [390, 1280];

let graph: RunningGraph;
let browser: Browser;
let paths: readonly string[];

beforeAll(async () => {
  // `npm run build` does not build the documentation.
  if (!existsSync('dist/docs/index.html')) await promisify(execFile)('npm', ['run', 'build:docs']);
  [graph, browser] = await Promise.all([startGraph(), launchBrowser()]);
  const { accounts, contracts, landmarks } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const explorer = ['', 'blocks', 'block/20', 'tokens', 'tournament', 'wizard/1', 'search/2', 'none'];
  const objects = [
    `address/${accounts[0]!.address}`,
    `token/${contracts[0]!.address}`,
    `tx/${landmarks.tokenTransfer}`,
    `duel/${landmarks.finishedDuel}`,
  ];
  const pages = [...[...explorer, ...objects].map((path) => `explore/${path}`), ...DOCS.map((path) => `docs/${path}`)];
  paths = ['/', '/#accounts', '/nothing', ...pages.map((path) => `/${path}`)];
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
});

test.each(WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const)))(
  'axe finds nothing serious or critical on any page of %d px in %s mode, and no page overflows',
  async (width, colorScheme) => {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    const page = await context.newPage();
    const problems: string[] = [];
    for (const path of paths) {
      await page.goto(graph.url + path, { waitUntil: 'load' });
      await page.locator('h1').first().waitFor();
      await page.addScriptTag({ content: AXE });
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      for (const { id, impact, nodes } of violations) {
        if (impact === 'serious' || impact === 'critical') problems.push(`${path} ${id}: ${nodes[0]!.html}`);
      }
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (overflow > 0) problems.push(`${path} is ${overflow} px too wide`);
    }
    await context.close();
    expect(problems).toEqual([]);
  },
);
