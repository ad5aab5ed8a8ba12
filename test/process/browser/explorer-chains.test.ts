import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startAnvil } from '../../../devnet/src/anvil/process.ts';
import { MNEMONIC } from '../../../devnet/src/world/accounts.ts';
import { untilTestsEnd } from '../../support/cleanups.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { startScriptedWizardService, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

/** The explorer of a server over the embedded network and two other chains: 5 has a tournament of its own, 7 has none. */
let other: { readonly url: string; readonly proxy: NodeProxy };
let pages: BrowserPages;
let page: Page;

const startChain = async (chainId: number) =>
  untilTestsEnd(await startAnvil({ chainId, mnemonic: MNEMONIC, genesisTime: 1_735_689_600 }));

beforeAll(async () => {
  const [anvil, plain] = await Promise.all([startChain(5), startChain(7)]);
  const [proxy, service] = await Promise.all([startProxy(anvil.url), startScriptedWizardService()]);
  untilTestsEnd(service);
  other = { url: anvil.url, proxy };
  service.wizards = [1, 2, 3].map((n) => wizardFixture(n));
  await rpc(anvil.url, 'anvil_mine', ['0x30']);
  const { WIZARDS_URL: wizardsUrl, WIZARDS_API_TOKEN: wizardsApiToken, WIZARDS_EMAIL: wizardsEmail } = service.settings;
  const five = { id: 5, rpcUrl: proxy.url, rpcWsUrl: anvil.wsUrl, wizardsUrl, wizardsApiToken, wizardsEmail };
  const CHAINS = writeChainsFile([five, { id: 7, rpcUrl: plain.url }]);
  const [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1', CHAINS }), launchBrowser()]);
  pages = new BrowserPages(browser, graph.url);
  page = await pages.open('/explore/');
});

afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

/** Checks that the page is not wider than a phone. */
async function fitsPhone(): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 800 });
}
const chainOfUrl = () => new URL(page.url()).searchParams.get('chain');
const tile = (name: string) => page.locator('.tiles > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
const section = (name: string) => page.getByRole('region', { name, exact: true });
/** Links to the wizards of a section. The embedded tournament continues, so that any wizard may leave the list. */
const wizards = (name: string) => section(name).getByRole('link', { name: /^Wizard \d+$/ });

test('explorer opens the chain of the switch, and stays on it', async () => {
  const choice = page.getByRole('combobox', { name: 'Chain' });
  await choice.waitFor();
  expect(await choice.locator('option').allTextContents()).toEqual(['Chain 31337', 'Chain 5', 'Chain 7']);
  await tile('Chain').filter({ hasText: '31337' }).waitFor();
  await choice.selectOption('5');
  await tile('Chain').filter({ hasText: /^5$/ }).waitFor();
  await fitsPhone();
  const height = Number(await rpc(other.url, 'eth_blockNumber', []));
  await page.locator('.head-status', { hasText: `live` }).waitFor();
  await rpc(other.url, 'evm_mine', []);
  await page.locator('.head-status', { hasText: `block ${height + 1}` }).waitFor();
  await section('Blocks')
    .getByRole('link', { name: String(height + 1), exact: true })
    .click();
  await page.getByRole('heading', { name: String(height + 1), exact: true }).waitFor();
  expect(chainOfUrl()).toBe('5');
  await page.getByRole('link', { name: 'Tournament', exact: true }).click();
  await section('Leaderboard').getByRole('link', { name: 'Wizard 3' }).waitFor();
  await fitsPhone();
  await page.getByRole('link', { name: 'Wizard 3' }).click();
  await page.getByText('Since creation').waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/explore/wizard/3?chain=5');
  await page.reload();
  await page.getByText('Since creation').waitFor();
  await page.goto(new URL('/explore/?chain=6', page.url()).href);
  await page.locator('[data-problem="invalid"]', { hasText: 'Pass one of: 31337, 5, 7.' }).waitFor();
});

test('explorer shows a chain without a wizard service, and names the missing setting', async () => {
  await page.goto(new URL('/explore/?chain=7', page.url()).href);
  await tile('Chain').filter({ hasText: /^7$/ }).waitFor();
  expect(await page.locator('.notice').count()).toBe(0);
  await page.goto(new URL('/explore/tournament?chain=7', page.url()).href);
  await page.locator('[data-problem="missing"]', { hasText: 'WIZARDS_URL' }).waitFor();
});

test('explorer shows the tournaments of all chains, and the error of the chain whose node fails beside them', async () => {
  await page.goto(new URL('/explore/tournament', page.url()).href);
  await page.getByRole('link', { name: 'all chains' }).click();
  await wizards('Chain 31337').first().waitFor();
  await section('Chain 5').getByText('3 of 3').waitFor();
  await fitsPhone();
  await section('Chain 5').getByRole('link', { name: 'Wizard 2' }).click();
  await page.getByText('Since creation').waitFor();
  expect(chainOfUrl()).toBe('5');
  await page.goBack();
  await section('Chain 5').getByRole('link', { name: 'Wizard 2' }).waitFor();
  await other.proxy.stop();
  // At the known head, all values are in the cache of the server.
  await rpc(other.url, 'evm_mine', []);
  await page.reload();
  await page.locator('[data-problem="node"]').waitFor();
  await section('Chain 7').locator('[data-problem="missing"]').waitFor();
  await wizards('Chain 31337').first().waitFor();
  expect(await page.locator('[data-problem], [data-stale]').count()).toBe(2);
  await fitsPhone();
  await page.goto(new URL('/explore/?chain=5', page.url()).href);
  await page.locator('[data-problem="node"]').waitFor();
  await fitsPhone();
});
