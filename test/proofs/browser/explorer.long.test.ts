import { execFileSync } from 'node:child_process';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Explorer, startExplorer } from '../../support/clients/explorer.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

let graph: Explorer['graph'];
let devnet: Explorer['devnet'];
let browser: Explorer['browser'];
let page: Explorer['page'];
let pages: Explorer['pages'];
let goTo: Explorer['goTo'];
let main: Explorer['main'];

beforeAll(async () => {
  ({ graph, devnet, browser, page, pages, goTo, main } = await startExplorer());
});

// No page may cause a request to another origin, a violation of the content policy or a console error.
afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

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
      // Of the response, or of the part that needs the node, if the circuit breaker has opened before.
      await fresh.locator('[data-problem="node"]').waitFor({ timeout: MAX_WAIT_MS });
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
