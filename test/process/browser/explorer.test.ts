import { execFileSync } from 'node:child_process';
import { shortHex } from '@grimoire/client';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** One graph, one browser and one page for all tests: their starts cost more than the tests. */
let graph: GraphProcess;
let devnet: DevnetDescription;
let browser: Browser;
let page: Page;
let pages: BrowserPages;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  pages = new BrowserPages(browser, graph.url);
  page = await pages.open('/explore', { colorScheme: 'dark' });
});

// No page may cause a request to another origin, a violation of the content policy or a console error.
afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

const goTo = (path: string) => page.goto(new URL(path, graph.url).href);
const main = () => page.locator('main');
const showsText = (text: string | RegExp) => main().getByText(text).filter({ visible: true }).first().waitFor();

test('explorer documents are revalidated, have a strict content policy, and link their files relative to the path', async () => {
  const fetchPath = (path: string) => fetch(new URL(path, graph.url), { redirect: 'manual' });
  expect((await fetchPath('/explore')).headers.get('location')).toBe('explore/');
  const deep = await fetchPath('/explore/block/1');
  expect(deep.headers.get('cache-control')).toBe('no-cache');
  expect(deep.headers.get('content-security-policy')).not.toContain('unsafe');
  const script = /src="(\.\.\/assets\/[^"]+\.js)"/.exec(await deep.text())![1]!;
  const asset = await fetchPath(new URL(script, new URL('/explore/block/1', graph.url)).pathname);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await fetchPath('/explore/assets/none.js')).status).toBe(404);
});

const account = () => `address/${devnet.accounts[0]!.address}`;

