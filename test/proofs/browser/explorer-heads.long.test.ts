import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { createGate } from '../../support/gate.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';

/** The explorer over a network that mines no block by itself. */
let graph: GraphProcess;
let devnet: DevnetDescription;
let page: Page;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' }), launchBrowser()]);
  graph = started;
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  page = await new BrowserPages(browser, graph.url).open('/explore/blocks');
});

async function call(method: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const headers = { 'content-type': 'application/json' };
  return ((await (await fetch(devnet.endpoints.http, { method: 'POST', headers, body })).json()) as { result: string }).result;
}

/** Mines a block, and waits until the header of the page, which follows the subscription, shows it. */
async function mine(): Promise<void> {
  await call('evm_mine');
  const height = Number(await call('eth_blockNumber')).toLocaleString('en-US');
  await page.locator('.head-status').getByText(`block ${height}`, { exact: true }).waitFor();
}

const showsHead = async () => {
  const height = Number(await call('eth_blockNumber')).toLocaleString('en-US');
  await page.locator('.query-bar').getByText(`all at block ${height}`, { exact: true }).waitFor();
};

test('a page shows the head that has arrived during its request for the head before', async () => {
  await page.locator('.head-status.live').waitFor();
  await mine();
  await showsHead();
  const [answered, released] = [createGate(), createGate()];
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('query Blocks')) return route.continue();
    const response = await route.fetch();
    answered.open();
    await released.opened;
    await route.fulfill({ response });
  });
  await mine();
  await answered.opened;
  await mine();
  released.open();
  await showsHead();
  await page.unrouteAll({ behavior: 'wait' });
});

test('a page shows the head that has arrived while it was hidden, once it is visible again', async () => {
  const setVisibility = (state: string) =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    );
  await setVisibility('hidden');
  await mine();
  await setVisibility('visible');
  await showsHead();
});

test('a page states that its request has failed when a proxy responds with a page of its own, and recovers', async () => {
  await page.route('**/graphql', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' }));
  await page.goto(new URL('/explore/block/20', graph.url).href);
  await page.locator('main [data-problem]').first().waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.locator('main').getByText('Gas used').first().waitFor();
});

test('pages of a duel whose outcome the service does not state call it neither drawn nor timed out', async () => {
  const { data } = await graph.execute(
    '{ duels(filter: { excludeInProgress: true }) { nodes { id wizard1Id timedOut winner { id } } } }',
  );
  const duel = data.duels.nodes.find(({ winner, timedOut }: { winner: unknown; timedOut: boolean }) => winner && !timedOut);
  if (!duel) throw new Error('no duel has a winner');
  // A service of the earlier revision omits the powers, the moves and `timedOut`.
  await fetch(devnet.wizardService.control, { method: 'POST', body: JSON.stringify({ faults: { oldNames: true } }) });
  await mine();
  await page.goto(new URL(`/explore/duel/${duel.id}`, graph.url).href);
  await page.getByText('The wizard service does not state the moves.').waitFor();
  expect(await page.locator('main').textContent()).not.toMatch(/drawn|timed out|time-out/);
  for (const path of [`wizard/${duel.wizard1Id}`, 'tournament']) {
    await page.goto(new URL(`/explore/${path}`, graph.url).href);
    await page
      .locator('main')
      .getByText(/^finished( in blocks.*)?$/)
      .first()
      .waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/drawn|timed out|time-out/);
  }
});
