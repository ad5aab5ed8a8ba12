import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { createGate } from '../../support/gate.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';

/** The explorer over a network that mines no block by itself, with responses that a test delays or changes. The times are those of its timers. */
let graph: GraphProcess;
let devnet: DevnetDescription;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let page: Page;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' }), launchBrowser()]);
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
});

beforeEach(async () => {
  await page?.close();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(20_000);
});

const goTo = (path: string) => page.goto(new URL(`/explore/${path}`, graph.url).href);
const main = () => page.locator('main');
const bodyOf = (route: Route) => JSON.parse(route.request().postData()!) as { query: string; variables: any };

/** Handles the requests of one operation of the pages. */
const onOperation = (name: string, handle: (route: Route) => Promise<unknown>) =>
  page.route('**/graphql', async (route) => {
    await (bodyOf(route).query.includes(`query ${name}`) ? handle(route) : route.continue());
  });

const search = async (text: string) => {
  await page.keyboard.press('/');
  const input = page.locator('input[type=search]:focus');
  await input.fill(text);
  await input.press('Enter');
};

test('a chain that the server does not have is an invalid input, and the server stays reachable', async () => {
  await goTo('?chain=6');
  await main().locator('[data-problem="invalid"]').waitFor();
  await page.waitForTimeout(2_000);
  expect(await page.locator('[data-stale]').count()).toBe(0);
  expect(await page.locator('.head-status').textContent()).not.toContain('unreachable');
});

test('a search that is running does not show the result of the search before', async () => {
  await goTo('search/dragon');
  await main().getByText('Nothing was found').waitFor();
  const released = createGate();
  await onOperation('Search', async (route) => {
    await released.opened;
    await route.continue();
  });
  await search('7');
  await main().getByRole('heading', { name: '7', exact: true }).waitFor();
  expect(await main().getByText('Nothing was found').count()).toBe(0);
  released.open();
  await main().getByRole('link', { name: 'Block 7', exact: true }).waitFor();
});

test('a block that cannot be loaded does not have the title of the block before', async () => {
  await goTo('block/20');
  await main().getByRole('heading', { name: '20', exact: true }).waitFor();
  await onOperation('Block', (route) => route.abort());
  await main().getByRole('link', { name: '21 →' }).click();
  await main().locator('[data-problem="server"]').waitFor();
  expect(await main().getByRole('heading', { level: 1 }).textContent()).toBe('21');
  expect(await page.title()).toBe('Block 21 · Grimoire');
});

const refuse = (route: Route, status: number, code: string) =>
  route.fulfill({ status, json: { errors: [{ message: 'Refused.', extensions: { code, retryable: true } }] } });

test('a page that was requested while the server shut down is requested again', async () => {
  let refusals = 0;
  await onOperation('Block', (route) => (refusals++ > 0 ? route.continue() : refuse(route, 503, 'SHUTTING_DOWN')));
  await goTo('block/1');
  await main().getByText('Gas used').first().waitFor();
});

test('the page of the newest block, whose hash has capitals, keeps its data while the server limits the requests', async () => {
  const { hash } = await rpc(devnet.endpoints.http, 'eth_getBlockByNumber', ['latest', false]);
  await goTo(`block/${hash.toUpperCase()}`);
  await main().getByText('Gas used').first().waitFor();
  await onOperation('Block', (route) => refuse(route, 429, 'RATE_LIMITED'));
  await rpc(devnet.endpoints.http, 'evm_mine', []);
  await main().locator('[data-stale="busy"]').waitFor();
  expect(await main().getByText('Gas used').count()).toBeGreaterThan(0);
  expect(await page.locator('.head-status').textContent()).toContain('live');
});

test('the page before one without an entry continues the search for older transactions from there', async () => {
  const transaction = (hash: string) => ({
    hash,
    blockHash: hash,
    valueIn: '1',
    status: '0x1',
    gasUsed: '0x1',
    effectiveGasPrice: '0x1',
    block: { number: '0x1', timestamp: '0x1' },
    decoded: null,
    from: { address: devnet.accounts[0]!.address, label: null },
    to: { address: devnet.accounts[1]!.address, label: null },
    createdContract: null,
  });
  const pageOf = (startCursor: string, hasPreviousPage: boolean, ...hashes: string[]) => ({
    pageInfo: { startCursor, endCursor: startCursor, hasNextPage: false, hasPreviousPage },
    nodes: hashes.map(transaction),
  });
  const [newer, older] = ['aa', 'bb'].map((byte) => `0x${byte.repeat(32)}`) as [string, string];
  const cursors: string[] = [];
  await page.route('**/graphql', async (route) => {
    const { query, variables } = bodyOf(route);
    if (query.includes('query OlderTransactions')) {
      cursors.push(variables.before);
      const found = variables.before === 'first' ? pageOf('newer', true, newer) : pageOf('older', false, older);
      return route.fulfill({ json: { data: { transactionsConnection: found } } });
    }
    if (!query.includes('query Address')) return route.continue();
    const { txBefore, ...others } = variables;
    const response = await route.fetch({ postData: JSON.stringify({ query, variables: others }) });
    const { data } = await response.json();
    data.transactionsConnection = pageOf(txBefore === undefined ? 'first' : 'second', true);
    await route.fulfill({ json: { data } });
  });
  await goTo(`address/${devnet.accounts[5]!.address}`);
  const list = page.getByRole('region', { name: 'Transactions', exact: true });
  await list.locator(`tr[data-key^="${newer}"]`).waitFor();
  await list.getByRole('link', { name: 'Older →' }).click();
  await list.locator(`tr[data-key^="${older}"]`).waitFor();
  expect(await list.locator(`tr[data-key^="${newer}"]`).count()).toBe(0);
  expect(cursors).toEqual(['first', 'second']);
});