test.each<readonly [name: string, path: () => string | undefined, ...texts: (string | RegExp)[]]>([
  ['the chain', () => '', 'Finalized', 'base fee', /^0x.{5}….{5}$/, 'Duels in progress'],
  ['a block', () => 'block/20', /confirmations?$/, 'Gas used', /^Fee$/, 'Show all 240'],
  ['a transaction', () => `tx/${devnet.landmarks.tokenTransfer}`, 'transfer(address,uint256)', 'MANA', /:24 [A-Z]+/],
  ['an approval', () => `tx/${devnet.landmarks.approval}`, 'approve(address,uint256)', 'spender'],
  ['a reverted transaction', () => `tx/${devnet.landmarks.revertedTransaction}`, 'Reverted: insufficient balance'],
  ['a contract creation', () => `tx/${devnet.tournament.transactionHash}`, /^Contract creation/, /^Creation code/],
  ['an account', account, 'alice', 'CRWN', 'Wizard 1', 'transfer', /^Fee$/, 'Tokens received', 'Tokens sent', 'Tournament'],
  ['a contract', () => `address/${devnet.tournament.address}`, 'Nonce', 'Events of the contract', 'DuelStart'],
  ['the blocks', () => 'blocks', 'Older →'],
  ['the transactions', () => 'transactions', 'send ether', / s ago$/, 'Older →'],
  ['a token', () => `token/${devnet.contracts[0]!.address}`, '100,000,000', 'Balances now'],
  ['a wizard', () => 'wizard/1', 'Since creation', /\d won/, 'Wizard 2'],
  ['a duel that timed out', () => `duel/${devnet.landmarks.timedOutDuel}`, /by time-out/],
  ['a duel in progress', () => `duel/${devnet.landmarks.runningDuel}`, 'in progress'],
  ['the tournament', () => 'tournament', 'Leaderboard', 'Affinities', 'Wizard 8', 'Running duels'],
])('explorer shows %s in one operation, within the width of a phone', async (_name, path, ...texts) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await goTo(`/explore/${path()}`);
  for (const text of texts) await showsText(text);
  const cost = await page.locator('[data-cost]').textContent();
  expect(cost).toMatch(/^(\d+ upstream requests? with \d+ calls?|no upstream request, all cached)$/);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('explorer starts a page at its top, and returns to the position of the page before', async () => {
  await goTo('/explore/block/20');
  await main().locator('a[href*="/tx/"]').nth(80).click();
  await page.locator('[data-status]').waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.goBack();
  await page.waitForFunction('scrollY > 500');
});

test('explorer finds blocks, transactions, duels and accounts, and lists all objects with one number', async () => {
  const { landmarks, accounts, contracts } = devnet;
  const search = async (text: string) => {
    await page.keyboard.press('/');
    const input = page.locator('input[type=search]:focus');
    await input.fill(text);
    await input.press('Enter');
  };
  const block = await graph.execute('{ block(number: 3) { hash } }');
  const cases: readonly (readonly [string, string])[] = [
    ['#30', '/explore/block/30'],
    ['alice', `/explore/address/${accounts[0]!.address}`],
    ['Tournament', `/explore/address/${devnet.tournament.address}`],
    [shortHex(landmarks.finishedDuel!, 8), `/explore/duel/${landmarks.finishedDuel}`],
    [block.data.block.hash, '/explore/block/3'],
    [landmarks.tokenTransfer!, `/explore/tx/${landmarks.tokenTransfer}`],
    [landmarks.finishedDuel!, `/explore/duel/${landmarks.finishedDuel}`],
    [accounts[0]!.address, `/explore/address/${accounts[0]!.address}`],
    [contracts[0]!.address, `/explore/token/${contracts[0]!.address}`],
    ['elder', `/explore/token/${contracts[2]!.address}`],
    ['wizard #3', '/explore/wizard/3'],
  ];
  for (const [text, path] of cases) {
    await search(text);
    await page.waitForURL(new URL(path, graph.url).href);
  }
  await search('2');
  await main().getByRole('link', { name: 'Block 2', exact: true }).waitFor();
  await main().getByRole('link', { name: 'Wizard 2', exact: true }).waitFor();
});

test.each([
  ['not-found', `block/99999999 tx/0x${'0'.repeat(64)} wizard/999999 search/dragon`],
  ['invalid', 'block/abc search/0x12'],
])('explorer shows the kind %s of a message, and links on', async (kind, paths) => {
  for (const path of paths.split(' ')) {
    await goTo(`/explore/${path}`);
    await main().locator(`[data-problem="${kind}"]`).getByRole('link', { name: 'The latest blocks' }).waitFor();
  }
});

/** On a busy machine, several operations reach their timeout before the circuit breaker opens. */
const MAX_WAIT_MS = 150_000;

test(
  'explorer names the node that does not respond and the age of the data, and recovers with the node',
  async () => {
    const node = Number(execFileSync('pgrep', ['-P', String(graph.process.pid), '-x', 'anvil'], { encoding: 'utf8' }));
    const status = page.locator('.head-status');
    await goTo('/explore/');
    await status.filter({ hasText: /live ?block \d/ }).waitFor();
    const fresh = await pages.open('/explore/search/dragon');
    process.kill(node, 'SIGSTOP');
    try {
      await status.filter({ hasText: /node not responding ?since \d+ s, block \d/ }).waitFor();
      await main()
        .locator('[data-stale="node"]', { hasText: /data of block [\d,]+, as of \d{4}-/ })
        .waitFor();
      await fresh.reload();
      // A response without the part that needs the node.
      await fresh.locator('[data-cost]').waitFor({ timeout: MAX_WAIT_MS });
      await fresh.locator('[data-problem="node"]').waitFor();
    } finally {
      process.kill(node, 'SIGCONT');
    }
    await status.filter({ hasText: 'live' }).waitFor();
    await fresh.locator('[data-problem="node"]').waitFor({ state: 'detached' });
    await fresh.getByText('Nothing was found').waitFor();
    await page.locator('[data-stale]').waitFor({ state: 'detached' });
    await fresh.context().close();
    // The browser logs the status of an operation that exceeds OPERATION_TIMEOUT_MS.
    pages.errors.splice(0, Number.POSITIVE_INFINITY, ...pages.errors.filter((error) => !error.includes('status of 504')));
  },
  2 * MAX_WAIT_MS,
);

test('explorer states that history is pruned, without an offer to retry, and calls no missing list empty', async () => {
  const setFaults = (faults: object) => fetch(devnet.nodeService.control, { method: 'POST', body: JSON.stringify({ faults }) });
  await setFaults({ errors: { rate: 1, methods: ['eth_getLogs'], code: 4444, message: 'pruned history unavailable' } });
  await goTo(`/explore/address/${devnet.accounts[5]!.address}`);
  await main().locator('[data-problem="pruned"]').waitFor();
  await showsText('Not available.');
  expect(await main().getByRole('button', { name: 'Try now' }).count()).toBe(0);
  await setFaults({});
  await page.getByRole('region', { name: 'Tokens received' }).locator('tbody tr').first().waitFor();
});

test('explorer strikes out removed blocks of a reorg, and returns their transactions to the pool', async () => {
  const { nodeService, endpoints, accounts, contracts } = devnet;
  await goTo('/explore/');
  const blockRows = page.getByRole('region', { name: 'Blocks', exact: true }).locator('tbody tr');
  const newest = Number(await blockRows.first().locator('td').first().textContent());
  await blockRows.filter({ has: page.getByRole('link', { name: String(newest + 2), exact: true }) }).waitFor();
  const transactionPage = await page.context().newPage();
  const spender = accounts[0]!.address.slice(2).padStart(64, '0');
  const data = `0x095ea7b3${spender}${'1'.padStart(64, '0')}`;
  const from = accounts.at(-1)!.address;
  const hash = await rpc(endpoints.http, 'eth_sendTransaction', [{ from, to: contracts[0]!.address, gas: '0x186a0', data }]);
  await transactionPage.goto(new URL(`/explore/tx/${hash}`, graph.url).href);
  await transactionPage.locator('[data-status="MINED"]').waitFor();
  const receipt = await rpc(endpoints.http, 'eth_getTransactionReceipt', [hash]);
  const above = Number(await rpc(endpoints.http, 'eth_blockNumber', [])) - Number(receipt.blockNumber);
  // Removes the block, the block below it, the blocks above it, and up to four blocks that are mined meanwhile.
  const body = JSON.stringify({ reorg: { depth: above + 6 } });
  expect((await fetch(nodeService.control, { method: 'POST', body })).status).toBe(200);
  await page.getByRole('alert').filter({ hasText: 'were removed' }).waitFor();
  await blockRows.and(page.locator('.removed')).nth(1).waitFor();
  const removed = blockRows.and(page.locator('.removed')).first();
  const height = await removed.locator('td').first().textContent();
  await blockRows
    .and(page.locator(':not(.removed)'))
    .filter({ has: page.getByRole('link', { name: height!, exact: true }) })
    .waitFor();
  await transactionPage.locator('.status-track del').waitFor();
  await transactionPage.close();
  await waitUntil(async () => (await page.locator('.removed').count()) === 0, 'the removed rows disappear');
});

test('explorer of a server without a tournament shows the chain, and names the missing setting', async () => {
  const plain = await startGraph({ RPC_URL: devnet.nodeService.http, INTROSPECTION: 'off' });
  const other = await browser.newPage({ reducedMotion: 'reduce' });
  await other.goto(`${plain.url}/explore/address/${devnet.accounts[0]!.address}`);
  await other.getByRole('region', { name: 'Tokens', exact: true }).waitFor();
  expect(await other.getByRole('region', { name: 'Wizards' }).count()).toBe(0);
  expect(await other.locator('.notice').count()).toBe(0);
  await other.goto(`${plain.url}/explore/tournament`);
  await other.locator('.notice', { hasText: 'WIZARDS_URL' }).waitFor();
  expect(await other.getByRole('link', { name: 'Tournament', exact: true }).count()).toBe(0);
  await other.goto(`${plain.url}/explore/`);
  await other.getByText('Finalized').waitFor();
  await plain.stop();
  await other.locator('.head-status', { hasText: 'server unreachable' }).waitFor();
  await other.locator('[data-stale="server"]').waitFor();
  await other.getByRole('link', { name: 'Tokens', exact: true }).click();
  await other.locator('[data-problem="server"]').waitFor();
  await other.close();
});
