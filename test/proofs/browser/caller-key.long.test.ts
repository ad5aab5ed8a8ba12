import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { examples, PlaygroundPage } from '../../support/clients/playground-page.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** The pages of a server that requires callers. */
const KEY = 'reader-key-of-this-test';
/** What the console reports of a request without a key. */
const REFUSED = /^error: Failed to load resource: the server responded with a status of 401/;

let graph: RunningGraph;
let browser: Browser;
let pages: BrowserPages;

beforeAll(async () => {
  const settings = { API_KEYS: `reader=${KEY}`, REQUIRE_CALLER: 'on', DEVNET_BLOCK_TIME: '1' };
  [graph, browser] = await Promise.all([startGraph(settings), launchBrowser()]);
  pages = new BrowserPages(browser, graph.url);
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
});

const takeErrors = () => pages.errors.splice(0).filter((error) => !REFUSED.test(error));
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'This server needs a key' });

async function enterKey(page: Page, key: string): Promise<void> {
  const dialog = dialogOf(page);
  await dialog.getByLabel('API key or token').fill(key);
  const loaded = page.waitForEvent('load');
  await dialog.getByLabel('API key or token').press('Enter');
  await loaded;
}

/** Enters a wrong key, then the right one. */
async function answerDialog(page: Page): Promise<void> {
  await dialogOf(page).getByText('Enter the key or the token of an application.').waitFor();
  const { x, width } = (await dialogOf(page).boundingBox())!;
  expect([x > 0, x + width < page.viewportSize()!.width]).toEqual([true, true]);
  await enterKey(page, 'wrong-key-of-this-test');
  await dialogOf(page).getByText('The API key or token is not accepted.').waitFor();
  await enterKey(page, KEY);
}

test('explorer on a phone asks for a key, and reads pages and live heads with it', async () => {
  const page = await pages.open('/explore', { viewport: { width: 390, height: 844 } });
  await answerDialog(page);
  await page.locator('[data-cost]').waitFor();
  await page.locator('.head-status', { hasText: /^live\s*block [\d,]+$/ }).waitFor();
  expect(await dialogOf(page).count()).toBe(0);
  expect(takeErrors()).toEqual([]);
  await page.goto(new URL('/explore/block/20', graph.url).href);
  await page.locator('[data-cost]').waitFor();
  expect(pages.errors.splice(0)).toEqual([]);
  await page.context().close();
});

test('playground asks for a key, and sends operations and subscriptions with it', async () => {
  const page = await pages.open('/', { viewport: { width: 1280, height: 800 } });
  await answerDialog(page);
  const playground = new PlaygroundPage(page);
  await playground.waitUntilReady();
  await playground.execute();
  expect((await playground.readResponse()).data.chainID).toBe('0x7a69');
  expect(takeErrors()).toEqual([]);
  const subscription = examples.find(({ query }) => /^subscription .*newHeads/ms.test(query))!;
  await page.goto(`${graph.url}/?query=${encodeURIComponent(subscription.query)}`);
  await playground.waitUntilReady();
  await playground.execute();
  await page.locator('.events details').first().waitFor();
  expect(pages.errors.splice(0)).toEqual([]);
  await page.context().close();
});

test('the key stays in its tab, and a dialog that is cancelled leaves the refusal on the page', async () => {
  const page = await pages.open('/explore');
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Every operation of this server needs a caller.').waitFor();
  expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])')).not.toContain(
    'key-of-this-test',
  );
  await page.reload();
  await enterKey(page, KEY);
  await page.locator('[data-cost]').waitFor();
  expect(await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])')).not.toContain(KEY);
  const other = await page.context().newPage();
  await other.goto(new URL('/explore', graph.url).href);
  await dialogOf(other).waitFor();
  await page.context().close();
  expect(takeErrors()).toEqual([]);
  expect(graph.output()).not.toContain(KEY);
});