test('a reorg strikes out no transactions of another page of the list', async () => {
  const [from, to] = devnet.accounts.map(({ address }) => address);
  const hash = await rpc(devnet.endpoints.http, 'eth_sendTransaction', [{ from, to, value: '0x1' }]);
  await rpc(devnet.endpoints.http, 'evm_mine', []);
  await goTo('transactions');
  await main().locator(`tr[data-key^="${hash}"]`).waitFor();
  await main().getByRole('link', { name: 'Older →' }).click();
  await main().getByRole('link', { name: /Newe/ }).waitFor();
  await main().locator(`tr[data-key^="${hash}"]`).waitFor({ state: 'detached' });
  await page.locator('.head-status.live').waitFor();
  await fetch(devnet.nodeService.control, { method: 'POST', body: JSON.stringify({ reorg: { depth: 2 } }) });
  await rpc(devnet.endpoints.http, 'evm_mine', []);
  await page.getByRole('alert').filter({ hasText: 'removed' }).waitFor();
  expect(await page.locator('tr.removed').count()).toBe(0);
});

test('the sum of the powers states which wizards it has', async () => {
  await onOperation('Tournament', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    if (json.data.alive) json.data.alive.totalCount = 250;
    await route.fulfill({ json });
  });
  await goTo('tournament');
  await page
    .getByRole('region', { name: 'Affinities' })
    .getByText(/strongest/)
    .waitFor();
});

test('blocks of a second reorg are struck out for as long as those of the first', async () => {
  const reorg = async () => {
    await fetch(devnet.nodeService.control, { method: 'POST', body: JSON.stringify({ reorg: { depth: 1 } }) });
    await rpc(devnet.endpoints.http, 'evm_mine', []);
  };
  await goTo('');
  await page.locator('.head-status.live').waitFor();
  const removed = page.getByRole('region', { name: 'Blocks', exact: true }).locator('tr.removed');
  await reorg();
  await removed.first().waitFor();
  const key = await removed.first().getAttribute('data-key');
  await page.waitForTimeout(5_000);
  await reorg();
  await removed.and(page.locator(`:not([data-key="${key}"])`)).waitFor();
  await page.waitForTimeout(4_500);
  expect(await removed.count()).toBeGreaterThan(0);
});

test('the list of blocks has no gap after the cursor of its subscription has expired', async () => {
  const expired = createGate();
  await page.routeWebSocket('**/graphql', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage(async (message) => {
      const { id, payload } = JSON.parse(String(message)) as { id: string; payload?: any };
      if (!payload?.query?.includes('NewHeads') || !payload.variables.after) return server.send(message);
      for (let blocks = 0; blocks < 3; blocks++) await rpc(devnet.endpoints.http, 'evm_mine', []);
      const errors = [{ message: 'The block was removed.', extensions: { code: 'CURSOR_EXPIRED', retryable: false } }];
      socket.send(JSON.stringify({ id, type: 'error', payload: errors }));
      expired.open();
    });
  });
  await goTo('');
  await expired.opened;
  await page.waitForTimeout(1_000);
  await rpc(devnet.endpoints.http, 'evm_mine', []);
  const newest = Number(await rpc(devnet.endpoints.http, 'eth_blockNumber', []));
  await page
    .locator('.query-bar')
    .filter({ hasText: `all at block ${newest}` })
    .waitFor();
  const cells = page.getByRole('region', { name: 'Blocks', exact: true }).locator('tbody tr td:first-child');
  const numbers = (await cells.allTextContents()).slice(0, 5).map(Number);
  expect(numbers).toEqual([0, 1, 2, 3, 4].map((below) => newest - below));
});

/** Opens a page whose response an object changes. */
async function goToChanged(path: string, operation: string, field: string, change: object): Promise<void> {
  await onOperation(operation, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    Object.assign(json.data[field], change);
    await route.fulfill({ json });
  });
  await goTo(path);
}

test('a transaction with blobs states the fee of its blobs', async () => {
  const blobs = { type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x3b9aca00' };
  await goToChanged(`tx/${devnet.landmarks.tokenTransfer}`, 'Transaction', 'transaction', blobs);
  await main().getByText('0.000131072 ether').waitFor();
});

test('a block without a gas limit has no part of it', async () => {
  await goToChanged('block/0', 'Block', 'block', { gasLimit: '0x0', gasUsed: '0x0' });
  await main()
    .getByText(/^0 of 0/)
    .waitFor();
  expect(await main().textContent()).not.toContain('NaN');
});

test('the dialog for a key does not open again after a user has cancelled it', async () => {
  const closed = await startGraph({ API_KEYS: 'reader=reader-key-of-this-test', REQUIRE_CALLER: 'on', DEVNET_LIFE: 'off' });
  await page.goto(`${closed.url}/explore/`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForTimeout(7_000);
  expect(await dialog.count()).toBe(0);
  expect(await page.locator('.head-status').textContent()).not.toContain('unreachable');
  await closed.stop();
});
