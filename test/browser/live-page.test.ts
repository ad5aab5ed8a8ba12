import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { DevnetDescription } from '../../src/devnet/index.ts';
import { openBrowser } from '../kit/browser.ts';
import { type RunningGraph, startGraph } from '../kit/graph.ts';

/** The page of examples/live as the graph serves it, before the embedded chain. */
let graph: RunningGraph;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '0.4' }), openBrowser()]);
  page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${graph.url}/live`);
}, 60_000);

afterAll(async () => {
  await Promise.all([browser?.close(), graph?.stop()]);
  expect(complaints).toEqual([]);
});

const rowsOf = (list: string) => page.locator(`#${list} li`);
const numberIn = async (row: ReturnType<typeof rowsOf>) => Number(await row.locator('b').textContent());

test('blocks and logs arrive on the page as they happen', async () => {
  await page.locator('#state.live', { hasText: 'live' }).waitFor();
  await rowsOf('heads').nth(2).waitFor();
  await rowsOf('logs').nth(2).waitFor();
  const newest = await numberIn(rowsOf('heads').first());
  await page.locator(`#heads li[data-key="0x${(newest + 2).toString(16)}"]`).waitFor();
  expect(await rowsOf('heads').first().locator('code').textContent()).toMatch(/^0x[0-9a-f]{64}$/);
});

test('what a reorg takes away is struck out, and what comes in its place is there', async () => {
  const { nodeService } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const response = await fetch(nodeService.control, { method: 'POST', body: JSON.stringify({ reorg: { depth: 2 } }) });
  expect(response.status).toBe(200);
  await page.locator('#heads li.gone').nth(1).waitFor();
  await page.locator('#logs li.gone').first().waitFor();
  const gone = await numberIn(rowsOf('heads').and(page.locator('.gone')).first());
  await page.locator(`#heads li:not(.gone)[data-key="0x${gone.toString(16)}"]`).waitFor();
  await page.locator('#heads li:not(.gone)').first().waitFor();
  expect(await page.locator('#state').getAttribute('class')).toBe('live');
});
