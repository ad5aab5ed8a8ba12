import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/clients/browser.ts';
import { PlaygroundPage } from '../../support/clients/playground-page.ts';
import { createGate } from '../../support/gate.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';

let graph: GraphProcess;
let browser: Browser;
let playground: PlaygroundPage;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' }), launchBrowser()]);
});

beforeEach(async () => {
  await playground?.page.close();
  playground = new PlaygroundPage(await browser.newPage({ reducedMotion: 'reduce' }));
  playground.page.setDefaultTimeout(20_000);
  await playground.page.goto(`${graph.url}/#query=${encodeURIComponent('query Slow { chainID }')}`);
  await playground.waitUntilReady();
});

const MODELS = 'globalThis.__MONACO.editor.getModels()';

test('the response of an operation does not appear in a tab that was opened meanwhile', async () => {
  const { page } = playground;
  const [sent, released, responded] = [createGate(), createGate(), createGate()];
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('query Slow')) return route.continue();
    sent.open();
    await released.opened;
    await route.continue();
    responded.open();
  });
  await playground.execute();
  await sent.opened;
  await page.getByRole('button', { name: 'New tab' }).click();
  released.open();
  await responded.opened;
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(`${MODELS}.find(({ uri }) => uri.path.endsWith('response.json')).getValue()`)).toBe('');
});

test('the credentials of the headers editor are not stored', async () => {
  const { page } = playground;
  await page.evaluate(
    `${MODELS}.find(({ uri }) => /headers/.test(uri.path)).setValue('{"authorization": "Bearer token-of-this-test"}')`,
  );
  await page.waitForTimeout(1_000);
  await playground.execute();
  await playground.readResponse();
  const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
  expect(stored).toContain('query Slow');
  expect(stored).not.toContain('token-of-this-test');
});
