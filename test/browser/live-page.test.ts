import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { DevnetDescription } from '../../src/devnet/index.ts';
import { launchBrowser } from '../support/clients/browser.ts';
import { rpc } from '../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../support/graph/running-graph.ts';

/** The page of examples/live, served by the graph over the embedded chain. */
let graph: RunningGraph;
let browser: Browser;
let page: Page;
const consoleErrors: string[] = [];

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  page = await browser.newPage();
  // Shorter than jest's timeout, so that a failure names the step.
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  });
  await page.goto(`${graph.url}/live`);
});

// Before the graph stops: the page would log an error about the closed connection.
afterEach(() => expect(consoleErrors).toEqual([]));

afterAll(async () => {
  await Promise.all([browser?.close(), graph?.stop()]);
});

const rowsOf = (list: string) => page.locator(`#${list} li`);
const numberIn = async (row: ReturnType<typeof rowsOf>) => Number(await row.locator('b').textContent());

test('live page shows new blocks and logs', async () => {
  await page.locator('#state.live', { hasText: 'live' }).waitFor();
  await rowsOf('heads').nth(2).waitFor();
  await rowsOf('logs').nth(2).waitFor();
  const newest = await numberIn(rowsOf('heads').first());
  await page.locator(`#heads li[data-key="0x${(newest + 2).toString(16)}"]`).waitFor();
  expect(await rowsOf('heads').first().locator('code').textContent()).toMatch(/^0x[0-9a-f]{64}$/);
});

test('live page strikes out removed blocks and logs of a reorg and shows the new ones', async () => {
  const { nodeService, endpoints, accounts, contracts } = (await (
    await fetch(`${graph.url}/devnet.json`)
  ).json()) as DevnetDescription;
  // Not every block of the embedded chain has a log, and the removed ones need one.
  const [from, spender] = [accounts.at(-1)!.address, accounts[0]!.address.slice(2).padStart(64, '0')];
  const data = `0x095ea7b3${spender}${'1'.padStart(64, '0')}`;
  const hash = await rpc(endpoints.http, 'eth_sendTransaction', [{ from, to: contracts[0]!.address, gas: '0x186a0', data }]);
  let receipt: any = null;
  while (receipt === null) receipt = await rpc(endpoints.http, 'eth_getTransactionReceipt', [hash]);
  const log = `#logs li[data-key="${receipt.blockHash} ${receipt.logs[0].logIndex}"]`;
  await page.locator(log).waitFor();
  const above = Number(await rpc(endpoints.http, 'eth_blockNumber', [])) - Number(receipt.blockNumber);
  // One more than the blocks from that one on, and one for a block that is mined meanwhile.
  const body = JSON.stringify({ reorg: { depth: above + 3 } });
  const response = await fetch(nodeService.control, { method: 'POST', body });
  expect(response.status).toBe(200);
  await page.locator('#heads li.removed').nth(1).waitFor();
  await page.locator(`${log}.removed`).waitFor();
  const removedHeight = await numberIn(rowsOf('heads').and(page.locator('.removed')).first());
  await page.locator(`#heads li:not(.removed)[data-key="0x${removedHeight.toString(16)}"]`).waitFor();
  await page.locator('#heads li:not(.removed)').first().waitFor();
  expect(await page.locator('#state').getAttribute('class')).toBe('live');
});
